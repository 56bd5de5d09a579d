// Package kernels has the CUDA C sources that only the papers' experiments launch, the device code
// built from them, and the parameter structs that they share with Go. A program that imports it adds
// them to the kernels of the engine.
//
//	table.go   the kernels
//	params.go  the parameter structs; params.h is the same in C
//	*.cu       the kernels, one module each, on the engine's headers
//	emu.cpp    the same for the engine's host emulator (build tag emu)
//
// go generate ./papers/kernels rebuilds the code, which requires nvcc 11.8.
package kernels

//go:generate sh ../../kernels/build.sh -C .

import (
	"embed"
	"fmt"

	"github.com/pinion-index/pinion/internal/kernels"
)

//go:embed code/*.zst
var code embed.FS

// The kernels.
const (
	BS kernels.Kernel = kernels.Count + iota // a thread block per tile of SearchTile docIDs
	IS
	LR
	LRLocal
	HS
	HSLRC

	Find  // a thread per splitter
	Count // a thread block per tile of KeepTile elements
	Keep

	CountHeads // the same
	PlaceHeads
	Decode // a warp per block
	Within // a thread per candidate
	Score
	Add // a thread per posting

	Maxima  // a thread block per Group candidates or maxima
	Extract // one thread block

	RadixCount // a thread block per tile of RadixTile scores
	RadixScan  // a thread block per digit of 256
	RadixPlace // a thread block per tile
	Range      // any number of thread blocks
	Buckets
	Pick     // one thread block
	Selected // any number of thread blocks

	Prefix // a thread block per tile of PrefixTile gaps
)

// table has the kernels in the order of their numbers.
var table = []kernels.Added{
	{Name: "paper_bs", Module: "paper/search", Params: SearchParams{}, Threads: SearchTile},
	{Name: "paper_is", Module: "paper/search", Params: SearchParams{}, Threads: SearchTile},
	{Name: "paper_lr", Module: "paper/search", Params: SearchParams{}, Threads: SearchTile},
	{Name: "paper_lr_local", Module: "paper/search", Params: SearchParams{}, Threads: SearchTile},
	{Name: "paper_hs", Module: "paper/search", Params: SearchParams{}, Threads: SearchTile},
	{Name: "paper_hs_lrc", Module: "paper/search", Params: SearchParams{}, Threads: SearchTile},

	{Name: "paper_find", Module: "paper/find", Params: FindParams{}},
	{Name: "paper_count", Module: "paper/find", Params: KeepParams{}},
	{Name: "paper_keep", Module: "paper/find", Params: KeepParams{}},

	{Name: "paper_count_heads", Module: "paper/steps", Params: HeadParams{}},
	{Name: "paper_place_heads", Module: "paper/steps", Params: HeadParams{}},
	{Name: "paper_decode", Module: "paper/steps", Params: BlockParams{}},
	{Name: "paper_within", Module: "paper/steps", Params: WithinParams{}},
	{Name: "paper_score", Module: "paper/steps", Params: ScoreParams{}},
	{Name: "paper_add", Module: "paper/steps", Params: ScoreParams{}},

	{Name: "paper_maxima", Module: "paper/best", Params: BestParams{}, Threads: 128},
	{Name: "paper_extract", Module: "paper/best", Params: BestParams{}, Threads: Group},

	{Name: "paper_radix_count", Module: "paper/select", Params: RadixParams{}},
	{Name: "paper_radix_scan", Module: "paper/select", Params: RadixParams{}},
	{Name: "paper_radix_place", Module: "paper/select", Params: RadixParams{}},
	{Name: "paper_range", Module: "paper/select", Params: BucketParams{}},
	{Name: "paper_buckets", Module: "paper/select", Params: BucketParams{}},
	{Name: "paper_pick", Module: "paper/select", Params: BucketParams{}, Threads: BucketCount},
	{Name: "paper_selected", Module: "paper/select", Params: BucketParams{}},

	{Name: "paper_prefix", Module: "paper/prefix", Params: PrefixParams{}},
}

func init() {
	if first := kernels.Add(table, code); first != BS {
		panic(fmt.Sprintf("kernels: number %d is taken", BS))
	}
}
