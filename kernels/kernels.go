// Package kernels holds the CUDA C sources of Pinion's GPU side, the PTX built from
// them, the parameter structs that they share with Go, and an emulator that runs
// the very same sources on the host (build tag emu).
//
//	cuda.h      the CUDA built-ins, real or emulated, and a few helpers
//	params.h    the structs of params.go
//	list.h      device functions over one list extent: decode, locate, score
//	patched.h   device functions over blocks of newpfd and parapfor
//	pfordelta.h device functions over blocks of pfordelta
//	unary.h     device functions over blocks of ef and rice
//	lines.h     device functions over blocks of lrc, lrcseg, seglrc and hslrc
//	decode.h    what the kernels that decode lists share
//	queue.h     device functions for a top-k queue in shared memory
//	decode.cu   whole lists of bp128, bp256, vbyte128 and vbyte1024 to docIDs or frequencies
//	patched.cu  likewise of newpfd, parapfor and pfordelta
//	unary.cu    likewise of ef and rice
//	lines.cu    lists of the linear-regression codecs to docIDs
//	check.cu    validation of lists in device memory; norms of documents
//	presence.h  device functions that say which docIDs a list cannot hold
//	presence.cu what they look at, made from the lists
//	search.h    device functions that look for docIDs in a list
//	conjoin.h   conjunctions, docIDs out
//	element.h   device functions that look docIDs up by single elements
//	rank.h      conjunctions and disjunctions scored, list by list
//	intersect.cu, rank.cu: the two for lists of any codec
//	packed.cu   the two, and accumulate, for lists of bp128 and bp256
//	newpfd.cu   intersect and rank for lists of bp128, bp256 and newpfd
//	merge.h     device functions over decoded lists
//	merge.cu    conjunctions of decoded lists: MergePath and Parallel Merge Find
//	accumulate.h device functions that add scores to accumulators
//	disjunct.cu disjunctions fused with top-k, accumulators in shared memory
//	accumulate.cu: accumulators in device memory, and top-k over them
//	topk.cu     selection of the best keys
//	emu*        the emulator
//
// Every kernel takes one struct by value, so that a launch is a kernel, a grid and
// some bytes. go generate ./kernels rebuilds the PTX; that takes nvcc 11.8
// (install-toolkit.sh), while users need a driver only.
package kernels

//go:generate sh build-ptx.sh

import (
	"embed"
	"fmt"
)

// Kernel names an entry point.
type Kernel uint8

// The kernels, with the struct that each takes.
const (
	CheckLists          Kernel = iota // CheckParams, a thread block a list
	NormsOfLengths                    // NormParams, a thread a document
	DecodeDocsBP128                   // DecodeParams, a thread block a tile
	DecodeDocsBP256                   // DecodeParams, likewise
	DecodeDocsVByte128                // DecodeParams, likewise
	DecodeDocsVByte1024               // DecodeParams, likewise
	DecodeFreqsBP128                  // DecodeParams, as the four for docIDs
	DecodeFreqsBP256
	DecodeFreqsVByte128
	DecodeFreqsVByte1024
	SumDocsBP128     // DecodeParams, as DecodeDocsBP128: fused with a sum, writes eight words a tile
	IntersectDocs    // IntersectParams, a warp a tile
	Rank             // RankParams, a warp a tile
	SumTiles         // GatherParams, a warp a query
	ScanQueries      // GatherParams, one thread block
	GatherDocs       // GatherParams, a warp a tile
	Disjunct         // DisjunctParams, a thread block a range
	SelectBest       // SelectParams, a thread block a query
	DecodeDocsNewPFD // DecodeParams, a warp a tile of at most 32 blocks
	DecodeDocsEF     // DecodeParams, likewise
	DecodeDocsRice
	DecodeDocsPForDelta
	DecodeDocsParaPFor
	DecodeDocsLRC
	DecodeDocsLRCSeg
	DecodeDocsSegLRC
	DecodeDocsHSLRC
	SumDocsNewPFD // DecodeParams, likewise: fused with a sum, writes a word a tile
	SumDocsEF
	SumDocsRice
	SumDocsPForDelta
	SumDocsParaPFor
	SumDocsLRC
	SumDocsLRCSeg
	SumDocsSegLRC
	SumDocsHSLRC
	DecodeFreqsNewPFD // DecodeParams, a warp a tile of at most 32 blocks; of the linear-regression codecs too
	DecodeFreqsParaPFor
	DecodeFreqsPForDelta
	DecodeFreqsEF
	DecodeFreqsRice
	IntersectPacked   // as IntersectDocs, for lists of plain values, bp128 and bp256
	RankPacked        // as Rank, likewise
	SelectWarp        // SelectParams, a warp a query
	SelectMaxima      // SelectParams, a thread block a query: group-wise maxima
	SelectRadix       // SelectParams, a thread block a query: radix select
	SpreadDocs        // DecodeParams, a warp a tile: docIDs of any codec
	MergePath         // MergeParams, a thread block a tile of MergeTile
	MergeFind         // MergeParams, a thread block a tile of FindTile
	CollectHits       // CollectParams, a warp a tile
	MarkDocs          // PresenceParams, Parts thread blocks a job
	PublishPresence   // PresenceParams, a thread a job
	IntersectElements // as IntersectDocs; the linear-regression codecs by single elements
	Accumulate        // AccumulateParams, NParts * Shares thread blocks
	AccumulatePacked  // likewise, for lists of plain values, bp128 and bp256
	CollectScores     // DisjunctParams, a thread block a range
	IntersectNewPFD   // as IntersectDocs, for lists of plain values, bp128, bp256 and newpfd
	RankNewPFD        // as Rank, likewise
	Count             // how many there are
)

