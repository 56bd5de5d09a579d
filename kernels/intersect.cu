// Conjunctions over compressed lists, many queries in a launch (PARA, Ao 2011
// section 3.1: the elements of the shortest list are spread over the threads, each
// is looked for in the other lists).
//
// A warp takes one block of a query's first list, so four docIDs a lane. For every
// further list each lane locates the blocks that could hold its docIDs (list.h),
// then the warp goes through the distinct blocks: it decodes one, and the lanes
// concerned look for their docIDs in it. No block is decoded that no docID needs
// (Ding 2009 section 8), and a docID that fails in one list is not looked for in
// the next.
//
// Two ways to go through the blocks. Where docIDs share blocks, the warp decodes one
// block at a time for all of them, some 150 instructions a block. Where nearly each
// docID needs a block of its own, eight lanes take a docID, so that a warp decodes
// four blocks at once: a lane takes four rows, whose 16 gaps it adds up without
// storing them; some 140 instructions for four docIDs.
//
// Bound: at length ratios above 30 about 40 instructions of a warp a docID and list,
// so 23 G docIDs/s on 132 multiprocessors at 1.75 GHz; below, 1.2 times the ratio.
// Bytes: a block (128 b / 8) a docID, 3 TB/s at that rate and b = 8, mostly from L2.
#include "list.h"

// Probes is a warp's shared memory.
struct alignas(16) Probes {
    uint32_t doc[128], block[128]; // docIDs still to be found, and where they would be
    uint32_t id[128], pos[128];    // 4*lane+k of each; its position, by id
};

// probe looks for the lanes' wanted docIDs in one chunk and records positions.
// Few docIDs are broadcast and compared with all 128; many search in shared memory.
DEV uint32_t probe(uint4 v, uint32_t count, const uint32_t *d, uint32_t want, uint32_t base, uint32_t *pos,
                   uint32_t *shared, int lane) {
    uint32_t i = 4 * lane, found = 0;
    if (i >= count) v.x = FULL;
    if (i + 1 >= count) v.y = FULL;
    if (i + 2 >= count) v.z = FULL;
    if (i + 3 >= count) v.w = FULL;
    uint32_t lanes = __ballot_sync(FULL, want != 0);
    if (__popc(lanes) <= 2) {
        for (; lanes; lanes &= lanes - 1) {
            int src = __ffs(lanes) - 1;
            uint32_t w = __shfl_sync(FULL, want, src);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                if (!(w >> k & 1)) continue;
                uint32_t x = __shfl_sync(FULL, d[k], src);
                uint32_t sub = v.x == x ? 0 : v.y == x ? 1 : v.z == x ? 2 : v.w == x ? 3 : 4;
                uint32_t hit = __ballot_sync(FULL, sub < 4);
                if (!hit) continue;
                int h = __ffs(hit) - 1;
                uint32_t at = base + 4 * h + __shfl_sync(FULL, sub, h);
                if (lane == src) {
                    pos[k] = at;
                    found |= 1u << k;
                }
            }
        }
        return found;
    }
    *reinterpret_cast<uint4 *>(shared + i) = v;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (!(want >> k & 1)) continue;
        uint32_t p = 0;
#pragma unroll
        for (uint32_t s = 64; s; s >>= 1)
            if (shared[p + s - 1] < d[k]) p += s;
        if (shared[p] == d[k]) {
            pos[k] = base + p;
            found |= 1u << k;
        }
    }
    __syncwarp();
    return found;
}

