package kernels

import "fmt"

// Kernel identifies a kernel. The zero value, None, is not a kernel.
type Kernel uint8

// The kernels. Comments give the work of a thread block, warp or thread and hold for the
// kernels that follow, too. A tile is described at Tile.
const (
	None Kernel = iota

	CheckLists  // a thread block per list
	CheckBlocks // a warp per tile of CheckTile blocks; lists of any codec
	CheckPacked
	CheckNewPFD
	NormsOfLengths // a thread per document

	MeasureBlocks  // a warp per tile of CheckTile blocks
	ScanBlocks     // a thread block per list
	RecodeBlocks   // a warp per tile
	PublishRecoded // a thread block per list
	MeasureNewPFD  // a warp per tile
	RecodeNewPFD

	DecodeDocsBP128 // a thread block per tile
	DecodeDocsBP256
	DecodeDocsVByte128
	DecodeDocsVByte1024
	DecodeFreqsBP128
	DecodeFreqsBP256
	DecodeFreqsVByte128
	DecodeFreqsVByte1024
	SumDocsBP128 // sums the docIDs; writes eight words per tile

	DecodeDocsNewPFD // a warp per tile
	DecodeDocsEF
	DecodeDocsRice
	DecodeDocsPForDelta
	DecodeDocsParaPFor
	DecodeDocsLRC
	DecodeDocsLRCSeg
	DecodeDocsSegLRC
	DecodeDocsHSLRC
	SumDocsNewPFD // sums the docIDs; writes a word per tile
	SumDocsEF
	SumDocsRice
	SumDocsPForDelta
	SumDocsParaPFor
	SumDocsLRC
	SumDocsLRCSeg
	SumDocsSegLRC
	SumDocsHSLRC
	DecodeFreqsNewPFD
	DecodeFreqsParaPFor
	DecodeFreqsPForDelta
	DecodeFreqsEF
	DecodeFreqsRice
	SpreadDocs // docIDs of any codec

	IntersectDocs // a warp per tile; lists of any codec
	IntersectPacked
	IntersectNewPFD
	IntersectElements // searches lists of the linear-regression codecs by single elements
	MergePath         // a thread block per tile of MergeTile docIDs
	CollectHits       // a warp per tile
	SumTiles          // a warp per query
	ScanQueries       // one thread block
	GatherDocs        // a warp per tile

	CutTiles // a warp per part
	Rank     // a warp per tile; lists of any codec
	RankPacked
	RankNewPFD
	Disjunct // a thread block per range; lists of any codec
	DisjunctPacked

	CutTilesFields // like the kernels without Fields, for terms of fields
	RankFields
	RankPackedFields
	DisjunctFields
	DisjunctPackedFields
	DisjunctClauses // trees of terms, over fields or not
	RankClauses     // the same, a warp per tile

	SelectBest // a thread block per query

	MarkDocs // Parts thread blocks per job; lists of any codec
	MarkPacked
	PublishPresence // a thread per job

	MarkSets    // a thread block per set and window
	CombineSets // a thread block per window and filter
	MarkSpans   // Parts thread blocks per job

	AddImpacts   // as many thread blocks as a device runs at a time
	CheckImpacts // any number of thread blocks

	NearBegin   // a thread per query
	NearScan    // as many thread blocks as a device runs at a time, or fewer
	NearScanFew // the same, for few queries
	NearScore   // some thread blocks per query

	Count // one more than the last kernel of this package
)

// entry describes one kernel.
type entry struct {
	name    string   // of the entry point
	module  string   // the source, MODULE.cu, and the code, code/MODULE.*.zst
	params  any      // zero value of its parameter struct
	threads int      // per thread block; 0: 256
	task    Task     // for For
	codecs  CodecSet // of the lists that it supports for task
	tile    tile     // for decoders with a thread block per tile
	dynamic bool     // may have more than 48 KiB of dynamic shared memory
}

// tile is the number of blocks in a tile, and the number for lists of more than 2^22
// postings, where smaller tiles are faster because data of later tiles is prefetched into
// L2.
type tile struct{ blocks, long int }

// warpTile is the maximum number of blocks in a tile that is processed by one warp.
const warpTile = 32

// table has the entries of all kernels of this program, by number. Add appends to it.
var table = ordinary[:]

