// Device functions for blocks with a unary part: ef and rice. A warp processes a block of
// at most 128 values; lane t gets positions 4t to 4t+3.
//
// Sources: ef, Para-EF of Liu 2018 section 3.1.1: popcount, scan, schedule, recover; rice
// with two prefix sums, Ding 2009 section 6: one over the ones of the unary part, one over
// the binary parts. The layouts are those of format/codec/internal/unary, ef and rice.
//
// Bound: without shared memory, five steps of scan and five of search with a shuffle
// each, and a select of 30 instructions, 5 for each further one. With it, a scan and 4
// instructions for each of the 9 to 12 bits of a lane, 48. 25 for the low bits, 15 to
// store: about 130 per block, 1.0 per integer; rice takes 20 more for its second sum. At
// 7 bits per value, 4.9 bytes per integer with the store.
//
// A block is decoded only if it has exactly the length that its head implies; otherwise
// it gives zeros. No load reads more than a vector past the block.
#ifndef PINION_UNARY_H
#define PINION_UNARY_H
#include "patched.h"

// Unary is the shape of a block: high words with unary numbers, starting after head bits,
// then low bits of the given width.
struct Unary {
    uint32_t width, high, head;
    bool sound;

    // docs sets the shape of an ef block of docIDs. top is the greatest of its docIDs
    // minus prev+1 and the position.
    DEV_MEMBER void docs(uint32_t words, uint32_t n, uint32_t top) {
        head = 0;
        if (n == 128) {
            width = top >> 8 ? 24 - __clz(top) : 0;
            high = (128 + (top >> width) + 31) >> 5;
        } else {
            // The smallest shape for a short block, as the encoder chooses it.
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
    // stated sets the shape of a block that starts with its width in bits bits.
    DEV_MEMBER void stated(const uint32_t *p, uint32_t words, uint32_t n, uint32_t bits) {
        head = bits;
        width = words ? __ldg(p) & low_mask(bits) : 64;
        high = width <= 32 ? words - packed_words(n, width) : 0;
        sound = high - 1 < 32;
    }
    // pack stores the shape in one word for unpack.
    DEV_MEMBER uint32_t pack() const { return sound ? width | high << 6 : 0; }
    DEV_MEMBER void unpack(uint32_t shape, uint32_t bits) {
        width = shape & 63;
        high = shape >> 6;
        head = bits;
        sound = shape;
    }
    // join returns the value with high part q and low bits low.
    DEV_MEMBER uint32_t join(uint32_t q, uint32_t low) const { return raise(q, width) | low; }
};

enum { EF_HEAD = 6, RICE_HEAD = 5 };

// select_bit returns the position of set bit k of w, counting from 0. w has more than k
// set bits.
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

// unary_sums returns the sums of the first 4t+1 to 4t+4 numbers of the unary part. The
// ones of a word per lane are counted and scanned; then each lane finds the word of its
// first number by searching the sums, and continues from there.
DEV uint4 unary_sums(const uint32_t *p, const Unary &e, int lane) {
    uint32_t w = lane < (int)e.high ? __ldg(p + lane) : 0;
    if (lane == 0) w = w >> e.head << e.head;
    uint32_t ones = __popc(w), sum = warp_scan(ones, lane), first = 4 * lane, at_ = 0, q[4];
#pragma unroll
    for (uint32_t s = 16; s; s >>= 1)
        if (__shfl_sync(FULL, sum, at_ + s - 1) <= first) at_ += s;
    uint32_t k = first - __shfl_sync(FULL, sum - ones, at_);
    uint32_t next = __shfl_sync(FULL, w, at_ + 1 & 31);
    w = __shfl_sync(FULL, w, at_);
    uint32_t bit = select_bit(w, k) & 31, base = 32 * at_ - e.head - first;
    // The 32 bits from the first number's one on usually contain the others; otherwise a
    // loop finds them.
    uint32_t x = __funnelshift_r(w, at_ < 31 ? next : 0, bit), y = x & (x - 1), z = y & (y - 1), last = z & (z - 1);
    if (last) {
        base += bit;
        return make_uint4(base, base + __ffs(y) - 2, base + __ffs(z) - 3, base + __ffs(last) - 4);
    }
    w &= FULL << bit;
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
        while (!w && at_ + 1 < e.high) w = __ldg(p + ++at_);
        uint32_t s = 32 * at_ - e.head - first + __ffs(w) - 1 - i;
        if (i == 0) q[0] = s;
        if (i == 1) q[1] = s;
        if (i == 2) q[2] = s;
        if (i == 3) q[3] = s;
        w &= w - 1;
    }
    return make_uint4(q[0], q[1], q[2], q[3]);
}

// unary_spread is unary_sums with 128 words of shared memory: a lane processes as many
// bits as there are words, and stores the position of each one bit at its rank.
DEV uint4 unary_spread(const uint32_t *p, const Unary &e, int lane, uint32_t *scratch) {
    uint32_t at_ = e.high * lane, w = bit_field(p, at_, e.high);
    if (at_ < e.head) w &= FULL << (e.head - at_);
    uint32_t ones = __popc(w), end = warp_scan(ones, lane);
    if (end > 128) w = 0; // more ones than a block has values
    uint32_t *to = scratch + (end - ones);
    at_ -= e.head;
#pragma unroll 1
    for (uint32_t left = e.high; left; left -= left < 4 ? left : 4, w >>= 4, at_ += 4) {
        if (w & 1) *to++ = at_;
        if (w & 2) *to++ = at_ + 1;
        if (w & 4) *to++ = at_ + 2;
        if (w & 8) *to++ = at_ + 3;
    }
    __syncwarp();
    uint4 q = reinterpret_cast<const uint4 *>(scratch)[lane];
    __syncwarp();
    uint32_t i = 4 * lane;
    return make_uint4(q.x - i, q.y - i - 1, q.z - i - 2, q.w - i - 3);
}

// ef_sums returns the lane's four sums of an ef block, to which base and position must be
// added to get docIDs or frequencies.
DEV uint4 ef_sums(const uint32_t *p, const Unary &e, uint32_t n, int lane, uint32_t *scratch = 0) {
    // Low bits first, so that their loads overlap the decoding of the unary part.
    uint4 v = low_row(p + e.high, e.width, n, lane), q = scratch ? unary_spread(p, e, lane, scratch) : unary_sums(p, e, lane);
    return make_uint4(e.join(q.x, v.x), e.join(q.y, v.y), e.join(q.z, v.z), e.join(q.w, v.w));
}

// ef_shape opens a block of docIDs after prev that ends with last.
DEV Unary ef_shape(uint32_t words, uint32_t n, uint32_t prev, uint32_t last) {
    Unary e;
    uint32_t top = last - prev - n;
    e.sound = false;
    if (top) e.docs(words, n, top);
    return e;
}

// ef_docs returns the lane's four docIDs of a block after prev.
DEV uint4 ef_docs(const uint32_t *p, const Unary &e, uint32_t n, uint32_t prev, int lane, uint32_t *scratch) {
    uint32_t base = prev + 1 + 4 * lane;
    uint4 v = make_uint4(0, 0, 0, 0);
    if (e.sound) v = ef_sums(p, e, n, lane, scratch);
    return make_uint4(base + v.x, base + 1 + v.y, base + 2 + v.z, base + 3 + v.w);
}

// less_before subtracts from each value the one before, which undoes a prefix sum.
DEV uint4 less_before(uint4 v, int lane) {
    uint32_t before = __shfl_up_sync(FULL, v.w, 1);
    if (lane == 0) before = 0;
    return make_uint4(v.x - before, v.y - v.x, v.z - v.y, v.w - v.z);
}

// ef_freqs returns the lane's four frequencies minus one of an ef block.
DEV uint4 ef_freqs(const uint32_t *p, const Unary &e, uint32_t n, int lane, uint32_t *scratch = 0) {
    if (!e.sound) return make_uint4(0, 0, 0, 0);
    return less_before(ef_sums(p, e, n, lane, scratch), lane);
}

// rice_values returns the lane's four values of a rice block.
DEV uint4 rice_values(const uint32_t *p, const Unary &e, uint32_t n, int lane, uint32_t *scratch = 0) {
    if (!e.sound) return make_uint4(0, 0, 0, 0);
    uint4 q = scratch ? unary_spread(p, e, lane, scratch) : unary_sums(p, e, lane), v = low_row(p + e.high, e.width, n, lane);
    q = less_before(q, lane);
    return make_uint4(e.join(q.x, v.x), e.join(q.y, v.y), e.join(q.z, v.z), e.join(q.w, v.w));
}

// rice_docs returns the lane's four docIDs of a rice block, with two prefix sums.
DEV uint4 rice_docs(const uint32_t *p, const Unary &e, uint32_t n, uint32_t prev, int lane, uint32_t *scratch) {
    if (!e.sound) return block_docs(make_uint4(0, 0, 0, 0), prev, lane);
    uint4 v = low_row(p + e.high, e.width, n, lane), q = scratch ? unary_spread(p, e, lane, scratch) : unary_sums(p, e, lane);
    v = block_docs(v, prev, lane);
    return make_uint4(v.x + raise(q.x, e.width), v.y + raise(q.y, e.width), v.z + raise(q.z, e.width),
                      v.w + raise(q.w, e.width));
}

// unary_pair sets the sum of the first i+1 numbers and, unless i is 0, of the first i.
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

// ef_freq_at returns frequency i of a block minus one. i may differ between lanes.
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
