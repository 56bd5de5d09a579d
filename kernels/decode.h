// Shared by the kernels that decode whole lists: tiles and output.
//
// A tile is a run of blocks of one list. A warp processes a tile of up to 32 blocks or,
// for the codecs without heads (decode.cu), a thread block processes a tile. The
// endpoints and last docIDs of a warp's blocks are read at once, one block per lane, and
// distributed by shuffles.
#ifndef PINION_DECODE_H
#define PINION_DECODE_H
#include "list.h"

enum { LINE = 32 }; // words prefetched into L2 at once

// Run is the warp's tile: its list, its blocks, and their endpoints, one block per lane.
struct Run {
    ListDesc l;
    uint32_t job, first, count;
    uint32_t lo, hi, prev, last;
};

DEV Run read_run(const DecodeParams &p, uint32_t tile, int lane, bool freqs) {
    Run r;
    Tile t = at<Tile>(p.tiles)[tile];
    r.job = t.job;
    r.first = t.first;
    r.l = at<ListDesc>(p.lists)[at<DecodeJob>(p.jobs)[t.job].list];
    uint32_t rest = r.l.nb - t.first;
    r.count = rest < p.tileBlocks ? rest : p.tileBlocks;
    uint32_t j = t.first + ((uint32_t)lane < r.count ? lane : 0);
    const uint32_t *ends = at<uint32_t>(freqs ? r.l.freqEnds : r.l.docEnds) + j;
    r.lo = __ldg(ends);
    r.hi = __ldg(ends + 1);
    r.prev = freqs ? 0 : block_prev(r.l, j);
    r.last = freqs ? 0 : __ldg(at<uint32_t>(r.l.last) + j);
    return r;
}

// put stores the lane's four values of a chunk of count values.
DEV void put(uint32_t *out, uint4 v, uint32_t count, int lane) {
    uint32_t i = 4 * lane;
    if (i + 4 <= count) {
        store_stream(out + i, v);
        return;
    }
    if (i < count) out[i] = v.x;
    if (i + 1 < count) out[i + 1] = v.y;
    if (i + 2 < count) out[i + 2] = v.z;
}

// bring prefetches the payload of the warp's blocks into L2; otherwise each block waits
// for memory in turn. It speeds up hslrc from 0.52 to 0.62 T/s, lrcseg from 0.58 to 0.65,
// ef from 0.50 to 0.53 and, with wider gaps (7 bits), newpfd and parapfor from 0.60 to
// 0.65 and pfordelta from 0.49 to 0.62.
DEV void bring(const Run &r, const uint32_t *payload, int lane) {
    uint32_t lo = __shfl_sync(FULL, r.lo, 0), hi = __shfl_sync(FULL, r.hi, r.count - 1);
#pragma unroll 1
    for (uint32_t w = lo + LINE * lane; w < hi; w += 32 * LINE) prefetch(payload + w);
}

// each_dense calls f(first posting, values, count) for the blocks of a warp's tile of a
// dense kind. Values are docIDs, or frequencies minus one. The heads of 32 blocks are
// read at once, one per lane, and distributed by shuffles. scratch is the warp's part of
// shared memory.
template <int KIND, bool FREQS, class F> DEV void each_dense(const Run &r, int lane, uint32_t *scratch, F f) {
    LineBlock b;
    b.payload = at<uint32_t>(FREQS ? r.l.freqs : r.l.docs);
    b.total = r.l.n;
    b.lastOfAll = KIND == HSLRC ? __ldg(at<uint32_t>(r.l.last) + r.l.nb - 1) : 0;
    b.lo = r.lo;
    b.hi = r.hi;
    b.prev = r.prev;
    b.last = r.last;
    b.first = (r.first + ((uint32_t)lane < r.count ? lane : 0)) << 7;
    b.n = b.total - b.first < 128 ? b.total - b.first : 128;
    bring(r, b.payload, lane);
    DenseBlock own, d;
    Shallow widths;
    if (KIND == PFORDELTA) widths.begin(b.payload, __ldg(at<uint32_t>(FREQS ? r.l.freqEnds : r.l.docEnds)));
    if (FREQS) own.open_freqs(KIND, b, widths);
    else own.open(KIND, b, widths);
    d.f = own.f;
    d.g = own.g;
    if (KIND != RICE && KIND != ELIAS) {
        reinterpret_cast<uint4 *>(scratch)[lane] = make_uint4(0, 0, 0, 0);
        __syncwarp();
    }
#pragma unroll 1
    for (uint32_t i = 0; i < r.count; i++) {
        b.lo = __shfl_sync(FULL, r.lo, i);
        d.shape = __shfl_sync(FULL, own.shape, i);
        if (KIND == PFORDELTA && d.shape >> 31) continue; // in the loop below
        if (KIND == HSLRC && (d.split = __shfl_sync(FULL, own.split, i)) > 128) continue;
        if (!FREQS && KIND < LRC) b.prev = __shfl_sync(FULL, r.prev, i);
        if (KIND != RICE && KIND != ELIAS && KIND != PFORDELTA) d.place = __shfl_sync(FULL, own.place, i);
        if (KIND >= LRC) {
            d.f.start = __shfl_sync(FULL, own.f.start, i);
            d.f.frac = __shfl_sync(FULL, own.f.frac, i);
        }
        if (KIND == SEGLRC || KIND == HSLRC) {
            d.f.step = __shfl_sync(FULL, own.f.step, i);
            d.f.fracStep = __shfl_sync(FULL, own.f.fracStep, i);
        }
        if (KIND == HSLRC && d.split < 128) {
            d.g.start = __shfl_sync(FULL, own.g.start, i);
            d.g.frac = __shfl_sync(FULL, own.g.frac, i);
            d.g.step = __shfl_sync(FULL, own.g.step, i);
            d.g.fracStep = __shfl_sync(FULL, own.g.fracStep, i);
        }
        b.first = (r.first + i) << 7;
        b.n = b.total - b.first < 128 ? b.total - b.first : 128;
        f(b.first, FREQS ? d.freqs(KIND, b, widths, lane, scratch) : d.docs(KIND, b, widths, lane, scratch), b.n);
    }
    if (KIND != PFORDELTA && KIND != HSLRC) return;
    // Calls are in a loop of their own: values that live across a call cost registers or
    // stack.
    uint32_t left = __ballot_sync(FULL, (KIND == HSLRC ? own.split > 128 : own.shape >> 31) && (uint32_t)lane < r.count);
#pragma unroll 1
    for (; left; left &= left - 1) {
        uint32_t i = __ffs(left) - 1, lo = __shfl_sync(FULL, r.lo, i), hi = __shfl_sync(FULL, r.hi, i);
        uint32_t prev = __shfl_sync(FULL, r.prev, i), first = (r.first + i) << 7, n = b.total - first < 128 ? b.total - first : 128;
        if (KIND == HSLRC) {
            Patched h;
            h.unpack(__shfl_sync(FULL, own.shape, i), __shfl_sync(FULL, own.place, i));
            uint4 v = patched_values(b.payload + lo, h, n, lane, scratch);
            f(first, hslrc_plus(v, b.payload, lo, n, first, prev, __shfl_sync(FULL, r.last, i), b.total, b.lastOfAll, lane), n);
            continue;
        }
        uint4 v = call_pfordelta(b.payload, lo, hi, n, lane);
        f(first, FREQS ? v : block_docs(v, prev, lane), n);
    }
}

