// Dot products with queries of weighted terms, over a field of impacts in the form of tiles
// (ImpactTiles in params.h).
//
// A tile is a range of documents of a segment whose accumulators fill the shared memory of a thread block. A
// task is a query in a tile. Thread blocks stay and take tasks tile by tile, so that all queries
// of a batch read a tile's postings while L2 has them. One warp of a block, the walker, is a task
// ahead: it reads where the next query's terms are in its tile, and keeps the books of the last
// task. The others add, in any order, because sums are integers. Then one pass over the
// accumulators clears them and lists the documents that reach the query's floor, which all tiles
// share: a key that at least k documents reach, from a histogram of the keys found so far. Where
// more documents reach it than the list holds, they keep their sums, and the floor of the tile is
// raised to its own k-th key.
//
// The thread block that ends the last task of a query selects its hits.
//
// Bound: per posting, 3 bytes read, from L2 for all queries of a batch but one, and an addition to
// shared memory: 32 of them would take 3.5 cycles of a multiprocessor on average, for the conflicts
// of 32 addresses in any order, and take 1.2 to 1.5 as they lie. Per document, 8 bytes of shared
// memory traffic. On an H200 L1 and shared memory are busy 82 % of the time, and 69 % of the slots
// issue. Loading a chunk ahead is not faster: two thread blocks of 24 warps hide the latency of L2.
#include "params.h"
#include "queue.h"

enum { IMPACT_QUEUE = 2048 }; // keys, for the final selection

// Floor is the least key that can be a hit: a sum, and the greatest docID with that sum.
struct Floor { uint32_t sum, doc; };

DEV Floor floor_of(uint64_t key) { return {(uint32_t)(key >> 32), ~(uint32_t)key}; }

// sum_key orders documents by sum, then by ascending docID.
DEV uint64_t sum_key(uint32_t sum, uint32_t doc) { return (uint64_t)sum << 32 | (uint32_t)~doc; }

// Extent is the postings of a term in a tile. Lane i of the warp that adds chunk c of the task
// takes unit first + 32*c + i, if that is less than end; chunks counts those up to the term's last.
struct __align__(16) Extent { uint32_t first, end, weight, chunks; };

struct Task {
    Extent extents[IMPACT_TERMS];
    uint64_t docs, weights; // of its segment
    uint32_t query, chunks;
    uint32_t base, pad; // base: docID of the tile's first document
};

// Desk is what the threads of a block share beside accumulators and the list.
struct Desk {
    Task tasks[2];
    uint64_t floor;          // of the current task's query
    uint64_t cut;            // radix selection: digits so far
    uint32_t fill[2];        // documents in the list, by task
    uint32_t need, found;    // radix selection: keys still to be found, and those in the current bin
    uint32_t finished, room; // query to be finished, or FULL; where keys go
    uint32_t queued;         // keys in the queue of the final selection
};

// impact_fetch takes the next task, if there is one. A warp executes it.
DEV void impact_fetch(const ImpactParams &p, Task &task, int lane) {
    uint32_t id = lane == 0 ? atomicAdd(at_rw<uint32_t>(p.next), 1u) : 0;
    id = __shfl_sync(FULL, id, 0);
    if (id >= p.nTasks) {
        if (lane == 0) task.query = FULL;
        return;
    }
    uint32_t tile = id / p.nQueries, query = id - tile * p.nQueries;
    const ImpactQuery *q = at<ImpactQuery>(p.queries) + query;
    const ImpactSegment *s = at<ImpactSegment>(p.segments);
    uint32_t number = 0;
    for (uint32_t i = lane; i - lane < p.nSegments; i += 32)
        number += __popc(__ballot_sync(FULL, i < p.nSegments && __ldg(&s[i].firstTile) <= tile));
    s += --number;
    tile -= __ldg(&s->firstTile);
    const ImpactTerm *terms = at<ImpactTerm>(p.terms) + (uint64_t)number * p.nWanted + __ldg(&q->firstTerm);
    const uint32_t *starts = at<uint32_t>(__ldg(&s->starts)) + (uint64_t)tile * (__ldg(&s->nTerms) + 1);
    uint32_t n = __ldg(&q->nTerms), chunks = 0;
#pragma unroll
    for (uint32_t t = lane; t < IMPACT_TERMS; t += 32) {
        Extent x = {0, 0, 0, 0};
        const uint32_t term = t < n ? __ldg(&terms[t].number) : FULL;
        if (term != FULL) {
            x.weight = __ldg(&terms[t].weight);
            x.first = __ldg(starts + term);
            x.end = __ldg(starts + term + 1);
        }
        uint32_t own = (x.end - x.first + 31) >> 5;
        x.chunks = chunks + warp_scan(own, lane);
        x.first -= 32 * (x.chunks - own);
        chunks = __shfl_sync(FULL, x.chunks, 31);
        task.extents[t] = x;
    }
    if (lane == 0) {
        task.docs = __ldg(&s->docs);
        task.weights = __ldg(&s->weights);
        task.base = __ldg(&s->base) + tile * p.width;
        task.query = query;
        task.chunks = chunks;
    }
}

