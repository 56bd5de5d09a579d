// Device functions that check the structure of a block as the decoders of package
// format/codec do: its length is the one that its head implies, exceptions are within the
// block and in order, unary parts have a number for each value, and unused bits that
// decoders look at are zero. A block that passes gives the same values here as there. The
// values are checked after decoding (check.h).
//
// Each lane checks a block of its own. Endpoints and skip header have been checked before.
//
// Bound: one pass over heads, selectors, unary parts and positions of exceptions, in a
// lane: at most about 60 instructions of a warp per block.
#ifndef PINION_SOUND_H
#define PINION_SOUND_H
#include "list.h"

// packed_sound checks a block of bp128 or bp256, whose full blocks have full values.
DEV bool packed_sound(const uint32_t *p, uint32_t words, uint32_t n, uint32_t full) {
    uint32_t rows = (n + 3) >> 2, width = bp_width(words >> 2, rows), end = rows * width, junk = 0;
    if (packed_words(n, width) != words) return false;
    if (n == full) return true;
    for (uint32_t i = n; i < 4 * rows; i++) junk |= low_at(p, width, i);
    for (uint32_t k = 0; k < 4 && (end & 31); k++) junk |= __ldg(p + 4 * (end >> 5) + k) >> (end & 31);
    return !junk;
}

// bytes_sound checks a block of vbyte128 or vbyte1024.
DEV bool bytes_sound(const uint32_t *p, uint32_t words, uint32_t n) {
    uint32_t selectors = (((n + 3) >> 2) + 3) >> 2, bytes = n; // selectors in words
    if (words < selectors) return false;
    for (uint32_t w = 0; w < selectors; w++) {
        uint32_t s = __ldg(p + w), left = n - 16 * w;
        if (left < 16 && s >> 2 * left) return false;
        bytes += vb_more(s);
    }
    if ((bytes + 3) >> 2 != words - selectors) return false;
    return !(bytes & 3) || !(__ldg(p + words - 1) >> 8 * (bytes & 3));
}

// Ones iterates over the ones of a unary part.
struct Ones {
    const uint32_t *p;
    uint32_t w, base;

    DEV_MEMBER void begin(const uint32_t *q, const Unary &e) {
        p = q;
        w = __ldg(p) >> e.head << e.head;
        base = 0 - e.head;
    }
    // next returns the position of the next one, which must exist.
    DEV_MEMBER uint32_t next() {
        while (!w) {
            w = __ldg(++p);
            base += 32;
        }
        uint32_t at_ = base + __ffs(w) - 1;
        w &= w - 1;
        return at_;
    }
};

// ones_are reports whether the unary part has n ones.
DEV bool ones_are(const uint32_t *p, const Unary &e, uint32_t n) {
    uint32_t ones = __popc(__ldg(p) >> e.head << e.head);
    for (uint32_t i = 1; i < e.high; i++) ones += __popc(__ldg(p + i));
    return ones == n;
}

// rice_sound checks a block of rice. Frequencies must fit 32 bits; docIDs that do not are
// not in order.
DEV bool rice_sound(const uint32_t *p, uint32_t words, uint32_t n, bool freqs) {
    Unary e;
    if (!words) return true;
    e.stated(p, words, n, RICE_HEAD);
    if (!e.sound || !ones_are(p, e, n)) return false;
    if (!freqs || e.width < 22) return true; // the numbers are below 2^10
    Ones ones;
    ones.begin(p, e);
    for (uint32_t i = 0, next = 0; i < n; i++) {
        uint32_t at_ = ones.next();
        if ((uint64_t)(at_ - next) << e.width >> 32) return false;
        next = at_ + 1;
    }
    return true;
}

// ef_docs_sound checks a block of docIDs of ef. The last one must be that of the last
// docID, so that no docID is greater.
DEV bool ef_docs_sound(const LineBlock &b) {
    const uint32_t *p = b.payload + b.lo;
    uint32_t top = b.last - b.prev - b.n;
    if ((uint64_t)(b.prev + 1) + b.n > (uint64_t)b.last + 1) return false;
    if (!top) return b.lo == b.hi;
    Unary e = ef_shape(b.hi - b.lo, b.n, b.prev, b.last);
    if (!e.sound || !ones_are(p, e, b.n)) return false;
    uint32_t w = __ldg(p + e.high - 1);
    return w && 32 * e.high - __clz(w) == b.n + (e.width < 32 ? top >> e.width : 0);
}