// find_alone looks for docID x in a full bp128 block with eight lanes, the group,
// of which this is lane g: its four rows are four additions each of their gaps.
// Every lane of the warp takes part, with a docID of its group. It returns the
// position in the block, or NO_BLOCK, in the lane that holds it.
DEV uint32_t find_alone(const ListDesc &l, uint32_t j, uint32_t x, int g, bool there) {
    const uint32_t *ends = at<uint32_t>(l.docEnds) + j;
    uint32_t lo = __ldg(ends), b = (__ldg(ends + 1) - lo) >> 2;
    if (b > 32) b = 32;
    uint32_t prev = block_prev(l, j), bit = 4 * g * b, s = bit & 31, mask = low_mask(b);
    const uint4 *q = reinterpret_cast<const uint4 *>(at<uint32_t>(l.docs) + lo) + (bit >> 5);
    uint4 u = __ldg(q), v = __ldg(q + 1);
    uint32_t d[16], sum = 0;
#pragma unroll
    for (int r = 0; r < 4; r++) {
        d[4 * r] = sum + (__funnelshift_r(u.x, v.x, s) & mask) + 1;
        d[4 * r + 1] = d[4 * r] + (__funnelshift_r(u.y, v.y, s) & mask) + 1;
        d[4 * r + 2] = d[4 * r + 1] + (__funnelshift_r(u.z, v.z, s) & mask) + 1;
        d[4 * r + 3] = sum = d[4 * r + 2] + (__funnelshift_r(u.w, v.w, s) & mask) + 1;
        if (r == 3) break;
        s += b;
        if (s >= 32) {
            s -= 32;
            u = v;
            v = __ldg(++q + 1);
        }
    }
    uint32_t before = sum;
#pragma unroll
    for (int o = 1; o < 8; o <<= 1) {
        uint32_t y = __shfl_up_sync(FULL, before, o, 8);
        if (g >= o) before += y;
    }
    uint32_t want = x - (prev + before - sum), hit = NO_BLOCK;
    if (there && want <= sum)
#pragma unroll
        for (int i = 0; i < 16; i++)
            if (d[i] == want) hit = 16 * g + i;
    return hit;
}

// search_alone finds the docIDs in s, each in a block of its own, four at a time.
DEV void search_alone(const ListDesc &l, Probes &s, uint32_t count, int lane) {
    int g = lane & 7;
    for (uint32_t i = 0; i < count; i += 4) {
        uint32_t t = i + (lane >> 3);
        bool there = t < count;
        if (!there) t = i;
        uint32_t hit = find_alone(l, s.block[t], s.doc[t], g, there);
        if (hit != NO_BLOCK) s.pos[s.id[t]] = hit;
    }
    __syncwarp();
}

// search_shared goes through the distinct blocks of the pending docIDs.
DEV uint32_t search_shared(const ListDesc &l, const uint32_t *d, uint32_t pending, const uint32_t *blk, uint32_t *pos,
                           uint32_t *shared, int lane) {
    uint32_t found = 0;
    for (;;) {
        uint32_t vote = __ballot_sync(FULL, pending != 0);
        if (!vote) return found;
        uint32_t mine = pending & 1 ? blk[0] : pending & 2 ? blk[1] : pending & 4 ? blk[2] : blk[3];
        uint32_t j = __shfl_sync(FULL, mine, __ffs(vote) - 1);
        uint32_t want = 0;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if ((pending >> k & 1) && blk[k] == j) want |= 1u << k;
        pending &= ~want;
        each_docs(l, j, lane, [&](uint32_t c, uint4 v, uint32_t count) {
            found |= probe(v, count, d, want, 128 * c, pos, shared, lane);
        });
    }
}

// search finds which of the lane's docIDs are in l, and where.
DEV uint32_t search(const ListDesc &l, const uint32_t *d, uint32_t alive, uint32_t mode, uint32_t *blk, uint32_t *pos,
                    Probes &s, int lane) {
    uint32_t pending = 0, found = 0, alone = 0;
    uint32_t full = l.docsCodec == CODEC_BP128 ? l.n >> 7 : 0; // blocks that find_alone can take
#pragma unroll
    for (int k = 0; k < 4; k++) {
        blk[k] = alive >> k & 1 ? locate(l, d[k], mode) : NO_BLOCK;
        if (blk[k] == NO_BLOCK) continue;
        if (blk[k] < full) alone |= 1u << k;
        else pending |= 1u << k;
    }
    if (!__any_sync(FULL, (alone | pending) != 0)) return 0;
    uint32_t n = __popc(alone), sum = warp_scan(n, lane), count = __shfl_sync(FULL, sum, 31), at = sum - n;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (!(alone >> k & 1)) continue;
        s.doc[at] = d[k];
        s.block[at] = blk[k];
        s.id[at++] = 4 * lane + k;
        s.pos[4 * lane + k] = NO_BLOCK;
    }
    __syncwarp();
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < count; i += 32)
        distinct += __popc(__ballot_sync(FULL, i + lane < count && (i + lane == 0 || s.block[i + lane] != s.block[i + lane - 1])));
    // 40 instructions for every docID against 150 for every distinct block.
    if (15 * distinct > 4 * count) {
        search_alone(l, s, count, lane);
#pragma unroll
        for (int k = 0; k < 4; k++)
            if ((alone >> k & 1) && s.pos[4 * lane + k] != NO_BLOCK) {
                pos[k] = s.pos[4 * lane + k];
                found |= 1u << k;
            }
        __syncwarp();
    } else {
        __syncwarp();
        pending |= alone;
    }
    return found | search_shared(l, d, pending, blk, pos, s.doc, lane);
}