// add_unit adds 8 postings.
DEV void add_unit(const uint4 &docs, const uint2 &weights, uint32_t times, uint32_t *acc) {
    const uint32_t d[4] = {docs.x, docs.y, docs.z, docs.w}, w[2] = {weights.x, weights.y};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t both = w[i >> 1] >> (i & 1) * 16;
        atomicAdd(acc + (d[i] & 0xffff), (both & 255) * times);
        atomicAdd(acc + (d[i] >> 16), (both >> 8 & 255) * times);
    }
}

// impact_add adds the postings of a task. Each warp takes every workers-th chunk.
DEV void impact_add(const Task &task, uint32_t *acc, uint32_t warp, uint32_t workers, int lane) {
    uint32_t before = task.extents[lane].chunks, more = task.extents[lane + 32].chunks;
    const uint4 *docs = at<uint4>(task.docs);
    const uint2 *weights = at<uint2>(task.weights);
    for (uint32_t c = warp; c < task.chunks; c += workers) {
        uint32_t t = __popc(__ballot_sync(FULL, before <= c));
        if (t == 32) t += __popc(__ballot_sync(FULL, more <= c));
        const Extent x = task.extents[t];
        uint32_t u = x.first + 32 * c + lane;
        if (u < x.end) add_unit(__ldg(docs + u), __ldg(weights + u), x.weight, acc);
    }
}

// impact_scan clears the accumulators of documents from base on, but for those that reach the floor
// and pass the filter, which it lists. It counts these in *fill; the list has the first of them.
DEV void impact_scan(const ImpactParams &p, uint64_t filter, uint32_t base, const Floor &f, uint32_t *acc, uint16_t *list, uint32_t *fill) {
    for (uint32_t i = threadIdx.x; i < p.width >> 2; i += blockDim.x) {
        uint4 *place = reinterpret_cast<uint4 *>(acc) + i;
        const uint4 v = *place;
        uint32_t most = v.x | v.y | v.z | v.w;
        if (!most) continue;
        uint4 left = {0, 0, 0, 0};
        if (most >= f.sum) { // the greatest is no more than that
            const uint32_t sums[4] = {v.x, v.y, v.z, v.w};
            uint32_t kept[4];
#pragma unroll
            for (uint32_t j = 0; j < 4; j++) {
                uint32_t doc = base + 4 * i + j;
                kept[j] = 0;
                if (sums[j] < f.sum || sums[j] == f.sum && doc > f.doc) continue;
                if (filter && !(__ldg(at<uint32_t>(filter) + (doc >> 5)) >> (doc & 31) & 1)) continue;
                kept[j] = sums[j];
                uint32_t n = atomicAdd(fill, 1u);
                if (n < IMPACT_LIST) list[n] = (uint16_t)(4 * i + j);
            }
            left = {kept[0], kept[1], kept[2], kept[3]};
        }
        *place = left;
    }
}

// local_key orders the documents of a tile.
DEV uint64_t local_key(uint32_t sum, uint32_t doc) { return (uint64_t)sum << 16 | (0xffff - doc); }

// impact_cut returns a floor that at least k of the documents in acc reach, whose accumulators are
// those that are not 0, and at most IMPACT_LIST. It selects by digits of 8 bits from the top of
// local_key. bins are 256 words of shared memory.
DEV Floor impact_cut(const ImpactParams &p, uint32_t k, uint32_t base, const uint32_t *acc, uint32_t *bins, Desk &desk) {
    int lane = threadIdx.x & 31;
    if (threadIdx.x == 0) {
        desk.cut = 0;
        desk.need = k;
    }
    for (int shift = 32; ; shift -= 8) {
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
        __syncthreads();
        const uint64_t cut = desk.cut;
        for (uint32_t i = threadIdx.x; i < p.width; i += blockDim.x) {
            uint64_t key = local_key(acc[i], i) >> shift;
            if (acc[i] && key >> 8 == cut) atomicAdd(bins + (key & 255), 1u);
        }
        __syncthreads();
        if (threadIdx.x < 32) {
            uint32_t own = 0, need = desk.need, digit = 0;
            for (int j = 0; j < 8; j++) own += bins[255 - 8 * lane - j];
            uint32_t upto = warp_scan(own, lane), above = upto - own;
            bool here = above < need && need <= upto;
            __syncwarp(); // all have read desk.need
            if (here) {
                int j = 0;
                for (; above + bins[255 - 8 * lane - j] < need; j++) above += bins[255 - 8 * lane - j];
                digit = 255 - 8 * lane - j;
                desk.cut = cut << 8 | digit;
                desk.need = need - above;
                desk.found = bins[digit];
            }
        }
        __syncthreads();
        if (shift == 0 || k - desk.need + desk.found <= IMPACT_LIST) {
            uint64_t key = desk.cut << shift;
            return {(uint32_t)(key >> 16), base + 0xffff - (uint32_t)(key & 0xffff)};
        }
    }
}

