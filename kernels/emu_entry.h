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

// emu_paper_entries returns the kernels of folder paper, ended by one without a name. It
// is there with the build tag paper.
extern "C" __attribute__((weak)) const Entry *emu_paper_entries();

#endif
