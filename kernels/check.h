// Checking blocks by decoding them, the first time that a list is loaded: the structure of
// each block is sound (sound.h), docIDs ascend and end on the skip header, frequencies are
// from 1 to the document's length (a coded one is rounded down), no posting exceeds the bounds of its block or list, or
// lies outside the range in which locate (list.h) searches for it. Postings that reach the
// k-th impacts are counted. So a list that passes gives the postings that the CPU decodes,
// and no kernel misses one of them.
//
// check_lists (lists.cu) must have found no error in the list.
//
// Bound: about 550 instructions of a warp for a block of bp128, 60 of them to decode
// docIDs, and a load of each document's length: on 132 multiprocessors at 1.75 GHz, 0.2 T
// postings/s.
#ifndef PINION_CHECK_H
#define PINION_CHECK_H
#include "sound.h"

// impact returns the value of a code (format.DecodeLen).
DEV uint32_t impact(uint32_t c) { return c < 32 ? c : (16 + (c & 15)) << ((c >> 4) - 1); }

// Bounds are the decoded pairs of a quad.
struct Bounds {
    uint32_t tf[4], dl[4];

    DEV_MEMBER void of(uint64_t quad) {
#pragma unroll
        for (int i = 0; i < 4; i++, quad >>= 16) {
            uint32_t c = quad & 255;
            tf[i] = c == 255 ? FULL : impact(c);
            dl[i] = impact(quad >> 8 & 255);
        }
    }
    // hold reports whether a pair dominates a posting (format.Quad.Dominates).
    DEV_MEMBER bool hold(uint32_t f, uint32_t len) const {
        bool ok = false;
#pragma unroll
        for (int i = 0; i < 4; i++) ok |= tf[i] >= f && dl[i] <= len;
        return ok;
    }
};

// length_of returns the length of a document: width bytes of the table, or as a WIDTH says.
DEV uint32_t length_of(uint64_t lengths, uint32_t width, uint32_t doc) {
    if (width == 1) return __ldg(at<uint8_t>(lengths) + doc);
    if (width == 2) return __ldg(at<uint16_t>(lengths) + doc);
    if (width == 4) return __ldg(at<uint32_t>(lengths) + doc);
    return width == WIDTH_CODED ? impact(__ldg(at<uint8_t>(lengths) + doc)) : 1;
}

// coded_allows reports whether a document whose length was rounded down to a length code's may have a term f
// times (segment.CodedAllows).
DEV bool coded_allows(uint32_t f, uint32_t len) {
    if (f >= 32) f = f < impact(255) ? f >> (27 - __clz(f)) << (27 - __clz(f)) : impact(255);
    return f <= len;
}

// found reports whether locate finds the block of the posting at position i, docID x.
DEV bool found(const ListDesc &l, uint32_t x, uint32_t i) {
    bool ok = true;
    if (l.hash) {
        uint32_t h = x >> l.hashShift;
        if (h >> l.hashBits) return false;
        const uint32_t *start = at<uint32_t>(l.hash) + h;
        ok = __ldg(start) <= i && i < __ldg(start + 1);
    }
    if (l.flags & LIST_LR) {
        int64_t est = (int64_t)((uint64_t)x * (uint64_t)l.lrInv + (uint64_t)l.lrBase) >> 32;
        ok = ok && est - l.lrLeft <= i && est + l.lrRight >= i;
    }
    return ok;
}

// Checker checks the postings of a list.
struct Checker {
    CheckJob job;
    ListDesc l;
    Bounds whole, block;
    bool inside;                 // the bounds of the block are within those of the list
    uint32_t bad, where;         // errors that the lane found, and the first block with one
    uint32_t tf[3], dl[3];       // of the k-th impacts
    uint32_t reach[3];           // postings of the lane that reach them

