// Device functions for list extents: decode a block, locate the block that may contain a docID,
// read a single frequency. Kernels inline them and process the postings in registers.
//
// A warp decodes a block in chunks of 128 consecutive values: lane t gets positions 4t to
// 4t+3. Longer blocks consist of several chunks.
//
// Sources: block endpoints, Mallia 2019 section 3; safe range and hash buckets, Ao 2011
// sections 3.3 and 3.4; those of the formats are in values.h, patched.h, unary.h,
// pfordelta.h and lines.h.
//
// Payloads are not trusted: widths and byte offsets are clamped to the block, so a corrupt
// payload gives wrong values but no access outside the extent and the 64 bytes after it.
// Endpoints, skip header and bucket starts have been checked before (lists.cu).
#ifndef PINION_LIST_H
#define PINION_LIST_H
#include "cuda.h"
#include "lines.h"
#include "params.h"
#include "patched.h"
#include "pfordelta.h"
#include "unary.h"
#include "values.h"

// The kinds of payload. A kernel for one kind is compiled for it alone. ANY reads the
// kind from the list, which is the same for the whole warp. RICE and the following are
// the dense kinds, with blocks of 128, which Chunks does not support. LRC and the
// following are for docIDs only; frequencies of these codecs are NEWPFD.
enum { ANY, RAW, PACKED, BYTES, RICE, PFORDELTA, NEWPFD, PARAPFOR, ELIAS, LRC, LRCSEG, SEGLRC, HSLRC };

// A module for lists of plain values, bp128 and bp256 only (packed.cu) uses fewer
// registers and no calls.
#ifndef PACKED_ONLY
#define PACKED_ONLY false
#endif

// A module for these and newpfd (newpfd.cu) has no calls either. NEWPFD_INLINE means that
// newpfd blocks are decoded without a call, as in all kernels of the emulator.
#ifndef NEWPFD_ONLY
#define NEWPFD_ONLY false
#endif
#ifdef PINION_EMU
#define NEWPFD_INLINE true
#else
#define NEWPFD_INLINE NEWPFD_ONLY
#endif

DEV int kind_of(uint32_t codec) {
    if (PACKED_ONLY) return codec == CODEC_RAW ? RAW : PACKED;
    if (NEWPFD_ONLY) return codec == CODEC_RAW ? RAW : codec == CODEC_NEWPFD ? NEWPFD : PACKED;
    if (codec == CODEC_BP128 || codec == CODEC_BP256) return PACKED;
    if (codec < CODEC_RICE) return codec == CODEC_RAW ? RAW : BYTES;
    if (codec == CODEC_EF) return ELIAS;
    return codec < CODEC_LRC ? RICE + (codec - CODEC_RICE) : LRC + (codec - CODEC_LRC);
}

DEV int freqs_kind(uint32_t codec) {
    int kind = kind_of(codec);
    return kind >= LRC ? NEWPFD : kind;
}

// vb_values extracts four values with the lengths in sel from byte off of p.
DEV uint4 vb_values(const uint32_t *p, uint32_t off, uint32_t sel) {
    const uint32_t *w = p + (off >> 2);
    return vb_split(w, __ldg(w), __ldg(w + 1), off, sel);
}

// Chunks decodes a block's gaps or frequencies chunk by chunk. All lanes of the warp must
// call it together.
template <int KIND> struct Chunks {
    const uint32_t *p;
    uint32_t words, n;    // of the block
    uint32_t width;       // PACKED: bits per value; BYTES: bytes read so far
    int kind;

    DEV_MEMBER void begin(int k, const uint32_t *payload, uint32_t lo, uint32_t hi, uint32_t count) {
        kind = KIND == ANY ? k : KIND;
        p = payload + lo;
        words = hi - lo;
        n = count;
        width = kind == PACKED ? bp_width(words >> 2, (n + 3) >> 2) : (((n + 3) >> 2) + 3) & ~3u;
    }

    // get returns the lane's four values of chunk c. It must be called for each chunk in
    // order.
    DEV_MEMBER uint4 get(uint32_t c, int lane) {
        uint32_t row = c * 32 + lane;
        if (kind == PACKED) {
            if (4 * row >= n) row = 0; // no row past the end
            uint32_t mask = low_mask(width);
            if (reinterpret_cast<uintptr_t>(p) & 15) return bp_row_words(p, row * width, mask);
            return bp_row(p, row * width, mask);
        }
        if (kind == RAW) {
            const uint32_t *q = p + 4 * row;
            uint4 r = make_uint4(0, 0, 0, 0);
            if (4 * row < n) r.x = __ldg(q);
            if (4 * row + 1 < n) r.y = __ldg(q + 1);
            if (4 * row + 2 < n) r.z = __ldg(q + 2);
            if (4 * row + 3 < n) r.w = __ldg(q + 3);
            return r;
        }
        uint32_t groups = (n + 3) >> 2, sel = 0, len = 0;
        if (row < groups && (row >> 2) < words) {
            sel = __ldg(reinterpret_cast<const uint8_t *>(p) + row);
            len = vb_bytes(sel);
        }
        uint32_t sum = warp_scan(len, lane);
        uint32_t o = width + sum - len;
        width += __shfl_sync(FULL, sum, 31);
        if (o > 4 * words) o = 4 * words;
        return vb_values(p, o, sel);
    }
};

