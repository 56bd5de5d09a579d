// Device functions for blocks of pfordelta: one width per list, and exceptions in two
// arrays, each coded recursively by the same scheme to a depth of zero to four. A warp
// processes a block of at most 128 values; lane t gets positions 4t to 4t+3.
//
// Source: Ding 2009 section 6. The layout is that of format/codec/pfordelta: widths are
// per list, so a lane finds its field of an array without reading others.
//
// Bound for levels 0 and 1, with the counts of a block read by one lane: 55 instructions
// of a warp for low bits and prefix sum, 15 for each of the two arrays of exceptions, 45
// to sum and store them, and 40 for exceptions of an array, of which a block has a few:
// about 130 to 200 per block, 1.0 to 1.6 per integer. Deeper levels and more than 32
// exceptions cost about 60 per array.
//
// An array is read only as far as it lies within the block.
#ifndef PINION_PFORDELTA_H
#define PINION_PFORDELTA_H
#include "patched.h"

enum { PFORDELTA_LEVELS = 4 };

// arrays_of returns the number of arrays in the tree of an array and its exceptions,
// depth levels deep.
DEV uint32_t arrays_of(uint32_t depth) { return (2u << depth) - 1; }

// Recursive reads the part of a block after its low bits.
struct Recursive {
    const uint8_t *arrays; // of the list: two bytes each
    const uint32_t *p;     // the block
    uint32_t bit, end;     // next bit to read, and end of the block
    uint32_t level, width, n;

    // begin starts at the block in words lo to hi of payload. It returns false if the
    // list has no header or the block is corrupt.
    DEV_MEMBER bool begin(const uint32_t *payload, uint32_t lo, uint32_t hi, uint32_t count) {
        if (!lo) return false;
        uint32_t head = __ldg(payload);
        level = head & 255;
        if (level > PFORDELTA_LEVELS || lo < (1 + 2 * arrays_of(level + 1) + 3) >> 2) return false;
        arrays = reinterpret_cast<const uint8_t *>(payload) + 1;
        width = head >> 8 & 255;
        p = payload + lo;
        n = count;
        if (width > 32) return false;
        bit = 32 * packed_words(n, width);
        end = 32 * (hi - lo);
        return bit <= end;
    }
    // fields skips count fields of array a and returns their width. If they extend past
    // the block, it returns 0 and moves to the end.
    DEV_MEMBER uint32_t fields(uint32_t a, uint32_t count, uint32_t *first) {
        uint32_t w = __ldg(arrays + 2 * a);
        if (w > 32 || bit + count * w > end) {
            bit = end;
            w = 0;
        }
        *first = bit;
        bit += count * w;
        return w;
    }
    // exceptions reads the number of exceptions of array a, which has count values.
    DEV_MEMBER uint32_t exceptions(uint32_t a, uint32_t count) {
        uint32_t w = __ldg(arrays + 2 * a + 1);
        if (w > 8 || bit + w > end) return 0;
        uint32_t c = bit_field(p, bit, w);
        bit += w;
        return c <= count ? c : 0;
    }
};

// Four are up to 128 values of an array, value 32k+t in x[k] of lane t.
struct Four { uint32_t x[4]; };

// positions turns offsets into positions.
DEV void positions(Four &o, uint32_t count, int lane) {
    uint32_t before = FULL;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (32 * k >= count) return;
        uint32_t s = warp_scan(o.x[k] + 1, lane);
        o.x[k] = before + s;
        before += __shfl_sync(FULL, s, 31);
    }
}

template <int DEPTH> struct Array;

template <> struct Array<0> {
    DEV_MEMBER static void read(Recursive &b, uint32_t a, uint32_t count, Four &v, int lane) {
        uint32_t first, w = b.fields(a, count, &first);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            v.x[k] = 0;
            if (32 * k < count && 32 * k + lane < count) v.x[k] = bit_field(b.p, first + w * (32 * k + lane), w);
        }
    }
};

