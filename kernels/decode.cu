// Whole lists to docIDs or frequencies in device memory, many lists in a launch.
//
// A tile is a run of blocks of one list; a warp takes one of up to 32 blocks, or for
// bp128 a thread block one of up to 256. The endpoints and last docIDs of a warp's
// blocks are read at once, one block a lane, and shuffled out.
//
// Bound, b bits a value, 128 to a block: b/8 bytes read, 8/128 of endpoint and skip
// header, 4 written: 4.94 bytes an integer at b = 7, so 0.86 T integers/s where
// copies run at 4.27 TB/s. Instructions: for four docIDs of a lane two 16-byte loads,
// four funnel shifts and masks, ten for the prefix sum, eight adds, one 16-byte
// store, ten of addressing: about 12 an integer, so 2.4 T/s on 132 multiprocessors
// of four schedulers at 1.75 GHz; with a consumer that writes nothing, that or the
// read bandwidth (0.94 bytes) is the bound.
//
// Sources: Mallia 2019 section 3 (a thread an integer there; here four, in the
// four-lane interleaved layout); Lemire and Boytsov 2015.
#include "decode.h"

// each_packed calls f(chunk, docs, count) for every 128 values of every block of this warp of a tile that
// the thread block shares: FLIGHT blocks are in flight, and the warps take turns of
// that many, so that what a thread block reads and writes at a time is contiguous.
// Measured on an H200, docIDs, T integers/s: a run of 32 blocks to each warp and two in
// flight 0.748, turns of two 0.767, turns of four 0.781, of eight 0.782; thread blocks
// that stay and prefetch endpoints 0.76; with a sum instead of the store 1.68, 1.72
// (two and eight thread blocks a multiprocessor), 1.63.
template <int FLIGHT, int LOG, class F> DEV void each_packed(const DecodeParams &p, const ListDesc &l, uint32_t first, int lane, F f) {
    constexpr int HALVES = 1 << (LOG - 7), PARTS = FLIGHT * HALVES;
    const uint32_t turn = FLIGHT * (blockDim.x >> 5), mine = first + FLIGHT * (threadIdx.x >> 5);
    uint32_t end = l.nb - first < p.tileBlocks ? l.nb : first + p.tileBlocks, full = l.n >> LOG;
    uint32_t j = mine + lane / FLIGHT * turn + lane % FLIGHT; // whose endpoints this lane holds
    if (j >= end) j = end - 1;
    const uint32_t *ends = at<uint32_t>(l.docEnds) + j, *payload = at<uint32_t>(l.docs);
    uint32_t lo = __ldg(ends), hi = __ldg(ends + 1), prev = block_prev(l, j);
#pragma unroll 1
    for (uint32_t i = 0, b = mine; i < 32 && b < end; i += FLIGHT, b += turn) {
        if (b + FLIGHT > full || b + FLIGHT > end) { // the list's last blocks, one by one
            for (uint32_t e = 0; e < FLIGHT && b + e < end; e++) {
                uint32_t n = block_count(l, b + e), carry = __shfl_sync(FULL, prev, i + e);
                Chunks<PACKED> ch;
                ch.begin(PACKED, payload, __shfl_sync(FULL, lo, i + e), __shfl_sync(FULL, hi, i + e), n);
                // The first test tells the compiler that a block of 128 needs no loop: with the
                // order of these lines 1.52 T/s fused with a sum, 1.40 without.
                for (uint32_t c = 0; c == 0 || (c < HALVES && 128 * c < n); c++)
                    f((b + e) * HALVES + c, prefix_docs(ch.get(c, lane), &carry, lane), n - 128 * c);
            }
            continue;
        }
        uint4 u[PARTS], v[PARTS];
        uint32_t shift[PARTS], mask[FLIGHT], before[FLIGHT];
#pragma unroll
        for (int e = 0; e < FLIGHT; e++) {
            uint32_t at_ = __shfl_sync(FULL, lo, i + e), width = (__shfl_sync(FULL, hi, i + e) - at_) >> (LOG - 5);
            before[e] = __shfl_sync(FULL, prev, i + e);
            if (width > 32) width = 32;
            uint32_t bit = lane * width;
#pragma unroll
            for (int h = 0; h < HALVES; h++) { // 32 rows take width vectors
                const uint4 *q = reinterpret_cast<const uint4 *>(payload + at_) + h * width + (bit >> 5);
                u[e * HALVES + h] = __ldg(q);
                v[e * HALVES + h] = __ldg(q + 1);
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
            g = block_docs(g, before[e], lane);
            if (k % HALVES < HALVES - 1) before[e] = __shfl_sync(FULL, g.w, 31);
            f((b + e) * HALVES + k % HALVES, g, 128u);
        }
    }
}

// decode_docs_bp128: a thread block takes a tile, of at most 256 blocks.
KERNEL(decode_docs_bp128, DecodeParams, 256, 4) {
    int lane = threadIdx.x & 31;
    if (blockIdx.x >= p.nTiles) return;
    Tile t = at<Tile>(p.tiles)[blockIdx.x];
    DecodeJob job = at<DecodeJob>(p.jobs)[t.job];
    const ListDesc l = at<ListDesc>(p.lists)[job.list];
    uint32_t *out = at_rw<uint32_t>(job.out);
    each_packed<4, 7>(p, l, t.first, lane, [&](uint32_t c, uint4 v, uint32_t n) { put(out + ((uint64_t)c << 7), v, n, lane); });
}

// decode_docs_bp256 likewise, with at most 128 blocks.
KERNEL(decode_docs_bp256, DecodeParams, 256, 4) {
    int lane = threadIdx.x & 31;
    if (blockIdx.x >= p.nTiles) return;
    Tile t = at<Tile>(p.tiles)[blockIdx.x];
    DecodeJob job = at<DecodeJob>(p.jobs)[t.job];
    const ListDesc l = at<ListDesc>(p.lists)[job.list];
    uint32_t *out = at_rw<uint32_t>(job.out);
    each_packed<2, 8>(p, l, t.first, lane, [&](uint32_t c, uint4 v, uint32_t n) { put(out + ((uint64_t)c << 7), v, n, lane); });
}

// sum_docs_bp128 is the fused consumer that writes nothing: one sum a warp.
KERNEL(sum_docs_bp128, DecodeParams, 256, 8) {
    int lane = threadIdx.x & 31;
    if (blockIdx.x >= p.nTiles) return;
    Tile t = at<Tile>(p.tiles)[blockIdx.x];
    const ListDesc l = at<ListDesc>(p.lists)[at<DecodeJob>(p.jobs)[t.job].list];
    uint32_t sum = 0;
    each_packed<2, 7>(p, l, t.first, lane, [&](uint32_t, uint4 v, uint32_t n) { sum += sum_of(v, n, lane); });
    sum = warp_scan(sum, lane);
    if (lane == 31) at_rw<uint32_t>(p.sums)[8 * blockIdx.x + (threadIdx.x >> 5)] = sum;
}

// each_vbyte128 is each_packed for full vbyte128 blocks: selectors of all blocks in
// flight first, then their data. A block of one-byte values needs no offsets.
template <int FLIGHT, class F> DEV void each_vbyte128(const DecodeParams &p, const ListDesc &l, uint32_t first, int lane, F f) {
    const uint32_t turn = FLIGHT * (blockDim.x >> 5), mine = first + FLIGHT * (threadIdx.x >> 5);
    uint32_t end = l.nb - first < p.tileBlocks ? l.nb : first + p.tileBlocks, full = l.n >> 7;
    uint32_t j = mine + lane / FLIGHT * turn + lane % FLIGHT;
    if (j >= end) j = end - 1;
    const uint32_t *ends = at<uint32_t>(l.docEnds) + j, *payload = at<uint32_t>(l.docs);
    uint32_t lo = __ldg(ends), hi = __ldg(ends + 1), prev = block_prev(l, j);
#pragma unroll 1
    for (uint32_t i = 0, b = mine; i < 32 && b < end; i += FLIGHT, b += turn) {
        if (b + FLIGHT > full || b + FLIGHT > end) {
            for (uint32_t e = 0; e < FLIGHT && b + e < end; e++) {
                uint32_t n = block_count(l, b + e), carry = __shfl_sync(FULL, prev, i + e);
                Chunks<BYTES> ch;
                ch.begin(BYTES, payload, __shfl_sync(FULL, lo, i + e), __shfl_sync(FULL, hi, i + e), n);
                f(b + e, prefix_docs(ch.get(0, lane), &carry, lane), n);
            }
            continue;
        }
        uint32_t sel[FLIGHT], start[FLIGHT], words[FLIGHT], off[FLIGHT], w0[FLIGHT], w1[FLIGHT];
        bool plain = true;
#pragma unroll
        for (int e = 0; e < FLIGHT; e++) {
            start[e] = __shfl_sync(FULL, lo, i + e);
            words[e] = __shfl_sync(FULL, hi, i + e) - start[e];
            sel[e] = words[e] >= 8 ? __ldg(reinterpret_cast<const uint8_t *>(payload + start[e]) + lane) : 0;
        }
#pragma unroll
        for (int e = 0; e < FLIGHT; e++) {
            plain = plain && words[e] >= 40 && __all_sync(FULL, sel[e] == 0);
            off[e] = 32 + 4 * lane;
        }
        if (plain) {
#pragma unroll
            for (int e = 0; e < FLIGHT; e++) w0[e] = __ldg(payload + start[e] + 8 + lane);
#pragma unroll
            for (int e = 0; e < FLIGHT; e++)
                f(b + e, block_docs(make_uint4(w0[e] & 255, w0[e] >> 8 & 255, w0[e] >> 16 & 255, w0[e] >> 24),
                                    __shfl_sync(FULL, prev, i + e), lane), 128u);
            continue;
        }
#pragma unroll
        for (int e = 0; e < FLIGHT; e++) {
            uint32_t len = vb_bytes(sel[e]);
            off[e] = 32 + warp_scan(len, lane) - len;
            if (off[e] > 4 * words[e]) off[e] = 4 * words[e];
            w0[e] = __ldg(payload + start[e] + (off[e] >> 2));
            w1[e] = __ldg(payload + start[e] + (off[e] >> 2) + 1);
        }
#pragma unroll
        for (int e = 0; e < FLIGHT; e++)
            f(b + e, block_docs(vb_split(payload + start[e] + (off[e] >> 2), w0[e], w1[e], off[e], sel[e]),
                                __shfl_sync(FULL, prev, i + e), lane), 128u);
    }
}

KERNEL(decode_docs_vbyte128, DecodeParams, 256, 4) {
    int lane = threadIdx.x & 31;
    if (blockIdx.x >= p.nTiles) return;
    Tile t = at<Tile>(p.tiles)[blockIdx.x];
    DecodeJob job = at<DecodeJob>(p.jobs)[t.job];
    const ListDesc l = at<ListDesc>(p.lists)[job.list];
    uint32_t *out = at_rw<uint32_t>(job.out);
    each_vbyte128<4>(p, l, t.first, lane, [&](uint32_t b, uint4 v, uint32_t n) { put(out + ((uint64_t)b << 7), v, n, lane); });
}

KERNEL(decode_docs_packed, DecodeParams, 256, 4) { chunks_to_docs<PACKED>(p); }
KERNEL(decode_docs_bytes, DecodeParams, 256, 4) { chunks_to_docs<BYTES>(p); }

// decode_freqs decodes frequencies of all codecs but rice, pfordelta and parapfor
// (patched.cu); no prefix sum, else as above.
KERNEL(decode_freqs, DecodeParams, 256, 6) {
    int lane = threadIdx.x & 31;
    uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (tile >= p.nTiles) return;
    Run r = read_run(p, tile, lane, true);
    switch (freqs_kind(r.l.freqsCodec)) {
    case PACKED: return freqs_of<PACKED>(p, r, lane);
    case BYTES: return freqs_of<BYTES>(p, r, lane);
    case NEWPFD: return freqs_of<NEWPFD>(p, r, lane);
    case ELIAS: return freqs_of<ELIAS>(p, r, lane);
    }
    freqs_of<RAW>(p, r, lane);
}
