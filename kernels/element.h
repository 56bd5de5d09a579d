// Device functions that look docIDs up in lists of the linear-regression codecs by single
// elements: no block is decoded.
//
// Source: Ao 2011 section 4.3, Algorithm 1. A lane locates a docID's block (list.h), then
// searches the block: between the safe range of the list's line, by interpolation and then
// by halves. Exceptions, which the paper forbids, are looked up for each element.
//
// Bound, a docID in a list far longer than its own: 3 or 4 elements, at most 10, each two
// sectors of 32 bytes, though of a block of 128 b / 8 bytes no more; with skip header,
// endpoints and head some 8 sectors, so 14 G docIDs/s at 3.6 TB/s. Instructions of a lane:
// 40 for the head, 30 an element, and up to 16 * 10 more an element where a block lists
// exceptions; lanes wait for the one with the most. 8.5 G docIDs/s were measured.
#ifndef PINION_ELEMENT_H
#define PINION_ELEMENT_H
#include "list.h"

// Elements gives single docIDs of a block.
struct Elements {
    LineBlock b;
    Patched h;
    Line f, g;
    uint32_t split;
    int kind;

    DEV_MEMBER void open(const ListDesc &l, uint32_t j, int k) {
        const uint32_t *ends = at<uint32_t>(l.docEnds) + j, *last = at<uint32_t>(l.last);
        kind = k;
        b = {at<uint32_t>(l.docs), __ldg(ends), __ldg(ends + 1), block_count(l, j), j << 7, block_prev(l, j),
             __ldg(last + j), l.n, kind == HSLRC ? __ldg(last + l.nb - 1) : 0};
        f = {0, 0, 0, 0};
        g = f;
        split = 128;
        switch (kind) {
        case LRC: lrc_open(b, h, f); break;
        case LRCSEG: lrcseg_open(b, h, f); break;
        case SEGLRC: seglrc_open(b, h, f); break;
        default: hslrc_open(b, h, f, g, &split);
        }
    }

    // get returns docID i of the block.
    DEV_MEMBER uint32_t get(uint32_t i) const {
        uint32_t v = patched_at(b.payload + b.lo, h, i);
        if (kind != HSLRC || i < split && split < 128 || split == 128) return v + f.at_(i);
        if (split < 128) return v + g.at_(i - split);
        Buckets s;
        Line own;
        s.begin(b);
        uint32_t origin = s.line(s.find(s.lowest, b.first + i), own), mw = __ldg(b.payload + b.lo) >> 18 & 63;
        uint32_t z = bit_field(b.payload + b.lo, 24, mw);
        return v + own.at_(i - origin) + (z >> 1 ^ (0 - (z & 1)));
    }

    // has reports whether x, above the docID before the block and not above its last, is
    // among its docIDs from lo on and before hi. The first elements read are where x
    // would be if docIDs were even between the nearest that are known; then halves.
    DEV_MEMBER bool has(uint32_t x, uint32_t lo, uint32_t hi) const {
        uint32_t a = 0, below = b.prev, c = b.n - 1, above = b.last; // below < x <= above, element c
        if (x == above) return true;
        for (int step = 0;; step++) {
            uint32_t from = a > lo ? a : lo, to = c < hi ? c : hi;
            if (from >= to) return false;
            uint32_t mid = (from + to) >> 1;
            if (step < 3) {
                float share = (float)(x - below) / (float)(above - below) * (float)(c - a + 1);
                mid = a + (share < 128 ? (uint32_t)share : 128); // a broken block may give anything
                mid = mid < from ? from : mid < to ? mid : to - 1;
            }
            uint32_t v = get(mid);
            if (v == x) return true;
            if (v < x) {
                a = mid + 1;
                below = v;
            } else {
                c = mid;
                above = v;
            }
        }
    }
};

// search_elements finds which of the lane's docIDs are in l, of a linear-regression codec.
DEV uint32_t search_elements(const ListDesc &l, const uint32_t *d, uint32_t alive, uint32_t mode) {
    uint32_t blk[4], found = 0;
    locate(l, d, alive, mode, blk);
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        uint32_t x = k == 0 ? d[0] : k == 1 ? d[1] : k == 2 ? d[2] : d[3];
        uint32_t j = k == 0 ? blk[0] : k == 1 ? blk[1] : k == 2 ? blk[2] : blk[3];
        if (j == NO_BLOCK) continue;
        Elements e;
        e.open(l, j, kind_of(l.docsCodec));
        int64_t lo = 0, hi = e.b.n;
        if (l.flags & LIST_LR) {
            int64_t at_ = ((int64_t)((uint64_t)x * (uint64_t)l.lrInv + (uint64_t)l.lrBase) >> 32) - e.b.first;
            if (at_ - l.lrLeft > lo) lo = at_ - l.lrLeft;
            if (at_ + l.lrRight + 1 < hi) hi = at_ + l.lrRight + 1;
        }
        if (lo < hi && e.has(x, (uint32_t)lo, (uint32_t)hi)) found |= 1u << k;
    }
    __syncwarp();
    return found;
}

#endif
