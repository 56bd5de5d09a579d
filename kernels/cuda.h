// Included first by every kernel source: the CUDA built-ins under nvcc, those of the host
// emulator under a C++ compiler (see emu.h), and the few helpers that differ between the
// two.
#ifndef PINION_CUDA_H
#define PINION_CUDA_H

#ifdef PINION_EMU
#include "emu.h"
#else
#include <stdint.h>
#define DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#endif

#define FULL 0xffffffffu
#ifdef PINION_EMU
#define DEV static inline
#define COLD static inline
#define DEV_MEMBER inline
#else
#define DEV static __device__ __forceinline__
#define COLD static __device__ __noinline__ // a call, at which the warp's lanes converge
#define DEV_MEMBER __device__ __forceinline__
#endif

// KERNEL declares a kernel. Every kernel takes one parameter struct by value, so a launch
// consists of a name and the bytes of the struct.
#ifdef PINION_EMU
#define KERNEL(name, params, threads, blocks) extern "C" void name(const params p)
#else
#define KERNEL(name, params, threads, blocks) \
    extern "C" __global__ void __launch_bounds__(threads, blocks) name(const params p)
#endif

// at turns a device address from a descriptor into a pointer.
template <class T> DEV const T *at(uint64_t a) { return reinterpret_cast<const T *>(a); }
template <class T> DEV T *at_rw(uint64_t a) { return reinterpret_cast<T *>(a); }

// store_stream writes 16 bytes that this launch does not read again.
DEV void store_stream(uint32_t *p, uint4 v) {
#ifdef PINION_EMU
    *reinterpret_cast<uint4 *>(p) = v;
#else
    __stcs(reinterpret_cast<uint4 *>(p), v);
#endif
}

// load_stream reads 16 bytes that no launch reads again soon.
DEV uint4 load_stream(const uint4 *p) {
#ifdef PINION_EMU
    return *p;
#else
    return __ldcs(p);
#endif
}

// load_fresh reads 16 bytes that other thread blocks may be changing.
DEV uint4 load_fresh(const uint4 *p) {
#ifdef PINION_EMU
    return *p;
#else
    return __ldcg(p);
#endif
}

// prefetch loads the cache line at p into L2. p must be readable.
DEV void prefetch(const void *p) {
#ifdef PINION_EMU
    (void)*static_cast<const volatile char *>(p);
#else
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#endif
}

// warp_scan returns the inclusive prefix sum of x over the lanes. A step is one shuffle,
// whose predicate is true if the source lane exists, and one add.
DEV uint32_t warp_scan(uint32_t x, int lane) {
#ifdef PINION_EMU
    for (int d = 1; d < 32; d <<= 1) {
        uint32_t y = __shfl_up_sync(FULL, x, d);
        if (lane >= d) x += y;
    }
#else
#pragma unroll
    for (int d = 1; d < 32; d <<= 1)
        asm volatile("{ .reg .u32 r; .reg .pred p;\n\t"
                     "shfl.sync.up.b32 r|p, %0, %1, 0, 0xffffffff;\n\t"
                     "@p add.u32 %0, %0, r; }"
                     : "+r"(x) : "r"(d));
#endif
    return x;
}

DEV uint32_t warp_max(uint32_t x) {
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        uint32_t y = __shfl_xor_sync(FULL, x, d);
        if (y > x) x = y;
    }
    return x;
}

// job_of returns the first of count jobs that has more than tile tiles up to its end.
template <class J> DEV uint32_t job_of(const J *jobs, uint32_t count, uint32_t tile) {
    uint32_t lo = 0, hi = count - 1;
    while (lo < hi) {
        uint32_t mid = (lo + hi) >> 1;
        if (jobs[mid].tiles > tile) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

#endif