// first_scores scores the lane's docIDs of chunk c of the first list.
DEV void first_scores(const QueryDesc &q, const ListDesc &l, float w, uint32_t block, uint32_t c, const uint32_t *d,
                      uint32_t alive, float *norm, float *score, int lane) {
    Freqs f;
    f.begin(l, block);
    uint4 v = make_uint4(0, 0, 0, 0);
    for (uint32_t i = 0; i <= c; i++) v = f.get(i, lane);
    uint32_t tf[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (!(alive >> k & 1)) continue;
        norm[k] = __ldg(at<float>(q.norms) + d[k]);
        score[k] = posting_score(w, tf[k], norm[k]);
    }
}

// push_keys appends the lane's hits to the query's keys, in any order: keys are
// distinct and a selection follows.
DEV void push_keys(const IntersectParams &p, const QueryDesc &q, const uint32_t *d, const float *score, uint32_t alive,
                   int lane) {
#pragma unroll
    for (int k = 0; k < 4; k++)
        if ((alive >> k & 1) && hit_key(score[k], q.docBase + d[k]) <= q.floorKey) alive &= ~(1u << k);
    uint32_t n = __popc(alive), sum = warp_scan(n, lane), start = 0;
    if (lane == 31 && sum) start = atomicAdd(at_rw<uint32_t>(p.counts) + q.slot, sum);
    uint64_t *out = at_rw<uint64_t>(q.out) + __shfl_sync(FULL, start, 31) + sum - n;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (alive >> k & 1) *out++ = hit_key(score[k], q.docBase + d[k]);
}

template <bool RANKED> DEV void intersect(const IntersectParams &p, uint32_t tile, Probes &shared, int lane) {
    Tile t = at<Tile>(p.tiles)[tile];
    const QueryDesc q = at<QueryDesc>(p.queries)[t.job];
    const Term *terms = at<Term>(p.terms) + q.firstTerm;
    const ListDesc first = at<ListDesc>(p.lists)[terms[0].list];
    uint32_t *out = RANKED ? nullptr : at_rw<uint32_t>(p.out) + (uint64_t)tile * p.stride;
    uint32_t written = 0;
    each_docs(first, t.first, lane, [&](uint32_t c, uint4 v, uint32_t count) {
        uint32_t d[4] = {v.x, v.y, v.z, v.w}, blk[4], pos[4] = {0, 0, 0, 0}, alive = 0;
        float norm[4], score[4];
        bool scored = false;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (4 * lane + k < count && is_live(q, d[k])) alive |= 1u << k;
        for (uint32_t i = 1; i < q.nTerms && __any_sync(FULL, alive != 0); i++) {
            const ListDesc l = at<ListDesc>(p.lists)[terms[i].list];
            alive = search(l, d, alive, p.locate, blk, pos, shared, lane);
            if (!RANKED || !__any_sync(FULL, alive != 0)) continue;
            if (!scored) first_scores(q, first, terms[0].weight, t.first, c, d, alive, norm, score, lane);
            scored = true;
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (alive >> k & 1)
                    score[k] = __fadd_rn(score[k], posting_score(terms[i].weight, freq_at(l, blk[k], pos[k]), norm[k]));
        }
        if (!__any_sync(FULL, alive != 0)) return;
        if (RANKED) {
            if (!scored) first_scores(q, first, terms[0].weight, t.first, c, d, alive, norm, score, lane);
            push_keys(p, q, d, score, alive, lane);
            return;
        }
        uint32_t n = __popc(alive), sum = warp_scan(n, lane), w = written + sum - n;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (alive >> k & 1) out[w++] = q.docBase + d[k];
        written += __shfl_sync(FULL, sum, 31);
    });
    if (!RANKED && lane == 0) at_rw<uint32_t>(p.counts)[tile] = written;
}