// impact_raise raises a query's floor to the edge of a bin that k documents reach. A warp executes it.
DEV void impact_raise(const ImpactParams &p, uint32_t query, int lane) {
    const ImpactQuery *q = at<ImpactQuery>(p.queries) + query;
    const volatile uint32_t *bins = at<uint32_t>(p.bins) + (uint64_t)query * IMPACT_BINS + (IMPACT_BINS - 1 - 8 * lane);
    uint32_t count[8], own = 0, k = __ldg(&q->k);
#pragma unroll
    for (int j = 0; j < 8; j++) own += count[j] = bins[-j];
    uint32_t upto = warp_scan(own, lane), above = upto - own;
    if (above >= k || upto < k) return;
    int j = 0;
#pragma unroll
    for (int i = 0; i < 7; i++)
        if (j == i && above + count[i] < k) {
            above += count[i];
            j++;
        }
    uint32_t edge = __ldg(&q->low) + ((uint32_t)(IMPACT_BINS - 1 - 8 * lane - j) << __ldg(&q->shift));
    atomicMax(at_rw<unsigned long long>(p.floors) + query, (unsigned long long)edge << 32);
}

// impact_books ends a task: it raises the floor of its query if keys were found, and finishes the query if it
// was the last one. The walker executes it.
DEV void impact_books(const ImpactParams &p, uint32_t query, uint32_t found, Desk &desk, int lane) {
    if (query == FULL) return;
    if (found) impact_raise(p, query, lane);
    if (lane != 0) return;
    if (found) __threadfence(); // keys before the count
    if (atomicAdd(at_rw<uint32_t>(p.ended) + query, 1u) + 1 == p.tiles) desk.finished = query;
}

// impact_emit adds the keys of the listed documents to those of the query, and clears their accumulators.
DEV void impact_emit(const ImpactParams &p, const Task &task, uint32_t n, uint32_t *acc, const uint16_t *list, Desk &desk) {
    const ImpactQuery *q = at<ImpactQuery>(p.queries) + task.query;
    if (threadIdx.x == 0) desk.room = atomicAdd(at_rw<uint32_t>(p.counts) + task.query, n);
    __syncthreads();
    uint32_t room = desk.room, low = __ldg(&q->low), shift = __ldg(&q->shift), cap = __ldg(&q->cap);
    uint32_t *bins = at_rw<uint32_t>(p.bins) + (uint64_t)task.query * IMPACT_BINS;
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        uint32_t doc = list[i], sum = acc[doc], bin = (sum - low) >> shift;
        acc[doc] = 0;
        if (room + i < cap) at_rw<uint64_t>(__ldg(&q->keys))[room + i] = sum_key(sum, task.base + doc);
        atomicAdd(bins + (bin < IMPACT_BINS ? bin : IMPACT_BINS - 1), 1u);
    }
    __syncthreads();
}

// impact_finish selects the hits of a query. Accumulators are 0 before and after.
DEV void impact_finish(const ImpactParams &p, uint32_t query, uint32_t *acc, Desk &desk) {
    const ImpactQuery *q = at<ImpactQuery>(p.queries) + query;
    uint32_t n = *(at<volatile uint32_t>(p.counts) + query), cap = __ldg(&q->cap);
    uint32_t *outCount = at_rw<uint32_t>(__ldg(&q->outCount));
    __threadfence();
    if (n > cap) { // all threads
        if (threadIdx.x == 0) *outCount = FULL;
        return;
    }
    if (threadIdx.x == 0) desk.queued = 0;
    uint64_t floor = *(at<volatile uint64_t>(p.floors) + query);
    __syncthreads();
    Queue queue = {reinterpret_cast<uint64_t *>(acc), &desk.queued, IMPACT_QUEUE, __ldg(&q->k), floor - 1};
    const volatile uint64_t *keys = at<uint64_t>(__ldg(&q->keys));
    for (uint32_t i = threadIdx.x; i - threadIdx.x < n; i += blockDim.x) {
        queue_room(queue, blockDim.x);
        queue_push(queue, i < n ? keys[i] : 0);
    }
    queue_cut(queue);
    uint32_t hits = desk.queued;
    for (uint32_t i = threadIdx.x; i < hits; i += blockDim.x) at_rw<uint64_t>(__ldg(&q->out))[i] = queue.keys[i];
    if (threadIdx.x == 0) *outCount = hits;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 2 * IMPACT_QUEUE; i += blockDim.x) acc[i] = 0;
    __syncthreads();
}

