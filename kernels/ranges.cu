// The kernels of disjunct.cu for batches whose lists are all plain values, bp128 or bp256, without
// calls to decode other codecs.
#ifndef PINION_EMU
#define PACKED_ONLY true
#endif
#include "range.h"

KERNEL(disjunct_packed, DisjunctParams, 512, 1) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t next;
    disjunct_range<false>(p, dynamic, next);
}

KERNEL(disjunct_packed_fields, DisjunctParams, 512, 1) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t next;
    disjunct_range<true>(p, dynamic, next);
}
