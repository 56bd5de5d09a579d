//go:build emu

// The kernels of this folder, compiled for the emulator.
#include "../../kernels/emu_entry.h"

#include <stddef.h>

#include "search.cu"
#include "find.cu"
#include "steps.cu"
#include "best.cu"
#include "select.cu"
#include "prefix.cu"

static const Entry paper_entries[] = {
    ENTRY(paper_bs, SearchParams), ENTRY(paper_is, SearchParams), ENTRY(paper_lr, SearchParams),
    ENTRY(paper_lr_local, SearchParams), ENTRY(paper_hs, SearchParams), ENTRY(paper_hs_lrc, SearchParams),
    ENTRY(paper_find, FindParams), ENTRY(paper_count, KeepParams), ENTRY(paper_keep, KeepParams),
    ENTRY(paper_count_heads, HeadParams), ENTRY(paper_place_heads, HeadParams), ENTRY(paper_decode, BlockParams),
    ENTRY(paper_within, WithinParams), ENTRY(paper_score, ScoreParams), ENTRY(paper_add, ScoreParams),
    ENTRY(paper_maxima, BestParams), ENTRY(paper_extract, BestParams),
    ENTRY(paper_radix_count, RadixParams), ENTRY(paper_radix_scan, RadixParams), ENTRY(paper_radix_place, RadixParams),
    ENTRY(paper_range, BucketParams), ENTRY(paper_buckets, BucketParams), ENTRY(paper_pick, BucketParams), ENTRY(paper_selected, BucketParams),
    ENTRY(paper_prefix, PrefixParams),
    {nullptr, nullptr},
};

extern "C" const Entry *emu_added_entries() { return paper_entries; }

// emu_paper_sizes returns the i-th size or offset with which a test compares params.go.
extern "C" uint32_t emu_paper_sizes(uint32_t i) {
    static const uint32_t sizes[] = {
        sizeof(RawList), offsetof(RawList, slope), offsetof(RawList, step), sizeof(RawLine), sizeof(RawBucket),
        offsetof(RawBucket, width), sizeof(RawQuery), sizeof(SearchParams), offsetof(SearchParams, nTiles),
        sizeof(FindParams), offsetof(FindParams, na), sizeof(KeepParams), offsetof(KeepParams, na), sizeof(HeadParams), sizeof(BlockParams),
        offsetof(BlockParams, n), sizeof(WithinParams), sizeof(ScoreParams), offsetof(ScoreParams, n), sizeof(BestParams),
        offsetof(BestParams, n), sizeof(RadixParams), sizeof(BucketState), offsetof(BucketState, bucket), sizeof(BucketParams),
        sizeof(PrefixTile), sizeof(PrefixParams), offsetof(PrefixParams, nTiles), 0};
    return sizes[i];
}
