// The kernels of check.h and recode.h for lists that are all bp128, bp256 or newpfd: what
// loading lists of the default codecs needs. See newpfd.cu.
#ifndef PINION_EMU
#define NEWPFD_ONLY true
#endif
#include "check.h"
#include "recode.h"

KERNEL(check_newpfd, CheckParams, 256, 3) { check_tile(p); }

KERNEL(measure_newpfd, RecodeParams, 256, 3) { measure_tile(p); }

KERNEL(recode_newpfd, RecodeParams, 256, 3) {
    __shared__ __align__(16) uint32_t shared[8][128];
    recode_tile(p, shared);
}