// prefix_docs turns the lane's gaps into docIDs. carry is the docID before the chunk
// (FULL at the start of a list) and is set to the last one of a full chunk.
DEV uint4 prefix_docs(uint4 g, uint32_t *carry, int lane) {
    uint32_t a = g.x, b = a + g.y + 1, c = b + g.z + 1, d = c + g.w + 1;
    uint32_t s = warp_scan(d + 1, lane);
    uint32_t base = *carry + s - d;
    *carry += __shfl_sync(FULL, s, 31);
    return make_uint4(base + a, base + b, base + c, base + d);
}

// block_count returns the number of values in block j of the list.
DEV uint32_t block_count(const ListDesc &l, uint32_t j) {
    uint32_t rest = l.n - (j << l.logBlock), full = 1u << l.logBlock;
    return rest < full ? rest : full;
}

DEV uint32_t block_prev(const ListDesc &l, uint32_t j) { return j ? __ldg(at<uint32_t>(l.last) + j - 1) : FULL; }

// dense_values returns the lane's four gaps, or frequencies minus one, of a block of a
// dense kind; for ELIAS only frequencies, since its docIDs are not gaps.
DEV uint4 dense_values(int kind, const uint32_t *payload, uint32_t lo, uint32_t hi, uint32_t n, int lane) {
    const uint32_t *p = payload + lo;
    Unary e;
    switch (kind) {
    case RICE: e.stated(p, hi - lo, n, RICE_HEAD); return rice_values(p, e, n, lane);
    case PFORDELTA: return pfordelta_values(payload, lo, hi, n, lane);
    case PARAPFOR: return parapfor_values(p, hi - lo, n, lane);
    case ELIAS: e.stated(p, hi - lo, n, EF_HEAD); return ef_freqs(p, e, n, lane);
    }
    return newpfd_values(p, hi - lo, n, lane);
}

// DenseBlock is a block of a dense kind whose head has been read. When a warp decodes
// many blocks, each lane reads the head of a different one.
struct DenseBlock {
    uint32_t shape, place; // packed Patched or Unary
    Line f;                // of the linear-regression kinds
    Line g;                // HSLRC: set by hslrc_open
    uint32_t split;

    // open reads the head of b, a block of docIDs. widths are the list's, for PFORDELTA.
    DEV_MEMBER void open(int kind, const LineBlock &b, const Shallow &widths) {
        const uint32_t *p = b.payload + b.lo;
        uint32_t words = b.hi - b.lo;
        Patched h;
        Unary e;
        f = {0, 0, 0, 0};
        g = f;
        split = 128;
        place = 0;
        switch (kind) {
        case RICE:
            e.stated(p, words, b.n, RICE_HEAD);
            shape = e.pack();
            return;
        case ELIAS:
            shape = ef_shape(words, b.n, b.prev, b.last).pack();
            return;
        case PFORDELTA: shape = widths.open(p, words, b.n); return;
        case NEWPFD: h.newpfd(p, words, b.n); break;
        case PARAPFOR: h.parapfor(p, words, b.n); break;
        case LRC: lrc_open(b, h, f); break;
        case LRCSEG: lrcseg_open(b, h, f); break;
        case SEGLRC: seglrc_open(b, h, f); break;
        case HSLRC: hslrc_open(b, h, f, g, &split); break;
        default: h.sound = false;
        }
        h.pack(&shape, &place);
    }