var ordinary = [Count]entry{
	CheckLists:     {name: "check_lists", module: "lists", params: CheckParams{}, threads: 512},
	CheckBlocks:    {name: "check_blocks", module: "check", params: CheckParams{}, task: CheckPostings, codecs: all},
	CheckPacked:    {name: "check_packed", module: "packed", params: CheckParams{}, task: CheckPostings, codecs: packed},
	CheckNewPFD:    {name: "check_newpfd", module: "loadpfd", params: CheckParams{}, task: CheckPostings, codecs: packed | set(NewPFD)},
	NormsOfLengths: {name: "norms_of_lengths", module: "lists", params: NormParams{}},

	MeasureBlocks:  {name: "measure_blocks", module: "recode", params: RecodeParams{}, task: MeasurePostings, codecs: all},
	ScanBlocks:     {name: "scan_blocks", module: "lists", params: RecodeParams{}},
	RecodeBlocks:   {name: "recode_blocks", module: "recode", params: RecodeParams{}, task: RecodePostings, codecs: all},
	PublishRecoded: {name: "publish_recoded", module: "lists", params: RecodeParams{}},
	MeasureNewPFD:  {name: "measure_newpfd", module: "loadpfd", params: RecodeParams{}, task: MeasurePostings, codecs: packed | set(NewPFD)},
	RecodeNewPFD:   {name: "recode_newpfd", module: "loadpfd", params: RecodeParams{}, task: RecodePostings, codecs: packed | set(NewPFD)},

	DecodeDocsBP128:      {name: "decode_docs_bp128", module: "decode", params: DecodeParams{}, task: DecodeDocs, codecs: set(BP128), tile: tile{256, 64}},
	DecodeDocsBP256:      {name: "decode_docs_bp256", module: "decode", params: DecodeParams{}, task: DecodeDocs, codecs: set(BP256), tile: tile{128, 32}},
	DecodeDocsVByte128:   {name: "decode_docs_vbyte128", module: "decode", params: DecodeParams{}, task: DecodeDocs, codecs: set(VByte128), tile: tile{256, 64}},
	DecodeDocsVByte1024:  {name: "decode_docs_vbyte1024", module: "decode", params: DecodeParams{}, task: DecodeDocs, codecs: set(VByte1024), tile: tile{16, 16}},
	DecodeFreqsBP128:     {name: "decode_freqs_bp128", module: "decode", params: DecodeParams{}, task: DecodeFreqs, codecs: set(BP128), tile: tile{256, 64}},
	DecodeFreqsBP256:     {name: "decode_freqs_bp256", module: "decode", params: DecodeParams{}, task: DecodeFreqs, codecs: set(BP256), tile: tile{128, 32}},
	DecodeFreqsVByte128:  {name: "decode_freqs_vbyte128", module: "decode", params: DecodeParams{}, task: DecodeFreqs, codecs: set(VByte128), tile: tile{256, 64}},
	DecodeFreqsVByte1024: {name: "decode_freqs_vbyte1024", module: "decode", params: DecodeParams{}, task: DecodeFreqs, codecs: set(VByte1024), tile: tile{16, 16}},
	SumDocsBP128:         {name: "sum_docs_bp128", module: "decode", params: DecodeParams{}, threads: 64, task: SumDocs, codecs: set(BP128), tile: tile{64, 64}},

	DecodeDocsNewPFD:     {name: "decode_docs_newpfd", module: "patched", params: DecodeParams{}, task: DecodeDocs, codecs: set(NewPFD)},
	DecodeDocsEF:         {name: "decode_docs_ef", module: "unary", params: DecodeParams{}, task: DecodeDocs, codecs: set(EF)},
	DecodeDocsRice:       {name: "decode_docs_rice", module: "unary", params: DecodeParams{}, task: DecodeDocs, codecs: set(Rice)},
	DecodeDocsPForDelta:  {name: "decode_docs_pfordelta", module: "patched", params: DecodeParams{}, task: DecodeDocs, codecs: set(PForDelta)},
	DecodeDocsParaPFor:   {name: "decode_docs_parapfor", module: "patched", params: DecodeParams{}, task: DecodeDocs, codecs: set(ParaPFor)},
	DecodeDocsLRC:        {name: "decode_docs_lrc", module: "lines", params: DecodeParams{}, task: DecodeDocs, codecs: set(LRC)},
	DecodeDocsLRCSeg:     {name: "decode_docs_lrcseg", module: "lines", params: DecodeParams{}, task: DecodeDocs, codecs: set(LRCSeg)},
	DecodeDocsSegLRC:     {name: "decode_docs_seglrc", module: "lines", params: DecodeParams{}, task: DecodeDocs, codecs: set(SegLRC)},
	DecodeDocsHSLRC:      {name: "decode_docs_hslrc", module: "lines", params: DecodeParams{}, task: DecodeDocs, codecs: set(HSLRC)},
	SumDocsNewPFD:        {name: "sum_docs_newpfd", module: "patched", params: DecodeParams{}, task: SumDocs, codecs: set(NewPFD)},
	SumDocsEF:            {name: "sum_docs_ef", module: "unary", params: DecodeParams{}, task: SumDocs, codecs: set(EF)},
	SumDocsRice:          {name: "sum_docs_rice", module: "unary", params: DecodeParams{}, task: SumDocs, codecs: set(Rice)},
	SumDocsPForDelta:     {name: "sum_docs_pfordelta", module: "patched", params: DecodeParams{}, task: SumDocs, codecs: set(PForDelta)},
	SumDocsParaPFor:      {name: "sum_docs_parapfor", module: "patched", params: DecodeParams{}, task: SumDocs, codecs: set(ParaPFor)},
	SumDocsLRC:           {name: "sum_docs_lrc", module: "lines", params: DecodeParams{}, task: SumDocs, codecs: set(LRC)},
	SumDocsLRCSeg:        {name: "sum_docs_lrcseg", module: "lines", params: DecodeParams{}, task: SumDocs, codecs: set(LRCSeg)},
	SumDocsSegLRC:        {name: "sum_docs_seglrc", module: "lines", params: DecodeParams{}, task: SumDocs, codecs: set(SegLRC)},
	SumDocsHSLRC:         {name: "sum_docs_hslrc", module: "lines", params: DecodeParams{}, task: SumDocs, codecs: set(HSLRC)},
	DecodeFreqsNewPFD:    {name: "decode_freqs_newpfd", module: "patched", params: DecodeParams{}, task: DecodeFreqs, codecs: set(NewPFD) | linear},
	DecodeFreqsParaPFor:  {name: "decode_freqs_parapfor", module: "patched", params: DecodeParams{}, task: DecodeFreqs, codecs: set(ParaPFor)},
	DecodeFreqsPForDelta: {name: "decode_freqs_pfordelta", module: "patched", params: DecodeParams{}, task: DecodeFreqs, codecs: set(PForDelta)},
	DecodeFreqsEF:        {name: "decode_freqs_ef", module: "unary", params: DecodeParams{}, task: DecodeFreqs, codecs: set(EF)},
	DecodeFreqsRice:      {name: "decode_freqs_rice", module: "unary", params: DecodeParams{}, task: DecodeFreqs, codecs: set(Rice)},
	SpreadDocs:           {name: "spread_docs", module: "merge", params: DecodeParams{}},

	IntersectDocs:     {name: "intersect_docs", module: "intersect", params: IntersectParams{}, task: Intersect, codecs: all},
	IntersectPacked:   {name: "intersect_packed", module: "packed", params: IntersectParams{}, task: Intersect, codecs: packed},
	IntersectNewPFD:   {name: "intersect_newpfd", module: "newpfd", params: IntersectParams{}, task: Intersect, codecs: packed | set(NewPFD)},
	IntersectElements: {name: "intersect_elements", module: "intersect", params: IntersectParams{}, task: FindElements, codecs: linear},
	MergePath:         {name: "merge_path", module: "merge", params: MergeParams{}},
	CollectHits:       {name: "collect_hits", module: "merge", params: CollectParams{}},
	SumTiles:          {name: "sum_tiles", module: "intersect", params: GatherParams{}},
	ScanQueries:       {name: "scan_queries", module: "intersect", params: GatherParams{}, threads: 1024},
	GatherDocs:        {name: "gather_docs", module: "intersect", params: GatherParams{}},

	CutTiles:   {name: "cut_tiles", module: "tiles", params: TileParams{}},
	Rank:       {name: "rank", module: "rank", params: RankParams{}, task: RankDocs, codecs: all},
	RankPacked: {name: "rank_packed", module: "packed", params: RankParams{}, task: RankDocs, codecs: packed},
	RankNewPFD: {name: "rank_newpfd", module: "newpfd", params: RankParams{}, task: RankDocs, codecs: packed | set(NewPFD)},
	Disjunct:   {name: "disjunct", module: "disjunct", params: DisjunctParams{}, threads: 512, task: AddDocs, codecs: all, dynamic: true},

	DisjunctPacked: {name: "disjunct_packed", module: "ranges", params: DisjunctParams{}, threads: 512, task: AddDocs, codecs: packed, dynamic: true},

	CutTilesFields:   {name: "cut_tiles_fields", module: "tiles", params: TileParams{}},
	RankFields:       {name: "rank_fields", module: "rank", params: RankParams{}, task: RankInFields, codecs: all},
	RankPackedFields: {name: "rank_packed_fields", module: "packed", params: RankParams{}, task: RankInFields, codecs: packed},
	DisjunctFields:   {name: "disjunct_fields", module: "fields", params: DisjunctParams{}, threads: 512, task: AddInFields, codecs: all, dynamic: true},

	DisjunctPackedFields: {name: "disjunct_packed_fields", module: "ranges", params: DisjunctParams{}, threads: 512, task: AddInFields, codecs: packed, dynamic: true},
	DisjunctClauses:      {name: "disjunct_clauses", module: "clauses", params: DisjunctParams{}, threads: 512, task: AddClauses, codecs: packed, dynamic: true},
	RankClauses:          {name: "rank_clauses", module: "clauses", params: RankClausesParams{}, task: RankTrees, codecs: packed},

	SelectBest: {name: "select_best", module: "topk", params: SelectParams{}, dynamic: true},

	MarkDocs:        {name: "mark_docs", module: "presence", params: PresenceParams{}, task: MarkPostings, codecs: all},
	MarkPacked:      {name: "mark_packed", module: "packed", params: PresenceParams{}, task: MarkPostings, codecs: packed},
	PublishPresence: {name: "publish_presence", module: "lists", params: PresenceParams{}},

	MarkSets:    {name: "mark_sets", module: "filters", params: MarkSetParams{}, task: SetPostings, codecs: packed},
	CombineSets: {name: "combine_sets", module: "filters", params: CombineParams{}},
	MarkSpans:   {name: "mark_spans", module: "filters", params: SpanParams{}},

	AddImpacts:   {name: "add_impacts", module: "impacts", params: ImpactParams{}, threads: 768, dynamic: true},
	CheckImpacts: {name: "check_impacts", module: "impacts", params: ImpactCheckParams{}},

	NearBegin:   {name: "near_begin", module: "near", params: NearParams{}},
	NearScan:    {name: "near_scan", module: "near", params: NearParams{}, dynamic: true},
	NearScanFew: {name: "near_scan_few", module: "near", params: NearParams{}, dynamic: true},
	NearScore:   {name: "near_score", module: "near", params: NearParams{}},
}

