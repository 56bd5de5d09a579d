//go:build paper

package kernels

import "embed"

//go:embed paper/code/*.gz
var paperCode embed.FS

// The kernels that only experiments launch, in folder paper.
const (
	PaperBS Kernel = Count + iota // a thread block per tile of PaperSearchTile docIDs
	PaperIS
	PaperLR
	PaperLRLocal
	PaperHS
	PaperHSLRC

	PaperFind  // a thread per splitter
	PaperCount // a thread block per tile of PaperKeepTile elements
	PaperKeep

	PaperCountHeads // the same
	PaperPlaceHeads
	PaperDecode // a warp per block
	PaperWithin // a thread per candidate
	PaperScore
	PaperAdd // a thread per posting

	PaperMaxima  // a thread block per PaperGroup candidates or maxima
	PaperExtract // one thread block

	PaperRadixCount // a thread block per tile of PaperRadixTile scores
	PaperRadixScan  // a thread block per digit of 256
	PaperRadixPlace // a thread block per tile
	PaperRange      // any number of thread blocks
	PaperBuckets
	PaperPick     // one thread block
	PaperSelected // any number of thread blocks

	PaperPrefix // a thread block per tile of PaperPrefixTile gaps
)

var papers = []entry{
	PaperBS - Count:      {name: "paper_bs", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},
	PaperIS - Count:      {name: "paper_is", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},
	PaperLR - Count:      {name: "paper_lr", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},
	PaperLRLocal - Count: {name: "paper_lr_local", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},
	PaperHS - Count:      {name: "paper_hs", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},
	PaperHSLRC - Count:   {name: "paper_hs_lrc", module: "paper/search", params: PaperSearchParams{}, threads: PaperSearchTile},

	PaperFind - Count:  {name: "paper_find", module: "paper/find", params: PaperFindParams{}},
	PaperCount - Count: {name: "paper_count", module: "paper/find", params: PaperKeepParams{}},
	PaperKeep - Count:  {name: "paper_keep", module: "paper/find", params: PaperKeepParams{}},

	PaperCountHeads - Count: {name: "paper_count_heads", module: "paper/steps", params: PaperHeadParams{}},
	PaperPlaceHeads - Count: {name: "paper_place_heads", module: "paper/steps", params: PaperHeadParams{}},
	PaperDecode - Count:     {name: "paper_decode", module: "paper/steps", params: PaperBlockParams{}},
	PaperWithin - Count:     {name: "paper_within", module: "paper/steps", params: PaperWithinParams{}},
	PaperScore - Count:      {name: "paper_score", module: "paper/steps", params: PaperScoreParams{}},
	PaperAdd - Count:        {name: "paper_add", module: "paper/steps", params: PaperScoreParams{}},

	PaperMaxima - Count:  {name: "paper_maxima", module: "paper/best", params: PaperBestParams{}, threads: 128},
	PaperExtract - Count: {name: "paper_extract", module: "paper/best", params: PaperBestParams{}, threads: PaperGroup},

	PaperRadixCount - Count: {name: "paper_radix_count", module: "paper/select", params: PaperRadixParams{}},
	PaperRadixScan - Count:  {name: "paper_radix_scan", module: "paper/select", params: PaperRadixParams{}},
	PaperRadixPlace - Count: {name: "paper_radix_place", module: "paper/select", params: PaperRadixParams{}},
	PaperRange - Count:      {name: "paper_range", module: "paper/select", params: PaperBucketParams{}},
	PaperBuckets - Count:    {name: "paper_buckets", module: "paper/select", params: PaperBucketParams{}},
	PaperPick - Count:       {name: "paper_pick", module: "paper/select", params: PaperBucketParams{}, threads: PaperBucketCount},
	PaperSelected - Count:   {name: "paper_selected", module: "paper/select", params: PaperBucketParams{}},

	PaperPrefix - Count: {name: "paper_prefix", module: "paper/prefix", params: PaperPrefixParams{}},
}
