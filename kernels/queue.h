// A queue of a thread block's top keys in shared memory. Keys are pushed unsorted; when
// the queue is nearly full, it is sorted and truncated to the keep greatest keys. Keys
// are distinct, since each contains its docID, so the result does not depend on the order
// of pushes. Every thread of the block must call every function.
#ifndef PINION_QUEUE_H
#define PINION_QUEUE_H
#include "cuda.h"

struct Queue {
    uint64_t *keys;  // shared; size keys, a power of two
    uint32_t *fill;  // shared
    uint32_t size, keep;
    uint64_t floor;  // only greater keys are kept; the same in all threads
};

// sort_keys sorts n keys, a power of two, in descending order with a bitonic network.
DEV void sort_keys(uint64_t *k, uint32_t n, uint32_t t, uint32_t threads) {
    for (uint32_t size = 2; size <= n; size <<= 1)
        for (uint32_t step = size >> 1; step; step >>= 1) {
            __syncthreads();
            for (uint32_t i = t; i < n >> 1; i += threads) {
                uint32_t a = 2 * i - (i & (step - 1)), b = a + step;
                uint64_t x = k[a], y = k[b];
                if ((x < y) == !(a & size)) {
                    k[a] = y;
                    k[b] = x;
                }
            }
        }
    __syncthreads();
}

// queue_cut sorts the queue, truncates it and raises the floor.
DEV void queue_cut(Queue &q) {
    __syncthreads();
    uint32_t n = *q.fill, all = 32;
    while (all < n) all <<= 1;
    for (uint32_t i = n + threadIdx.x; i < all; i += blockDim.x) q.keys[i] = 0;
    sort_keys(q.keys, all, threadIdx.x, blockDim.x);
    if (n >= q.keep) {
        n = q.keep;
        uint64_t last = q.keys[n - 1];
        if (last > q.floor) q.floor = last;
    }
    __syncthreads();
    if (threadIdx.x == 0) *q.fill = n;
    __syncthreads();
}

// queue_push appends the thread's key if it exceeds the floor. At most size - keep keys
// may be pushed between calls of queue_room.
DEV void queue_push(Queue &q, uint64_t key) {
    if (key > q.floor) q.keys[atomicAdd(q.fill, 1u)] = key;
}

// queue_room makes room for n more keys.
DEV void queue_room(Queue &q, uint32_t n) {
    __syncthreads();
    uint32_t fill = *q.fill;
    __syncthreads();
    if (fill + n > q.size) queue_cut(q);
}

#endif