// dense_to_docs decodes docIDs of a dense kind.
template <int KIND> DEV void dense_to_docs(const DecodeParams &p, uint32_t *scratch) {
    int lane = threadIdx.x & 31;
    uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (tile >= p.nTiles) return;
    Run r = read_run(p, tile, lane, false);
    uint32_t *out = at_rw<uint32_t>(at<DecodeJob>(p.jobs)[r.job].out);
    each_dense<KIND, false>(r, lane, scratch + 128 * (threadIdx.x >> 5), [&](uint32_t first, uint4 v, uint32_t n) { put(out + first, v, n, lane); });
}

// sum_of returns the sum of the lane's four values in a chunk of n values.
DEV uint32_t sum_of(uint4 v, uint32_t n, int lane) {
    uint32_t i = 4 * lane;
    if (n >= 128) return v.x + v.y + v.z + v.w;
    return (i < n ? v.x : 0) + (i + 1 < n ? v.y : 0) + (i + 2 < n ? v.z : 0) + (i + 3 < n ? v.w : 0);
}

// dense_to_sum sums docIDs of a dense kind and writes one sum per tile.
template <int KIND> DEV void dense_to_sum(const DecodeParams &p, uint32_t *scratch) {
    int lane = threadIdx.x & 31;
    uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (tile >= p.nTiles) return;
    Run r = read_run(p, tile, lane, false);
    uint32_t sum = 0;
    each_dense<KIND, false>(r, lane, scratch + 128 * (threadIdx.x >> 5), [&](uint32_t, uint4 v, uint32_t n) { sum += sum_of(v, n, lane); });
    sum = warp_scan(sum, lane);
    if (lane == 31) at_rw<uint32_t>(p.sums)[tile] = sum;
}

// dense_to_freqs decodes frequencies of a dense kind.
template <int KIND> DEV void dense_to_freqs(const DecodeParams &p, uint32_t *scratch) {
    int lane = threadIdx.x & 31;
    uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (tile >= p.nTiles) return;
    Run r = read_run(p, tile, lane, true);
    uint32_t *out = at_rw<uint32_t>(at<DecodeJob>(p.jobs)[r.job].out);
    each_dense<KIND, true>(r, lane, scratch + 128 * (threadIdx.x >> 5), [&](uint32_t first, uint4 v, uint32_t n) {
        put(out + first, make_uint4(v.x + 1, v.y + 1, v.z + 1, v.w + 1), n, lane);
    });
}

#define DENSE_KERNEL(name, task, KIND, blocks)                       \
    KERNEL(name, DecodeParams, 256, blocks) {                        \
        __shared__ __align__(16) uint32_t scratch[8 * 128];          \
        task<KIND>(p, scratch);                                      \
    }

// DENSE declares the kernels for docIDs of a kind, DENSE_FREQS the one for its
// frequencies.
#define DENSE(name, KIND, blocks)                                    \
    DENSE_KERNEL(decode_docs_##name, dense_to_docs, KIND, blocks)    \
    DENSE_KERNEL(sum_docs_##name, dense_to_sum, KIND, blocks)
#define DENSE_FREQS(name, KIND, blocks) DENSE_KERNEL(decode_freqs_##name, dense_to_freqs, KIND, blocks)

#endif
