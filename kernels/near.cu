// The vectors nearest to queries, exactly. Vectors are rotated and coded with 4 bits a dimension beside what bounds need
// (package vector); their floats are there too. For each run of vectors of a field, four launches:
//
//	near_begin   turns the score that a hit must have, by what was found so far, into what sums of codes are compared with
//	near_scan    adds up the products of codes, and lists the vectors whose scores may reach that: candidates
//	near_score   compares candidates by both planes, and computes the scores of those that are left, as package vector does
//	select_best  finds the best so far, and raises the floor
//
// Sums are of integers, on tensor cores, so that they are exact. What they are compared with is rounded so that no vector is lost.
//
// Bound: dims/2 bytes read a vector, from L2 for all groups of queries but one, and 2*dims operations of tensor cores for each query: on an
// H200 10 million vectors of 768 dimensions take 0.9 ms to read, and each query 7.8 us. docs/notes/vectors.md has what is reached.
#include "near.h"
#include "mma.h"

enum { NEAR_FOUND = 128, NEAR_PLACES = 64 }; // candidates that a warp adds together; places of a table that a key may be in

// A sum less init, plus NEAR_ZERO, are the bits of a float: NEAR_FLOAT and the sum. Sums are less than 2^22.
enum { NEAR_ZERO = 0x4b400000 };
#define NEAR_FLOAT 12582912.0f

// near_key orders documents by score, then by ascending docID: package near has the same keys. It is 0 for what is no number.
DEV uint64_t near_key(float score, uint32_t doc) {
    if (score != score) return 0;
    uint32_t b = __float_as_uint(__fadd_rn(score, 0.0f));
    b = b >> 31 ? ~b : b | 1u << 31;
    return (uint64_t)b << 32 | (uint32_t)~doc;
}

// near_down returns a float that is not above x, and as far below as what floats of its size are rounded by in a comparison.
DEV float near_down(double x) { return (float)(x - fabs(x) * (1.0 / (1 << 20))); }

KERNEL(near_begin, NearParams, 256, 4) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.nQueries) return;
    const NearQuery &q = at<NearQuery>(p.queries)[i];
    const uint64_t floor = at<uint64_t>(p.floors)[i];
    NearTerms t = {0, 0, q.kappa, (int32_t)(NEAR_ZERO - q.init)};
    if (floor) {
        uint32_t b = (uint32_t)(floor >> 32);
        double least = __uint_as_float(b >> 31 ? b & ~(1u << 31) : ~b);
        t.alpha = near_down(q.a + q.aT * least);
        t.beta = near_down(q.b + q.bT * least);
    } else {
        t.alpha = __uint_as_float(0xff800000); // all vectors reach it
    }
    at_rw<NearTerms>(p.terms)[i] = t;
    at_rw<uint32_t>(p.counts)[i] = 0;
}

// NearRow is what a vector's sums are compared with.
struct NearRow { float x, y, h; };

// near_row returns it, by what the upper plane leaves out, or what both do.
DEV NearRow near_row(const NearParams &p, uint32_t v, bool both) {
    const uint4 m = __ldg(at<uint4>(p.metas) + v); // a NearMeta
    const float step = __uint_as_float(m.x), far = __uint_as_float(m.y), norm = __uint_as_float(m.z);
    NearRow r = {0, 0, __uint_as_float(0x7f800000)}; // a step of 0: any score may be reached
    if (step > 0) {
        r.x = __fdiv_rn(1.0f, step);
        r.y = __fmul_rn(p.by == NEAR_EUCLIDEAN ? __fmul_rn(far, far) : norm, r.x);
        r.h = __fmul_rn(__fmaf_rn(p.wide, far, __uint_as_float(both ? m.w & 0xffff0000 : m.w << 16)), r.x);
    }
    return r;
}

// near_least returns what a sum plus more is at least, if the score may be reached, less what init, more and the products are rounded by.
DEV float near_least(const NearTerms &q, const NearRow &x, float more) {
    return __fmaf_rn(q.alpha, x.x, __fmaf_rn(q.beta, x.y, __fmaf_rn(-q.kappa, x.h, more - 5)));
}

// NearFound are candidates of a warp, whose lanes add them together.
struct NearFound {
    uint32_t v[NEAR_FOUND];
    uint32_t query[NEAR_FOUND];
};