// ef_freqs_sound checks a block of frequencies of ef, whose sums must not decrease and
// whose steps must fit 32 bits.
DEV bool ef_freqs_sound(const uint32_t *p, uint32_t words, uint32_t n) {
    Unary e;
    if (!words) return true;
    e.stated(p, words, n, EF_HEAD);
    if (!e.sound || !ones_are(p, e, n)) return false;
    Ones ones;
    ones.begin(p, e);
    uint64_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = (uint64_t)(ones.next() - i) << e.width | low_at(p + e.high, e.width, i);
        if (x < before || x - before >= FULL) return false;
        before = x;
    }
    return true;
}

// exceptions_sound checks the positions of exceptions of a block of n values.
DEV bool exceptions_sound(const uint32_t *p, const Patched &h, uint32_t n) {
    if (!h.sound) return false;
    if (!h.count) return true;
    if (h.mapped()) {
        uint32_t ones = 0, end = 0;
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t w = h.bitmap(p, i);
            ones += __popc(w);
            if (w) end = 32 * i + 32 - __clz(w);
        }
        return ones == h.count && end <= n;
    }
    for (uint32_t j = 0, next = 0; j < h.count; j++) {
        uint32_t at_ = bit_field(p, h.first + h.index * j, h.index);
        if (at_ < next || at_ >= n) return false;
        next = at_ + 1;
    }
    return true;
}

template <int DEPTH> COLD bool array_sound(Recursive *b, uint32_t a, uint32_t count);

// nested_sound checks the exceptions of array a, of count values, and moves b past them. If
// some is set, there must be at least one.
template <int DEPTH> DEV bool nested_sound(Recursive &b, uint32_t a, uint32_t count, bool some) {
    uint32_t w = __ldg(b.arrays + 2 * a + 1);
    if (w > 8 || b.bit + w > b.end) return false;
    uint32_t c = bit_field(b.p, b.bit, w);
    b.bit += w;
    if (!c) return !some;
    if (c > count) return false;
    Recursive start = b;
    if (!array_sound<DEPTH - 1>(&b, a + 1, c)) return false;
    Values<DEPTH - 1> offsets;
    offsets.begin(start, a + 1, c);
    for (uint32_t j = 0, next = 0; j < c; j++) {
        uint32_t offset = offsets.get(start);
        if (offset >= count || next + offset >= count) return false;
        next += offset + 1;
    }
    return array_sound<DEPTH - 1>(&b, a + 1 + arrays_of(DEPTH - 1), c);
}

template <int DEPTH> struct Nested {
    DEV_MEMBER static bool sound(Recursive &b, uint32_t a, uint32_t count) { return nested_sound<DEPTH>(b, a, count, false); }
};
template <> struct Nested<0> {
    DEV_MEMBER static bool sound(Recursive &, uint32_t, uint32_t) { return true; }
};

// array_sound checks array a, of count values and DEPTH levels of exceptions, and moves b
// past it.
template <int DEPTH> COLD bool array_sound(Recursive *b, uint32_t a, uint32_t count) {
    uint32_t w = __ldg(b->arrays + 2 * a);
    if (w > 32 || b->bit + count * w > b->end) return false;
    b->bit += count * w;
    return Nested<DEPTH>::sound(*b, a, count);
}

// pfordelta_sound checks a block of pfordelta, whose list has a header of head words.
COLD bool pfordelta_sound(const LineBlock &b, uint32_t head) {
    Recursive r;
    if (!r.begin(b.payload, b.lo, b.hi, b.n) || head != (1 + 2 * arrays_of(r.level + 1) + 3) >> 2) return false;
    if (r.bit == r.end) return true;
    bool sound = false;
    switch (r.level) {
    case 0: sound = nested_sound<1>(r, 0, b.n, true); break;
    case 1: sound = nested_sound<2>(r, 0, b.n, true); break;
    case 2: sound = nested_sound<3>(r, 0, b.n, true); break;
    case 3: sound = nested_sound<4>(r, 0, b.n, true); break;
    case 4: sound = nested_sound<5>(r, 0, b.n, true); break;
    }
    return sound && ((r.bit + 31) & ~31u) == r.end;
}