KERNEL(intersect_docs, IntersectParams, 256, 3) {
    __shared__ Probes shared[8];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t tile = blockIdx.x * 8 + warp;
    if (tile < p.nTiles) intersect<false>(p, tile, shared[warp], lane);
}

KERNEL(intersect_ranked, IntersectParams, 256, 3) {
    __shared__ Probes shared[8];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t tile = blockIdx.x * 8 + warp;
    if (tile < p.nTiles) intersect<true>(p, tile, shared[warp], lane);
}

// sum_tiles, a warp a query: where each tile's docIDs start within the query's.
KERNEL(sum_tiles, GatherParams, 256, 4) {
    int lane = threadIdx.x & 31;
    uint32_t q = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (q >= p.nQueries) return;
    uint32_t i = at<uint32_t>(p.queryTiles)[q], end = at<uint32_t>(p.queryTiles)[q + 1], sum = 0;
    for (; i < end; i += 32) {
        uint32_t n = i + lane < end ? at<uint32_t>(p.counts)[i + lane] : 0, s = warp_scan(n, lane);
        if (i + lane < end) at_rw<uint32_t>(p.tileStarts)[i + lane] = sum + s - n;
        sum += __shfl_sync(FULL, s, 31);
    }
    if (lane == 0) at_rw<uint32_t>(p.totals)[q] = sum;
}

// scan_queries, one thread block: where each query's docIDs start.
KERNEL(scan_queries, GatherParams, 1024, 1) {
    __shared__ uint32_t sums[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint32_t before = 0;
    for (uint32_t base = 0; base < p.nQueries; base += blockDim.x) {
        uint32_t i = base + threadIdx.x;
        uint32_t n = i < p.nQueries ? at<uint32_t>(p.totals)[i] : 0, s = warp_scan(n, lane);
        if (lane == 31) sums[warp] = s;
        __syncthreads();
        uint32_t w = sums[lane], ws = warp_scan(w, lane);
        uint32_t mine = __shfl_sync(FULL, ws - w, warp), all = __shfl_sync(FULL, ws, 31);
        if (i < p.nQueries) at_rw<uint32_t>(p.starts)[i] = before + mine + s - n;
        before += all;
        __syncthreads();
    }
    if (threadIdx.x == 0) at_rw<uint32_t>(p.starts)[p.nQueries] = before;
}

// gather_docs, a warp a tile: copies the tile's docIDs to their place.
KERNEL(gather_docs, GatherParams, 256, 4) {
    int lane = threadIdx.x & 31;
    uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (tile >= p.nTiles) return;
    uint32_t n = at<uint32_t>(p.counts)[tile];
    if (!n) return;
    const uint32_t *first = at<uint32_t>(p.queryTiles);
    uint32_t lo = 0, hi = p.nQueries; // the last query whose first tile is not after this one
    while (hi - lo > 1) {
        uint32_t mid = (lo + hi) >> 1;
        if (__ldg(first + mid) <= tile) lo = mid;
        else hi = mid;
    }
    uint32_t to = at<uint32_t>(p.starts)[lo] + at<uint32_t>(p.tileStarts)[tile];
    const uint32_t *in = at<uint32_t>(p.in) + (uint64_t)tile * p.stride;
    for (uint32_t i = lane; i < n; i += 32)
        if (to + i < p.limit) at_rw<uint32_t>(p.out)[to + i] = in[i];
}