// near_flush adds candidates that pass the filter to those of their queries. A warp executes it.
DEV void near_flush(const NearParams &p, const NearFound &found, uint32_t n, int lane) {
    __syncwarp();
    for (uint32_t i = lane; i < n; i += 32) {
        const uint32_t query = found.query[i], v = found.v[i];
        if (query >= p.nQueries || v >= p.end) continue;
        const uint64_t filter = __ldg(&at<NearQuery>(p.queries)[query].filter);
        if (filter) {
            uint32_t doc = p.base + __ldg(at<uint32_t>(p.docs) + v);
            if (!(__ldg(at<uint32_t>(filter) + (doc >> 5)) >> (doc & 31) & 1)) continue;
        }
        uint32_t at = atomicAdd(at_rw<uint32_t>(p.counts) + query, 1u);
        if (at < p.cap) at_rw<uint32_t>(p.found)[(uint64_t)query * p.cap + at] = v;
    }
    __syncwarp();
}

// near_add adds up half a chunk: words of the planes of the rows r and r+8 of each tile of 16.
template <int M, int N> DEV void near_add(int (&sums)[M][N][4], const uint32_t (&words)[M][2][2], const uint4 *codes, uint32_t stride) {
    uint32_t a[M][2][4];
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int s = 0; s < 2; s++)
#pragma unroll
            for (int r = 0; r < 2; r++) {
                a[m][s][r] = words[m][r][s] & 0x0f0f0f0f;
                a[m][s][2 + r] = words[m][r][s] >> 4 & 0x0f0f0f0f;
            }
#pragma unroll
    for (int n = 0; n < N; n++) {
        const uint4 b = codes[n * stride];
#pragma unroll
        for (int m = 0; m < M; m++) {
            mma_bytes(sums[m][n], a[m][0], b.x, b.y);
            mma_bytes(sums[m][n], a[m][1], b.z, b.w);
        }
    }
}

// near_words reads what a lane takes of chunk c of a vector's upper plane: that of the last one for those behind it.
DEV uint4 near_words(const NearParams &p, uint32_t v, uint32_t c, int lane) {
    return __ldg(at<uint4>(p.high) + (uint64_t)(v < p.end ? v : p.end - 1) * (4 * p.chunks) + 4 * c + (lane & 3));
}

// near_tile compares the codes of 16*M vectors from base on with N tiles of 8 queries from query on. n candidates are in found.
// next has the first chunk of each, and then that of those from then on.
template <int M, int N> DEV void near_tile(const NearParams &p, uint32_t base, uint32_t then, uint4 (&next)[M][2], uint32_t query, const uint4 *codes, const NearTerms *terms,
                                         NearFound &found, uint32_t &n, int lane) {
    const int r = lane >> 2, t = lane & 3;
    int sums[M][N][4];
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int i = 0; i < N; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) sums[m][i][j] = terms[8 * i + 2 * t + (j & 1)].init;
    for (uint32_t c = 0; c < p.chunks; c++) {
        const bool more = c + 1 < p.chunks;
        uint4 now[M][2];
#pragma unroll
        for (int m = 0; m < M; m++)
#pragma unroll
            for (int i = 0; i < 2; i++) {
                now[m][i] = next[m][i];
                next[m][i] = near_words(p, (more ? base : then) + 16 * m + 8 * i + r, more ? c + 1 : 0, lane);
            }
#pragma unroll
        for (int half = 0; half < 2; half++) {
            uint32_t words[M][2][2];
#pragma unroll
            for (int m = 0; m < M; m++)
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    words[m][i][0] = half ? now[m][i].z : now[m][i].x;
                    words[m][i][1] = half ? now[m][i].w : now[m][i].y;
                }
            near_add<M, N>(sums, words, codes + 32 * (2 * c + half) + lane, 64 * p.chunks);
        }
    }
