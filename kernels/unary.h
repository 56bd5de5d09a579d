// Device functions over blocks with a unary part: ef and rice. A warp takes a block of
// at most 128 values; lane t gets positions 4t to 4t+3.
//
// Sources: ef, Para-EF of Liu 2018 section 3.1.1: popcount, scan, schedule, recover; rice
// with two prefix sums, Ding 2009 section 6: one over the ones of the unary part, one over
// the binary parts. The layouts are those of format/codec/unary, ef and rice.
//
// Bound: five steps of scan and five of search with a shuffle each, a select of 15
// instructions, 5 for each further one, 25 for the low bits: about 110 a block, 0.9 an
// integer; rice 25 more for its second sum. Bytes: at 7 bits a value 4.9 an integer with
// the store.
//
// A block is taken only if its words are exactly what its head says; else it gives
// zeros, and no load leaves the block by more than a vector.
#ifndef PINION_UNARY_H
#define PINION_UNARY_H
#include "patched.h"

// Unary is the shape of a block: high words of unary numbers behind head bits, then
// low bits of that width.
struct Unary {
    uint32_t width, high, head;
    bool sound;

    // docs is for a block of ef whose docIDs less prev+1 and their positions reach top.
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
        sound = high - 1 < 32 && high + packed_words(n, width) == words;
    }
    // stated is for a block that begins with its width in bits bits.
    DEV_MEMBER void stated(const uint32_t *p, uint32_t words, uint32_t n, uint32_t bits) {
        head = bits;
        width = words ? __ldg(p) & low_mask(bits) : 64;
        high = width <= 32 ? words - packed_words(n, width) : 0;
        sound = high - 1 < 32;
    }
    // join puts high part q before low bits.
    DEV_MEMBER uint32_t join(uint32_t q, uint32_t low) const { return raise(q, width) | low; }
};

enum { EF_HEAD = 6, RICE_HEAD = 5 };

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

// unary_sums returns what the first 4t+1 to 4t+4 numbers of the unary part sum to. A
// word a lane is counted and scanned, each lane finds the word of its first number by
// search in the sums and goes on from there.
DEV uint4 unary_sums(const uint32_t *p, const Unary &e, int lane) {
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
    return make_uint4(q[0], q[1], q[2], q[3]);
}

// ef_sums returns the lane's four sums of an ef block: what precedes docIDs or
// frequencies before base and position are added.
DEV uint4 ef_sums(const uint32_t *p, const Unary &e, uint32_t n, int lane) {
    uint4 q = unary_sums(p, e, lane), v = low_row(p + e.high, e.width, n, lane);
    return make_uint4(e.join(q.x, v.x), e.join(q.y, v.y), e.join(q.z, v.z), e.join(q.w, v.w));
}

// ef_docs returns the lane's four docIDs of a block after prev that ends with last.
DEV uint4 ef_docs(const uint32_t *p, uint32_t words, uint32_t n, uint32_t prev, uint32_t last, int lane) {
    uint32_t base = prev + 1 + 4 * lane, top = last - prev - n;
    uint4 v = make_uint4(0, 0, 0, 0);
    Unary e;
    if (top) {
        e.docs(words, n, top);
        if (e.sound) v = ef_sums(p, e, n, lane);
    }
    return make_uint4(base + v.x, base + 1 + v.y, base + 2 + v.z, base + 3 + v.w);
}

// less_before subtracts the value before from each: sums become what was summed.
DEV uint4 less_before(uint4 v, int lane) {
    uint32_t before = __shfl_up_sync(FULL, v.w, 1);
    if (lane == 0) before = 0;
    return make_uint4(v.x - before, v.y - v.x, v.z - v.y, v.w - v.z);
}

// ef_freqs returns the lane's four frequencies less one.
DEV uint4 ef_freqs(const uint32_t *p, uint32_t words, uint32_t n, int lane) {
    Unary e;
    e.stated(p, words, n, EF_HEAD);
    if (!e.sound) return make_uint4(0, 0, 0, 0);
    return less_before(ef_sums(p, e, n, lane), lane);
}

// rice_values returns the lane's four values of a rice block.
DEV uint4 rice_values(const uint32_t *p, uint32_t words, uint32_t n, int lane) {
    Unary e;
    e.stated(p, words, n, RICE_HEAD);
    if (!e.sound) return make_uint4(0, 0, 0, 0);
    uint4 q = less_before(unary_sums(p, e, lane), lane), v = low_row(p + e.high, e.width, n, lane);
    return make_uint4(e.join(q.x, v.x), e.join(q.y, v.y), e.join(q.z, v.z), e.join(q.w, v.w));
}

// unary_pair finds the sum of the first i+1 numbers and, unless i is 0, of the first i.
DEV void unary_pair(const uint32_t *p, const Unary &e, uint32_t i, uint32_t *sum, uint32_t *before) {
    uint32_t k = i, at_ = 0, w = __ldg(p) >> e.head << e.head, ones = __popc(w), past = FULL;
    while (k >= ones && at_ + 1 < e.high) {
        if (ones) past = 32 * at_ + 31 - __clz(w);
        k -= ones;
        w = __ldg(p + ++at_);
        ones = __popc(w);
    }
    uint32_t bit = select_bit(w, k) & 31, low = w & ((1u << bit) - 1);
    if (low) past = 32 * at_ + 31 - __clz(low);
    *sum = 32 * at_ + bit - e.head - i;
    *before = past - e.head - (i - 1);
}

// ef_freq_at returns frequency i of a block less one; each lane may ask for its own.
DEV uint32_t ef_freq_at(const uint32_t *p, uint32_t words, uint32_t n, uint32_t i) {
    Unary e;
    e.stated(p, words, n, EF_HEAD);
    if (!e.sound) return 0;
    uint32_t sum, before;
    unary_pair(p, e, i, &sum, &before);
    uint32_t x = e.join(sum, low_at(p + e.high, e.width, i));
    return i ? x - e.join(before, low_at(p + e.high, e.width, i - 1)) : x;
}

// rice_freq_at is ef_freq_at for rice.
DEV uint32_t rice_freq_at(const uint32_t *p, uint32_t words, uint32_t n, uint32_t i) {
    Unary e;
    e.stated(p, words, n, RICE_HEAD);
    if (!e.sound) return 0;
    uint32_t sum, before;
    unary_pair(p, e, i, &sum, &before);
    return e.join(i ? sum - before : sum, low_at(p + e.high, e.width, i));
}

#endif
