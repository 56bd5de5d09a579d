// Presence words are a filter that rules out most docIDs that a list does not contain,
// with one load and about ten instructions, where a search takes about 1,200. Most docIDs
// that a query looks up are absent: a list with 2% of the documents contains about 2% of
// them.
//
// A list has a word for every four postings, that is, 8 bits per posting. The words
// divide the docIDs evenly. A docID sets three bits in its word, chosen by a
// multiplicative hash (a Bloom filter in one word, Bloom 1970), so 4% of the docIDs that
// a random list does not contain pass. If 8 bits per posting make at least one bit per
// document, the words are a bitmap and no absent docID passes.
#ifndef PINION_PRESENCE_H
#define PINION_PRESENCE_H
#include "list.h"

enum : uint32_t { PRESENCE_EXACT = 1u << 27 }; // scale of a bitmap: 32 docIDs per word

DEV uint32_t presence_word(uint32_t doc, uint32_t scale) { return __umulhi(doc, scale); }

// presence_bits returns the bits of a docID in its word.
DEV uint32_t presence_bits(uint32_t doc, uint32_t scale) {
    if (scale == PRESENCE_EXACT) return 1u << (doc & 31);
    uint32_t h = doc * 0x9e3779b1u;
    return 1u << (h >> 27) | 1u << (h >> 22 & 31) | 1u << (h >> 17 & 31);
}

// may_hold returns which of the lane's docIDs with a bit in alive list l may contain.
// They must be less than l.maxDoc.
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
