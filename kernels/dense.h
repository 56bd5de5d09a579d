// Device functions over the blocks of newpfd and ef: what smaller posting lists cost
// in instructions. A warp takes a block of at most 128 values; lane t gets positions
// 4t to 4t+3.
//
// Sources: newpfd, Yan, Ding and Suel 2009, Ao 2011 section 4.1, with fixed fields in
// place of Simple16; ef, Para-EF of Liu 2018 section 3.1.1: popcount, scan, schedule,
// recover. The layouts are those of format/codec/newpfd, patch and ef.
//
// Bound, newpfd: 40 instructions a warp for the low bits and the prefix sum as in
// bp128 but with 4-byte loads, 35 for the rank of the lane's first exception (five
// steps of shuffles, or popcounts of a bitmap), 12 for each exception of the busiest
// lane, of which there are one or two: about 100 a block, 0.8 an integer. ef: five
// steps of scan and five of search with a shuffle each, then a select of 15 and 8 for
// each further one: about 130 a block, 1.0 an integer, so 0.9 T integers/s on 132
// multiprocessors of four schedulers at 1.75 GHz. Measured on an H200: newpfd 0.39 T/s,
// ef 0.37, which more warps do not raise, so that ef takes some 300. Bytes: at 6 bits a value 4.8 an
// integer with the store.
//
// A block is taken only if its words are exactly what its head says; else it gives
// zeros, and no load leaves the block by more than a vector.
#ifndef PINION_DENSE_H
#define PINION_DENSE_H
#include "cuda.h"
#include "params.h"

// patch_field returns the field of w bits, at most 31, at bit at of p.
DEV uint32_t patch_field(const uint32_t *p, uint32_t at, uint32_t w) {
    const uint32_t *q = p + (at >> 5);
    return __funnelshift_r(__ldg(q), __ldg(q + 1), at & 31) & low_mask(w);
}

// Patched is the head of a newpfd block.
struct Patched {
    uint32_t width, count, over, low; // low: the first word of the low bits
    bool sound;

    DEV_MEMBER void begin(const uint32_t *p, uint32_t words, uint32_t n) {
        uint32_t head = words ? __ldg(p) : 0;
        width = head & 63;
        count = head >> 6 & 127;
        over = head >> 13 & 31;
        low = (18 + (count > 16 ? 128 : 7 * count) + over * count + 31) >> 5;
        sound = words && width <= 32 && low + 4 * ((((n + 3) >> 2) * width + 31) >> 5) == words;
    }
    // overflow returns what exception j adds to its value.
    DEV_MEMBER uint32_t overflow(const uint32_t *p, uint32_t j) const {
        if (j >= count) j = count - 1; // a bitmap of too many bits
        uint32_t first = 18 + (count > 16 ? 128 : 7 * count);
        return (patch_field(p, first + over * j, over) + 1) << (width & 31);
    }
    // bitmap returns word i of the bitmap of positions.
    DEV_MEMBER uint32_t bitmap(const uint32_t *p, uint32_t i) const {
        return __funnelshift_r(__ldg(p + i), __ldg(p + i + 1), 18);
    }
};

// pf_values returns the lane's four values of a newpfd block: gaps, or frequencies
// less one. All lanes of the warp take part.
DEV uint4 pf_values(const uint32_t *p, uint32_t words, uint32_t n, int lane) {
    Patched h;
    h.begin(p, words, n);
    if (!h.sound) return make_uint4(0, 0, 0, 0);
    uint32_t row = 4 * lane < (int)n ? lane : 0;
    uint4 v = bp_row_words(p + h.low, row * h.width, low_mask(h.width));
    if (!h.count) return v;
    // Which of the lane's values are exceptions, and how many lie before them.
    uint32_t mine = 0, rank = 0;
    if (h.count > 16) {
        uint32_t w = lane >> 3;
        for (uint32_t i = 0; i < w; i++) rank += __popc(h.bitmap(p, i));
        uint32_t bits = h.bitmap(p, w), s = 4 * (lane & 7);
        rank += __popc(bits & ((1u << s) - 1));
        mine = bits >> s & 15;
    } else {
        uint32_t at_ = lane < (int)h.count ? patch_field(p, 18 + 7 * lane, 7) : 255;
#pragma unroll
        for (uint32_t s = 16; s; s >>= 1)
            if (__shfl_sync(FULL, at_, rank + s - 1) < 4u * lane) rank += s;
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t x = __shfl_sync(FULL, at_, rank + k < 32 ? rank + k : 31);
            if (x >> 2 == (uint32_t)lane) mine |= 1u << (x & 3);
        }
    }
    if (mine & 1) v.x += h.overflow(p, rank++);
    if (mine & 2) v.y += h.overflow(p, rank++);
    if (mine & 4) v.z += h.overflow(p, rank++);
    if (mine & 8) v.w += h.overflow(p, rank);
    return v;
}

