// The host emulator's part of CUDA C: what the kernel sources need to compile with a host
// C++ compiler and run without a GPU. The scheduler is in emu_sched.h.
//
// Every CUDA thread is a fiber. A fiber runs until it waits at a barrier or a warp
// collective, so code that lacks a barrier sees other threads' results too early or too
// late. A seed makes this more likely: the next fiber is chosen at random, thread blocks
// run in random order, shared memory is initialized with random data, and fibers also
// switch at atomics. A barrier that some threads do not reach, or a collective whose mask
// contains a lane that has exited, ends the launch with an error.
//
// Shared memory is static data in a section of its own, so __shared__ variables are
// allowed only in functions that are not templates.
#ifndef PINION_EMU_H
#define PINION_EMU_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("emu_shared")))
#define DYNAMIC_SHARED(name) unsigned char *name = emu_dynamic

struct uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(8) float2 { float x, y; };
struct dim3 { unsigned x, y, z; };
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// EmuThread identifies the running fiber.
struct EmuThread { dim3 tid; int lane, warp; };
extern EmuThread *emu_self;
extern dim3 emu_block, emu_block_dim, emu_grid_dim;
extern unsigned char *emu_dynamic;

#define threadIdx (emu_self->tid)
#define blockIdx emu_block
#define blockDim emu_block_dim
#define gridDim emu_grid_dim

// emu_exchange publishes the lane's value, waits for all lanes of the mask, and returns
// the 32 values. Those of lanes outside the mask are undefined.
const uint64_t *emu_exchange(unsigned mask, uint64_t value);
void emu_barrier();
int emu_barrier_count(int predicate);
void emu_maybe_yield();
void emu_fail(const char *what);

static inline void __syncthreads() { emu_barrier(); }
static inline int __syncthreads_or(int p) { return emu_barrier_count(p != 0) > 0; }
static inline int __syncthreads_count(int p) { return emu_barrier_count(p != 0); }
static inline void __syncwarp(unsigned mask = 0xffffffffu) { emu_exchange(mask, 0); }
static inline void __threadfence() { emu_maybe_yield(); }

template <class T> static inline uint64_t emu_pack(T v) {
    static_assert(sizeof(T) <= 8, "at most 8 bytes");
    uint64_t r = 0;
    memcpy(&r, &v, sizeof v);
    return r;
}
template <class T> static inline T emu_unpack(uint64_t r) {
    T v;
    memcpy(&v, &r, sizeof v);
    return v;
}
template <class T> static inline T __shfl_sync(unsigned mask, T v, int src, int width = 32) {
    const uint64_t *all = emu_exchange(mask, emu_pack(v));
    return emu_unpack<T>(all[(emu_self->lane & ~(width - 1)) | (src & (width - 1))]);
}
template <class T> static inline T __shfl_up_sync(unsigned mask, T v, unsigned d, int width = 32) {
    const uint64_t *all = emu_exchange(mask, emu_pack(v));
    int in = emu_self->lane & (width - 1);
    return in >= (int)d ? emu_unpack<T>(all[emu_self->lane - d]) : v;
}
template <class T> static inline T __shfl_down_sync(unsigned mask, T v, unsigned d, int width = 32) {
    const uint64_t *all = emu_exchange(mask, emu_pack(v));
    int in = emu_self->lane & (width - 1);
    return in + (int)d < width ? emu_unpack<T>(all[emu_self->lane + d]) : v;
}
template <class T> static inline T __shfl_xor_sync(unsigned mask, T v, int m) {
    const uint64_t *all = emu_exchange(mask, emu_pack(v));
    return emu_unpack<T>(all[emu_self->lane ^ m]);
}
static inline unsigned __ballot_sync(unsigned mask, int p) {
    const uint64_t *all = emu_exchange(mask, p != 0);
    unsigned r = 0;
    for (int i = 0; i < 32; i++)
        if ((mask >> i & 1) && all[i]) r |= 1u << i;
    return r;
}
static inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
static inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, p) == mask; }

template <class T> static inline T __ldg(const T *p) { return *p; }

static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
    return (unsigned)(((uint64_t)hi << 32 | lo) >> (s & 31));
}
static inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s) {
    return s >= 32 ? hi : __funnelshift_r(lo, hi, s);
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
    return (unsigned)(((uint64_t)hi << 32 | lo) << (s & 31) >> 32);
}
static inline unsigned __byte_perm(unsigned lo, unsigned hi, unsigned s) {
    uint64_t v = (uint64_t)hi << 32 | lo;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) r |= (unsigned)(v >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return r;
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
    return c;
}
static inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 32; i += 8) c += (int)(int8_t)(a >> i) * (int8_t)(b >> i);
    return c;
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline unsigned __brev(unsigned x) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i);
    return r;
}

// The host rounds to nearest; volatile keeps the compiler from fusing the product with a
// sum.
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fadd_ru(float a, float b) { // at least the sum: double rounding errs by far less than a float step
    return nextafterf((float)((double)a + b), __builtin_inff());
}
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { volatile float p = a * b; return p; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline int __float2int_rd(float x) { return (int)floorf(x); }
static inline unsigned __float_as_uint(float f) { return emu_unpack<unsigned>(emu_pack(f)); }
static inline float __uint_as_float(unsigned u) { return emu_unpack<float>(emu_pack(u)); }

template <class T> static inline T emu_swap(T *p, T v) {
    emu_maybe_yield();
    T old = *p;
    *p = v;
    return old;
}
template <class T> static inline T atomicAdd(T *p, T v) { emu_maybe_yield(); T o = *p; *p = o + v; return o; }
template <class T> static inline T atomicMax(T *p, T v) { emu_maybe_yield(); T o = *p; if (v > o) *p = v; return o; }
template <class T> static inline T atomicMin(T *p, T v) { emu_maybe_yield(); T o = *p; if (v < o) *p = v; return o; }
template <class T> static inline T atomicOr(T *p, T v) { emu_maybe_yield(); T o = *p; *p = o | v; return o; }
template <class T> static inline T atomicExch(T *p, T v) { return emu_swap(p, v); }
template <class T> static inline T atomicCAS(T *p, T c, T v) { emu_maybe_yield(); T o = *p; if (o == c) *p = v; return o; }

#endif