#pragma unroll
    for (int m = 0; m < M; m++) {
        NearRow row[2];
        uint32_t reached = 0, v = base + 16 * m + r;
#pragma unroll
        for (int i = 0; i < 2; i++) row[i] = near_row(p, v + 8 * i < p.end ? v + 8 * i : p.end - 1, false);
#pragma unroll
        for (int i = 0; i < N; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const float least = near_least(terms[8 * i + 2 * t + (j & 1)], row[j >> 1], NEAR_FLOAT);
                if (!(__uint_as_float((uint32_t)sums[m][i][j]) < least)) reached |= 1u << (4 * i + j);
            }
        for (uint32_t some; (some = __ballot_sync(FULL, reached != 0)); n += __popc(some)) {
            if (n + 32 > NEAR_FOUND) {
                near_flush(p, found, n, lane);
                n = 0;
            }
            if (!reached) continue;
            const int i = __ffs((int)reached) - 1;
            const uint32_t at = n + __popc(some & ((1u << lane) - 1));
            reached &= reached - 1;
            found.v[at] = v + 8 * (i >> 1 & 1);
            found.query[at] = query + 8 * (i >> 2) + 2 * t + (i & 1);
        }
    }
}

// near_scan_all: a thread block takes one group of N tiles of queries, whose codes are in shared memory, and its warps every so many tiles
// of vectors. Thread blocks of all groups are near each other, so that L2 has the vectors for all but one.
template <int M, int N> DEV void near_scan_all(const NearParams &p, unsigned char *shared) {
    uint4 *codes = reinterpret_cast<uint4 *>(shared);
    const uint32_t size = 64 * p.chunks * N, group = blockIdx.x % p.groups, query = 8 * N * group;
    NearTerms *terms = reinterpret_cast<NearTerms *>(codes + size);
    const uint4 *from = at<uint4>(p.codes) + (uint64_t)group * size;
    const uint32_t tiles = (p.nQueries + 7) / 8 - N * group; // of queries, from the group on
    for (uint32_t i = threadIdx.x; i < size; i += blockDim.x) codes[i] = i < 64 * p.chunks * tiles ? from[i] : uint4{0, 0, 0, 0};
    for (uint32_t i = threadIdx.x; i < 8 * N; i += blockDim.x) {
        NearTerms none = {__uint_as_float(0x7f800000), 0, 0, NEAR_ZERO};
        terms[i] = query + i < p.nQueries ? at<NearTerms>(p.terms)[query + i] : none;
    }
    __syncthreads();
    const uint32_t warps = blockDim.x >> 5, step = (gridDim.x / p.groups) * warps * 16 * M;
    if (blockIdx.x / p.groups >= gridDim.x / p.groups) return; // all threads
    NearFound &found = reinterpret_cast<NearFound *>(terms + 8 * N)[threadIdx.x >> 5];
    uint32_t base = p.first + ((blockIdx.x / p.groups) * warps + (threadIdx.x >> 5)) * 16 * M, n = 0;
    const int lane = threadIdx.x & 31;
    uint4 next[M][2];
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int i = 0; i < 2; i++) next[m][i] = near_words(p, base + 16 * m + 8 * i + (lane >> 2), 0, lane);
    for (; base < p.end; base += step) near_tile<M, N>(p, base, base + step, next, query, codes, terms, found, n, lane);
    near_flush(p, found, n, lane);
}

KERNEL(near_scan, NearParams, 256, 2) {
    DYNAMIC_SHARED(dynamic);
    near_scan_all<2, 8>(p, dynamic);
}

// near_scan_few is near_scan for batches of few queries, and for vectors of many dimensions.
KERNEL(near_scan_few, NearParams, 256, 4) {
    DYNAMIC_SHARED(dynamic);
    near_scan_all<1, 1>(p, dynamic);
}

// near_sum computes the score of a vector of floats with q, by 8 lanes: lane i has sums 2i and 2i+1 of the 16 of package vector. Lane 0
// returns it.
DEV float near_sum(const NearParams &p, const float2 *q, const float2 *x, int lane) {
    const bool euclidean = p.by == NEAR_EUCLIDEAN;
    float s[2] = {0, 0};
#pragma unroll 8
    for (uint32_t i = lane; i < p.padded / 2; i += 8) {
        const float2 a = __ldg(q + i), b = __ldg(x + i);
        const float l[2] = {a.x, a.y}, r[2] = {b.x, b.y};
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const float d = euclidean ? __fsub_rn(l[j], r[j]) : l[j];
            s[j] = __fadd_rn(s[j], __fmul_rn(d, euclidean ? d : r[j]));
        }
    }
