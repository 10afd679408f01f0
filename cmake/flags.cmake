# Compiler flags. Those that concern floating point are part of the design: the same bits from every compiler.

function(cairn_set_flags target)
    set_target_properties(${target} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE
        -ffp-contract=off    # a fused multiply-add rounds differently
        -fno-math-errno      # sqrtf becomes one instruction
        -fno-trapping-math
        -Wall -Wextra -Wshadow -Wdouble-promotion -Wstrict-prototypes
        -Wno-missing-field-initializers # leaving the rest of a struct zero is deliberate
        -Wno-psabi)
    if(NOT ARGV1 STREQUAL "TEST")
        target_compile_options(${target} PRIVATE -Wmissing-prototypes)
    endif()
    if(CAIRN_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
endfunction()

if(CAIRN_SANITIZE)
    add_compile_options(-fsanitize=${CAIRN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${CAIRN_SANITIZE})
endif()

# Flags of single files. The wide kernels are one source compiled twice; AVX2 without FMA gives the same bits as SSE2. Their loops over
# lanes must be unrolled, which gcc does at -O3 only.
function(cairn_set_kernel_flags)
    set(kernel_options "$<$<CONFIG:Release>:-O3>;$<$<C_COMPILER_ID:GNU>:-fno-var-tracking>") # tracking takes minutes
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/solve/wide_base.c ${PROJECT_SOURCE_DIR}/src/shape/mesh_ray_base.c
        DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES COMPILE_OPTIONS "${kernel_options}")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
        set_source_files_properties(${PROJECT_SOURCE_DIR}/src/solve/wide_avx2.c ${PROJECT_SOURCE_DIR}/src/shape/mesh_ray_avx2.c
            DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES COMPILE_OPTIONS "${kernel_options};-mavx2;-mno-fma")
    endif()
endfunction()
