// Intersection of decoded lists; see merge.h.
#include "list.h"
#include "merge.h"

// spread_docs, a warp per block, decodes docIDs of any codec to device memory. Bound:
// decoding, and 4 bytes written per docID.
KERNEL(spread_docs, DecodeParams, 256, 4) {
    int lane = threadIdx.x & 31;
    uint32_t tile = blockIdx.x * 8 + (threadIdx.x >> 5);
    if (tile >= p.nTiles) return;
    const Tile t = at<Tile>(p.tiles)[tile];
    const DecodeJob job = at<DecodeJob>(p.jobs)[t.job];
    const ListDesc l = at<ListDesc>(p.lists)[job.list];
    uint32_t end = t.first + p.tileBlocks < l.nb ? t.first + p.tileBlocks : l.nb;
    for (uint32_t j = t.first; j < end; j++) {
        uint32_t *out = at_rw<uint32_t>(job.out) + ((uint64_t)j << l.logBlock);
        each_docs(l, j, lane, [&](uint32_t c, uint4 v, uint32_t count) {
            uint32_t i = 4 * lane, d[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (i + k < count) out[128 * c + i + k] = d[k];
        });
    }
}

// merge_path, a thread block per tile, is GPU MergePath (Green 2012; Griffin 2018 section
// 3.1.2). Cross diagonals divide the merge of both lists into tiles of equal work, whose
// elements are loaded into shared memory; shorter diagonals divide a tile among its
// threads, which merge eight elements each.
//
// Bound, per element of both lists: 4 bytes read, so 1.1 T elements/s from memory; two
// accesses to shared memory for each of 11 steps of a search and for each of 8 steps of
// the merge, about 30 instructions per element: 0.25 T elements/s.
KERNEL(merge_path, MergeParams, 256, 4) {
    __shared__ uint32_t keys[MERGE_TILE + 2], cut[2];
    if (blockIdx.x >= p.nTiles) return;
    const Tile t = at<Tile>(p.tiles)[blockIdx.x];
    const MergeJob job = at<MergeJob>(p.jobs)[t.job];
    const uint32_t *a = at<uint32_t>(job.a), *b = at<uint32_t>(job.b);
    uint32_t all = job.na + job.nb, first = t.first;
    uint32_t end = all - first < MERGE_TILE ? all : first + MERGE_TILE;
    if (threadIdx.x < 2) cut[threadIdx.x] = crossing(a, job.na, b, job.nb, threadIdx.x ? end : first);
    __syncthreads();
    uint32_t a0 = cut[0], na = cut[1] - a0, b0 = first - a0, nb = end - cut[1] - b0;
    if (na > end - first) return; // only if a list does not ascend: its cuts may cross, or lie too far apart
    // One more element of b, since the match of the last element of a may be after the
    // tile.
    uint32_t more = b0 + nb < job.nb ? 1 : 0;
    for (uint32_t i = threadIdx.x; i < na; i += blockDim.x) keys[i] = __ldg(a + a0 + i);
    for (uint32_t i = threadIdx.x; i < nb + more; i += blockDim.x) keys[na + i] = __ldg(b + b0 + i);
    __syncthreads();
    uint32_t per = MERGE_TILE / 256, diag = threadIdx.x * per;
    if (diag >= na + nb) return;
    uint32_t i = crossing(keys, na, keys + na, nb, diag), j = diag - i;
    for (uint32_t k = 0; k < per && i < na; k++) {
        if (j < nb + more && keys[na + j] < keys[i]) {
            if (j == nb) break; // the rest of a belongs to the next tile
            j++;
            continue;
        }
        if (j < nb + more && keys[na + j] == keys[i]) atomicAdd(at_rw<uint32_t>(job.hits) + a0 + i, 1u);
        i++;
    }
}

// collect_hits, a warp per tile of 128 docIDs of a query's first list, collects those
// that are in all lists.
KERNEL(collect_hits, CollectParams, 256, 4) {
    int lane = threadIdx.x & 31;
    uint32_t tile = blockIdx.x * 8 + (threadIdx.x >> 5);
    if (tile >= p.nTiles) return;
    const Tile t = at<Tile>(p.tiles)[tile];
    const QueryDesc q = at<QueryDesc>(p.queries)[t.job];
    const MergeJob first = at<MergeJob>(p.jobs)[t.job];
    uint32_t *out = at_rw<uint32_t>(p.out) + (uint64_t)tile * 128, written = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint32_t i = t.first * 128 + 32 * k + lane, d = 0;
        bool in = i < first.na && at<uint32_t>(first.hits)[i] == q.nTerms - 1;
        if (in) {
            d = at<uint32_t>(first.a)[i];
            in = is_live(q, d);
        }
        uint32_t vote = __ballot_sync(FULL, in);
        if (in) out[written + __popc(vote & ((1u << lane) - 1))] = q.docBase + d;
        written += __popc(vote);
    }
    if (lane == 0) at_rw<uint32_t>(p.counts)[tile] = written;
}
