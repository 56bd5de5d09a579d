// disjunct_fields: the kernel of disjunct.cu over fields.
#include "range.h"

KERNEL(disjunct_fields, DisjunctParams, 512, 1) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t next;
    disjunct_range<true>(p, dynamic, next);
}
