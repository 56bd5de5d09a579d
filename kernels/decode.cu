// Whole lists to docIDs or frequencies in device memory, many lists in a launch.
//
// A tile is a run of up to 32 blocks of one list; a warp takes one. The endpoints
// and last docIDs of the run are read at once, one block a lane, and shuffled out.
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
#include "list.h"

// Run is the warp's tile: its list, its blocks, and their endpoints, a lane each.
struct Run {
    ListDesc l;
    uint32_t job, first, count;
    uint32_t lo, hi, prev;
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
    return r;
}

// put stores the lane's four values of a chunk; count of them are there.
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

template <int KIND> DEV void docs_of(const DecodeParams &p) {
    int lane = threadIdx.x & 31;
    uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (tile >= p.nTiles) return;
    Run r = read_run(p, tile, lane, false);
    uint32_t *out = at_rw<uint32_t>(at<DecodeJob>(p.jobs)[r.job].out) + ((uint64_t)r.first << r.l.logBlock);
    const uint32_t *payload = at<uint32_t>(r.l.docs);
    for (uint32_t i = 0; i < r.count; i++) {
        uint32_t lo = __shfl_sync(FULL, r.lo, i), hi = __shfl_sync(FULL, r.hi, i);
        uint32_t carry = __shfl_sync(FULL, r.prev, i), n = block_count(r.l, r.first + i);
        Chunks<KIND> ch;
        ch.begin(KIND, payload, lo, hi, n);
        for (uint32_t c = 0; 128 * c < n; c++) {
            uint4 v = prefix_docs(ch.get(c, lane), &carry, lane);
            put(out + 128 * c, v, n - 128 * c, lane);
        }
        out += 1 << r.l.logBlock;
    }
}

// full_bp128 decodes two full bp128 blocks at once: four loads are in flight
// before the first shift.
DEV void two_bp128(const uint32_t *p, uint32_t lo0, uint32_t hi0, uint32_t lo1, uint32_t hi1, int lane, uint4 *a,
                   uint4 *b) {
    uint32_t w0 = (hi0 - lo0) >> 2, w1 = (hi1 - lo1) >> 2;
    if (w0 > 32) w0 = 32;
    if (w1 > 32) w1 = 32;
    uint32_t bit0 = lane * w0, bit1 = lane * w1;
    const uint4 *q0 = reinterpret_cast<const uint4 *>(p + lo0) + (bit0 >> 5);
    const uint4 *q1 = reinterpret_cast<const uint4 *>(p + lo1) + (bit1 >> 5);
    uint4 x0 = __ldg(q0), y0 = __ldg(q0 + 1), x1 = __ldg(q1), y1 = __ldg(q1 + 1);
    uint32_t s0 = bit0 & 31, s1 = bit1 & 31, m0 = low_mask(w0), m1 = low_mask(w1);
    *a = make_uint4(__funnelshift_r(x0.x, y0.x, s0) & m0, __funnelshift_r(x0.y, y0.y, s0) & m0,
                    __funnelshift_r(x0.z, y0.z, s0) & m0, __funnelshift_r(x0.w, y0.w, s0) & m0);
    *b = make_uint4(__funnelshift_r(x1.x, y1.x, s1) & m1, __funnelshift_r(x1.y, y1.y, s1) & m1,
                    __funnelshift_r(x1.z, y1.z, s1) & m1, __funnelshift_r(x1.w, y1.w, s1) & m1);
}

// block_docs is prefix_docs for a block of 128: nobody needs the carry.
DEV uint4 block_docs(uint4 g, uint32_t prev, int lane) {
    uint32_t a = g.x, b = a + g.y + 1, c = b + g.z + 1, d = c + g.w + 1;
    uint32_t base = prev + warp_scan(d + 1, lane) - d;
    return make_uint4(base + a, base + b, base + c, base + d);
}