KERNEL(add_impacts, ImpactParams, 768, 2) {
    DYNAMIC_SHARED(dynamic);
    static_assert(sizeof(Desk) + 2 * IMPACT_LIST <= IMPACT_SHARED, "shared memory");
    Desk &desk = *reinterpret_cast<Desk *>(dynamic);
    uint16_t *list = reinterpret_cast<uint16_t *>(dynamic + IMPACT_SHARED - 2 * IMPACT_LIST);
    uint32_t *acc = reinterpret_cast<uint32_t *>(dynamic + IMPACT_SHARED);
    const int lane = threadIdx.x & 31;
    const uint32_t warp = threadIdx.x >> 5, walker = (blockDim.x >> 5) - 1;
    for (uint32_t i = threadIdx.x; i < p.width; i += blockDim.x) acc[i] = 0;
    if (warp == walker) {
        impact_fetch(p, desk.tasks[0], lane);
        if (lane == 0) desk.finished = FULL;
    }
    __syncthreads();
    uint32_t last = FULL, found = 0, b = 0;
    for (; desk.tasks[b].query != FULL; b ^= 1) {
        const Task &task = desk.tasks[b];
        const uint32_t query = task.query, base = task.base;
        if (warp == walker) {
            impact_books(p, last, found, desk, lane);
            impact_fetch(p, desk.tasks[b ^ 1], lane);
            if (lane == 0) {
                desk.fill[b] = 0;
                desk.floor = *(at<volatile uint64_t>(p.floors) + query);
            }
        } else {
            impact_add(task, acc, warp, walker, lane);
        }
        __syncthreads();
        const uint32_t finished = desk.finished;
        uint64_t filter = __ldg(&at<ImpactQuery>(p.queries)[query].filter);
        if (!filter) filter = p.live;
        found = 0;
        if (task.chunks) { // all threads
            Floor f = floor_of(desk.floor);
            impact_scan(p, filter, base, f, acc, list, &desk.fill[b]);
            __syncthreads();
            found = desk.fill[b];
            if (found > IMPACT_LIST) {
                f = impact_cut(p, __ldg(&at<ImpactQuery>(p.queries)[query].k), base, acc, reinterpret_cast<uint32_t *>(list), desk);
                if (threadIdx.x == 0) {
                    desk.fill[b] = 0;
                    atomicMax(at_rw<unsigned long long>(p.floors) + query, (unsigned long long)sum_key(f.sum, f.doc));
                }
                __syncthreads();
                impact_scan(p, 0, base, f, acc, list, &desk.fill[b]);
                __syncthreads();
                found = desk.fill[b];
            }
            if (found) impact_emit(p, task, found, acc, list, desk);
        }
        __syncthreads();
        if (finished != FULL) {
            impact_finish(p, finished, acc, desk);
            if (threadIdx.x == 0) desk.finished = FULL;
            __syncthreads();
        }
        last = query;
    }
    if (warp == walker) impact_books(p, last, found, desk, lane);
    __syncthreads();
    if (desk.finished != FULL) impact_finish(p, desk.finished, acc, desk);
}

// mix adds to sums what word i of a form of tiles is.
DEV uint64_t mix(uint64_t i, uint64_t word) {
    uint64_t x = (word ^ i * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
    return x ^ x >> 32;
}

// check_impacts sums up what was copied, for the host to compare, and counts postings beyond their tile.
KERNEL(check_impacts, ImpactCheckParams, 256, 4) {
    uint64_t sum = 0;
    uint32_t beyond = 0;
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x, first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (uint64_t i = first; i < p.words; i += step) {
        const uint2 w = __ldg(at<uint2>(p.at) + i);
        sum += mix(p.first + i, (uint64_t)w.y << 32 | w.x);
        if (p.width) beyond += ((w.x & 0xffff) >= p.width) + (w.x >> 16 >= p.width) + ((w.y & 0xffff) >= p.width) + (w.y >> 16 >= p.width);
    }
    for (int d = 16; d; d >>= 1) {
        sum += __shfl_xor_sync(FULL, sum, d);
        beyond += __shfl_xor_sync(FULL, beyond, d);
    }
    if ((threadIdx.x & 31) != 0) return;
    atomicAdd(at_rw<unsigned long long>(p.sums), (unsigned long long)sum);
    if (beyond) atomicAdd(at_rw<unsigned long long>(p.sums) + 1, (unsigned long long)beyond);
}
