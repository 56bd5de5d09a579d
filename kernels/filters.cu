// Filters: sets of documents, each made a bitmap once, and bitmaps that combine them.
//
// The host divides the documents into windows of 65,536 and launches both kernels for some
// windows at a time, so that the bitmaps of the sets stay in L2 between the two.
//
// Bound of mark_sets: decoding (list.h), and the bitmap written once. A thread block owns
// its window, so a bit is an atomic operation in shared memory and nothing has to be cleared
// before. Of combine_sets: the results written once, 8 KiB for each filter and window, and
// its operands read from L2.
#ifndef PINION_EMU
#define PACKED_ONLY true
#endif
#include "list.h"

// first_block returns the first block of a list whose last docID is at least doc, or the
// number of blocks if there is none. The warp compares 32 blocks at once.
DEV uint32_t first_block(const ListDesc &l, uint32_t doc, int lane) {
    const uint32_t *last = at<uint32_t>(l.last);
    uint32_t lo = 0, n = l.nb; // it is from lo up to lo + n
    while (n) {
        uint32_t step = (n + 31) / 32, i = (lane + 1) * step - 1;
        uint32_t before = __popc(__ballot_sync(FULL, i < n && __ldg(last + lo + i) < doc));
        lo += before * step;
        n = step == 1 ? 0 : n - before * step < step ? n - before * step : step;
    }
    return lo;
}

// mark_sets, a thread block per set and window, writes the window's bitmap of the documents
// that are in one of the set's lists.
KERNEL(mark_sets, MarkSetParams, 256, 4) {
    __shared__ __align__(16) uint32_t words[WINDOW_WORDS];
    uint32_t set = blockIdx.x / p.windows, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (set >= p.nSets) return;
    uint4 *own = reinterpret_cast<uint4 *>(words);
    for (uint32_t i = threadIdx.x; i < WINDOW_WORDS / 4; i += 256) own[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    uint64_t first = (uint64_t)(p.window + blockIdx.x % p.windows) * 32 * WINDOW_WORDS, end = first + 32 * WINDOW_WORDS;
    for (uint32_t i = at<uint32_t>(p.starts)[set], stop = at<uint32_t>(p.starts)[set + 1]; i < stop; i++) {
        const SetList part = at<SetList>(p.lists)[i];
        const ListDesc l = at<ListDesc>(part.list)[0];
        if (part.base >= end || (uint64_t)part.base + l.maxDoc <= first) continue;
        uint32_t from = first > part.base ? (uint32_t)(first - part.base) : 0;
        uint32_t to = end - part.base < l.maxDoc ? (uint32_t)(end - part.base) : l.maxDoc;
        uint32_t shift = (uint32_t)(part.base - first); // to a docID of the window, modulo 2^32
        for (uint32_t j = first_block(l, from, lane) + warp; j < l.nb && block_prev(l, j) + 1 < to; j += 8)
            each_docs(l, j, lane, [&](uint32_t, uint4 v, uint32_t count) {
                uint32_t d[4] = {v.x, v.y, v.z, v.w}, at = 0, bits = 0;
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    if (4 * lane + k >= count || d[k] < from || d[k] >= to) continue;
                    uint32_t bit = d[k] + shift;
                    if (bits && bit >> 5 != at) {
                        atomicOr(words + at, bits);
                        bits = 0;
                    }
                    at = bit >> 5;
                    bits |= 1u << (bit & 31);
                }
                if (bits) atomicOr(words + at, bits);
            });
    }
    __syncthreads();
    uint4 *out = at_rw<uint4>(p.out) + (uint64_t)blockIdx.x * (WINDOW_WORDS / 4);
    for (uint32_t i = threadIdx.x; i < WINDOW_WORDS / 4; i += 256) out[i] = own[i];
}

// range_bits returns the bits of the documents from first up to end in a word of a bitmap.
DEV uint32_t range_bits(uint32_t first, uint32_t end, uint32_t word) {
    uint32_t doc = 32 * word, lo = first > doc ? first - doc : 0, hi = end > doc ? end - doc : 0;
    if (hi > 32) hi = 32;
    return lo < hi ? FULL >> (32 - hi) & FULL << lo : 0;
}