// each_bp128 calls f(block, docs, count) for every block of the run, in order.
template <class F> DEV void each_bp128(const Run &r, int lane, F f) {
    const uint32_t *p = at<uint32_t>(r.l.docs);
    uint32_t i = 0;
    for (; i + 1 < r.count; i += 2) {
        uint32_t lo0 = __shfl_sync(FULL, r.lo, i), hi0 = __shfl_sync(FULL, r.hi, i);
        uint32_t lo1 = __shfl_sync(FULL, r.lo, i + 1), hi1 = __shfl_sync(FULL, r.hi, i + 1);
        uint32_t p0 = __shfl_sync(FULL, r.prev, i), p1 = __shfl_sync(FULL, r.prev, i + 1);
        uint32_t n1 = block_count(r.l, r.first + i + 1);
        if (n1 < 128) break;
        uint4 a, b;
        two_bp128(p, lo0, hi0, lo1, hi1, lane, &a, &b);
        f(i, block_docs(a, p0, lane), 128u);
        f(i + 1, block_docs(b, p1, lane), 128u);
    }
    for (; i < r.count; i++) {
        uint32_t lo = __shfl_sync(FULL, r.lo, i), hi = __shfl_sync(FULL, r.hi, i);
        uint32_t carry = __shfl_sync(FULL, r.prev, i), n = block_count(r.l, r.first + i);
        Chunks<PACKED> ch;
        ch.begin(PACKED, p, lo, hi, n);
        f(i, prefix_docs(ch.get(0, lane), &carry, lane), n);
    }
}

KERNEL(decode_docs_bp128, DecodeParams, 256, 4) {
    int lane = threadIdx.x & 31;
    uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (tile >= p.nTiles) return;
    Run r = read_run(p, tile, lane, false);
    uint32_t *out = at_rw<uint32_t>(at<DecodeJob>(p.jobs)[r.job].out) + ((uint64_t)r.first << 7);
    each_bp128(r, lane, [&](uint32_t i, uint4 v, uint32_t n) { put(out + 128 * i, v, n, lane); });
}

// sum_docs_bp128 is the fused consumer that writes nothing: one sum a tile.
KERNEL(sum_docs_bp128, DecodeParams, 256, 4) {
    int lane = threadIdx.x & 31;
    uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (tile >= p.nTiles) return;
    Run r = read_run(p, tile, lane, false);
    uint32_t sum = 0;
    each_bp128(r, lane, [&](uint32_t, uint4 v, uint32_t n) {
        if (n == 128) {
            sum += v.x + v.y + v.z + v.w;
            return;
        }
        uint32_t i = 4 * lane;
        sum += (i < n ? v.x : 0) + (i + 1 < n ? v.y : 0) + (i + 2 < n ? v.z : 0) + (i + 3 < n ? v.w : 0);
    });
    sum = warp_scan(sum, lane);
    if (lane == 31) at_rw<uint32_t>(p.sums)[tile] = sum;
}

KERNEL(decode_docs_packed, DecodeParams, 256, 4) { docs_of<PACKED>(p); }
KERNEL(decode_docs_bytes, DecodeParams, 256, 4) { docs_of<BYTES>(p); }

// decode_freqs decodes frequencies of any codec; no prefix sum, else as above.
KERNEL(decode_freqs, DecodeParams, 256, 4) {
    int lane = threadIdx.x & 31;
    uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (tile >= p.nTiles) return;
    Run r = read_run(p, tile, lane, true);
    uint32_t *out = at_rw<uint32_t>(at<DecodeJob>(p.jobs)[r.job].out) + ((uint64_t)r.first << r.l.logBlock);
    for (uint32_t i = 0; i < r.count; i++) {
        uint32_t n = block_count(r.l, r.first + i);
        Freqs f;
        f.begin(r.l, r.first + i);
        for (uint32_t c = 0; 128 * c < n; c++) put(out + 128 * c, f.get(c, lane), n - 128 * c, lane);
        out += 1 << r.l.logBlock;
    }
}
