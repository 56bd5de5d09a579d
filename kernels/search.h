// Device functions that search a compressed list for a warp's docIDs.
//
// A warp has up to 128 docIDs, four per lane. Each lane locates the blocks that may
// contain its docIDs (list.h), and no other block is decoded (Ding 2009 section 8). Full
// blocks of bp128, and of newpfd where it is decoded inline, are processed four at a time
// with eight lanes each: a lane sums the sixteen gaps of four rows. If each block is
// needed for only one docID, the lanes compare their sums with it; otherwise the sums are
// stored in shared memory and a lane per docID searches there. Exceptions are added to
// the gaps in shared memory by the lanes that read them. Other blocks are decoded one at
// a time by the whole warp, for all docIDs in them.
//
// Bound, per docID in a list far longer than its own: 35 instructions of a warp, so 26 G
// docIDs/s on 132 multiprocessors at 1.75 GHz, and 9 instructions if four docIDs share a
// block; about 8 sectors of 32 bytes (bucket, last docIDs, endpoints, a block of 128 b /
// 8 bytes), so 14 G docIDs/s from memory at 3.6 TB/s, and more from L2, which is why a
// batch is sorted by its longer lists. Exceptions add about 60 instructions for four
// blocks.
#ifndef PINION_SEARCH_H
#define PINION_SEARCH_H
#include "list.h"

// Probes is a warp's shared memory.
struct alignas(16) Probes {
    uint32_t want[128];  // docIDs to find, minus the one before their block; then their positions, or NO_BLOCK
    uint32_t start[128]; // per block: first word of the low bits
    uint32_t tag[128];   // per block: width (6 bits), exceptions (7), bits of an overflow (5), index of its first docID
    uint32_t docs[640];  // values of four blocks
};

// probe searches one chunk for the lanes' wanted docIDs and records their positions. A
// few docIDs are broadcast and compared with all 128 values; more are searched for in
// shared memory.
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

// Rows reads a lane's sixteen values of a packed block: four rows from bit offset bit of
// the block's low bits on. begin loads the first two vectors in advance.
template <int KIND> struct Rows {
    const uint32_t *q; // 16-byte aligned for bp128
    uint4 u, v;
    uint32_t s;

    DEV_MEMBER uint4 load(const uint32_t *p) const {
        if (KIND == PACKED) return __ldg(reinterpret_cast<const uint4 *>(p));
        p = pinned(p);
        return make_uint4(__ldg(p), __ldg(p + 1), __ldg(p + 2), __ldg(p + 3));
    }
    DEV_MEMBER void begin(const uint32_t *p, uint32_t bit) {
        q = p + 4 * (bit >> 5);
        s = bit & 31;
        u = load(q);
        v = load(q + 4);
    }
    DEV_MEMBER void get(uint32_t b, uint32_t *d) {
        uint32_t mask = low_mask(b);
#pragma unroll
        for (int r = 0; r < 4; r++) {
            d[4 * r] = __funnelshift_r(u.x, v.x, s) & mask;
            d[4 * r + 1] = __funnelshift_r(u.y, v.y, s) & mask;
            d[4 * r + 2] = __funnelshift_r(u.z, v.z, s) & mask;
            d[4 * r + 3] = __funnelshift_r(u.w, v.w, s) & mask;
            if (r == 3) break;
            s += b;
            if (s >= 32) {
                s -= 32;
                u = v;
                q += 4;
                v = load(q + 4);
            }
        }
    }
};

// padded returns the index of value i of a block in Probes.docs: four unused words follow
// every sixteen, so that eight lanes can store sixteen values each without bank
// conflicts.
DEV uint32_t padded(uint32_t i) { return i + (i >> 4 << 2); }

// put_rows and get_rows store and load the lane's sixteen values in shared memory.
DEV void put_rows(uint32_t *p, const uint32_t *d) {
    uint4 *q = reinterpret_cast<uint4 *>(p);
#pragma unroll
    for (int r = 0; r < 4; r++) q[r] = make_uint4(d[4 * r], d[4 * r + 1], d[4 * r + 2], d[4 * r + 3]);
}
DEV void get_rows(const uint32_t *p, uint32_t *d) {
    const uint4 *q = reinterpret_cast<const uint4 *>(p);
#pragma unroll
    for (int r = 0; r < 4; r++) {
        uint4 x = q[r];
        d[4 * r] = x.x;
        d[4 * r + 1] = x.y;
        d[4 * r + 2] = x.z;
        d[4 * r + 3] = x.w;
    }
}