// All returns all kernels in ascending order.
func All() []Kernel {
	ks := make([]Kernel, 0, len(table)-1)
	for k := None + 1; int(k) < len(table); k++ {
		ks = append(ks, k)
	}
	return ks
}

// Numbers returns one more than the number of the program's last kernel: Count, or more
// after Add.
func Numbers() int { return len(table) }

// String returns the name of the kernel's entry point.
func (k Kernel) String() string {
	if k > None && int(k) < len(table) {
		return table[k].name
	}
	return fmt.Sprintf("kernel(%d)", uint8(k))
}

// Module returns the name of the module that contains the kernel. k must be a kernel
// from All.
func (k Kernel) Module() string { return table[k].module }

// Threads returns the number of threads in a thread block of the kernel.
func (k Kernel) Threads() int {
	if n := table[k].threads; n > 0 {
		return n
	}
	return 256
}

// DynamicShared reports whether a launch of the kernel may use more than 48 KiB of
// dynamic shared memory.
func (k Kernel) DynamicShared() bool { return table[k].dynamic }

// SharesTile reports whether each thread block of a kernel with DecodeParams processes
// one tile; otherwise each warp does.
func (k Kernel) SharesTile() bool { return table[k].tile.blocks > 0 }

// TileBlocks returns the number of blocks that a tile of a list of n postings should
// have, for kernels with DecodeParams. TileBlocks(0) is the maximum for the kernel.
func (k Kernel) TileBlocks(n int) int {
	switch t := table[k].tile; {
	case t.blocks == 0:
		return warpTile
	case n > 1<<22:
		return t.long
	default:
		return t.blocks
	}
}
