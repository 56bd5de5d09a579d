// select_best selects the top k of a query's keys. A job is one query's selection, of a
// thread block: keys are pushed to a queue in shared memory (queue.h) whose floor rises, so
// that after the first few thousand nearly every key costs one load and one comparison.
// Bound: 8 bytes read per key; a thread block reads about 40 GB/s, a full device 4 TB/s.
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

KERNEL(select_best, SelectParams, 256, 4) {
    DYNAMIC_SHARED(dynamic);
    __shared__ uint32_t fill;
    if (blockIdx.x >= p.nJobs) return;
    const Select s = at<Select>(p.jobs)[blockIdx.x];
    if (threadIdx.x == 0) fill = 0;
    uint64_t floor = s.floor ? at<uint64_t>(s.floor)[0] : 0;
    Queue q = {reinterpret_cast<uint64_t *>(dynamic), &fill, p.buffer, s.k, floor ? floor - 1 : 0};
    Keys keys;
    if (!keys.begin(s)) return refuse(s);
    if (s.total && threadIdx.x == 0) at_rw<uint32_t>(s.total)[0] = (uint32_t)keys.total;
    for (uint64_t base = 0; base < keys.total; base += blockDim.x) {
        queue_room(q, blockDim.x);
        uint64_t key = keys.get(base + threadIdx.x);
        queue_push(q, key - 1 < s.ceiling - 1 ? key : 0);
    }
    queue_cut(q);
    write_best(s, q.keys, fill);
}
