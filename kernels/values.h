// Device functions for the values of packed and byte-oriented payloads: rows of four-lane
// interleaved bits, selectors and bytes of vbyte, and docIDs from gaps.
//
// Sources: block endpoints and vbyte, Mallia 2019 section 3; four-lane interleaved layout,
// Lemire and Boytsov 2015 (SIMD-BP128).
#ifndef PINION_VALUES_H
#define PINION_VALUES_H
#include "cuda.h"

DEV uint32_t low_mask(uint32_t b) { return b ? FULL >> (32 - b) : 0; }

// bp_width returns the bit width of a packed block of v 16-byte vectors and rows rows of four values.
DEV uint32_t bp_width(uint32_t v, uint32_t rows) {
    if (rows == 32) return v < 32 ? v : 32;
    if (v >= rows) return 32;
    if (rows == 64) return v >> 1;
    return 32 * v / rows;
}

// bp_row returns the four values of the row that starts at bit offset bit of each of the
// four lanes: two 16-byte loads and four funnel shifts.
DEV uint4 bp_row(const uint32_t *p, uint32_t bit, uint32_t mask) {
    const uint4 *v = reinterpret_cast<const uint4 *>(p) + (bit >> 5);
    uint4 lo = __ldg(v), hi = __ldg(v + 1);
    uint32_t s = bit & 31;
    return make_uint4(__funnelshift_r(lo.x, hi.x, s) & mask, __funnelshift_r(lo.y, hi.y, s) & mask,
                      __funnelshift_r(lo.z, hi.z, s) & mask, __funnelshift_r(lo.w, hi.w, s) & mask);
}

// bp_row_words is bp_row for payloads that are only 4-byte aligned: frequencies
// that follow a byte-oriented docID payload.
DEV uint4 bp_row_words(const uint32_t *p, uint32_t bit, uint32_t mask) {
    const uint32_t *v = p + 4 * (bit >> 5);
    uint32_t s = bit & 31;
    return make_uint4(__funnelshift_r(__ldg(v), __ldg(v + 4), s) & mask,
                      __funnelshift_r(__ldg(v + 1), __ldg(v + 5), s) & mask,
                      __funnelshift_r(__ldg(v + 2), __ldg(v + 6), s) & mask,
                      __funnelshift_r(__ldg(v + 3), __ldg(v + 7), s) & mask);
}

// vb_bytes returns the number of bytes of the four values of a selector byte.
DEV uint32_t vb_bytes(uint32_t sel) {
    return 4 + (sel & 3) + (sel >> 2 & 3) + (sel >> 4 & 3) + (sel >> 6);
}

// vb_split extracts four values with the lengths in sel from byte off, which is in the
// word at w. The first two words have been loaded; they suffice for five bytes.
DEV uint4 vb_split(const uint32_t *w, uint32_t w0, uint32_t w1, uint32_t off, uint32_t sel) {
    uint32_t s = (off & 3) * 8, w2 = 0, w3 = 0, w4 = 0;
    if (vb_bytes(sel) > 5) {
        w2 = __ldg(w + 2);
        w3 = __ldg(w + 3);
        w4 = __ldg(w + 4);
    }
    uint32_t a0 = __funnelshift_r(w0, w1, s), a1 = __funnelshift_r(w1, w2, s);
    uint32_t a2 = __funnelshift_r(w2, w3, s), a3 = __funnelshift_r(w3, w4, s);
    uint4 r;
    uint32_t l = 8 + 8 * (sel & 3);
    r.x = a0 & FULL >> (32 - l);
    a0 = __funnelshift_rc(a0, a1, l);
    a1 = __funnelshift_rc(a1, a2, l);
    a2 = __funnelshift_rc(a2, a3, l);
    l = 8 + 8 * (sel >> 2 & 3);
    r.y = a0 & FULL >> (32 - l);
    a0 = __funnelshift_rc(a0, a1, l);
    a1 = __funnelshift_rc(a1, a2, l);
    l = 8 + 8 * (sel >> 4 & 3);
    r.z = a0 & FULL >> (32 - l);
    a0 = __funnelshift_rc(a0, a1, l);
    l = 8 + 8 * (sel >> 6);
    r.w = a0 & FULL >> (32 - l);
    return r;
}

// vb_more returns the number of bytes of the values of four selector bytes, in addition
// to one byte per value.
DEV uint32_t vb_more(uint32_t sels) { return __popc(sels & 0x55555555) + 2 * __popc(sels & 0xaaaaaaaa); }

// byte_docs turns the lane's four gaps, the bytes of w, into docIDs; base is the docID
// before.
DEV uint4 byte_docs(uint32_t w, uint32_t base) {
    return make_uint4(__dp4a(w, 0x1u, base + 1), __dp4a(w, 0x101u, base + 2), __dp4a(w, 0x10101u, base + 3),
                      __dp4a(w, 0x1010101u, base + 4));
}

DEV uint4 plus_one(uint4 v) { return make_uint4(v.x + 1, v.y + 1, v.z + 1, v.w + 1); }

// byte_freqs returns the four frequencies; the bytes of w are the frequencies minus one.
DEV uint4 byte_freqs(uint32_t w) { return plus_one(make_uint4(w & 255, w >> 8 & 255, w >> 16 & 255, w >> 24)); }

// byte_gaps returns the sum of the four gaps in w.
DEV uint32_t byte_gaps(uint32_t w) { return __dp4a(w, 0x1010101u, 4u); }

// block_docs turns the lane's gaps of a block of 128 into docIDs.
DEV uint4 block_docs(uint4 g, uint32_t prev, int lane) {
    uint32_t a = g.x, b = a + g.y + 1, c = b + g.z + 1, d = c + g.w + 1;
    uint32_t base = prev + warp_scan(d + 1, lane) - d;
    return make_uint4(base + a, base + b, base + c, base + d);
}

#endif
