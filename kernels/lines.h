// Device functions over blocks of the linear-regression codecs: lrc, lrcseg, seglrc and
// hslrc. A docID is the value of a line plus a deviation, so there are no gaps to sum,
// and a single docID can be read without decoding its block. A warp processes a block of
// at most 128 docIDs; lane t gets positions 4t to 4t+3.
//
// Source: Ao 2011 sections 3.4, 4.2 and 4.3. The layouts are those of
// format/codec/internal/regress, lrc, lrcseg, seglrc and hslrc; lines are in fixed point
// with the same arithmetic everywhere.
//
// Bound: 25 instructions of a warp for low bits, 20 for the head, 20 for the line at the
// lane's four elements (hslrc about 15 more if a block has two lines) and, with
// exceptions, those of patched.h: 70 to 130 per block, 0.6 to 1.0 per integer.
#ifndef PINION_LINES_H
#define PINION_LINES_H
#include "patched.h"

enum { LINE_FRACTION = 25 }; // bits of a fraction

// Line is a line over up to 128 elements.
struct Line {
    uint32_t start, step, frac, fracStep;

    // from sets the line with slope hi*2^32 + lo, in Q32, relative to element origin.
    DEV_MEMBER void from(uint32_t lo, uint32_t hi, uint32_t intercept, uint32_t origin) {
        uint64_t at_ = ((uint64_t)hi << 32 | lo) * origin;
        start = intercept + (uint32_t)(at_ >> 32);
        step = hi;
        frac = (uint32_t)at_ >> (32 - LINE_FRACTION);
        fracStep = lo >> (32 - LINE_FRACTION);
    }
    DEV_MEMBER uint32_t at_(uint32_t j) const { return start + step * j + ((frac + fracStep * j) >> LINE_FRACTION); }
};

// LineBlock holds what the four codecs need to know about a block.
struct LineBlock {
    const uint32_t *payload; // of the list
    uint32_t lo, hi, n;       // words of the block and its docIDs
    uint32_t first;           // index in the list of its first element
    uint32_t prev, last;      // docID before it, and its last docID
    uint32_t total, lastOfAll; // of the list: number of docIDs, and the last one
};

// open_segment reads the head of a segment with extraBits additional bits.
DEV void open_segment(Patched &h, const uint32_t *p, uint32_t words, uint32_t n, uint32_t extraBits, uint32_t *extra,
                      uint32_t *least) {
    h.sound = false;
    if (!words) return;
    uint32_t head = __ldg(p), mw = head >> 18 & 63;
    h.width = head & 63;
    h.count = head >> 6 & 127;
    h.over = head >> 13 & 31;
    h.list(24 + extraBits + mw);
    h.low = (h.end() + 31) >> 5;
    h.sound = h.width <= 32 && mw <= 32 && h.low + packed_words(n, h.width) == words;
    *extra = head >> 24 & low_mask(extraBits);
    uint32_t z = h.sound ? bit_field(p, 24 + extraBits, mw) : 0;
    *least = z >> 1 ^ (0 - (z & 1));
}

// plus adds the line's values at the lane's elements.
DEV uint4 plus(uint4 v, const Line &f, int lane) {
    uint32_t a = f.start + f.step * 4 * lane, r = f.frac + f.fracStep * 4 * lane;
    v.x += a + (r >> LINE_FRACTION);
    v.y += a + f.step + ((r + f.fracStep) >> LINE_FRACTION);
    v.z += a + 2 * f.step + ((r + 2 * f.fracStep) >> LINE_FRACTION);
    v.w += a + 3 * f.step + ((r + 3 * f.fracStep) >> LINE_FRACTION);
    return v;
}

// lrc_open sets the parts of a block and its line.
DEV void lrc_open(const LineBlock &b, Patched &h, Line &f) {
    h.sound = false;
    if (b.lo < 4) return;
    h.width = __ldg(b.payload + 3);
    h.low = h.count = h.over = 0;
    if (h.width > 32) return;
    uint32_t words = b.hi - b.lo, size = packed_words(b.n, h.width);
    h.list(32 * size + 12);
    h.sound = words >= size;
    if (words > size) {
        uint32_t head = __ldg(b.payload + b.lo + size);
        h.count = head & 127;
        h.over = head >> 7 & 31;
        h.list(h.first);
        h.sound = (h.end() + 31) >> 5 == words;
    }
    f.from(__ldg(b.payload), __ldg(b.payload + 1), __ldg(b.payload + 2), b.first);
}

DEV void lrcseg_open(const LineBlock &b, Patched &h, Line &f) {
    h.sound = false;
    if (b.lo < 3) return;
    uint32_t extra, least = 0;
    open_segment(h, b.payload + b.lo, b.hi - b.lo, b.n, 0, &extra, &least);
    f.from(__ldg(b.payload), __ldg(b.payload + 1), __ldg(b.payload + 2) + least, b.first);
}

DEV void seglrc_open(const LineBlock &b, Patched &h, Line &f) {
    uint32_t extra = 0, least = 0;
    open_segment(h, b.payload + b.lo, b.hi - b.lo, b.n, 5, &extra, &least);
    if (!h.sound) { // consecutive docIDs, or corrupt
        f = {b.prev + 1, 1, 0, 0};
        return;
    }
    uint64_t s = (uint64_t)(b.last - b.prev - 1) << 7;
    s = b.n == 128 ? s >> 7 : s / b.n;
    int32_t turn = (int32_t)(extra << 27) >> 27;
    s += (uint64_t)((int64_t)(s >> 6) * turn);
    f = {b.prev + 1 + least, (uint32_t)(s >> 7), 0, ((uint32_t)s & 127) << 18};
}

