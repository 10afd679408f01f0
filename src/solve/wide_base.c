// The wide kernels for the instruction set every machine of the target has.
#include "solve/wide_kernels.h"

const cn_wide_kernels cn_wide_base = CN_WIDE_KERNELS("base");