    // open_freqs is like open for frequencies, which have a head in ELIAS too.
    DEV_MEMBER void open_freqs(int kind, const LineBlock &b, const Shallow &widths) {
        if (kind != ELIAS) return open(kind, b, widths);
        Unary e;
        e.stated(b.payload + b.lo, b.hi - b.lo, b.n, EF_HEAD);
        shape = e.pack();
    }

    // freqs returns the lane's four frequencies minus one of b; scratch as for docs.
    DEV_MEMBER uint4 freqs(int kind, const LineBlock &b, const Shallow &widths, int lane, uint32_t *scratch) const {
        const uint32_t *p = pinned(b.payload + b.lo);
        Unary e;
        switch (kind) {
        case RICE: e.unpack(shape, RICE_HEAD); return rice_values(p, e, b.n, lane, scratch);
        case ELIAS: e.unpack(shape, EF_HEAD); return ef_freqs(p, e, b.n, lane, scratch);
        case PFORDELTA: return shallow_values(p, widths, shape, b.n, lane, scratch);
        }
        Patched h;
        h.unpack(shape, place);
        return patched_values(p, h, b.n, lane, scratch);
    }

    // docs returns the lane's four docIDs of b. scratch may be 0; otherwise a PFORDELTA
    // block must be one that shallow_values supports, and an HSLRC block must have at
    // most two buckets.
    DEV_MEMBER uint4 docs(int kind, const LineBlock &b, const Shallow &widths, int lane, uint32_t *scratch) const {
        const uint32_t *p = pinned(b.payload + b.lo);
        Unary e;
        switch (kind) {
        case RICE: e.unpack(shape, RICE_HEAD); return rice_docs(p, e, b.n, b.prev, lane, scratch);
        case ELIAS: e.unpack(shape, 0); return ef_docs(p, e, b.n, b.prev, lane, scratch);
        case PFORDELTA:
            if (!scratch) return block_docs(pfordelta_values(b.payload, b.lo, b.hi, b.n, lane), b.prev, lane);
            return block_docs(shallow_values(p, widths, shape, b.n, lane, scratch), b.prev, lane);
        }
        Patched h;
        h.unpack(shape, place);
        uint4 v = patched_values(p, h, b.n, lane, scratch);
        if (kind == NEWPFD || kind == PARAPFOR) return block_docs(v, b.prev, lane);
        if (kind != HSLRC || split == 128) return plus(v, f, lane);
        if (split < 128 || scratch) return plus_two(v, f, g, split, lane);
        return hslrc_plus(v, b.payload, b.lo, b.n, b.first, b.prev, b.last, b.total, b.lastOfAll, lane);
    }
};

DEV uint32_t dense_value_at(int kind, const uint32_t *payload, uint32_t lo, uint32_t hi, uint32_t n, uint32_t i) {
    const uint32_t *p = payload + lo;
    Patched h;
    switch (kind) {
    case RICE: return rice_freq_at(p, hi - lo, n, i);
    case PFORDELTA: return pfordelta_at(payload, lo, hi, n, i);
    case ELIAS: return ef_freq_at(p, hi - lo, n, i);
    case PARAPFOR: h.parapfor(p, hi - lo, n); break;
    default: h.newpfd(p, hi - lo, n);
    }
    return patched_at(p, h, i);
}

// The dense kinds as calls: in kernels for any codec these are the rare kinds, and a
// single call costs the others least. With three calls in each_docs and Freqs, decoding
// frequencies of bp128 fell from 0.64 to 0.53 T/s on an H200.
COLD uint4 call_docs(const uint32_t *payload, uint32_t lo, uint32_t hi, uint32_t n, uint32_t first, uint32_t prev,
                     uint32_t last, uint32_t total, uint32_t lastOfAll, int lane, int kind) {
    LineBlock b = {payload, lo, hi, n, first, prev, last, total, lastOfAll};
    DenseBlock d;
    Shallow widths;
    widths.sound = false; // pfordelta_values does not use it
    d.open(kind, b, widths);
    return d.docs(kind, b, widths, lane, 0);
}
COLD uint4 call_values(const uint32_t *payload, uint32_t lo, uint32_t hi, uint32_t n, int lane, int kind) {
    return dense_values(kind, payload, lo, hi, n, lane);
}
COLD uint32_t call_value_at(const uint32_t *payload, uint32_t lo, uint32_t hi, uint32_t n, uint32_t i, int kind) {
    return dense_value_at(kind, payload, lo, hi, n, i);
}