    DEV_MEMBER void begin() {
        whole.of(job.quad);
        bad = 0;
        where = FULL;
#pragma unroll
        for (int k = 0; k < 3; k++) {
            tf[k] = impact(job.kth[k] & 255);
            dl[k] = impact(job.kth[k] >> 8);
            reach[k] = 0;
        }
    }
    DEV_MEMBER void fail(uint32_t bits, uint32_t j) {
        bad |= bits;
        if (j < where) where = j;
    }
    // posting checks the posting at position i of the list, in block j, after docID
    // before; end is the last docID of the block.
    DEV_MEMBER void posting(uint32_t j, uint32_t i, uint32_t x, uint32_t f, uint32_t before, uint32_t end, bool isLast) {
        if (x <= before && before != FULL || x > end || isLast && x != end || !i && x != job.first) return fail(CHECK_DOCS, j);
        uint32_t len = length_of(job.lengths, job.width, x);
        if (!f || !job.foreign && f > len && !(job.width == WIDTH_CODED && coded_allows(f, len))) fail(CHECK_FREQS, j);
        if (!block.hold(f, len) || !inside && !whole.hold(f, len)) fail(CHECK_BOUND, j);
        if (!found(l, x, i)) fail(CHECK_FOUND, j);
#pragma unroll
        for (int k = 0; k < 3; k++) reach[k] += f >= tf[k] && len <= dl[k];
    }
    // decode checks block j, whose structure is sound.
    DEV_MEMBER void decode(uint32_t j, int lane) {
        uint32_t before = block_prev(l, j), end = __ldg(at<uint32_t>(l.last) + j);
        block.of(__ldg(at<unsigned long long>(l.quads) + j));
        inside = true;
#pragma unroll
        for (int i = 0; i < 4; i++) inside &= whole.hold(block.tf[i], block.dl[i]);
        Freqs freqs;
        freqs.begin(l, j);
        each_docs(l, j, lane, [&](uint32_t c, uint4 d, uint32_t count) {
            uint4 f = freqs.get(c, lane);
            uint32_t left = __shfl_up_sync(FULL, d.w, 1), i = 4 * lane, first = (j << l.logBlock) + 128 * c + i;
            if (lane == 0) left = before;
            before = __shfl_sync(FULL, d.w, 31);
            // count includes the chunks that follow, so only in the last one it is reached.
            if (i < count) posting(j, first, d.x, f.x, left, end, i + 1 == count);
            if (i + 1 < count) posting(j, first + 1, d.y, f.y, d.x, end, i + 2 == count);
            if (i + 2 < count) posting(j, first + 2, d.z, f.z, d.y, end, i + 3 == count);
            if (i + 3 < count) posting(j, first + 3, d.w, f.w, d.z, end, i + 4 == count);
        });
    }
};

// check_tile is the body of a kernel: a warp checks one tile.
DEV void check_tile(const CheckParams &p) {
    int lane = threadIdx.x & 31;
    uint32_t tile = blockIdx.x * 8 + (threadIdx.x >> 5);
    if (tile >= p.nTiles) return;
    const CheckJob *jobs = at<CheckJob>(p.jobs);
    uint32_t lo = job_of(jobs, p.count, tile);
    CheckStatus *status = at_rw<CheckStatus>(p.status) + lo;
    // Other warps may be changing it, and all lanes must see the same.
    if (__shfl_sync(FULL, *(volatile uint32_t *)&status->bad, 0)) return;
    Checker check;
    check.job = jobs[lo];
    check.l = at<ListDesc>(p.lists)[check.job.list];
    check.begin();
    uint32_t first = 32 * (lo ? tile - jobs[lo - 1].tiles : tile), j = first + lane, end = check.l.nb - first < 32 ? check.l.nb : first + 32;
    if (j < end && !(docs_sound(check.l, j) && freqs_sound(check.l, j))) check.fail(CHECK_BLOCK, j);
    __syncwarp();
    if (!__any_sync(FULL, check.bad != 0))
        for (j = first; j < end; j++) check.decode(j, lane);
    if (check.bad) {
        atomicOr(&status->bad, check.bad);
        atomicMin(&status->block, check.where);
    }
    if (!(check.job.kth[0] | check.job.kth[1] | check.job.kth[2])) return;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        uint32_t sum = warp_scan(check.reach[k], lane);
        if (lane == 31 && sum) atomicAdd(&status->reach[k], sum);
    }
}

#endif
