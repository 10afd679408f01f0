// The wide kernels for AVX2. This file is compiled with it switched on, and used where the machine has it.
#include "solve/wide_kernels.h"

#if defined(__AVX2__)
const cn_wide_kernels cn_wide_avx2 = CN_WIDE_KERNELS("avx2");
#endif
