// Kernels that decode whole lists to docIDs or frequencies in device memory, many lists
// in a launch.
//
// A thread block processes a tile, a run of blocks of one list: at most as many as eight
// warps can hold endpoints for, with one block per lane.
//
// Bound, with b bits per value and blocks of 128: b/8 bytes read, 8/128 for endpoint and
// skip header, 4 written: 4.94 bytes per integer at b = 7, so 0.86 T integers/s if copies
// run at 4.27 TB/s. Instructions for four docIDs of a lane: two 16-byte loads, four
// funnel shifts and masks, ten for the prefix sum, eight adds, one 16-byte store, ten for
// addressing: about 12 per integer, so 2.4 T/s on 132 multiprocessors with four
// schedulers at 1.75 GHz. If nothing is written, this or the read bandwidth (0.94 bytes)
// is the bound. The same values take a byte each in vbyte128 and vbyte1024: 5.31 and 5.26
// bytes read and written, 0.81 T/s; about 30 instructions for four values of a lane, 20
// for vbyte1024. Frequencies need no prefix sum.
//
// According to hardware counters, docIDs of bp128 are bound by memory: 81% of its peak
// with tiles of 256 blocks (a copy reaches 89%), and 38% of issue slots.
//
// Sources: Mallia 2019 section 3 (which has a thread per integer; here a thread has four,
// in the four-lane interleaved layout); Lemire and Boytsov 2015.
#include "decode.h"

// The distance, in values, at which a thread block prefetches into L2 for later ones:
// thread blocks that run at the same time write at most half of L2. The emulator's lists
// are short.
#ifdef PINION_EMU
enum { AHEAD = 1 << 10 };
#else
enum { AHEAD = 1 << 22 };
#endif

// Turns are the blocks of a warp in a tile that its thread block shares: FLIGHT adjacent
// blocks per turn, turns a step apart. Endpoints and preceding docIDs are read at once,
// one block per lane.
template <int FLIGHT, int LOG> struct Turns {
    enum { CHUNKS = 1 << (LOG - 7) };
    const uint32_t *payload;
    uint32_t begin, step, end, full; // first block, distance of turns, end of the tile, end of the full blocks
    uint32_t lo, hi, prev;

    DEV_MEMBER Turns(const DecodeParams &p, const ListDesc &l, uint32_t first, int lane, bool freqs) {
        step = FLIGHT * (blockDim.x >> 5);
        begin = first + FLIGHT * (threadIdx.x >> 5);
        end = l.nb - first < p.tileBlocks ? l.nb : first + p.tileBlocks;
        full = l.n >> LOG;
        uint32_t j = begin + lane / FLIGHT * step + lane % FLIGHT;
        if (j >= end) j = end - 1;
        payload = at<uint32_t>(freqs ? l.freqs : l.docs);
        const uint32_t *ends = at<uint32_t>(freqs ? l.freqEnds : l.docEnds) + j;
        lo = __ldg(ends);
        hi = __ldg(ends + 1);
        prev = freqs ? 0 : block_prev(l, j);
        ask(p, l, first, lane, freqs);
    }
    // ask prefetches into L2 the data of the tile AHEAD of this one, which would
    // otherwise wait for its endpoints and then for its payload. This allows small tiles,
    // so that all thread blocks write close together: 0.834 T/s with 64 blocks per tile,
    // 0.770 without ask, 0.793 with 256 blocks per tile.
    DEV_MEMBER void ask(const DecodeParams &p, const ListDesc &l, uint32_t first, int lane, bool freqs) const {
        const uint32_t ahead = AHEAD >> LOG, words = freqs ? l.freqWords : l.docWords;
        if (LOG > 8 || l.nb <= ahead) return; // blocks of 1,024 have enough loads in flight: 0.755 T/s, with prefetching 0.726
        uint32_t shift = words / l.nb * ahead, k = LINE * (lane >> 1);
        if (begin + lane / FLIGHT * step + lane % FLIGHT < end)
            for (uint32_t w = (lo + shift + LINE - 1) / LINE * LINE; w < hi + shift && w < words; w += LINE) prefetch(payload + w);
        if (threadIdx.x >= 32 || k >= end - first || first + 2 * ahead + k >= l.nb) return;
        prefetch(at<uint32_t>(lane & 1 ? l.last : freqs ? l.freqEnds : l.docEnds) + first + 2 * ahead + k);
    }
    // chunks calls f for each block of turn i, which starts at block b.
    template <int KIND, bool FREQS, class F> DEV_MEMBER void chunks(const ListDesc &l, uint32_t i, uint32_t b, int lane, F f) const {
        for (uint32_t e = 0; e < FLIGHT && b + e < end; e++) {
            uint32_t n = block_count(l, b + e), carry = __shfl_sync(FULL, prev, i + e);
            Chunks<KIND> ch;
            ch.begin(KIND, payload, __shfl_sync(FULL, lo, i + e), __shfl_sync(FULL, hi, i + e), n);
            // The first test tells the compiler that a block of 128 needs no loop: with
            // it and this order of lines, sums reach 1.52 T/s, otherwise 1.40.
            for (uint32_t c = 0; c == 0 || (c < CHUNKS && 128 * c < n); c++) {
                uint4 v = ch.get(c, lane);
                f((b + e) * CHUNKS + c, FREQS ? plus_one(v) : prefix_docs(v, &carry, lane), n - 128 * c);
            }
        }
    }
};

