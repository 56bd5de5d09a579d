// Device functions that look for a warp's docIDs in a compressed list.
//
// A warp holds up to 128 docIDs, four a lane. Each lane locates the blocks that could
// hold its docIDs (list.h), and no other block is decoded (Ding 2009 section 8).
// There are two ways to go through the blocks. Where docIDs share blocks, the warp
// decodes one block at a time for all of them, some 150 instructions a block. Where
// most docIDs need a block of their own, eight lanes take a docID, so that a warp
// decodes four blocks at once: a lane takes four rows, whose 16 gaps it adds up and
// compares without storing them; some 130 instructions for four docIDs.
//
// Bound, a docID in a list far longer than its own: by instructions 35 of a warp, so
// 26 G docIDs/s on 132 multiprocessors at 1.75 GHz; by bytes about 8 sectors of 32
// (bucket, last docIDs, endpoints, a block of 128 b / 8 bytes), so 14 G docIDs/s from
// memory at 3.6 TB/s; more where L2 holds the lists, which is why a batch is ordered
// by its longer lists.
#ifndef PINION_SEARCH_H
#define PINION_SEARCH_H
#include "list.h"

// Probes is a warp's shared memory.
struct alignas(16) Probes {
    uint32_t want[128];  // docIDs still to be found, less the one before their block
    uint32_t start[128]; // first word of the block
    uint32_t tag[128];   // its width, and 4*lane+k of the docID times 64
    uint32_t pos[128];   // the position in the block, by 4*lane+k
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

// sum_rows adds up the gaps of four rows that start at bit offset bit: d[i] is the
// docID of value i less the one before the rows.
DEV void sum_rows(const uint4 *q, uint4 u, uint4 v, uint32_t s, uint32_t b, uint32_t *d) {
    uint32_t mask = low_mask(b), sum = 0;
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
}

// search_alone finds the docIDs in s, each in a full bp128 block of its own, with
// eight lanes a docID. The next docIDs' vectors are loaded before these are summed.
template <bool POS> DEV void search_alone(const ListDesc &l, Probes &s, uint32_t count, int lane) {
    int g = lane & 7;
    const uint4 *payload = at<uint4>(l.docs);
    uint32_t t = lane >> 3, tag = s.tag[t < count ? t : 0];
    uint32_t bit = 4 * g * (tag & 63);
    const uint4 *q = payload + (s.start[t < count ? t : 0] >> 2) + (bit >> 5);
    uint4 u = __ldg(q), v = __ldg(q + 1);
    for (uint32_t i = 0; i < count; i += 4) {
        uint32_t want = t < count ? s.want[t] : 0, b = tag & 63, id = tag >> 6, shift = bit & 31;
        const uint4 *q0 = q;
        uint4 u0 = u, v0 = v;
        t += 4;
        if (i + 4 < count) {
            tag = s.tag[t < count ? t : 0];
            bit = 4 * g * (tag & 63);
            q = payload + (s.start[t < count ? t : 0] >> 2) + (bit >> 5);
            u = __ldg(q);
            v = __ldg(q + 1);
        }
        uint32_t d[16];
        sum_rows(q0, u0, v0, shift, b, d);
        uint32_t before = d[15];
#pragma unroll
        for (int o = 1; o < 8; o <<= 1) {
            uint32_t y = __shfl_up_sync(FULL, before, o, 8);
            if (g >= o) before += y;
        }
        want -= before - d[15];
        bool hit = false;
#pragma unroll
        for (int k = 0; k < 16; k++) hit = hit || d[k] == want;
        if (hit) {
            uint32_t at = 16 * g;
            if (POS)
#pragma unroll
                for (int k = 1; k < 16; k++)
                    if (d[k] == want) at = 16 * g + k;
            s.pos[id] = at;
        }
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

// search finds which of the lane's docIDs are in l; with POS, where: in which block,
// and where in it. All lanes take part.
template <bool POS> DEV uint32_t search(const ListDesc &l, const uint32_t *d, uint32_t alive, uint32_t mode, uint32_t *blk, uint32_t *pos,
                    Probes &s, int lane) {
    uint32_t pending = 0, found = 0, alone = 0;
    uint32_t full = l.docsCodec == CODEC_BP128 ? l.n >> 7 : 0; // blocks that search_alone can take
    locate(l, d, alive, mode, blk);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (blk[k] == NO_BLOCK) continue;
        if (blk[k] < full) alone |= 1u << k;
        else pending |= 1u << k;
    }
    uint32_t n = __popc(alone), sum = warp_scan(n, lane), count = __shfl_sync(FULL, sum, 31), at_ = sum - n;
    // How many blocks they are in, counting equal neighbours once.
    uint32_t own = 0, head = alone & 1 ? blk[0] : alone & 2 ? blk[1] : alone & 4 ? blk[2] : blk[3], edge = NO_BLOCK;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (alone >> k & 1) {
            own += blk[k] != edge;
            edge = blk[k];
        }
    uint32_t before = __shfl_up_sync(FULL, edge, 1);
    if (alone && lane > 0 && before == head) own--;
    uint32_t distinct = __shfl_sync(FULL, warp_scan(own, lane), 31);
    // 35 instructions for every docID against 150 for every distinct block.
    if (count && 4 * distinct > count) {
        const uint32_t *ends = at<uint32_t>(l.docEnds);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (!(alone >> k & 1)) continue;
            uint32_t lo = __ldg(ends + blk[k]), b = (__ldg(ends + blk[k] + 1) - lo) >> 2;
            s.want[at_] = d[k] - block_prev(l, blk[k]);
            s.start[at_] = lo;
            s.tag[at_++] = (b < 32 ? b : 32) | (4 * lane + k) << 6;
            s.pos[4 * lane + k] = NO_BLOCK;
        }
        __syncwarp();
        search_alone<POS>(l, s, count, lane);
#pragma unroll
        for (int k = 0; k < 4; k++)
            if ((alone >> k & 1) && s.pos[4 * lane + k] != NO_BLOCK) {
                pos[k] = s.pos[4 * lane + k];
                found |= 1u << k;
            }
        __syncwarp();
    } else {
        pending |= alone;
    }
    return found | search_shared(l, d, pending, blk, pos, s.want, lane);
}

#endif
