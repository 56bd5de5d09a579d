// Four kernels that select the top k of a query's keys. A job is one query's selection.
//
// select_best, a thread block per job: keys are pushed to a queue in shared memory
// (queue.h) whose floor rises, so that after the first few thousand nearly every key
// costs one load and one comparison. Bound: 8 bytes read per key; a thread block reads
// about 40 GB/s, a full device 4 TB/s.
//
// select_warp, a warp per job: the same queue without barriers between warps. For batches
// of many queries with few keys each; a warp reads about 8 GB/s.
//
// select_maxima, a thread block per job (Ding 2009 section 8): the maximum of each group
// of keys is kept in shared memory; k times, the greatest maximum is selected and its
// group is read again. Bound: 8 bytes per key, then k times one group and all maxima,
// about 2 us. For small k.
//
// select_radix, a thread block per job (Griffin 2018 section 3.1.3, bucket select): keys
// are counted by the value of eight bits at a time, until all keys in the bucket of the
// k-th key are among the top k; then these and all greater keys are collected and sorted.
// Bound: 8 bytes per key for each of 3 to 8 passes, independent of the order of keys.
#include "params.h"
#include "queue.h"

// Keys are a job's keys. Groups may be partly empty.
struct Keys {
    const uint64_t *keys;
    const uint32_t *counts;
    uint64_t total;
    uint32_t groups, stride;

    // begin returns false if there were more keys than room.
    DEV_MEMBER bool begin(const Select &s) {
        keys = at<uint64_t>(s.keys);
        counts = at<uint32_t>(s.counts);
        groups = s.groups;
        stride = s.stride;
        total = (uint64_t)groups * stride;
        if (groups == 1) total = counts[0];
        return groups != 1 || total <= stride;
    }
    // get returns key i, or 0 if it is absent.
    DEV_MEMBER uint64_t get(uint64_t i) const {
        if (i >= total) return 0;
        if (groups > 1) {
            uint32_t g = (uint32_t)(i / stride);
            if (i - (uint64_t)g * stride >= counts[g]) return 0;
        }
        return keys[i];
    }
};

// write_best writes a job's top n keys.
DEV void write_best(const Select &s, const uint64_t *best, uint32_t n) {
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) at_rw<uint64_t>(s.out)[i] = best[i];
    if (threadIdx.x != 0) return;
    at_rw<uint32_t>(s.outCount)[0] = n;
    if (s.floor && n == s.k && best[n - 1] > at<uint64_t>(s.floor)[0]) at_rw<uint64_t>(s.floor)[0] = best[n - 1];
}

DEV void refuse(const Select &s) {
    if (threadIdx.x == 0) at_rw<uint32_t>(s.outCount)[0] = FULL;
}

DEV void select_queue(const SelectParams &p, unsigned char *dynamic, uint32_t *fill) {
    if (blockIdx.x >= p.nJobs) return;
    const Select s = at<Select>(p.jobs)[blockIdx.x];
    if (threadIdx.x == 0) *fill = 0;
    Queue q = {reinterpret_cast<uint64_t *>(dynamic), fill, p.buffer, s.k, 0};
    Keys keys;
    if (!keys.begin(s)) return refuse(s);
    for (uint64_t base = 0; base < keys.total; base += blockDim.x) {
        queue_room(q, blockDim.x);
        queue_push(q, keys.get(base + threadIdx.x));
    }
    queue_cut(q);
    write_best(s, q.keys, *fill);
}

KERNEL(select_best, SelectParams, 256, 4) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t fill;
    select_queue(p, dynamic, &fill);
}

KERNEL(select_warp, SelectParams, 32, 16) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t fill;
    select_queue(p, dynamic, &fill);
}

// best_of returns the greatest x of the thread block to all threads.
DEV uint64_t best_of(uint64_t x, uint64_t *warps) {
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        uint64_t y = __shfl_xor_sync(FULL, (unsigned long long)x, d);
        if (y > x) x = y;
    }
    __syncthreads();
    if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = x;
    __syncthreads();
    for (uint32_t w = 0; w < blockDim.x >> 5; w++)
        if (warps[w] > x) x = warps[w];
    return x;
}