// read_deep is Array<DEPTH>::read as a call, for levels other than the default.
template <int DEPTH> COLD void read_deep(Recursive *b, uint32_t a, uint32_t count, Four *v, int lane);

template <int DEPTH> struct Array {
    // below reads an array one level down.
    DEV_MEMBER static void below(Recursive &b, uint32_t a, uint32_t count, Four &v, int lane) {
        if (DEPTH - 1 > 0) read_deep<DEPTH - 1>(&b, a, count, &v, lane);
        else Array<0>::read(b, a, count, v, lane);
    }
    DEV_MEMBER static void read(Recursive &b, uint32_t a, uint32_t count, Four &v, int lane) {
        uint32_t first, w = b.fields(a, count, &first);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            v.x[k] = 0;
            if (32 * k < count && 32 * k + lane < count) v.x[k] = bit_field(b.p, first + w * (32 * k + lane), w);
        }
        uint32_t c = b.exceptions(a, count);
        if (!c) return;
        Four at_, over;
        below(b, a + 1, c, at_, lane);
        below(b, a + 1 + arrays_of(DEPTH - 1), c, over, lane);
        positions(at_, c, lane);
#pragma unroll
        for (int k = 0; k < 4; k++)
            for (uint32_t e = 0; 32 * k + e < c && e < 32; e++) {
                uint32_t i = __shfl_sync(FULL, at_.x[k], e), add = raise(__shfl_sync(FULL, over.x[k], e) + 1, w);
                if ((i & 31) != (uint32_t)lane) continue;
                if (i >> 5 == 0) v.x[0] += add;
                if (i >> 5 == 1) v.x[1] += add;
                if (i >> 5 == 2) v.x[2] += add;
                if (i >> 5 == 3) v.x[3] += add;
            }
    }
};

template <int DEPTH> COLD void read_deep(Recursive *b, uint32_t a, uint32_t count, Four *v, int lane) {
    Array<DEPTH>::read(*b, a, count, *v, lane);
}

// read_any reads an array of any depth except 0 and 1.
COLD void read_any(Recursive *b, uint32_t depth, uint32_t a, uint32_t count, Four *v, int lane) {
    if (depth == 2) read_deep<2>(b, a, count, v, lane);
    else if (depth == 3) read_deep<3>(b, a, count, v, lane);
    else read_deep<4>(b, a, count, v, lane);
}

DEV void read_array(Recursive &b, uint32_t a, uint32_t count, Four &v, int lane) {
    if (b.level == 1) Array<1>::read(b, a, count, v, lane);
    else if (b.level == 0) Array<0>::read(b, a, count, v, lane);
    else {
        // Copies, so that the originals stay in registers.
        Recursive c = b;
        Four f;
        read_any(&c, b.level, a, count, &f, lane);
        b.bit = c.bit;
        v = f;
    }
}

// pfordelta_values returns the lane's four values of the block in words lo to hi.
DEV uint4 pfordelta_values(const uint32_t *payload, uint32_t lo, uint32_t hi, uint32_t n, int lane) {
    Recursive b;
    if (!b.begin(payload, lo, hi, n)) return make_uint4(0, 0, 0, 0);
    uint4 v = low_row(b.p, b.width, n, lane);
    if (b.bit == b.end) return v;
    uint32_t c = b.exceptions(0, n);
    if (!c) return v;
    Four at_, over;
    read_array(b, 1, c, at_, lane);
    read_array(b, 1 + arrays_of(b.level), c, over, lane);
    positions(at_, c, lane);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (32 * k >= c) break;
        if (32 * k + lane >= c) at_.x[k] = 255;
        patch_lanes(v, at_.x[k], raise(over.x[k] + 1, b.width), lane);
    }
    return v;
}

// call_pfordelta decodes the blocks that shallow_values does not support.
COLD uint4 call_pfordelta(const uint32_t *payload, uint32_t lo, uint32_t hi, uint32_t n, int lane) {
    return pfordelta_values(payload, lo, hi, n, lane);
}

