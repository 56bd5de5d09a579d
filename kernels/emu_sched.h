// The emulator's scheduler: fibers, warps, barriers. Included only by emu.cpp.
#ifndef PINION_EMU_SCHED_H
#define PINION_EMU_SCHED_H
#include "emu.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <vector>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

EmuThread *emu_self;
dim3 emu_block, emu_block_dim, emu_grid_dim;
unsigned char *emu_dynamic;
extern unsigned char __start_emu_shared[] __attribute__((weak));
extern unsigned char __stop_emu_shared[] __attribute__((weak));

namespace {

const size_t kStack = 256 << 10, kMaxThreads = 1024, kMaxShared = 232448;

#if defined(__x86_64__)
// A context is a stack pointer; callee-saved registers are on the stack.
typedef void *Context;
extern "C" void emu_switch(void **save, void *load);
asm(R"(
.text
.globl emu_switch
.type emu_switch, @function
emu_switch:
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
.size emu_switch, .-emu_switch
)");
void switch_to(Context *save, Context *load) { emu_switch(save, *load); }
void make_context(Context *c, char *stack, void (*entry)()) {
    void **sp = reinterpret_cast<void **>(stack + kStack) - 1; // as after a call: 8 modulo 16
    *--sp = reinterpret_cast<void *>(entry);
    for (int i = 0; i < 6; i++) *--sp = nullptr;
    *c = sp;
}
#else
typedef ucontext_t Context;
void switch_to(Context *save, Context *load) { swapcontext(save, load); }
void make_context(Context *c, char *stack, void (*entry)()) {
    getcontext(c);
    c->uc_stack.ss_sp = stack;
    c->uc_stack.ss_size = kStack;
    c->uc_link = nullptr;
    makecontext(c, entry, 0);
}
#endif

struct Fiber {
    EmuThread t;
    Context context;
    char *stack;
    bool done;
    unsigned waiting; // mask of the collective it waits for; 0 if none
    int phase;
};

struct Warp {
    uint64_t slots[3][32]; // two alternate for full warps, the third is for partial warps
    int lanes, arrived;
};

struct Block {
    std::vector<Fiber> fibers;
    std::vector<Warp> warps;
    std::vector<int> ready;
    std::vector<int> at_barrier;
    int live, sum, last_sum;
};

Block blk;
Fiber *running;
Context scheduler;
void (*kernel)(const void *);
const void *kernel_params;
uint64_t rng;
bool shuffled;
const char *failure;
#if defined(__SANITIZE_ADDRESS__)
const void *main_bottom;
size_t main_size;
#endif

uint32_t draw(uint32_t n) {
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return (uint32_t)((rng >> 32) * n >> 32);
}

void to_scheduler(bool leaving) {
    Fiber *f = running;
#if defined(__SANITIZE_ADDRESS__)
    void *fake = nullptr;
    __sanitizer_start_switch_fiber(leaving ? nullptr : &fake, main_bottom, main_size);
    switch_to(&f->context, &scheduler);
    __sanitizer_finish_switch_fiber(fake, &main_bottom, &main_size);
#else
    (void)leaving;
    switch_to(&f->context, &scheduler);
#endif
}

void to_fiber(Fiber *f) {
    running = f;
    emu_self = &f->t;
#if defined(__SANITIZE_ADDRESS__)
    void *fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, f->stack, kStack);
    switch_to(&scheduler, &f->context);
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#else
    switch_to(&scheduler, &f->context);
#endif
}

void release_barrier() {
    blk.last_sum = blk.sum;
    blk.sum = 0;
    for (int i : blk.at_barrier) blk.ready.push_back(i);
    blk.at_barrier.clear();
}

void fiber_main() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &main_bottom, &main_size);
#endif
    kernel(kernel_params);
    running->done = true;
    blk.live--;
    if (blk.live > 0 && (int)blk.at_barrier.size() == blk.live) release_barrier();
    to_scheduler(true);
}

int index_of(Fiber *f) { return (int)(f - blk.fibers.data()); }

// partial is a collective of some lanes: it waits until every lane of the mask waits with
// the same mask, once before values are read and once after.
void partial(Warp &w, unsigned mask) {
    Fiber *self = running, *first = self - self->t.lane;
    self->waiting = mask;
    for (int i = 0; i < 32; i++) {
        if (!(mask >> i & 1)) continue;
        if (i >= w.lanes || first[i].done) { emu_fail("a warp collective names a lane that has ended"); return; }
        if (first[i].waiting != mask) { to_scheduler(false); return; }
    }
    for (int i = 0; i < 32; i++) {
        if (!(mask >> i & 1)) continue;
        first[i].waiting = 0;
        if (first + i != self) blk.ready.push_back(index_of(first + i));
    }
}