// Buckets are the hslrc buckets that a block's docIDs can be in.
struct Buckets {
    const uint32_t *payload;
    uint32_t first, lowest, upper; // index in the list of the block's first element; first and last bucket
    bool sound;

    DEV_MEMBER void begin(const LineBlock &b) {
        uint32_t k = 32 - __clz(b.lastOfAll), m = b.total > 256 ? 32 - __clz((b.total - 1) >> 8) : 0;
        if (m > k) m = k;
        uint32_t shift = k - m;
        payload = b.payload;
        first = b.first;
        sound = b.lo > 4u << m && shift < 32;
        lowest = (b.prev + 1) >> (shift & 31);
        upper = b.last >> (shift & 31);
        if (upper >> m || lowest > upper) sound = false;
    }
    DEV_MEMBER uint32_t start(uint32_t h) const { return __ldg(payload + 4 * h); }
    // find returns the last bucket from h on that starts at or before element k, or h if
    // there is none.
    DEV_MEMBER uint32_t find(uint32_t h, uint32_t k) const {
        if (h == upper || start(h + 1) > k) return h;
        uint32_t lo = h + 1, hi = upper + 1;
        while (hi - lo > 1) {
            uint32_t mid = (lo + hi) >> 1;
            if (start(mid) <= k) lo = mid;
            else hi = mid;
        }
        return lo;
    }
    // line sets the line of bucket h relative to the block and returns the element of the
    // block that is its origin.
    DEV_MEMBER uint32_t line(uint32_t h, Line &f) const {
        const uint32_t *e = payload + 4 * h;
        uint32_t begin = __ldg(e), origin = begin > first ? begin - first : 0;
        f.from(__ldg(e + 2), __ldg(e + 3), __ldg(e + 1), first + origin - begin);
        return origin;
    }
};

// hslrc_open sets the parts of a block and the line of its first docID. split is the
// position of the first docID of its second bucket, whose line is g; 128 if there is no
// second bucket, 255 if there are more than two.
DEV void hslrc_open(const LineBlock &b, Patched &h, Line &f, Line &g, uint32_t *split) {
    Buckets s;
    uint32_t extra, least = 0;
    open_segment(h, b.payload + b.lo, b.hi - b.lo, b.n, 0, &extra, &least);
    s.begin(b);
    h.sound = h.sound && s.sound;
    *split = 128;
    if (!h.sound) return;
    uint32_t bucket = s.find(s.lowest, b.first), end = b.first + b.n;
    s.line(bucket, f);
    f.start += least;
    if (bucket == s.upper || s.start(bucket + 1) >= end) return;
    uint32_t second = s.find(bucket + 1, s.start(bucket + 1));
    uint32_t origin = s.line(second, g); // relative to the block's first element, like f
    g.start += least - g.step * origin;
    g.frac -= g.fracStep * origin;
    *split = origin;
    if (*split > 127 || second != s.upper && s.start(second + 1) < end) *split = 255;
}

// plus_two adds line f before element split and g from there on, both relative to element
// 0. At most one lane has elements of both.
DEV uint4 plus_two(uint4 v, const Line &f, const Line &g, uint32_t split, int lane) {
    uint32_t i = 4 * lane;
    bool behind = i >= split;
    Line own = {behind ? g.start : f.start, behind ? g.step : f.step, behind ? g.frac : f.frac,
                behind ? g.fracStep : f.fracStep};
    uint4 d = plus(v, own, lane);
    if (split - i - 1 < 3) {
        if (i + 1 >= split) d.y = v.y + g.at_(i + 1);
        if (i + 2 >= split) d.z = v.z + g.at_(i + 2);
        d.w = v.w + g.at_(i + 3);
    }
    return d;
}

// hslrc_plus adds the lines of any number of buckets at the lane's elements.
COLD uint4 hslrc_plus(uint4 v, const uint32_t *payload, uint32_t lo, uint32_t n, uint32_t first, uint32_t prev, uint32_t last,
                      uint32_t total, uint32_t lastOfAll, int lane) {
    LineBlock b = {payload, lo, lo, n, first, prev, last, total, lastOfAll};
    Buckets s;
    Line f;
    s.begin(b);
    uint32_t i = 4 * lane, bucket = s.find(s.lowest, b.first + i), origin = s.line(bucket, f);
    uint32_t z = __ldg(b.payload + b.lo) >> 18 & 63; // M is present, since the segment was sound
    z = bit_field(b.payload + b.lo, 24, z);
    uint32_t least = z >> 1 ^ (0 - (z & 1));
#pragma unroll
    for (uint32_t k = 0; k < 4; k++, i++) {
        if (bucket < s.upper && s.start(bucket + 1) <= b.first + i) {
            bucket = s.find(bucket, b.first + i);
            origin = s.line(bucket, f);
        }
        uint32_t d = f.at_(i - origin) + least;
        if (k == 0) v.x += d;
        if (k == 1) v.y += d;
        if (k == 2) v.z += d;
        if (k == 3) v.w += d;
    }
    return v;
}

#endif
