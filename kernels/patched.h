// Device functions for patched blocks, which consist of packed low bits and of exceptions
// in two arrays of fixed-width fields: newpfd, parapfor, and the segments of the
// linear-regression codecs (lines.h). A warp processes a block of at most 128 values;
// lane t gets positions 4t to 4t+3.
//
// Sources: newpfd, Yan, Ding and Suel 2009, Ao 2011 section 4.1, with fixed-width fields
// instead of Simple16; parapfor, Ao 2011 section 4.1 and appendix G: an exception per
// thread. The layouts are those of format/codec/internal/patch, newpfd and parapfor.
//
// Bound: 55 instructions of a warp for low bits (read in words of 4 bytes), prefix sum
// and store; 20 to read an exception per lane. With shared memory, where each lane reads
// the head of a different block, 15 for the head and 15 to store and add exceptions:
// about 105 per block, 0.8 per integer. Without it, 50 for the head, 20 to find the
// lane's first exception in five shuffle steps and 28 to add them: about 170. At 2.75
// bits per value, 4.3 bytes per integer with the store. Measured on an H200: newpfd and
// parapfor 0.70 T/s to docIDs, 0.74 T/s summed.
//
// A block is decoded only if it has exactly the length that its head implies; otherwise
// it gives zeros. No load reads more than a vector past the block.
#ifndef PINION_PATCHED_H
#define PINION_PATCHED_H
#include "cuda.h"
#include "values.h"

// pinned keeps the compiler from recomputing p for each load.
DEV const uint32_t *pinned(const uint32_t *p) {
#ifndef PINION_EMU
    asm volatile("" : "+l"(p));
#endif
    return p;
}

// bit_field returns w bits, at most 32, at bit at_ of p.
DEV uint32_t bit_field(const uint32_t *p, uint32_t at_, uint32_t w) {
    const uint32_t *q = pinned(p + (at_ >> 5));
    return __funnelshift_r(__ldg(q), __ldg(q + 1), at_ & 31) & low_mask(w);
}

// packed_words returns the number of words of n values of width bits.
DEV uint32_t packed_words(uint32_t n, uint32_t width) { return ((((n + 3) >> 2) * width + 31) >> 5) << 2; }

// low_at returns the low bits of value i.
DEV uint32_t low_at(const uint32_t *p, uint32_t width, uint32_t i) {
    uint32_t bit = (i >> 2) * width;
    const uint32_t *q = p + 4 * (bit >> 5) + (i & 3);
    return __funnelshift_r(__ldg(q), __ldg(q + 4), bit & 31) & low_mask(width);
}

// low_row returns the low bits of the lane's four values.
DEV uint4 low_row(const uint32_t *p, uint32_t width, uint32_t n, int lane) {
    uint32_t row = 4 * lane < (int)n ? lane : 0;
    return bp_row_words(p, row * width, low_mask(width));
}

// raise shifts an overflow above the low bits.
DEV uint32_t raise(uint32_t over, uint32_t width) { return width < 32 ? over << width : 0; }

// patch_lanes adds 32 exceptions, one per lane, to the lanes' values: add at position
// at_. Positions ascend over the lanes and are 255 for lanes without an exception.
DEV void patch_lanes(uint4 &v, uint32_t at_, uint32_t add, int lane) {
    uint32_t rank = 0, i = 4 * lane; // exceptions before the lane's values
#pragma unroll
    for (uint32_t s = 16; s; s >>= 1)
        if (__shfl_sync(FULL, at_, rank + s - 1) < i) rank += s;
    uint32_t x, a;
#define PATCH_ONE(part, k)                 \
    x = __shfl_sync(FULL, at_, rank & 31); \
    a = __shfl_sync(FULL, add, rank & 31); \
    if (x == i + k) v.part += a, rank++;
    PATCH_ONE(x, 0)
    PATCH_ONE(y, 1)
    PATCH_ONE(z, 2)
    PATCH_ONE(w, 3)
#undef PATCH_ONE
}

// patch_shared adds exceptions stored in 128 words of shared memory to the lanes' values.
// Each lane clears its words after reading them.
DEV void patch_shared(uint4 &v, uint32_t *scratch, int lane) {
    uint4 *mine = reinterpret_cast<uint4 *>(scratch) + lane;
    __syncwarp();
    uint4 a = *mine;
    *mine = make_uint4(0, 0, 0, 0);
    v.x += a.x;
    v.y += a.y;
    v.z += a.z;
    v.w += a.w;
    __syncwarp();
}

// Patched describes the parts of a block.
struct Patched {
    uint32_t width, count, over;
    uint32_t low;       // first word of the low bits
    uint32_t first;     // bit offset of the positions
    uint32_t index;     // bits of a position; 0: a bitmap
    uint32_t bias;      // added to each overflow
    bool sound;

    // list sets the layout of package patch for count positions and overflows at bit
    // first_.
    DEV_MEMBER void list(uint32_t first_) {
        first = first_;
        index = count > 16 ? 0 : 7;
        bias = 1;
    }
    // end returns the bit offset after the exceptions.
    DEV_MEMBER uint32_t end() const { return overflows() + over * count; }
    DEV_MEMBER uint32_t overflows() const { return first + (index ? index * count : bias ? 128 : 0); }