// each_docs calls f(chunk, docs, count) for every chunk of block j, with endpoints lo and hi, after docID
// carry. docs are the lane's four docIDs; those at positions from count on are undefined.
template <class F> DEV void each_docs(const ListDesc &l, uint32_t j, uint32_t lo, uint32_t hi, uint32_t carry, int lane, F f) {
    uint32_t n = block_count(l, j);
    int kind = kind_of(l.docsCodec);
    Chunks<ANY> ch;
    ch.begin(kind, at<uint32_t>(l.docs), lo, hi, n);
#pragma unroll 1
    for (uint32_t c = 0; 128 * c < n; c++) {
        uint4 v;
        if (NEWPFD_INLINE && kind == NEWPFD) {
            v = block_docs(newpfd_values(ch.p, ch.words, n, lane), carry, lane);
        } else if (!PACKED_ONLY && !NEWPFD_ONLY && kind >= RICE) {
            const uint32_t *last = at<uint32_t>(l.last);
            v = call_docs(at<uint32_t>(l.docs), lo, hi, n, j << 7, carry, __ldg(last + j), l.n,
                          kind == HSLRC ? __ldg(last + l.nb - 1) : 0, lane, kind);
        } else {
            v = ch.get(c, lane);
            if (kind != RAW) v = prefix_docs(v, &carry, lane);
        }
        f(c, v, n - 128 * c);
    }
}

// each_docs does the same for a caller that has not read the block's endpoints.
template <class F> DEV void each_docs(const ListDesc &l, uint32_t j, int lane, F f) {
    const uint32_t *ends = at<uint32_t>(l.docEnds) + j;
    each_docs(l, j, __ldg(ends), __ldg(ends + 1), block_prev(l, j), lane, f);
}

// Freqs decodes a block's frequencies chunk by chunk.
struct Freqs {
    Chunks<ANY> ch;
    const uint32_t *payload;
    uint32_t lo;

    DEV_MEMBER void begin(const ListDesc &l, uint32_t j) {
        const uint32_t *ends = at<uint32_t>(l.freqEnds) + j;
        ch.begin(freqs_kind(l.freqsCodec), at<uint32_t>(l.freqs), __ldg(ends), __ldg(ends + 1), block_count(l, j));
        payload = at<uint32_t>(l.freqs);
        lo = __ldg(ends);
    }
    DEV_MEMBER uint4 get(uint32_t c, int lane) {
        uint4 v;
        if (NEWPFD_INLINE && ch.kind == NEWPFD) v = newpfd_values(ch.p, ch.words, ch.n, lane);
        else if (!PACKED_ONLY && !NEWPFD_ONLY && ch.kind >= RICE) v = call_values(payload, lo, lo + ch.words, ch.n, lane, ch.kind);
        else v = ch.get(c, lane);
        uint32_t one = ch.kind != RAW;
        return make_uint4(v.x + one, v.y + one, v.z + one, v.w + one);
    }
};

// freq_at returns the frequency at position i of block j, which may differ between lanes.
// Binary packing has random access; vbyte sums the preceding selectors, patched codecs
// search the exceptions, ef and rice use select.
DEV uint32_t freq_at(const ListDesc &l, uint32_t j, uint32_t i) {
    const uint32_t *ends = at<uint32_t>(l.freqEnds) + j;
    uint32_t lo = __ldg(ends), words = __ldg(ends + 1) - lo, n = block_count(l, j);
    const uint32_t *p = at<uint32_t>(l.freqs) + lo;
    if (l.freqsCodec == CODEC_RAW) return __ldg(p + i);
    if (PACKED_ONLY || l.freqsCodec == CODEC_BP128 || l.freqsCodec == CODEC_BP256) {
        uint32_t b = bp_width(words >> 2, (n + 3) >> 2);
        uint32_t bit = (i >> 2) * b;
        const uint32_t *q = p + 4 * (bit >> 5) + (i & 3);
        return (__funnelshift_r(__ldg(q), __ldg(q + 4), bit & 31) & low_mask(b)) + 1;
    }
    if (NEWPFD_INLINE && freqs_kind(l.freqsCodec) == NEWPFD) {
        Patched h;
        h.newpfd(p, words, n);
        return patched_at(p, h, i) + 1;
    }
    if (NEWPFD_ONLY) return 1;
    if (l.freqsCodec >= CODEC_RICE)
        return call_value_at(at<uint32_t>(l.freqs), lo, lo + words, n, i, freqs_kind(l.freqsCodec)) + 1;
    uint32_t g = i >> 2, off = (((n + 3) >> 2) + 3) & ~3u;
    if (off > 4 * words) return 1;
    for (uint32_t w = 0; w <= g >> 2; w++) {
        uint32_t s = __ldg(p + w), groups = g - 4 * w < 4 ? g - 4 * w : 4;
        s &= groups == 4 ? FULL : (1u << 8 * groups) - 1;
        off += 4 * groups + __popc(s & 0x55555555) + 2 * __popc(s & 0xaaaaaaaa);
    }
    if (off > 4 * words) off = 4 * words;
    uint4 v = vb_values(p, off, __ldg(reinterpret_cast<const uint8_t *>(p) + g));
    return ((i & 2) ? ((i & 1) ? v.w : v.z) : ((i & 1) ? v.y : v.x)) + 1;
}