// patch_rows adds the exceptions of four newpfd blocks to the lanes' low bits. docs is
// the block's part of Probes.docs, low its low bits, and tag as in Probes.
DEV void patch_rows(uint32_t *docs, const uint32_t *low, uint32_t tag, uint32_t *d, int g) {
    Patched h;
    h.width = tag & 63;
    h.count = tag >> 6 & 127;
    h.over = tag >> 13 & 31;
    h.list(18);
    const uint32_t *p = low - ((h.end() + 31) >> 5);
    put_rows(docs + 20 * g, d);
    __syncwarp();
    if (h.index)
        for (uint32_t j = g; j < h.count; j += 8)
            docs[padded(bit_field(p, 18 + 7 * j, 7))] += h.overflow(p, j);
    if (__any_sync(FULL, !h.index)) {
        uint32_t bits = h.index ? 0 : bit_field(p, 18 + 16 * g, 16), n = __popc(bits), rank = n;
#pragma unroll
        for (int o = 1; o < 8; o <<= 1) {
            uint32_t y = __shfl_up_sync(FULL, rank, o, 8);
            if (g >= o) rank += y;
        }
        for (rank -= n; bits; bits &= bits - 1) docs[20 * g + __ffs(bits) - 1] += h.overflow(p, rank++);
    }
    __syncwarp();
    get_rows(docs + 20 * g, d);
}

// find_padded returns the position of docID x in a block of 128, or NO_BLOCK.
DEV uint32_t find_padded(const uint32_t *docs, uint32_t x) {
    uint32_t p = 0;
#pragma unroll
    for (uint32_t s = 4; s; s >>= 1)
        if (docs[p + 20 * s - 5] < x) p += 20 * s;
#pragma unroll
    for (uint32_t s = 8; s; s >>= 1)
        if (docs[p + s - 1] < x) p += s;
    return docs[p] == x ? p - (p * 205 >> 12 << 2) : NO_BLOCK;
}

// search_blocks searches for the count docIDs in s in full blocks of 128, blocks of them,
// four at a time with eight lanes each. The vectors of the next blocks are loaded before
// the current ones are summed.
template <int KIND> DEV void search_blocks(const ListDesc &l, Probes &s, uint32_t blocks, uint32_t count, int lane) {
    int g = lane & 7;
    uint32_t *docs = s.docs + 160 * (lane >> 3);
    const uint32_t *payload = at<uint32_t>(l.docs), *low;
    uint32_t t = lane >> 3, tag = s.tag[t < blocks ? t : 0];
    Rows<KIND> rows;
    low = payload + s.start[t < blocks ? t : 0];
    rows.begin(low, 4 * g * (tag & 63));
    uint32_t from = 0;
    for (uint32_t i = 0; i < blocks; i += 4) {
        uint32_t first = t < blocks ? tag >> 18 : count, b = tag & 63, shape = t < blocks ? tag : 0, to = count;
        const uint32_t *low0 = low;
        Rows<KIND> rows0 = rows;
        t += 4;
        if (i + 4 < blocks) {
            uint32_t j = t < blocks ? t : 0;
            tag = s.tag[j];
            low = payload + s.start[j];
            rows.begin(low, 4 * g * (tag & 63));
            to = __shfl_sync(FULL, tag >> 18, 0);
        }
        uint32_t d[16];
        rows0.get(b, d);
        if (KIND == NEWPFD && __any_sync(FULL, shape >> 6 & 127)) patch_rows(docs, low0, shape, d, g);
        uint32_t sum = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) d[k] = sum = sum + d[k] + 1;
        uint32_t before = sum;
#pragma unroll
        for (int o = 1; o < 8; o <<= 1) {
            uint32_t y = __shfl_up_sync(FULL, before, o, 8);
            if (g >= o) before += y;
        }
        before -= sum;
        if (to - from <= 4 && to - from <= blocks - i) { // at most one docID per block
            uint32_t want = (first < count ? s.want[first] : 0) - before, at_ = NO_BLOCK;
            bool hit = false;
#pragma unroll
            for (int k = 0; k < 16; k++) hit = hit || d[k] == want;
            if (hit)
#pragma unroll
                for (int k = 0; k < 16; k++)
                    if (d[k] == want) at_ = 16 * g + k;
            uint32_t hits = __ballot_sync(FULL, hit) >> (lane & 24) & 255;
            __syncwarp();
            if (first < count && (hit || (!hits && g == 0))) s.want[first] = at_;
        } else {
#pragma unroll
            for (int k = 0; k < 16; k++) d[k] += before;
            put_rows(docs + 20 * g, d);
            uint32_t second = __shfl_sync(FULL, first, 8), third = __shfl_sync(FULL, first, 16), fourth = __shfl_sync(FULL, first, 24);
            __syncwarp();
            for (uint32_t e = from + lane; e < to; e += 32)
                s.want[e] = find_padded(s.docs + 160 * ((e >= second) + (e >= third) + (e >= fourth)), s.want[e]);
        }
        __syncwarp();
        from = to;
    }
}