#pragma unroll
    for (int d = 4; d; d >>= 1)
#pragma unroll
        for (int j = 0; j < 2; j++) s[j] = __fadd_rn(s[j], __shfl_down_sync(FULL, s[j], d, 8));
    return __fadd_rn(s[0], s[1]);
}

// near_dot adds up the products of words of a plane, of which halves of bytes are of two groups of dimensions, with codes of a query.
DEV int near_dot(uint4 plane, uint4 first, uint4 last, int sum) {
    const uint32_t words[4] = {plane.x, plane.y, plane.z, plane.w}, codes[8] = {first.x, first.y, first.z, first.w, last.x, last.y, last.z, last.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        sum = __dp4a((int)(words[i] & 0x0f0f0f0f), (int)codes[2 * i], sum);
        sum = __dp4a((int)(words[i] >> 4 & 0x0f0f0f0f), (int)codes[2 * i + 1], sum);
    }
    return sum;
}

// near_both returns the sum of both planes of a vector, less that of zeros, as the upper one has it, to four lanes of which each takes a quarter of each chunk.
DEV float near_both(const NearParams &p, int all, uint32_t query, uint32_t v, int t) {
    const uint4 *high = at<uint4>(p.high) + (uint64_t)v * (4 * p.chunks) + t, *low = at<uint4>(p.low) + (uint64_t)v * (4 * p.chunks) + t;
    const uint4 *codes = at<uint4>(p.codes) + (uint64_t)(query >> 3) * (64 * p.chunks) + 4 * (query & 7) + t;
    int upper = 0, lower = 0;
#pragma unroll 3
    for (uint32_t c = 0; c < p.chunks; c++) {
        const uint4 first = __ldg(codes + 64 * c), last = __ldg(codes + 64 * c + 32);
        upper = near_dot(__ldg(high + 4 * c), first, last, upper);
        lower = near_dot(__ldg(low + 4 * c), first, last, lower);
    }
    int sum = 16 * upper + lower;
#pragma unroll
    for (int d = 2; d; d >>= 1) sum += __shfl_xor_sync(FULL, sum, d);
    return __fmul_rn((float)(sum - 128 * all), 1.0f / 16);
}

// near_bound returns a float that is at least the T of sum + off = (a + aT*T)*x + (b + bT*T)*y, or at most, if up is -1: off and up have one sign.
DEV float near_bound(double sum, double off, double a, double aT, double b, double bT, double x, double y, double up) {
    const double above = sum + off - a * x - b * y, size = fabs(sum) + fabs(off) + fabs(a * x) + fabs(b * y), by = aT * x + bT * y;
    const double bound = (above + up * size * (1.0 / (1ull << 40))) / by;
    return (float)(bound + up * fabs(bound) * (1.0 / (1 << 22)));
}

// near_add_key adds a key to those of a query. Where documents have several vectors, keys are in a table by docID, and the greatest of a
// document stays.
DEV void near_add_key(const NearParams &p, uint32_t query, uint64_t key) {
    uint64_t *keys = at_rw<uint64_t>(p.keys) + (uint64_t)query * p.room;
    uint32_t *scored = at_rw<uint32_t>(p.scored) + query;
    if (!p.several) {
        const uint32_t place = atomicAdd(scored, 1u);
        if (place < p.room) keys[place] = key;
        return;
    }
    uint32_t place = (uint32_t)key * 0x9e3779b1u & (p.room - 1);
    for (int i = 0; i < NEAR_PLACES; i++, place = (place + 1) & (p.room - 1)) {
        auto *at = reinterpret_cast<unsigned long long *>(keys + place);
        const unsigned long long there = atomicCAS(at, 0ull, (unsigned long long)key);
        if (!there) return;
        if ((uint32_t)there == (uint32_t)key) {
            atomicMax(at, (unsigned long long)key);
            return;
        }
    }
    atomicMax(scored, 1u << 31);
}

