//go:build emu && paper

// The kernels of folder paper, compiled for the emulator.
#include "emu_entry.h"

#include <stddef.h>

#include "paper/search.cu"

static const Entry paper_entries[] = {
    ENTRY(paper_bs, SearchParams), ENTRY(paper_is, SearchParams), ENTRY(paper_lr, SearchParams),
    ENTRY(paper_lr_local, SearchParams), ENTRY(paper_hs, SearchParams), ENTRY(paper_hs_lrc, SearchParams),
    {nullptr, nullptr},
};

extern "C" const Entry *emu_paper_entries() { return paper_entries; }

// emu_paper_sizes returns the i-th size or offset with which a test compares paper_params.go.
extern "C" uint32_t emu_paper_sizes(uint32_t i) {
    static const uint32_t sizes[] = {
        sizeof(RawList), offsetof(RawList, slope), offsetof(RawList, step), sizeof(RawLine), sizeof(RawBucket),
        offsetof(RawBucket, width), sizeof(RawQuery), sizeof(SearchParams), offsetof(SearchParams, nTiles), 0};
    return sizes[i];
}
