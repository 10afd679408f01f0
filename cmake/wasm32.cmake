# Toolchain for WebAssembly: clang with the C library for WASI from Debian's packages lld, wasi-libc, libclang-rt-14-dev-wasm32.
set(CMAKE_SYSTEM_NAME Generic) # CMake knows no name for it
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