// pf_at returns value i of a newpfd block; each lane may ask for its own.
DEV uint32_t pf_at(const uint32_t *p, uint32_t words, uint32_t n, uint32_t i) {
    Patched h;
    h.begin(p, words, n);
    if (!h.sound) return 0;
    uint32_t bit = (i >> 2) * h.width;
    const uint32_t *q = p + h.low + 4 * (bit >> 5) + (i & 3);
    uint32_t v = __funnelshift_r(__ldg(q), __ldg(q + 4), bit & 31) & low_mask(h.width);
    if (h.count > 16) {
        uint32_t w = i >> 5, bits = h.bitmap(p, w), rank = __popc(bits & ((1u << (i & 31)) - 1));
        if (!(bits >> (i & 31) & 1)) return v;
        for (uint32_t k = 0; k < w; k++) rank += __popc(h.bitmap(p, k));
        return v + h.overflow(p, rank);
    }
    for (uint32_t j = 0; j < h.count; j++)
        if (patch_field(p, 18 + 7 * j, 7) == i) return v + h.overflow(p, j);
    return v;
}

// Elias is the shape of an ef block: high words of unary numbers behind head bits,
// then low bits of that width.
struct Elias {
    uint32_t width, high, head;
    bool sound;

    // docs is for a block whose docIDs less prev+1 and their positions reach top.
    DEV_MEMBER void docs(uint32_t words, uint32_t n, uint32_t top) {
        head = 0;
        if (n == 128) {
            width = top >> 8 ? 24 - __clz(top) : 0;
            high = (128 + (top >> width) + 31) >> 5;
        } else {
            // The shape that makes a short block smallest: as the encoder finds it.
            uint32_t rows = (n + 3) >> 2;
            uint64_t least = ~0ull;
            width = high = 0;
            for (uint32_t v = 0; v <= 32; v++) {
                uint32_t w = 32 * v / rows < 32 ? 32 * v / rows : 32;
                uint64_t h = (n + ((uint64_t)top >> w) + 31) >> 5;
                if (4 * v + h < least) {
                    width = w;
                    high = h < 64 ? (uint32_t)h : 64;
                    least = 4 * v + h;
                }
                if (w == 32 || 4 * v >= least) break;
            }
        }
        sound = high - 1 < 32 && high + 4 * ((((n + 3) >> 2) * width + 31) >> 5) == words;
    }
    DEV_MEMBER void freqs(const uint32_t *p, uint32_t words, uint32_t n) {
        head = 6;
        width = words ? __ldg(p) & 63 : 64;
        high = width <= 32 ? words - 4 * ((((n + 3) >> 2) * width + 31) >> 5) : 0;
        sound = high - 1 < 32;
    }
    // join puts high part q before low bits.
    DEV_MEMBER uint32_t join(uint32_t q, uint32_t low) const { return (width < 32 ? q << width : 0) | low; }
};

// select_bit returns the position of set bit k, from 0, of w, which has as many.
DEV uint32_t select_bit(uint32_t w, uint32_t k) {
    uint32_t at_ = 0;
#pragma unroll
    for (uint32_t s = 16; s; s >>= 1) {
        uint32_t c = __popc(w >> at_ & ((1u << s) - 1));
        if (k >= c) {
            k -= c;
            at_ += s;
        }
    }
    return at_;
}