// Group g has every groups-th key from key g on, so that adjacent threads read adjacent
// keys.
KERNEL(select_maxima, SelectParams, 256, 4) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint64_t warps[8];
    uint64_t *best = reinterpret_cast<uint64_t *>(dynamic), *maxima = best + p.buffer / 2;
    if (blockIdx.x >= p.nJobs) return;
    const Select s = at<Select>(p.jobs)[blockIdx.x];
    Keys keys;
    if (!keys.begin(s)) return refuse(s);
    // Half of the buffer holds results, half maxima; a group has at least 256 keys.
    uint64_t most = keys.total >> 8;
    uint32_t groups = most < 1 ? 1 : most < p.buffer / 2 ? (uint32_t)most : p.buffer / 2;
    uint32_t warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    for (uint32_t g = threadIdx.x; g < groups; g += blockDim.x) maxima[g] = 0;
    for (uint32_t base = warp * 32; base < groups; base += blockDim.x) {
        uint32_t g = base + lane;
        uint64_t x = 0;
        for (uint64_t i = g; g < groups && i < keys.total; i += groups) {
            uint64_t y = keys.get(i);
            if (y > x) x = y;
        }
        if (g < groups) maxima[g] = x;
    }
    uint32_t n = 0;
    for (; n < s.k; n++) {
        uint64_t x = 0;
        __syncthreads();
        for (uint32_t g = threadIdx.x; g < groups; g += blockDim.x)
            if (maxima[g] > x) x = maxima[g];
        uint64_t top = best_of(x, warps);
        if (!top) break;
        // The group that contains it is unique, since keys are distinct, and known to the
        // thread whose maximum it was.
        __syncthreads();
        if (x == top)
            for (uint32_t g = threadIdx.x; g < groups; g += blockDim.x)
                if (maxima[g] == top) warps[0] = g;
        __syncthreads();
        uint32_t from = (uint32_t)warps[0];
        x = 0;
        for (uint64_t i = from + (uint64_t)threadIdx.x * groups; i < keys.total; i += (uint64_t)blockDim.x * groups) {
            uint64_t y = keys.get(i);
            if (y < top && y > x) x = y;
        }
        x = best_of(x, warps);
        if (threadIdx.x == 0) {
            best[n] = top;
            maxima[from] = x;
        }
    }
    __syncthreads();
    write_best(s, best, n);
}

KERNEL(select_radix, SelectParams, 256, 4) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t bins[256], fill, left, digit;
    if (blockIdx.x >= p.nJobs) return;
    const Select s = at<Select>(p.jobs)[blockIdx.x];
    Keys keys;
    if (!keys.begin(s)) return refuse(s);
    uint64_t prefix = 0;  // bits of the k-th key from shift on
    uint32_t want = s.k;  // how many keys with that prefix are among the top k
    bool whole = keys.total <= s.k;
    int shift = 64;
    while (!whole && shift) {
        shift -= 8;
        bins[threadIdx.x] = 0;
        __syncthreads();
        for (uint64_t i = threadIdx.x; i < keys.total; i += blockDim.x) {
            uint64_t x = keys.get(i);
            if (x && (shift == 56 || x >> (shift + 8) == prefix)) atomicAdd(&bins[x >> shift & 255], 1u);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            uint32_t sum = 0, d = 256;
            while (d && sum < want) sum += bins[--d];
            digit = sum < want ? FULL : d;      // fewer than k keys in total
            left = sum < want ? 0 : sum - want; // keys of the bucket that are not wanted
            fill = sum < want ? 0 : bins[d] - (sum - want);
        }
        __syncthreads();
        if (digit == FULL) {
            prefix = 0;
            shift = 0;
            whole = true;
        } else {
            prefix = prefix << 8 | digit;
            want = fill;
            whole = left == 0;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) fill = 0;
    Queue q = {reinterpret_cast<uint64_t *>(dynamic), &fill, p.buffer, s.k, 0};
    uint64_t least = shift == 64 ? 1 : prefix << shift;
    if (least) q.floor = least - 1;
    __syncthreads();
    for (uint64_t i = threadIdx.x; i < keys.total; i += blockDim.x) queue_push(q, keys.get(i));
    queue_cut(q);
    write_best(s, q.keys, fill);
}
