// The emulator's kernels by name.
#ifndef PINION_EMU_ENTRY_H
#define PINION_EMU_ENTRY_H
#include "emu.h"

// call runs a kernel with the parameters at p.
template <class P, void (*F)(const P)> static void call(const void *p) {
    P params;
    memcpy(&params, p, sizeof params);
    F(params);
}

struct Entry { const char *name; void (*run)(const void *); };
#define ENTRY(name, params) {#name, call<params, name>}

// emu_added_entries returns the kernels that a program adds (internal/kernels), ended by one without a
// name. It is there in programs that add some.
extern "C" __attribute__((weak)) const Entry *emu_added_entries();

#endif