// each_packed calls f(chunk, values, count) for every 128 docIDs or frequencies of every
// block of this warp's turns. A turn has FLIGHT blocks, all in flight, so that a thread
// block reads and writes contiguous memory at a time. Measured on an H200 for docIDs with
// tiles of 256, in T integers/s: 32 contiguous blocks per warp with two in flight 0.748,
// turns of two 0.767, turns of four 0.781, turns of eight 0.782; persistent thread blocks
// that prefetch endpoints 0.76.
template <int FLIGHT, int LOG, bool FREQS, class F> DEV void each_packed(const DecodeParams &p, const ListDesc &l, uint32_t first, int lane, F f) {
    constexpr int HALVES = 1 << (LOG - 7), PARTS = FLIGHT * HALVES;
    Turns<FLIGHT, LOG> t(p, l, first, lane, FREQS);
    if (FREQS && (reinterpret_cast<uintptr_t>(t.payload) & 15)) t.full = 0; // frequencies after a byte-oriented payload
#pragma unroll 1
    for (uint32_t i = 0, b = t.begin; i < 32 && b < t.end; i += FLIGHT, b += t.step) {
        if (b + FLIGHT > t.full || b + FLIGHT > t.end) { // the list's last blocks
            t.template chunks<PACKED, FREQS>(l, i, b, lane, f);
            continue;
        }
        uint4 u[PARTS], v[PARTS];
        uint32_t shift[PARTS], mask[FLIGHT], before[FLIGHT];
#pragma unroll
        for (int e = 0; e < FLIGHT; e++) {
            uint32_t at_ = __shfl_sync(FULL, t.lo, i + e), width = (__shfl_sync(FULL, t.hi, i + e) - at_) >> (LOG - 5);
            before[e] = __shfl_sync(FULL, t.prev, i + e);
            if (width > 32) width = 32;
            uint32_t bit = lane * width;
#pragma unroll
            for (int h = 0; h < HALVES; h++) { // 32 rows have width vectors
                const uint4 *q = reinterpret_cast<const uint4 *>(t.payload + at_) + h * width + (bit >> 5);
                u[e * HALVES + h] = load_stream(q);
                v[e * HALVES + h] = load_stream(q + 1);
                shift[e * HALVES + h] = bit & 31;
            }
            mask[e] = low_mask(width);
        }
#pragma unroll
        for (int k = 0; k < PARTS; k++) {
            int e = k / HALVES;
            uint4 g = make_uint4(__funnelshift_r(u[k].x, v[k].x, shift[k]) & mask[e],
                                 __funnelshift_r(u[k].y, v[k].y, shift[k]) & mask[e],
                                 __funnelshift_r(u[k].z, v[k].z, shift[k]) & mask[e],
                                 __funnelshift_r(u[k].w, v[k].w, shift[k]) & mask[e]);
            if (FREQS) g = plus_one(g);
            else g = block_docs(g, before[e], lane);
            if (!FREQS && k % HALVES < HALVES - 1) before[e] = __shfl_sync(FULL, g.w, 31);
            f((b + e) * HALVES + k % HALVES, g, 128u);
        }
    }
}

// sum_docs_bp128 sums docIDs and writes one sum per warp. Tiles have at most 64 blocks.
KERNEL(sum_docs_bp128, DecodeParams, 64, 32) {
    int lane = threadIdx.x & 31;
    if (blockIdx.x >= p.nTiles) return;
    Tile t = at<Tile>(p.tiles)[blockIdx.x];
    const ListDesc l = at<ListDesc>(p.lists)[at<DecodeJob>(p.jobs)[t.job].list];
    uint32_t sum = 0;
    each_packed<2, 7, false>(p, l, t.first, lane, [&](uint32_t, uint4 v, uint32_t n) { sum += sum_of(v, n, lane); });
    sum = warp_scan(sum, lane);
    if (lane == 31) at_rw<uint32_t>(p.sums)[8 * blockIdx.x + (threadIdx.x >> 5)] = sum;
}

