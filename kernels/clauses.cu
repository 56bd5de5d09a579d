// Trees of terms, for batches whose lists are all plain values, bp128 or bp256: disjunct_clauses by ranges of documents (clauses.h), and
// rank_clauses list by list (rankclauses.h). They score as in fields also where there are none.
#ifndef PINION_EMU
#define PACKED_ONLY true
#endif
#include "clauses.h"
#include "rankclauses.h"

KERNEL(disjunct_clauses, DisjunctParams, 512, 1) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t next;
    clause_range(p, dynamic, next);
}

KERNEL(rank_clauses, RankClausesParams, 256, 2) {
    __shared__ Sieve shared[8];
    clause_tile(p, shared);
}
