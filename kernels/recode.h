// Lists in bp128 from lists in other codecs with blocks of 128, in device memory: queries
// decode bp128 fastest. The docIDs and frequencies of a block are those that the stored
// form gives; skip header, bounds, hash buckets and linear regression stay.
//
// measure_blocks and scan_blocks find the new block endpoints. Then the host, which knows
// the size, gives each list a place. recode_blocks writes the payloads there, and
// publish_recoded the rest of the list and its descriptor (lists.cu). check_lists must have
// run before; lists with errors are skipped.
//
// Bound: two passes over the blocks, each about 100 instructions of a warp for a block of
// newpfd and 60 more to pack it: on 132 multiprocessors at 1.75 GHz about 0.3 T postings/s,
// a tenth of the time that the copy of the list to the device takes.
#ifndef PINION_RECODE_H
#define PINION_RECODE_H
#include "list.h"

// gaps_of calls f(gaps, freqs, n) for block j of l: the lane's gaps minus one, and its
// frequencies minus one; those past the n postings of the block are 0.
template <class F> DEV void gaps_of(const ListDesc &l, uint32_t j, int lane, F f) {
    uint32_t before = block_prev(l, j), n = block_count(l, j), i = 4 * lane;
    Freqs freqs;
    freqs.begin(l, j);
    each_docs(l, j, lane, [&](uint32_t c, uint4 d, uint32_t) {
        uint4 q = freqs.get(c, lane);
        uint32_t left = __shfl_up_sync(FULL, d.w, 1);
        if (lane == 0) left = before;
        uint4 gap = make_uint4(d.x - left - 1, d.y - d.x - 1, d.z - d.y - 1, d.w - d.z - 1);
        uint4 freq = make_uint4(q.x - 1, q.y - 1, q.z - 1, q.w - 1);
        if (i >= n) gap.x = freq.x = 0;
        if (i + 1 >= n) gap.y = freq.y = 0;
        if (i + 2 >= n) gap.z = freq.z = 0;
        if (i + 3 >= n) gap.w = freq.w = 0;
        f(gap, freq, n);
    });
}

// packed_words returns the number of words of a block of n values whose bits are all in v
// of the warp's lanes.
DEV uint32_t packed_words(uint4 v, uint32_t n) {
    uint32_t most = warp_max(v.x | v.y | v.z | v.w), width = 32 - __clz(most);
    return (((n + 3) >> 2) * width + 31) / 32 * 4;
}

// pack writes the lane's four values of a block of n in words words to out. shared are 128
// words of the warp.
DEV void pack(uint4 v, uint32_t n, uint32_t words, uint32_t *out, uint32_t *shared, int lane) {
    uint32_t rows = (n + 3) >> 2, width = bp_width(words >> 2, rows), at = lane * width, s = at & 31;
    uint4 *vectors = reinterpret_cast<uint4 *>(shared);
    vectors[lane] = make_uint4(0, 0, 0, 0);
    __syncwarp();
    if (lane < rows && words) {
        uint32_t *q = shared + (at >> 5) * 4, d[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            atomicOr(q + k, d[k] << s);
            if (s + width > 32) atomicOr(q + 4 + k, d[k] >> (32 - s));
        }
    }
    __syncwarp();
    if (4 * lane < words) reinterpret_cast<uint4 *>(out)[lane] = vectors[lane];
    __syncwarp();
}

// recodes reports whether check_lists has found no error in the list of a job.
DEV bool recodes(const RecodeParams &p, const RecodeJob &job) {
    return !(at<CheckStatus>(p.status)[job.check].bad & (CHECK_DOCENDS | CHECK_FREQENDS | CHECK_LAST | CHECK_HASH));
}

// measure_tile writes the words of each block of docIDs and frequencies: a warp a tile of
// 32 blocks.
DEV void measure_tile(const RecodeParams &p) {
    int lane = threadIdx.x & 31;
    uint32_t tile = blockIdx.x * 8 + (threadIdx.x >> 5);
    if (tile >= p.nTiles) return;
    const RecodeJob *jobs = at<RecodeJob>(p.jobs);
    uint32_t i = job_of(jobs, p.count, tile);
    const RecodeJob job = jobs[i];
    if (!recodes(p, job)) return;
    const ListDesc l = at<ListDesc>(p.lists)[job.list];
    uint32_t first = 32 * (i ? tile - jobs[i - 1].tiles : tile), end = l.nb - first < 32 ? l.nb : first + 32;
    uint32_t docs = 0, freqs = 0; // of block first + lane
    for (uint32_t j = first; j < end; j++)
        gaps_of(l, j, lane, [&](uint4 gap, uint4 freq, uint32_t n) {
            uint32_t d = packed_words(gap, n), f = packed_words(freq, n);
            if (lane == j - first) {
                docs = d;
                freqs = f;
            }
        });
    uint32_t *ends = at_rw<uint32_t>(job.ends);
    if (first + lane < end) {
        ends[first + lane] = docs;
        ends[l.nb + 1 + first + lane] = freqs;
    }
}

// recode_tile writes the payloads of the lists that have a place: a warp a tile. Each warp
// has 128 words of shared.
DEV void recode_tile(const RecodeParams &p, uint32_t (*shared)[128]) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t tile = blockIdx.x * 8 + warp;
    if (tile >= p.nTiles) return;
    const RecodeJob *jobs = at<RecodeJob>(p.jobs);
    uint32_t i = job_of(jobs, p.count, tile);
    const RecodeJob job = jobs[i];
    if (!job.to || !recodes(p, job)) return;
    const ListDesc l = at<ListDesc>(p.lists)[job.list];
    uint32_t first = 32 * (i ? tile - jobs[i - 1].tiles : tile), end = l.nb - first < 32 ? l.nb : first + 32;
    const uint32_t *docEnds = at<uint32_t>(job.ends), *freqEnds = docEnds + l.nb + 1;
    uint32_t *docs = at_rw<uint32_t>(job.to + job.docsAt), *freqs = at_rw<uint32_t>(job.to + job.freqsAt);
    for (uint32_t j = first; j < end; j++)
        gaps_of(l, j, lane, [&](uint4 gap, uint4 freq, uint32_t n) {
            pack(gap, n, docEnds[j + 1] - docEnds[j], docs + docEnds[j], shared[warp], lane);
            pack(freq, n, freqEnds[j + 1] - freqEnds[j], freqs + freqEnds[j], shared[warp], lane);
        });
}

#endif
