// The wide kernels for AVX2. This file is compiled with it switched on, and used where the machine has it.
#if defined(__AVX2__)
#include "solve/wide_kernels.h"

const cn_wide_kernels cn_wide_avx2 = CN_WIDE_KERNELS("avx2");
#else
typedef int cn_no_avx2; // a file may not be empty
#endif
