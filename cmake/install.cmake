# cmake --install: headers, library, a CMake package (find_package(cairn CONFIG) gives cairn::cairn) and cairn.pc.
include(CMakePackageConfigHelpers)

install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cairn)
install(TARGETS cairn EXPORT cairn_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
install(EXPORT cairn_targets NAMESPACE cairn:: FILE cairn-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cairn-config.cmake.in ${PROJECT_BINARY_DIR}/cairn-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairn-config.cmake ${PROJECT_BINARY_DIR}/cairn-config-version.cmake
    DESTINATION ${package_dir})

# A static library needs its own libraries named when it is linked; a shared one brings them along.
if(BUILD_SHARED_LIBS)
    set(pc_libs_private "")
else()
    set(pc_libs_private "-lm ${CMAKE_THREAD_LIBS_INIT}")
endif()
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/cairn.pc.in ${PROJECT_BINARY_DIR}/cairn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cairn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The viewer, where it has been built before: `cairn view` and `cairn render` look for it there.
if(CAIRN_PROGRAM)
    install(FILES ${PROJECT_SOURCE_DIR}/build/web/viewer.html DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn OPTIONAL)
endif()