// Shallow holds the widths of a list of level 0 or 1, one byte each: fields and counts of
// the values; then, for the offsets and for the overflows of their exceptions, fields,
// counts, and the fields of the exceptions of those arrays.
struct Shallow {
    uint32_t top, array0, array1;
    bool sound;

    DEV_MEMBER void begin(const uint32_t *payload, uint32_t lo) {
        sound = false;
        if (lo < 2) return;
        uint32_t level = __ldg(payload) & 255;
        if (level > 1 || lo < (1 + 2 * arrays_of(level + 1) + 3) >> 2) return;
        const uint8_t *a = reinterpret_cast<const uint8_t *>(payload) + 1;
        top = __ldg(a) | __ldg(a + 1) << 8;
        sound = (top & 255) <= 32 && top >> 8 <= 8;
        array0 = pair(a + 2, level);
        array1 = pair(a + (level ? 8 : 4), level);
    }
    DEV_MEMBER uint32_t pair(const uint8_t *b, uint32_t level) {
        uint32_t w = __ldg(b), c = level ? __ldg(b + 1) : 0, o = level ? __ldg(b + 2) : 0, v = level ? __ldg(b + 4) : 0;
        if (w > 32 || c > 8 || o > 32 || v > 32) sound = false;
        return w | c << 8 | o << 16 | v << 24;
    }
    DEV_MEMBER uint32_t width() const { return top & 255; }
    DEV_MEMBER uint32_t count() const { return top >> 8; }

    // open returns, packed, the number of exceptions of a block and of each of their two
    // arrays. Bit 31 is set if shallow_values does not support the block.
    DEV_MEMBER uint32_t open(const uint32_t *p, uint32_t words, uint32_t n) const {
        const uint32_t no = 1u << 31;
        if (!sound) return no;
        uint32_t bit = 32 * packed_words(n, width()), end = 32 * words;
        if (bit == end) return 0;
        if (bit + count() > end) return no;
        uint32_t m = bit_field(p, bit, count());
        bit += count();
        if (m > 32 || m > n) return no;
        if (!m) return 0;
        uint32_t e0 = nested(p, array0, m, &bit, end), e1 = nested(p, array1, m, &bit, end);
        return bit > end ? no : m | e0 << 8 | e1 << 16;
    }
    // nested skips an array of m values and returns the number of its exceptions. If the
    // array extends past the block, it sets bit greater than end.
    DEV_MEMBER static uint32_t nested(const uint32_t *p, uint32_t a, uint32_t m, uint32_t *bit, uint32_t end) {
        uint32_t c = a >> 8 & 255;
        *bit += m * (a & 255);
        if (*bit + c > end) {
            *bit = end + 1;
            return 0;
        }
        uint32_t e = bit_field(p, *bit, c);
        *bit += c + e * ((a >> 16 & 255) + (a >> 24));
        if (e > m) *bit = end + 1;
        return e & 255;
    }
};

// shallow_array reads an array of m values, one per lane, e of which are exceptions, and
// moves bit past it.
DEV uint32_t shallow_array(const uint32_t *p, uint32_t a, uint32_t m, uint32_t e, uint32_t *bit, int lane) {
    uint32_t w = a & 255, offset = a >> 16 & 255, over = a >> 24;
    uint32_t v = lane < (int)m ? bit_field(p, *bit + w * lane, w) : 0;
    *bit += m * w + (a >> 8 & 255);
    if (!e) return v;
    uint32_t at_ = 0, add = 0;
    if (lane < (int)e) {
        at_ = bit_field(p, *bit + offset * lane, offset) + 1;
        add = raise(bit_field(p, *bit + e * offset + over * lane, over) + 1, w);
    }
    *bit += e * (offset + over);
    at_ = warp_scan(at_, lane) - 1;
#pragma unroll 1
    for (uint32_t i = 0; i < e; i++) {
        uint32_t to = __shfl_sync(FULL, at_, i), more = __shfl_sync(FULL, add, i);
        if (to == (uint32_t)lane) v += more;
    }
    return v;
}