// four_bits does the same for four words.
DEV uint4 four_bits(uint32_t first, uint32_t end, uint32_t word) {
    return make_uint4(range_bits(first, end, word), range_bits(first, end, word + 1), range_bits(first, end, word + 2),
                      range_bits(first, end, word + 3));
}

// combine_sets, a thread block per window and filter, writes the documents that are in one
// operand at least of each clause and not deleted, and adds their number to the filter's count.
KERNEL(combine_sets, CombineParams, 256, 4) {
    uint32_t filter = blockIdx.x % p.nFilters, w = blockIdx.x / p.nFilters;
    if (w >= p.windows) return;
    uint32_t start = at<uint32_t>(p.starts)[filter], end = at<uint32_t>(p.starts)[filter + 1], n = 0;
    for (uint32_t i = threadIdx.x; i < WINDOW_WORDS / 4; i += 256) {
        uint32_t word = (p.window + w) * WINDOW_WORDS + 4 * i;
        if (word >= p.stride) break;
        uint4 all = four_bits(0, p.docs, word), some = make_uint4(0, 0, 0, 0);
        if (p.live && word <= (p.docs - 1) >> 5) {
            uint4 v = at<uint4>(p.live)[word / 4];
            all = make_uint4(all.x & v.x, all.y & v.y, all.z & v.z, all.w & v.w);
        }
        for (uint32_t j = start; j < end; j++) {
            const Operand o = at<Operand>(p.operands)[j];
            uint4 v;
            if (o.flags & OPERAND_RANGE) v = four_bits(o.first, o.end, word);
            else if (o.bits) v = load_stream(at<uint4>(o.bits) + word / 4);
            else v = at<uint4>(p.marked)[((uint64_t)o.first * p.windows + w) * (WINDOW_WORDS / 4) + i];
            uint32_t flip = o.flags & OPERAND_NOT ? FULL : 0;
            some = make_uint4(some.x | (v.x ^ flip), some.y | (v.y ^ flip), some.z | (v.z ^ flip), some.w | (v.w ^ flip));
            if (!(o.flags & OPERAND_LAST)) continue;
            all = make_uint4(all.x & some.x, all.y & some.y, all.z & some.z, all.w & some.w);
            some = make_uint4(0, 0, 0, 0);
        }
        n += __popc(all.x) + __popc(all.y) + __popc(all.z) + __popc(all.w);
        store_stream(at_rw<uint32_t>(p.out) + (uint64_t)filter * p.stride + word, all);
    }
    for (int d = 16; d; d >>= 1) n += __shfl_xor_sync(FULL, n, d);
    if ((threadIdx.x & 31) == 0 && n) atomicAdd(at_rw<uint32_t>(p.counts) + filter, n);
}

// mark_spans writes the documents of each job. Thread blocks that run at the same time read the same values for different jobs, so that L2
// serves most. Bound: 8 bytes read for each document and job.
KERNEL(mark_spans, SpanParams, 256, 4) {
    uint32_t part = blockIdx.x / p.nJobs;
    if (part >= p.parts) return;
    const SpanJob job = at<SpanJob>(p.jobs)[blockIdx.x % p.nJobs];
#pragma unroll 4
    for (uint32_t first = 256 * part; first < job.docs; first += 256 * p.parts) {
        uint32_t doc = first + threadIdx.x;
        int64_t v = doc < job.docs ? (int64_t)__ldg(at<long long>(job.values) + doc) : 0;
        uint32_t word = __ballot_sync(FULL, doc < job.docs && v >= job.lo && v <= job.hi);
        if ((threadIdx.x & 31) != 0 || doc >= job.docs) continue;
        if (job.live) word &= __ldg(at<uint32_t>(job.live) + (doc >> 5));
        at_rw<uint32_t>(job.out)[doc >> 5] = word;
    }
}