var names = [Count]string{"check_lists", "norms_of_lengths", "decode_docs_bp128", "decode_docs_bp256", "decode_docs_vbyte128", "decode_docs_vbyte1024",
	"decode_freqs_bp128", "decode_freqs_bp256", "decode_freqs_vbyte128", "decode_freqs_vbyte1024",
	"sum_docs_bp128", "intersect_docs", "rank", "sum_tiles",
	"scan_queries", "gather_docs", "disjunct", "select_best",
	"decode_docs_newpfd", "decode_docs_ef",
	"decode_docs_rice", "decode_docs_pfordelta", "decode_docs_parapfor", "decode_docs_lrc",
	"decode_docs_lrcseg", "decode_docs_seglrc", "decode_docs_hslrc",
	"sum_docs_newpfd", "sum_docs_ef", "sum_docs_rice", "sum_docs_pfordelta", "sum_docs_parapfor",
	"sum_docs_lrc", "sum_docs_lrcseg", "sum_docs_seglrc", "sum_docs_hslrc",
	"decode_freqs_newpfd", "decode_freqs_parapfor", "decode_freqs_pfordelta", "decode_freqs_ef", "decode_freqs_rice",
	"intersect_packed", "rank_packed", "select_warp", "select_maxima", "select_radix",
	"spread_docs", "merge_path", "merge_find", "collect_hits", "mark_docs", "publish_presence",
	"intersect_elements",
	"accumulate", "accumulate_packed", "collect_scores",
	"intersect_newpfd", "rank_newpfd"}

// modules says which source file holds each kernel.
var modules = [Count]string{"check", "check", "decode", "decode", "decode", "decode", "decode", "decode", "decode", "decode", "decode", "intersect",
	"rank", "intersect", "intersect", "intersect", "disjunct", "topk", "patched", "unary",
	"unary", "patched", "patched", "lines", "lines", "lines", "lines",
	"patched", "unary", "unary", "patched", "patched", "lines", "lines", "lines", "lines",
	"patched", "patched", "patched", "unary", "unary",
	"packed", "packed", "topk", "topk", "topk",
	"merge", "merge", "merge", "merge", "presence", "presence",
	"intersect", "accumulate", "packed", "accumulate",
	"newpfd", "newpfd"}

// String returns the name of the entry point.
func (k Kernel) String() string {
	if k < Count {
		return names[k]
	}
	return fmt.Sprintf("kernel(%d)", uint8(k))
}

// Module returns the name of the PTX module that holds the kernel.
func (k Kernel) Module() string { return modules[k] }