    DEV_MEMBER void newpfd(const uint32_t *p, uint32_t words, uint32_t n) { newpfd_head(words ? __ldg(p) : 0, words, n); }
    DEV_MEMBER void newpfd_head(uint32_t head, uint32_t words, uint32_t n) {
        width = head & 63;
        count = head >> 6 & 127;
        over = head >> 13 & 31;
        list(18);
        low = (end() + 31) >> 5;
        sound = words && width <= 32 && low + packed_words(n, width) == words;
    }
    DEV_MEMBER void parapfor(const uint32_t *p, uint32_t words, uint32_t n) {
        uint32_t head = words ? __ldg(p) : 0;
        width = head & 255;
        index = head >> 8 & 255;
        over = head >> 16 & 255;
        count = head >> 24;
        low = 1;
        bias = 0;
        uint32_t size = packed_words(n, width);
        first = 32 * (1 + size);
        sound = words && width <= 32 && index <= 7 && over <= 32 && count <= 128 && (end() + 31) >> 5 == words;
    }
    // overflow returns the amount that exception j adds to its value.
    DEV_MEMBER uint32_t overflow(const uint32_t *p, uint32_t j) const {
        if (j >= count) j = count - 1; // the bitmap has too many bits
        return raise(bit_field(p, overflows() + over * j, over) + bias, width);
    }
    // bitmap returns word i of the bitmap of positions.
    DEV_MEMBER uint32_t bitmap(const uint32_t *p, uint32_t i) const { return bit_field(p, first + 32 * i, 32); }
    DEV_MEMBER bool mapped() const { return !index && bias; }

    // pack stores the description in two words for unpack. A block that is not sound
    // becomes a block of width 0.
    DEV_MEMBER void pack(uint32_t *shape, uint32_t *place) const {
        *shape = sound ? width | over << 6 | count << 12 | index << 20 | bias << 23 : bias << 23 | 7 << 20;
        *place = sound ? first | low << 16 : 0;
    }
    DEV_MEMBER void unpack(uint32_t shape, uint32_t place) {
        width = shape & 63;
        over = shape >> 6 & 63;
        count = shape >> 12 & 255;
        index = shape >> 20 & 7;
        bias = shape >> 23;
        first = place & 0xffff;
        low = place >> 16;
        sound = true;
    }
};

// patched_map adds the exceptions marked in a bitmap. Popcounts give the rank of the
// lane's first.
DEV void patched_map(const uint32_t *p, const Patched &h, uint4 &v, int lane) {
    uint32_t rank = 0, w = lane >> 3, s = 4 * (lane & 7);
    for (uint32_t i = 0; i < w; i++) rank += __popc(h.bitmap(p, i));
    uint32_t bits = h.bitmap(p, w);
    rank += __popc(bits & ((1u << s) - 1));
    bits >>= s;
    if (bits & 1) v.x += h.overflow(p, rank++);
    if (bits & 2) v.y += h.overflow(p, rank++);
    if (bits & 4) v.z += h.overflow(p, rank++);
    if (bits & 8) v.w += h.overflow(p, rank);
}

// patched_values returns the lane's four values of a block: gaps, frequencies minus one,
// or deviations. All lanes of the warp must call it. With scratch, 128 zero words of
// shared memory, each exception is stored by the lane that reads it.
DEV uint4 patched_values(const uint32_t *p, const Patched &h, uint32_t n, int lane, uint32_t *scratch = 0) {
    if (!h.sound) return make_uint4(0, 0, 0, 0);
    uint4 v = low_row(p + h.low, h.width, n, lane);
    if (!h.count) return v;
    if (h.mapped()) {
        patched_map(p, h, v, lane);
        return v;
    }
    if (scratch) {
#pragma unroll 1
        for (uint32_t j = lane; j < h.count; j += 32)
            scratch[bit_field(p, h.first + h.index * j, h.index)] = h.overflow(p, j);
        patch_shared(v, scratch, lane);
        return v;
    }
#pragma unroll 1
    for (uint32_t j = lane; j - lane < h.count; j += 32) {
        uint32_t at_ = 255, add = 0;
        if (j < h.count) {
            at_ = bit_field(p, h.first + h.index * j, h.index);
            add = h.overflow(p, j);
        }
        patch_lanes(v, at_, add, lane);
    }
    return v;
}

// patched_at returns value i of a block. i may differ between lanes.
DEV uint32_t patched_at(const uint32_t *p, const Patched &h, uint32_t i) {
    if (!h.sound) return 0;
    uint32_t v = low_at(p + h.low, h.width, i);
    if (h.mapped() && h.count) {
        uint32_t w = i >> 5, bits = h.bitmap(p, w), rank = __popc(bits & ((1u << (i & 31)) - 1));
        if (!(bits >> (i & 31) & 1)) return v;
        for (uint32_t k = 0; k < w; k++) rank += __popc(h.bitmap(p, k));
        return v + h.overflow(p, rank);
    }
    uint32_t j = 0; // exceptions before position i; positions ascend
#pragma unroll 1
    for (uint32_t s = h.bias ? 16 : 128; s; s >>= 1)
        if (j + s <= h.count && bit_field(p, h.first + h.index * (j + s - 1), h.index) < i) j += s;
    if (j < h.count && bit_field(p, h.first + h.index * j, h.index) == i) v += h.overflow(p, j);
    return v;
}

DEV uint4 newpfd_values(const uint32_t *p, uint32_t words, uint32_t n, int lane) {
    Patched h;
    h.newpfd(p, words, n);
    return patched_values(p, h, n, lane);
}

DEV uint4 parapfor_values(const uint32_t *p, uint32_t words, uint32_t n, int lane) {
    Patched h;
    h.parapfor(p, words, n);
    return patched_values(p, h, n, lane);
}

#endif