const char *run_block(unsigned threads) {
    unsigned nw = (threads + 31) / 32;
    blk.warps.assign(nw, Warp());
    blk.ready.clear();
    blk.at_barrier.clear();
    blk.live = (int)threads;
    blk.sum = 0;
    for (unsigned i = 0; i < threads; i++) {
        Fiber &f = blk.fibers[i];
        f.t = {{i, 0, 0}, (int)(i & 31), (int)(i >> 5)};
        f.done = false;
        f.waiting = 0;
        f.phase = 0;
        blk.warps[i >> 5].lanes++;
        make_context(&f.context, f.stack, fiber_main);
        blk.ready.push_back((int)(threads - 1 - i));
    }
    while (!blk.ready.empty() && !failure) {
        if (shuffled) std::swap(blk.ready[draw((uint32_t)blk.ready.size())], blk.ready.back());
        int i = blk.ready.back();
        blk.ready.pop_back();
        to_fiber(&blk.fibers[i]);
    }
    if (!failure && blk.live > 0) failure = "threads wait at a barrier or collective that others never reach";
    return failure;
}

// emu_run runs a kernel. Threads run in order if seed is 0, otherwise in random order.
const char *emu_run(void (*run)(const void *), const void *params, unsigned grid, unsigned threads, unsigned shared,
                    uint64_t seed) {
    if (threads == 0 || threads > kMaxThreads) return "block size outside 1 to 1024";
    if (shared > kMaxShared) return "more shared memory than a block can have";
    if (threads & 31) return "block size not a multiple of the warp size";
    kernel = run;
    kernel_params = params;
    shuffled = seed != 0;
    rng = seed * 0x9e3779b97f4a7c15u + 0x1234567u;
    failure = nullptr;
    while (blk.fibers.size() < threads) {
        Fiber f = Fiber();
        void *m = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (m == MAP_FAILED) return "no memory for a fiber";
        f.stack = static_cast<char *>(m);
        blk.fibers.reserve(kMaxThreads);
        blk.fibers.push_back(f);
    }
    unsigned char *dynamic = static_cast<unsigned char *>(aligned_alloc(64, (shared + 127) & ~63u));
    if (!dynamic) return "no shared memory";
    emu_dynamic = dynamic;
    emu_block_dim = {threads, 1, 1};
    emu_grid_dim = {grid, 1, 1};
    uint32_t step = 1, start = 0; // visits all blocks, in another order
    if (shuffled && grid > 1) {
        start = draw(grid);
        step = grid - 1;
    }
    for (unsigned b = 0; b < grid && !failure; b++) {
        emu_block = {(unsigned)((start + (uint64_t)step * b) % grid), 0, 0};
        for (unsigned char *s = __start_emu_shared; s < __stop_emu_shared; s++) *s = (unsigned char)draw(256);
        for (unsigned i = 0; i < shared; i++) dynamic[i] = (unsigned char)draw(256);
        run_block(threads);
    }
    free(dynamic);
    return failure;
}

} // namespace

void emu_fail(const char *what) {
    if (!failure) failure = what;
    to_scheduler(false); // never resumed
}

void emu_maybe_yield() {
    if (!shuffled || draw(8)) return;
    blk.ready.push_back(index_of(running));
    to_scheduler(false);
}

void emu_barrier() {
    blk.at_barrier.push_back(index_of(running));
    if ((int)blk.at_barrier.size() == blk.live) release_barrier();
    to_scheduler(false);
}

int emu_barrier_count(int predicate) {
    blk.sum += predicate;
    emu_barrier();
    return blk.last_sum;
}

const uint64_t *emu_exchange(unsigned mask, uint64_t value) {
    Fiber *f = running;
    Warp &w = blk.warps[f->t.warp];
    if (mask != 0xffffffffu) {
        if (!(mask >> f->t.lane & 1)) emu_fail("a lane calls a warp collective whose mask leaves it out");
        w.slots[2][f->t.lane] = value;
        partial(w, mask);
        static uint64_t copies[kMaxThreads][32]; // each lane reads from a copy of its own, since the slots change
        uint64_t *c = copies[index_of(f)];
        memcpy(c, w.slots[2], sizeof w.slots[2]);
        partial(w, mask);
        return c;
    }
    uint64_t *slots = w.slots[f->phase];
    f->phase ^= 1;
    slots[f->t.lane] = value;
    if (++w.arrived < 32) {
        f->waiting = mask;
        to_scheduler(false);
        return slots;
    }
    w.arrived = 0;
    Fiber *first = f - f->t.lane;
    for (int i = 0; i < 32; i++) {
        first[i].waiting = 0;
        if (first + i != f) blk.ready.push_back(index_of(first + i));
    }
    return slots;
}

#endif