// each_vbyte128 is each_packed for vbyte128. It loads the selectors of all blocks in
// flight, and their data on the assumption that all values are single bytes, which needs
// no offsets.
template <int FLIGHT, bool FREQS, class F> DEV void each_vbyte128(const DecodeParams &p, const ListDesc &l, uint32_t first, int lane, F f) {
    const Turns<FLIGHT, 7> t(p, l, first, lane, FREQS);
#pragma unroll 1
    for (uint32_t i = 0, b = t.begin; i < 32 && b < t.end; i += FLIGHT, b += t.step) {
        if (b + FLIGHT > t.full || b + FLIGHT > t.end) {
            t.template chunks<BYTES, FREQS>(l, i, b, lane, f);
            continue;
        }
        uint32_t sel[FLIGHT], start[FLIGHT], words[FLIGHT], off[FLIGHT], w0[FLIGHT], w1[FLIGHT], any = 0;
#pragma unroll
        for (int e = 0; e < FLIGHT; e++) {
            start[e] = __shfl_sync(FULL, t.lo, i + e);
            words[e] = __shfl_sync(FULL, t.hi, i + e) - start[e];
            sel[e] = words[e] >= 8 ? __ldg(reinterpret_cast<const uint8_t *>(t.payload + start[e]) + lane) : 0;
            w0[e] = words[e] >= 40 ? __ldg(t.payload + start[e] + 8 + lane) : 0;
            any |= words[e] >= 40 ? sel[e] : 1;
        }
        if (__all_sync(FULL, !any)) {
#pragma unroll
            for (int e = 0; e < FLIGHT; e += 2) {
                if (FREQS) {
                    f(b + e, byte_freqs(w0[e]), 128u);
                    f(b + e + 1, byte_freqs(w0[e + 1]), 128u);
                    continue;
                }
                // Two sums in one scan: both are less than 2^16.
                uint32_t d0 = byte_gaps(w0[e]), d1 = byte_gaps(w0[e + 1]), s = warp_scan(d0 | d1 << 16, lane);
                f(b + e, byte_docs(w0[e], __shfl_sync(FULL, t.prev, i + e) + (s & 0xffff) - d0), 128u);
                f(b + e + 1, byte_docs(w0[e + 1], __shfl_sync(FULL, t.prev, i + e + 1) + (s >> 16) - d1), 128u);
            }
            continue;
        }
#pragma unroll
        for (int e = 0; e < FLIGHT; e++) {
            uint32_t len = vb_bytes(sel[e]);
            off[e] = 32 + warp_scan(len, lane) - len;
            if (off[e] > 4 * words[e]) off[e] = 4 * words[e];
            w0[e] = __ldg(t.payload + start[e] + (off[e] >> 2));
            w1[e] = __ldg(t.payload + start[e] + (off[e] >> 2) + 1);
        }
#pragma unroll
        for (int e = 0; e < FLIGHT; e++) {
            uint4 v = vb_split(t.payload + start[e] + (off[e] >> 2), w0[e], w1[e], off[e], sel[e]);
            f(b + e, FREQS ? plus_one(v) : block_docs(v, __shfl_sync(FULL, t.prev, i + e), lane), 128u);
        }
    }
}

enum { GROUP = 2 }; // chunks of a block of vbyte1024 in flight, unless all values are bytes

