// The k best of a query's keys, one thread block a query.
//
// Keys stream through a queue in shared memory (queue.h) whose floor rises, so that
// after the first few thousand nearly every key costs one load and one comparison.
// Bound: 8 bytes read a key; a thread block reads some 40 GB/s, a full device 4 TB/s.
//
// Source: the role of Ding 2009 section 8 (group-wise maxima, repeated extraction)
// and Griffin 2018 section 3.1.3 (bucket select); a sorted queue with a floor needs
// neither a second pass over the keys nor distinct scores.
#include "params.h"
#include "queue.h"

KERNEL(select_best, SelectParams, 256, 4) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t fill;
    if (blockIdx.x >= p.nJobs) return;
    const Select s = at<Select>(p.jobs)[blockIdx.x];
    if (threadIdx.x == 0) fill = 0;
    Queue q = {reinterpret_cast<uint64_t *>(dynamic), &fill, p.buffer, s.k, 0};
    const uint32_t *counts = at<uint32_t>(s.counts);
    const uint64_t *keys = at<uint64_t>(s.keys);
    uint64_t total = (uint64_t)s.groups * s.stride;
    if (s.groups == 1) {
        total = counts[0];
        if (total > s.stride) { // there was no room for all
            if (threadIdx.x == 0) at_rw<uint32_t>(s.outCount)[0] = FULL;
            return;
        }
    }
    for (uint64_t base = 0; base < total; base += blockDim.x) {
        queue_room(q, blockDim.x);
        uint64_t i = base + threadIdx.x;
        if (i < total) {
            uint32_t g = s.groups == 1 ? 0 : (uint32_t)(i / s.stride);
            if (s.groups == 1 || i - (uint64_t)g * s.stride < counts[g]) queue_push(q, keys[i]);
        }
    }
    queue_cut(q);
    uint32_t n = fill;
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) at_rw<uint64_t>(s.out)[i] = q.keys[i];
    if (threadIdx.x != 0) return;
    at_rw<uint32_t>(s.outCount)[0] = n;
    if (s.floor && n == s.k && q.keys[n - 1] > at<uint64_t>(s.floor)[0]) at_rw<uint64_t>(s.floor)[0] = q.keys[n - 1];
}
