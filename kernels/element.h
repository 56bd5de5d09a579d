// Device functions that search lists of the linear-regression codecs by single elements,
// without decoding blocks.
//
// Source: Ao 2011 section 4.3, Algorithm 1. A lane locates a docID's block (list.h), then
// searches the block within the safe range of the list's line, first by interpolation and
// then by bisection. Positions of exceptions, which the paper does not allow, are
// converted to a bitmap.
//
// Bound, per docID in a list far longer than its own: 3 or 4 elements, at most 10. With
// skip header, endpoints and head that is about 8 sectors of 32 bytes, so 14 G docIDs/s
// at 3.6 TB/s. Each lane reads a different cache line, so a load takes a cycle of the
// multiprocessor per lane: 6 to find the block, 4 for its ends, 3 for its head, 2 to 5
// for positions of exceptions, 1 or 2 per element: about 20, so 11 G docIDs/s.
// Instructions of a lane: 60 for the head, 10 per position, 35 per element; lanes wait
// for the slowest. Measured for batches including copies: 7 to 10 G docIDs/s with lists
// 64 to 128 times as long.
#ifndef PINION_ELEMENT_H
#define PINION_ELEMENT_H
#include "list.h"

// two_words returns w bits, at most 32, from bit s of q[0] on. The rest is in q[next],
// which is loaded only if needed.
DEV uint32_t two_words(const uint32_t *q, uint32_t next, uint32_t s, uint32_t w) {
    uint32_t lo = __ldg(q), hi = s + w > 32 ? __ldg(q + next) : 0;
    return __funnelshift_r(lo, hi, s) & low_mask(w);
}

// Elements gives access to single docIDs of a block.
struct Elements {
    LineBlock b;
    Patched h;
    Line f, g;
    uint32_t split;
    uint32_t map0, map1, map2, map3; // positions of exceptions
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
        if (!h.sound) h.width = h.low = h.count = 0;
        map0 = map1 = map2 = map3 = 0;
        if (h.count) map(b.payload + b.lo);
    }

    // map reads the positions of the exceptions.
    DEV_MEMBER void map(const uint32_t *p) {
        uint32_t s = h.first & 31;
        p += h.first >> 5;
        if (h.mapped()) {
            uint32_t w[5];
#pragma unroll
            for (int i = 0; i < 5; i++) w[i] = __ldg(p + i);
            map0 = __funnelshift_r(w[0], w[1], s);
            map1 = __funnelshift_r(w[1], w[2], s);
            map2 = __funnelshift_r(w[2], w[3], s);
            map3 = __funnelshift_r(w[3], w[4], s);
            return;
        }
        uint32_t lo = __ldg(p), hi = __ldg(++p);
        for (uint32_t j = 0;;) {
            uint32_t at_ = __funnelshift_r(lo, hi, s) & 127, bit = 1u << (at_ & 31);
            if (at_ < 32) map0 |= bit;
            else if (at_ < 64) map1 |= bit;
            else if (at_ < 96) map2 |= bit;
            else map3 |= bit;
            if (++j == h.count) return;
            s += 7;
            if (s < 32) continue;
            s -= 32;
            lo = hi;
            hi = __ldg(++p);
        }
    }

    // deviation returns value i of the block as stored.
    DEV_MEMBER uint32_t deviation(uint32_t i) const {
        const uint32_t *p = b.payload + b.lo;
        uint32_t at_ = (i >> 2) * h.width;
        uint32_t v = two_words(p + h.low + 4 * (at_ >> 5) + (i & 3), 4, at_ & 31, h.width);
        uint32_t m = i < 64 ? i < 32 ? map0 : map1 : i < 96 ? map2 : map3;
        if (!(m >> (i & 31) & 1)) return v;
        uint32_t rank = __popc(m & ((1u << (i & 31)) - 1));
        if (i >= 32) rank += __popc(map0);
        if (i >= 64) rank += __popc(map1);
        if (i >= 96) rank += __popc(map2);
        if (rank >= h.count) rank = h.count - 1; // the bitmap has too many bits
        at_ = h.overflows() + h.over * rank;
        return v + raise(two_words(p + (at_ >> 5), 1, at_ & 31, h.over) + h.bias, h.width);
    }

    // get returns docID i of the block.
    DEV_MEMBER uint32_t get(uint32_t i) const {
        uint32_t v = deviation(i);
        if (kind != HSLRC || i < split && split < 128 || split == 128) return v + f.at_(i);
        if (split < 128) return v + g.at_(i);
        Buckets s;
        Line own;
        s.begin(b);
        uint32_t origin = s.line(s.find(s.lowest, b.first + i), own), mw = __ldg(b.payload + b.lo) >> 18 & 63;
        uint32_t z = bit_field(b.payload + b.lo, 24, mw);
        return v + own.at_(i - origin) + (z >> 1 ^ (0 - (z & 1)));
    }

    // has reports whether x is among the block's docIDs at positions lo to hi-1. x must
    // be greater than the docID before the block and at most its last. The first probes
    // interpolate between the nearest known docIDs; then it bisects.
    DEV_MEMBER bool has(uint32_t x, uint32_t lo, uint32_t hi) const {
        uint32_t a = 0, below = b.prev, c = b.n - 1, above = b.last; // below < x <= above, element c
        if (x == above) return true;
        for (int step = 0;; step++) {
            uint32_t from = a > lo ? a : lo, to = c < hi ? c : hi;
            if (from >= to) return false;
            uint32_t mid = (from + to) >> 1;
            if (step < 3) {
                float share = (float)(x - below) / (float)(above - below) * (float)(c - a + 1);
                mid = a + (share < 128 ? (uint32_t)share : 128); // a corrupt block may give any value
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

// search_elements returns which of the lane's docIDs are in l, a list of a
// linear-regression codec.
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