// search_shared decodes the distinct blocks of the pending docIDs one by one.
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

// blocks_of returns the number of blocks of the list that search_blocks supports: the
// full ones.
DEV uint32_t blocks_of(const ListDesc &l) {
    return l.docsCodec == CODEC_BP128 || (NEWPFD_INLINE && l.docsCodec == CODEC_NEWPFD) ? l.n >> 7 : 0;
}

// set_out stores in s what search_blocks needs: the docIDs with a bit in alone, from
// index e on, and their blocks, from index r on. heads has a bit for each docID that is
// the first of its block.
DEV void set_out(const ListDesc &l, const uint32_t *d, const uint32_t *blk, uint32_t alone, uint32_t heads, uint32_t e,
                 uint32_t r, Probes &s) {
    const uint32_t *ends = at<uint32_t>(l.docEnds), *last = at<uint32_t>(l.last);
    uint32_t j[4], prev[4], lo[4], hi[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        j[k] = alone >> k & 1 ? blk[k] : 0;
        prev[k] = __ldg(last + (j[k] ? j[k] - 1 : 0));
        lo[k] = __ldg(ends + j[k]);
        hi[k] = __ldg(ends + j[k] + 1);
    }
    uint32_t head[4] = {0, 0, 0, 0};
    bool patched = NEWPFD_INLINE && l.docsCodec == CODEC_NEWPFD;
    if (patched)
#pragma unroll
        for (int k = 0; k < 4; k++) head[k] = __ldg(at<uint32_t>(l.docs) + lo[k]);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (!(alone >> k & 1)) continue;
        if (heads >> k & 1) {
            uint32_t words = hi[k] - lo[k], tag = words >> 2 < 32 ? words >> 2 : 32;
            if (patched) {
                Patched h;
                h.newpfd_head(head[k], words, 128);
                tag = h.sound ? head[k] & 0x3ffff : 0;
                lo[k] += h.sound ? h.low : 0;
            }
            s.start[r] = lo[k];
            s.tag[r++] = tag | e << 18;
        }
        s.want[e++] = d[k] - (j[k] ? prev[k] : FULL);
    }
}

// search returns which of the lane's docIDs are in l. With POS, it sets their blocks and
// their positions in these. All lanes must call it.
template <bool POS> DEV uint32_t search(const ListDesc &l, const uint32_t *d, uint32_t alive, uint32_t mode, uint32_t *blk, uint32_t *pos,
                    Probes &s, int lane) {
    uint32_t pending = 0, found = 0, alone = 0, heads = 0, edge = NO_BLOCK, head = NO_BLOCK;
    uint32_t full = blocks_of(l);
    locate(l, d, alive, mode, blk);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (blk[k] == NO_BLOCK) continue;
        if (blk[k] >= full) {
            pending |= 1u << k;
            continue;
        }
        alone |= 1u << k;
        if (blk[k] != edge) heads |= 1u << k;
        if (head == NO_BLOCK) head = blk[k];
        edge = blk[k];
    }
    uint32_t before = __shfl_up_sync(FULL, edge, 1);
    if (lane > 0 && before == head) heads &= heads - 1;
    uint32_t n = __popc(alone) | __popc(heads) << 16, sum = warp_scan(n, lane), all = __shfl_sync(FULL, sum, 31);
    sum -= n;
    if (all) {
        uint32_t e = sum & 0xffff;
        set_out(l, d, blk, alone, heads, e, sum >> 16, s);
        __syncwarp();
        if (NEWPFD_INLINE && l.docsCodec == CODEC_NEWPFD) search_blocks<NEWPFD>(l, s, all >> 16, all & 0xffff, lane);
        else search_blocks<PACKED>(l, s, all >> 16, all & 0xffff, lane);
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (alone >> k & 1) {
                uint32_t at_ = s.want[e++];
                if (at_ == NO_BLOCK) continue;
                if (POS) pos[k] = at_;
                found |= 1u << k;
            }
        __syncwarp();
    }
    return found | search_shared(l, d, pending, blk, pos, s.docs, lane);
}

#endif
