// The kernels of recode.h for lists of any codec.
#include "recode.h"

KERNEL(measure_blocks, RecodeParams, 256, 2) { measure_tile(p); }

KERNEL(recode_blocks, RecodeParams, 256, 2) {
    __shared__ __align__(16) uint32_t shared[8][128];
    recode_tile(p, shared);
}
