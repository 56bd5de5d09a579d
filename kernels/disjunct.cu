// disjunct: disjunctions by ranges of documents over lists of any codec; see range.h.
// disjunct_fields: the same over fields.
#include "range.h"

KERNEL(disjunct, DisjunctParams, 512, 1) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t next;
    disjunct_range<false>(p, dynamic, next);
}

KERNEL(disjunct_fields, DisjunctParams, 512, 1) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t next;
    disjunct_range<true>(p, dynamic, next);
}