// buckets_sound checks that the elements of an hslrc block are those of its buckets.
DEV bool buckets_sound(const LineBlock &b) {
    Buckets s;
    s.begin(b);
    if (!s.sound) return false;
    uint32_t h = s.lowest;
    for (int64_t j = 0; j < b.n; h++) {
        h = s.find(h, b.first + (uint32_t)j);
        int64_t start = (int64_t)s.start(h) - b.first, end = b.n;
        if (start > j || (start < j && j)) return false;
        if (h < s.upper && (int64_t)s.start(h + 1) - b.first < end) end = (int64_t)s.start(h + 1) - b.first;
        if (end <= j) return false;
        j = end;
    }
    return true;
}

// hslrc_table returns the index of the last word of the table of buckets at the start of
// an hslrc payload, which stores shift.
DEV uint32_t hslrc_table(uint32_t total, uint32_t lastOfAll, uint32_t *shift) {
    uint32_t k = 32 - __clz(lastOfAll), m = total > 256 ? 32 - __clz((total - 1) >> 8) : 0;
    if (m > k) m = k;
    *shift = k - m;
    return 4u << m;
}

// line_sound checks a block of docIDs of a linear-regression kind, whose list has a header
// of head words.
DEV bool line_sound(int kind, const LineBlock &b, uint32_t head) {
    Patched h;
    Line f;
    switch (kind) {
    case LRC:
        if (head != 4) return false;
        lrc_open(b, h, f);
        break;
    case LRCSEG:
        if (head != 3) return false;
        lrcseg_open(b, h, f);
        break;
    case SEGLRC:
        if (b.lo == b.hi) return true;
        seglrc_open(b, h, f);
        break;
    default:
        uint32_t extra, least;
        open_segment(h, b.payload + b.lo, b.hi - b.lo, b.n, 0, &extra, &least);
        if (h.sound && !buckets_sound(b)) return false;
    }
    return exceptions_sound(b.payload + b.lo, h, b.n);
}

// block_sound checks a block of a list whose payload has a header of head words. full is
// the number of values of a full block.
COLD bool block_sound(int kind, const LineBlock &b, uint32_t head, uint32_t full, bool freqs) {
    const uint32_t *p = b.payload + b.lo;
    uint32_t words = b.hi - b.lo;
    if (PACKED_ONLY || kind == PACKED) return packed_sound(p, words, b.n, full);
    Patched h;
    if (NEWPFD_ONLY || kind == NEWPFD) {
        if (!words) return true;
        h.newpfd(p, words, b.n);
        return exceptions_sound(p, h, b.n);
    }
    switch (kind) {
    case BYTES: return bytes_sound(p, words, b.n);
    case RICE: return rice_sound(p, words, b.n, freqs);
    case ELIAS: return freqs ? ef_freqs_sound(p, words, b.n) : ef_docs_sound(b);
    case PFORDELTA: return pfordelta_sound(b, head);
    case PARAPFOR:
        if (!words) return true;
        h.parapfor(p, words, b.n);
        return (!h.count || h.over) && exceptions_sound(p, h, b.n);
    }
    return line_sound(kind, b, head);
}

DEV bool docs_sound(const ListDesc &l, uint32_t j) {
    const uint32_t *ends = at<uint32_t>(l.docEnds), *last = at<uint32_t>(l.last);
    const LineBlock b = {at<uint32_t>(l.docs), __ldg(ends + j), __ldg(ends + j + 1), block_count(l, j), j << l.logBlock,
                         block_prev(l, j), __ldg(last + j), l.n, __ldg(last + l.nb - 1)};
    return block_sound(kind_of(l.docsCodec), b, __ldg(ends), 1u << l.logBlock, false);
}

DEV bool freqs_sound(const ListDesc &l, uint32_t j) {
    const uint32_t *ends = at<uint32_t>(l.freqEnds);
    const LineBlock b = {at<uint32_t>(l.freqs), __ldg(ends + j), __ldg(ends + j + 1), block_count(l, j), 0, 0, 0, l.n, 0};
    return block_sound(freqs_kind(l.freqsCodec), b, __ldg(ends), 1u << l.logBlock, true);
}

#endif
