// disjunct_clauses: trees of terms by ranges of documents, for batches whose lists are all plain values, bp128 or bp256; see clauses.h. It
// scores as in fields also where there are none.
#ifndef PINION_EMU
#define PACKED_ONLY true
#endif
#include "clauses.h"

KERNEL(disjunct_clauses, DisjunctParams, 512, 1) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t next;
    clause_range(p, dynamic, next);
}