// ef_sums returns the lane's four sums of an ef block: what precedes docIDs or
// frequencies before base and position are added. A word a lane is counted and
// scanned, each lane finds the word of its first value by search in the sums and goes
// on from there.
DEV uint4 ef_sums(const uint32_t *p, const Elias &e, uint32_t n, int lane) {
    uint32_t w = lane < (int)e.high ? __ldg(p + lane) : 0;
    if (lane == 0) w = w >> e.head << e.head;
    uint32_t ones = __popc(w), sum = warp_scan(ones, lane), first = 4 * lane, at_ = 0, q[4];
#pragma unroll
    for (uint32_t s = 16; s; s >>= 1)
        if (__shfl_sync(FULL, sum, at_ + s - 1) <= first) at_ += s;
    uint32_t k = first - __shfl_sync(FULL, sum - ones, at_);
    w = __shfl_sync(FULL, w, at_);
    w &= FULL << (select_bit(w, k) & 31);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        while (!w && at_ + 1 < e.high) w = __ldg(p + ++at_);
        q[i] = 32 * at_ + __ffs(w) - 1 - e.head - (first + i);
        w &= w - 1;
    }
    uint32_t row = first < n ? lane : 0;
    uint4 v = bp_row_words(p + e.high, row * e.width, low_mask(e.width));
    return make_uint4(e.join(q[0], v.x), e.join(q[1], v.y), e.join(q[2], v.z), e.join(q[3], v.w));
}

// ef_docs returns the lane's four docIDs of a block after prev that ends with last.
DEV uint4 ef_docs(const uint32_t *p, uint32_t words, uint32_t n, uint32_t prev, uint32_t last, int lane) {
    uint32_t base = prev + 1 + 4 * lane, top = last - prev - n;
    uint4 v = make_uint4(0, 0, 0, 0);
    Elias e;
    if (top) {
        e.docs(words, n, top);
        if (e.sound) v = ef_sums(p, e, n, lane);
    }
    return make_uint4(base + v.x, base + 1 + v.y, base + 2 + v.z, base + 3 + v.w);
}

// ef_freqs returns the lane's four frequencies less one.
DEV uint4 ef_freqs(const uint32_t *p, uint32_t words, uint32_t n, int lane) {
    Elias e;
    e.freqs(p, words, n);
    if (!e.sound) return make_uint4(0, 0, 0, 0);
    uint4 v = ef_sums(p, e, n, lane);
    uint32_t before = __shfl_up_sync(FULL, v.w, 1);
    if (lane == 0) before = 0;
    return make_uint4(v.x - before, v.y - v.x, v.z - v.y, v.w - v.z);
}

// ef_freq_at returns frequency i of a block less one; each lane may ask for its own.
DEV uint32_t ef_freq_at(const uint32_t *p, uint32_t words, uint32_t n, uint32_t i) {
    Elias e;
    e.freqs(p, words, n);
    if (!e.sound) return 0;
    uint32_t k = i, before = FULL, at_ = 0, w = __ldg(p) >> 6 << 6, ones = __popc(w);
    while (k >= ones && at_ + 1 < e.high) {
        if (ones) before = 32 * at_ + 31 - __clz(w) - e.head;
        k -= ones;
        w = __ldg(p + ++at_);
        ones = __popc(w);
    }
    uint32_t bit = select_bit(w, k) & 31, low = w & ((1u << bit) - 1);
    if (low) before = 32 * at_ + 31 - __clz(low) - e.head;
    const uint32_t *q = p + e.high;
    uint32_t mask = low_mask(e.width), s = (i >> 2) * e.width;
    const uint32_t *r = q + 4 * (s >> 5) + (i & 3);
    uint32_t x = e.join(32 * at_ + bit - e.head - i, __funnelshift_r(__ldg(r), __ldg(r + 4), s & 31) & mask);
    if (!i) return x;
    i--;
    s = (i >> 2) * e.width;
    r = q + 4 * (s >> 5) + (i & 3);
    return x - e.join(before - i, __funnelshift_r(__ldg(r), __ldg(r + 4), s & 31) & mask);
}

#endif
