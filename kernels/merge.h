// Device functions that intersect decoded lists by merging, an alternative to the searches
// of search.h.
//
// A list's docIDs are decoded once per batch, however many queries use them. A query's
// first list has a counter for each docID, which is incremented for every other list that
// contains the docID. A docID is in all lists if its counter equals the number of the
// other lists.
#ifndef PINION_MERGE_H
#define PINION_MERGE_H
#include "cuda.h"

enum { MERGE_TILE = 2048 };

// crossing returns how many of the first diag elements of the merge of a and b are from
// a, by MergePath's binary search along a cross diagonal. Of equal elements, those of a
// come first.
DEV uint32_t crossing(const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb, uint32_t diag) {
    uint32_t lo = diag > nb ? diag - nb : 0, hi = diag < na ? diag : na;
    while (lo < hi) {
        uint32_t mid = (lo + hi) >> 1;
        if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

#endif