// shallow_values is pfordelta_values for a block opened by Shallow::open.
DEV uint4 shallow_values(const uint32_t *p, const Shallow &s, uint32_t packed, uint32_t n, int lane, uint32_t *scratch) {
    uint4 v = low_row(p, s.width(), n, lane);
    uint32_t m = packed & 255;
    if (!m) return v;
    uint32_t bit = 32 * packed_words(n, s.width()) + s.count();
    uint32_t at_ = shallow_array(p, s.array0, m, packed >> 8 & 255, &bit, lane);
    uint32_t over = shallow_array(p, s.array1, m, packed >> 16 & 255, &bit, lane);
    at_ = warp_scan(at_ + 1, lane) - 1;
    if (lane < (int)m) scratch[at_ & 127] = raise(over + 1, s.width());
    patch_shared(v, scratch, lane);
    return v;
}

// Values iterates over the values of an array of a given depth in a single lane. Its work
// is bounded by the number of values in all nested arrays, whatever their offsets.
template <int DEPTH> struct Values {
    Values<DEPTH - 1> offsets, overflows;
    uint32_t first, width, next, left, i;

    // begin starts before the first of count values and moves b past the array.
    DEV_MEMBER void begin(Recursive &b, uint32_t a, uint32_t count) {
        width = b.fields(a, count, &first);
        left = b.exceptions(a, count);
        i = 0;
        next = FULL;
        if (!left) return;
        offsets.begin(b, a + 1, left);
        overflows.begin(b, a + 1 + arrays_of(DEPTH - 1), left);
        next = offsets.get(b);
    }
    DEV_MEMBER uint32_t get(const Recursive &b) {
        uint32_t v = bit_field(b.p, first + width * i, width);
        if (i++ == next && left) {
            v += raise(overflows.get(b) + 1, width);
            if (--left) next += 1 + offsets.get(b);
        }
        return v;
    }
};

template <> struct Values<0> {
    uint32_t first, width, i;

    DEV_MEMBER void begin(Recursive &b, uint32_t a, uint32_t count) {
        width = b.fields(a, count, &first);
        i = 0;
    }
    DEV_MEMBER uint32_t get(const Recursive &b) { return bit_field(b.p, first + width * i++, width); }
};

// overflow_at returns the part of value i of the block above its low bits.
template <int DEPTH> COLD uint32_t overflow_at(const Recursive *block, uint32_t c, uint32_t i) {
    Recursive b = *block;
    Values<DEPTH> offsets, overflows;
    offsets.begin(b, 1, c);
    uint32_t at_ = 0;
    for (uint32_t e = 0; e < c; e++) {
        at_ += offsets.get(b);
        if (at_ > i) return 0;
        if (at_++ < i) continue;
        overflows.begin(b, 1 + arrays_of(DEPTH), c);
        for (uint32_t k = 0; k < e; k++) overflows.get(b);
        return overflows.get(b) + 1;
    }
    return 0;
}

// pfordelta_at returns value i of a block. i may differ between lanes.
DEV uint32_t pfordelta_at(const uint32_t *payload, uint32_t lo, uint32_t hi, uint32_t n, uint32_t i) {
    Recursive b;
    if (!b.begin(payload, lo, hi, n)) return 0;
    uint32_t v = low_at(b.p, b.width, i), over = 0;
    if (b.bit == b.end) return v;
    uint32_t c = b.exceptions(0, n);
    if (!c) return v;
    switch (b.level) {
    case 0: over = overflow_at<0>(&b, c, i); break;
    case 1: over = overflow_at<1>(&b, c, i); break;
    case 2: over = overflow_at<2>(&b, c, i); break;
    case 3: over = overflow_at<3>(&b, c, i); break;
    case 4: over = overflow_at<4>(&b, c, i); break;
    }
    return v + raise(over, b.width);
}

#endif