// each_vbyte1024 is each_packed for vbyte1024, with one block per turn. A lane has the
// selectors of 32 values, so that a single scan gives the data offsets of all chunks.
template <bool FREQS, class F> DEV void each_vbyte1024(const DecodeParams &p, const ListDesc &l, uint32_t first, int lane, F f) {
    const Turns<1, 10> t(p, l, first, lane, FREQS);
    // In chunk c this lane uses selector byte k of lane 4c + lane/8; the masks select the
    // bytes before it.
    const uint32_t k = lane & 7, low = k >= 4 ? FULL : (1u << 8 * k) - 1, high = k > 4 ? (1u << 8 * (k - 4)) - 1 : 0;
#pragma unroll 1
    for (uint32_t i = 0, b = t.begin; i < 32 && b < t.end; i++, b += t.step) {
        uint32_t start = __shfl_sync(FULL, t.lo, i), words = __shfl_sync(FULL, t.hi, i) - start;
        if (b >= t.full || words < 64 + 256) {
            t.template chunks<BYTES, FREQS>(l, i, b, lane, f);
            continue;
        }
        const uint32_t *q = t.payload + start;
        uint32_t carry = __shfl_sync(FULL, t.prev, i);
        uint32_t sx = __ldg(q + 2 * lane), sy = __ldg(q + 2 * lane + 1), w[8];
#pragma unroll
        for (int c = 0; c < 8; c++) w[c] = __ldg(q + 64 + 32 * c + lane); // the values, if all are bytes
        if (__all_sync(FULL, !(sx | sy))) {
#pragma unroll
            for (int c = 0; c < 8; c += 2) {
                if (FREQS) {
                    f(8 * b + c, byte_freqs(w[c]), 128u);
                    f(8 * b + c + 1, byte_freqs(w[c + 1]), 128u);
                    continue;
                }
                uint32_t d0 = byte_gaps(w[c]), d1 = byte_gaps(w[c + 1]), s = warp_scan(d0 | d1 << 16, lane);
                uint32_t all = __shfl_sync(FULL, s, 31);
                f(8 * b + c, byte_docs(w[c], carry + (s & 0xffff) - d0), 128u);
                carry += all & 0xffff;
                f(8 * b + c + 1, byte_docs(w[c + 1], carry + (s >> 16) - d1), 128u);
                carry += all >> 16;
            }
            continue;
        }
        uint32_t len = 32 + vb_more(sx) + vb_more(sy), at_ = 256 + warp_scan(len, lane) - len;
#pragma unroll 1
        for (int c = 0; c < 8; c += GROUP) {
            uint32_t off[GROUP], sel[GROUP], w0[GROUP], w1[GROUP];
#pragma unroll
            for (int e = 0; e < GROUP; e++) {
                int from = 4 * (c + e) + (lane >> 3);
                uint32_t x = __shfl_sync(FULL, sx, from), y = __shfl_sync(FULL, sy, from);
                off[e] = __shfl_sync(FULL, at_, from) + 4 * k + vb_more(x & low) + vb_more(y & high);
                if (off[e] > 4 * words) off[e] = 4 * words;
                sel[e] = __byte_perm(x, y, k) & 255;
                w0[e] = __ldg(q + (off[e] >> 2));
                w1[e] = __ldg(q + (off[e] >> 2) + 1);
            }
#pragma unroll
            for (int e = 0; e < GROUP; e++) {
                uint4 v = vb_split(q + (off[e] >> 2), w0[e], w1[e], off[e], sel[e]);
                f(8 * b + c + e, FREQS ? plus_one(v) : prefix_docs(v, &carry, lane), 128u);
            }
        }
    }
}

// These kernels process a tile per thread block, of at most as many blocks as eight warps
// have in 32 / FLIGHT turns.
#define SHARED_TILES(name, blocks, each)                                                                  \
    KERNEL(name, DecodeParams, 256, blocks) {                                                             \
        int lane = threadIdx.x & 31;                                                                      \
        if (blockIdx.x >= p.nTiles) return;                                                               \
        Tile t = at<Tile>(p.tiles)[blockIdx.x];                                                           \
        DecodeJob job = at<DecodeJob>(p.jobs)[t.job];                                                     \
        const ListDesc l = at<ListDesc>(p.lists)[job.list];                                               \
        uint32_t *out = at_rw<uint32_t>(job.out);                                                         \
        each(p, l, t.first, lane, [&](uint32_t c, uint4 v, uint32_t n) { put(out + ((uint64_t)c << 7), v, n, lane); }); \
    }

SHARED_TILES(decode_docs_bp128, 4, (each_packed<4, 7, false>))
SHARED_TILES(decode_docs_bp256, 4, (each_packed<2, 8, false>))
SHARED_TILES(decode_docs_vbyte128, 6, (each_vbyte128<4, false>))
SHARED_TILES(decode_docs_vbyte1024, 6, each_vbyte1024<false>)
SHARED_TILES(decode_freqs_bp128, 4, (each_packed<4, 7, true>))
SHARED_TILES(decode_freqs_bp256, 4, (each_packed<2, 8, true>))
SHARED_TILES(decode_freqs_vbyte128, 6, (each_vbyte128<4, true>))
SHARED_TILES(decode_freqs_vbyte1024, 6, each_vbyte1024<true>)
