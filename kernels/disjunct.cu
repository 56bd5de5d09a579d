// disjunct: disjunctions by ranges of documents over lists of any codec; see range.h. Together with
// disjunct_fields it takes nvcc a hundred times as long to compile.
#include "range.h"

KERNEL(disjunct, DisjunctParams, 512, 1) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t next;
    disjunct_range<false>(p, dynamic, next);
}