// near_leave adds to what is left of a query a candidate, of which both planes say what it scores at least and at most. Without floats that
// is all that is known: the floor is of what documents score at least.
DEV void near_leave(const NearParams &p, uint32_t query, uint32_t v, float sum, uint64_t floor) {
    const NearQuery &q = at<NearQuery>(p.queries)[query];
    const NearMeta m = at<NearMeta>(p.metas)[v];
    float least = __uint_as_float(0xff800000), most = __uint_as_float(0x7f800000);
    if (m.step > 0) {
        const double x = 1 / (double)m.step, y = (p.by == NEAR_EUCLIDEAN ? (double)m.far * m.far : (double)m.norm) * x;
        const double off = (double)q.kappa * ((double)__uint_as_float((uint32_t)m.both << 16) + (double)p.wide * m.far) * x;
        least = near_bound(sum, -off, q.low, q.lowT, q.lowB, q.bT, x, y, -1);
        most = near_bound(sum, off, q.a, q.aT, q.b, q.bT, x, y, 1);
    }
    const uint32_t doc = p.base + __ldg(at<uint32_t>(p.docs) + v);
    const uint64_t low = near_key(least, doc), high = near_key(most == most ? most : __uint_as_float(0x7f800000), doc);
    if (low >= floor && low) near_add_key(p, query, low);
    if (high < floor) return;
    const uint32_t place = atomicAdd(at_rw<uint32_t>(p.lefts) + query, 1u);
    if (place < p.room) at_rw<uint64_t>(p.left)[(uint64_t)query * p.room + place] = high;
}

// near_score: parts thread blocks for each query. It adds the keys that reach the floor to those of the query, of which there are more than there
// is room for if there were too many candidates.
KERNEL(near_score, NearParams, 256, 4) {
    const uint32_t query = blockIdx.x / p.parts;
    if (query >= p.nQueries) return;
    const uint32_t n = at<uint32_t>(p.counts)[query];
    uint32_t *scored = at_rw<uint32_t>(p.scored) + query;
    if (n > p.cap) {
        if (blockIdx.x % p.parts == 0 && threadIdx.x == 0) {
            atomicMax(scored, 1u << 31);
            if (!p.floats) atomicMax(at_rw<uint32_t>(p.lefts) + query, 1u << 31);
        }
        return;
    }
    const uint32_t *found = at<uint32_t>(p.found) + (uint64_t)query * p.cap;
    const float2 *q = at<float2>(p.values) + (uint64_t)query * (p.padded / 2);
    const NearTerms terms = at<NearTerms>(p.terms)[query];
    const uint64_t floor = at<uint64_t>(p.floors)[query];
    const float norm = at<NearQuery>(p.queries)[query].norm;
    const int all = at<NearQuery>(p.queries)[query].sum, lane = threadIdx.x & 31;
    const uint32_t warp = (blockIdx.x % p.parts) * (blockDim.x >> 5) + (threadIdx.x >> 5);
    for (uint32_t i = 8 * warp; i < n; i += 8 * p.parts * (blockDim.x >> 5)) {
        const uint32_t own = i + (lane >> 2), v = found[own < n ? own : n - 1];
        bool reaches = own < n;
        if (floor || !p.floats) {
            const float sum = near_both(p, all, query, v, lane & 3);
            reaches = reaches && (!floor || !(sum < near_least(terms, near_row(p, v, true), 0)));
            if (!p.floats) {
                if (reaches && !(lane & 3)) near_leave(p, query, v, sum, floor);
                continue;
            }
        }
        for (uint32_t some = __ballot_sync(FULL, reaches) & 0x11111111; some;) { // four of them at a time
            uint32_t mine = some;
            for (int j = 0; j < lane >> 3; j++) mine &= mine - 1;
            const uint32_t x = __shfl_sync(FULL, v, __ffs((int)(mine ? mine : some)) - 1);
            float score = near_sum(p, q, at<float2>(p.floats) + (uint64_t)x * (p.padded / 2), lane & 7);
            for (int j = 0; j < 4; j++) some &= some - 1;
            if (lane & 7 || !mine) continue;
            if (p.by == NEAR_EUCLIDEAN) score = -score;
            if (p.by == NEAR_COSINE) score = __fdiv_rn(score, __fmul_rn(norm, at<NearMeta>(p.metas)[x].norm));
            const uint64_t key = near_key(score, p.base + __ldg(at<uint32_t>(p.docs) + x));
            if (key >= floor && key) near_add_key(p, query, key);
        }
    }
}
