//go:build emu

// The emulator's scheduler and the kernel sources compiled for it.
#include "emu_entry.h"
#include "emu_sched.h"

#include <stddef.h>

#include "lists.cu"
#include "check.cu"
#include "recode.cu"
#include "decode.cu"
#include "patched.cu"
#include "unary.cu"
#include "lines.cu"
#include "disjunct.cu"
#include "fields.cu"
#include "ranges.cu"
#include "clauses.cu"
#include "intersect.cu"
#include "rank.cu"
#include "tiles.cu"
#include "packed.cu"
#include "newpfd.cu"
#include "loadpfd.cu"
#include "topk.cu"
#include "merge.cu"
#include "presence.cu"
#include "filters.cu"
#include "impacts.cu"
#include "near.cu"

static const Entry entries[] = {
    ENTRY(check_lists, CheckParams), ENTRY(check_blocks, CheckParams), ENTRY(check_packed, CheckParams), ENTRY(check_newpfd, CheckParams), ENTRY(norms_of_lengths, NormParams),
    ENTRY(measure_blocks, RecodeParams), ENTRY(scan_blocks, RecodeParams), ENTRY(recode_blocks, RecodeParams), ENTRY(publish_recoded, RecodeParams),
    ENTRY(measure_newpfd, RecodeParams), ENTRY(recode_newpfd, RecodeParams), ENTRY(mark_packed, PresenceParams),
    ENTRY(decode_docs_bp128, DecodeParams), ENTRY(decode_docs_vbyte128, DecodeParams),
    ENTRY(sum_docs_bp128, DecodeParams),    ENTRY(intersect_docs, IntersectParams), ENTRY(intersect_elements, IntersectParams),
    ENTRY(cut_tiles, TileParams), ENTRY(rank, RankParams), ENTRY(sum_tiles, GatherParams),
    ENTRY(scan_queries, GatherParams),      ENTRY(gather_docs, GatherParams),
    ENTRY(disjunct, DisjunctParams), ENTRY(disjunct_packed, DisjunctParams), ENTRY(disjunct_packed_fields, DisjunctParams), ENTRY(disjunct_clauses, DisjunctParams), ENTRY(rank_clauses, RankClausesParams), ENTRY(select_best, SelectParams),
    ENTRY(decode_docs_newpfd, DecodeParams), ENTRY(decode_docs_ef, DecodeParams),
    ENTRY(decode_docs_rice, DecodeParams), ENTRY(decode_docs_pfordelta, DecodeParams),
    ENTRY(decode_docs_parapfor, DecodeParams), ENTRY(decode_docs_lrc, DecodeParams),
    ENTRY(decode_docs_lrcseg, DecodeParams), ENTRY(decode_docs_seglrc, DecodeParams),
    ENTRY(decode_docs_hslrc, DecodeParams), ENTRY(sum_docs_newpfd, DecodeParams),
    ENTRY(sum_docs_ef, DecodeParams), ENTRY(sum_docs_rice, DecodeParams),
    ENTRY(sum_docs_pfordelta, DecodeParams), ENTRY(sum_docs_parapfor, DecodeParams),
    ENTRY(sum_docs_lrc, DecodeParams), ENTRY(sum_docs_lrcseg, DecodeParams),
    ENTRY(sum_docs_seglrc, DecodeParams), ENTRY(sum_docs_hslrc, DecodeParams), ENTRY(decode_docs_bp256, DecodeParams),
    ENTRY(decode_freqs_newpfd, DecodeParams), ENTRY(decode_freqs_parapfor, DecodeParams),
    ENTRY(decode_freqs_pfordelta, DecodeParams), ENTRY(decode_freqs_ef, DecodeParams), ENTRY(decode_freqs_rice, DecodeParams),
    ENTRY(intersect_packed, IntersectParams), ENTRY(rank_packed, RankParams),
    ENTRY(spread_docs, DecodeParams), ENTRY(merge_path, MergeParams),
    ENTRY(collect_hits, CollectParams), ENTRY(mark_docs, PresenceParams), ENTRY(publish_presence, PresenceParams),
    ENTRY(decode_docs_vbyte1024, DecodeParams),
    ENTRY(decode_freqs_bp128, DecodeParams), ENTRY(decode_freqs_bp256, DecodeParams),
    ENTRY(decode_freqs_vbyte128, DecodeParams), ENTRY(decode_freqs_vbyte1024, DecodeParams),
    ENTRY(intersect_newpfd, IntersectParams), ENTRY(rank_newpfd, RankParams),
    ENTRY(rank_fields, RankParams), ENTRY(rank_packed_fields, RankParams), ENTRY(cut_tiles_fields, TileParams), ENTRY(disjunct_fields, DisjunctParams),
    ENTRY(mark_sets, MarkSetParams), ENTRY(combine_sets, CombineParams), ENTRY(mark_spans, SpanParams),
    ENTRY(add_impacts, ImpactParams), ENTRY(check_impacts, ImpactCheckParams),
    ENTRY(near_begin, NearParams), ENTRY(near_scan, NearParams), ENTRY(near_scan_few, NearParams), ENTRY(near_score, NearParams),
};

extern "C" const char *emu_launch(const char *name, unsigned grid, unsigned block, unsigned shared,
                                  const void *params, uint64_t seed) {
    for (const Entry &e : entries)
        if (!strcmp(e.name, name)) return emu_run(e.run, params, grid, block, shared, seed);
    for (const Entry *e = emu_added_entries ? emu_added_entries() : nullptr; e && e->name; e++)
        if (!strcmp(e->name, name)) return emu_run(e->run, params, grid, block, shared, seed);
    return "no such kernel";
}

// emu_sizes returns the i-th size or offset with which a test compares params.go.
extern "C" uint32_t emu_sizes(uint32_t i) {
    static const uint32_t sizes[] = {
        sizeof(ListDesc),     sizeof(Tile),           sizeof(DecodeJob), sizeof(DecodeParams),
        sizeof(CheckParams),  sizeof(QueryDesc),      sizeof(Term),      sizeof(IntersectParams),
        sizeof(Range),        sizeof(DisjunctParams), sizeof(Goal), sizeof(Select),    sizeof(SelectParams),
        sizeof(NormParams),   sizeof(GatherParams), sizeof(RankParams),   offsetof(ListDesc, lrInv), offsetof(ListDesc, n),
        offsetof(ListDesc, docsCodec), offsetof(ListDesc, maxDoc), offsetof(QueryDesc, cap),
        offsetof(Select, out), sizeof(MergeJob), sizeof(MergeParams), sizeof(CollectParams),
        offsetof(ListDesc, presence), sizeof(PresenceJob), sizeof(PresenceParams), sizeof(CheckJob), sizeof(CheckStatus),
        offsetof(CheckJob, kth), sizeof(RecodeJob), sizeof(RecodeParams), offsetof(RecodeJob, head),
        sizeof(TileParams), sizeof(FieldScore), offsetof(FieldScore, coded),
        sizeof(SetList), sizeof(MarkSetParams), sizeof(Operand), offsetof(Operand, flags), sizeof(CombineParams),
        sizeof(ImpactQuery), sizeof(ImpactTerm), sizeof(ImpactSegment), sizeof(ImpactParams), sizeof(ImpactCheckParams),
        sizeof(SpanJob), sizeof(SpanParams), sizeof(Clause), sizeof(RankClausesParams), sizeof(Test), offsetof(Test, want), offsetof(DisjunctParams, sums), offsetof(Select, total),
        sizeof(NearQuery), offsetof(NearQuery, filter), sizeof(NearTerms), sizeof(NearParams), 0};
    return sizes[i];
}