// Threads returns the number of threads of the kernel's thread blocks.
func (k Kernel) Threads() int {
	switch k {
	case ScanQueries:
		return 1024
	case Disjunct:
		return 512
	case SelectWarp:
		return 32
	case SumDocsBP128:
		return 64
	}
	return 256
}

// SharesTile reports whether a thread block of the kernel, which takes DecodeParams, takes
// a tile; else each of its warps does.
func (k Kernel) SharesTile() bool { return k >= DecodeDocsBP128 && k <= SumDocsBP128 }

// TileBlocks returns how many blocks a tile of lists of n postings should have, for the
// kernels that DocsDecoder and FreqsDecoder return; no kernel takes more than TileBlocks(0).
// Where lists are long small tiles are faster, as the kernels have what later tiles read
// brought to L2.
func (k Kernel) TileBlocks(n int) int {
	most := 32
	switch k {
	case SumDocsBP128:
		return 64
	case DecodeDocsVByte1024, DecodeFreqsVByte1024:
		return 16
	case DecodeDocsBP128, DecodeFreqsBP128, DecodeDocsVByte128, DecodeFreqsVByte128:
		most = 256
	case DecodeDocsBP256, DecodeFreqsBP256:
		most = 128
	}
	if k.SharesTile() && n > 1<<22 {
		return most / 4
	}
	return most
}

// DocsDecoder returns the kernel that decodes the docIDs of a codec, by its number in a
// ListDesc, and the kernel that sums them; false where there is none. SumDocs kernels may
// be missing: then sum is Count.
func DocsDecoder(codec uint8) (decode, sum Kernel, ok bool) {
	switch codec {
	case BP128:
		return DecodeDocsBP128, SumDocsBP128, true
	case VByte128:
		return DecodeDocsVByte128, Count, true
	case BP256:
		return DecodeDocsBP256, Count, true
	case VByte1024:
		return DecodeDocsVByte1024, Count, true
	case NewPFD:
		return DecodeDocsNewPFD, SumDocsNewPFD, true
	case EF:
		return DecodeDocsEF, SumDocsEF, true
	case Rice:
		return DecodeDocsRice, SumDocsRice, true
	case PForDelta:
		return DecodeDocsPForDelta, SumDocsPForDelta, true
	case ParaPFor:
		return DecodeDocsParaPFor, SumDocsParaPFor, true
	case LRC:
		return DecodeDocsLRC, SumDocsLRC, true
	case LRCSeg:
		return DecodeDocsLRCSeg, SumDocsLRCSeg, true
	case SegLRC:
		return DecodeDocsSegLRC, SumDocsSegLRC, true
	case HSLRC:
		return DecodeDocsHSLRC, SumDocsHSLRC, true
	}
	return Count, Count, false
}

// FreqsDecoder returns the kernel that decodes the frequencies of a codec; Count where
// there is none.
func FreqsDecoder(codec uint8) Kernel {
	switch codec {
	case BP128:
		return DecodeFreqsBP128
	case VByte128:
		return DecodeFreqsVByte128
	case BP256:
		return DecodeFreqsBP256
	case VByte1024:
		return DecodeFreqsVByte1024
	case NewPFD, LRC, LRCSeg, SegLRC, HSLRC:
		return DecodeFreqsNewPFD
	case ParaPFor:
		return DecodeFreqsParaPFor
	case PForDelta:
		return DecodeFreqsPForDelta
	case EF:
		return DecodeFreqsEF
	case Rice:
		return DecodeFreqsRice
	}
	return Count
}

//go:embed ptx/*.ptx
var ptx embed.FS

// Modules lists the PTX modules.
func Modules() []string {
	return []string{"check", "decode", "patched", "unary", "lines", "disjunct", "intersect", "rank", "packed", "newpfd", "topk", "merge", "presence", "accumulate"}
}

// PTX returns the text of a module for devices of at least compute capability 7.0.
func PTX(module string) (string, error) {
	b, err := ptx.ReadFile("ptx/" + module + ".ptx")
	if err != nil {
		return "", fmt.Errorf("kernels: no module %q: %w", module, err)
	}
	return string(b), nil
}
