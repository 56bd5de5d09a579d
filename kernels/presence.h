// Presence words: a summary of a list that rules out most docIDs which the list does not
// hold, with one load and some ten instructions where a search takes some 1,200. Most of
// what a query looks up is not there: a list of 2% of the documents holds 2% of it.
//
// A list has a word for every four postings, so 8 bits for each. The words divide the
// docIDs evenly; in its word a docID sets three bits, chosen by a multiplicative hash
// (Bloom 1970, in one word), so 4% of the docIDs that a random list does not hold pass.
// Where 8 bits a posting are a bit a document or more, the words are a bitmap and none
// passes.
#ifndef PINION_PRESENCE_H
#define PINION_PRESENCE_H
#include "list.h"

enum : uint32_t { PRESENCE_EXACT = 1u << 27 }; // the scale of a word for 32 docIDs

DEV uint32_t presence_word(uint32_t doc, uint32_t scale) { return __umulhi(doc, scale); }

// presence_bits returns the bits of a docID in its word.
DEV uint32_t presence_bits(uint32_t doc, uint32_t scale) {
    if (scale == PRESENCE_EXACT) return 1u << (doc & 31);
    uint32_t h = doc * 0x9e3779b1u;
    return 1u << (h >> 27) | 1u << (h >> 22 & 31) | 1u << (h >> 17 & 31);
}

// may_hold returns which of the lane's docIDs in alive list l may hold. They are
// below l.maxDoc.
DEV uint32_t may_hold(const ListDesc &l, const uint32_t *d, uint32_t alive) {
    const uint32_t *words = at<uint32_t>(l.presence);
    uint32_t scale = l.presenceScale, v[4];
    if (!words) return alive;
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = alive >> k & 1 ? __ldg(words + presence_word(d[k], scale)) : 0;
    if (scale == PRESENCE_EXACT) {
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (!(v[k] >> (d[k] & 31) & 1)) alive &= ~(1u << k);
        return alive;
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (presence_bits(d[k], 0) & ~v[k]) alive &= ~(1u << k);
    return alive;
}

#endif