#define NO_BLOCK FULL

// locate finds, for each of the lane's four docIDs with a bit in alive, the only block
// that may contain it, or NO_BLOCK. Hash buckets (Ao 2011 section 3.4) or the
// linear-regression safe range (section 3.3), if the list has them, narrow the binary
// search in the skip header. A search is a chain of dependent loads, so the four searches
// advance together to overlap their loads.
DEV void locate(const ListDesc &l, const uint32_t *x, uint32_t alive, uint32_t mode, uint32_t *blk) {
    uint32_t lo[4], hi[4], end[4];
    bool hash = l.hash && (mode == 0 || mode == 3), lr = (l.flags & LIST_LR) && (mode == 0 || mode == 2);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        lo[k] = 0;
        hi[k] = alive >> k & 1 ? l.nb : 0;
        if (hash) {
            uint32_t h = x[k] >> l.hashShift;
            if (h >> l.hashBits || !hi[k]) h = hi[k] = 0;
            lo[k] = __ldg(at<uint32_t>(l.hash) + h);
            uint32_t e = __ldg(at<uint32_t>(l.hash) + h + 1);
            hi[k] = !hi[k] || lo[k] == e ? 0 : ((e - 1) >> l.logBlock) + 1;
            lo[k] >>= l.logBlock;
        } else if (lr) {
            int64_t est = (int64_t)((uint64_t)x[k] * (uint64_t)l.lrInv + (uint64_t)l.lrBase) >> 32;
            int64_t a = est - l.lrLeft, b = est + l.lrRight;
            if (b < 0 || a >= (int64_t)l.n) hi[k] = 0;
            if (a > 0) lo[k] = (uint32_t)a >> l.logBlock;
            if (hi[k] && b < (int64_t)l.n) hi[k] = ((uint32_t)b >> l.logBlock) + 1;
        }
        end[k] = hi[k];
    }
    const uint32_t *last = at<uint32_t>(l.last);
    while (lo[0] < hi[0] || lo[1] < hi[1] || lo[2] < hi[2] || lo[3] < hi[3]) {
        uint32_t v[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (lo[k] < hi[k]) v[k] = __ldg(last + ((lo[k] + hi[k]) >> 1));
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (lo[k] >= hi[k]) continue;
            uint32_t mid = (lo[k] + hi[k]) >> 1;
            if (v[k] < x[k]) lo[k] = mid + 1;
            else hi[k] = mid;
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) blk[k] = lo[k] < end[k] ? lo[k] : NO_BLOCK;
}

// posting_score is query.Score: each operation is rounded to nearest, none is fused.
DEV float posting_score(float w, uint32_t tf, float norm) {
    return __fsub_rn(w, __fdiv_rn(w, __fadd_rn(1.0f, __fmul_rn(__uint2float_rn(tf), norm))));
}

// hit_key orders hits as package query does: score descending, then docID ascending.
DEV uint64_t hit_key(float score, uint32_t doc) {
    return (uint64_t)__float_as_uint(score) << 32 | (uint32_t)~doc;
}

DEV bool is_live(const QueryDesc &q, uint32_t doc) {
    if (doc >= q.docs) return false;
    const uint32_t i = q.liveFrom + doc;
    return !q.live || (__ldg(at<uint32_t>(q.live) + (i >> 5)) >> (i & 31) & 1);
}

#endif
