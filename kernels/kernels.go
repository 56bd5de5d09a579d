// Package kernels holds the CUDA C sources of Pinion's GPU side, the PTX built from
// them, the parameter structs that they share with Go, and an emulator that runs
// the very same sources on the host (build tag emu).
//
//	cuda.h      the CUDA built-ins, real or emulated, and a few helpers
//	params.h    the structs of params.go
//	list.h      device functions over one list extent: decode, locate, score
//	dense.h     device functions over blocks of newpfd and ef
//	queue.h     device functions for a top-k queue in shared memory
//	decode.cu   whole lists to docIDs or frequencies
//	check.cu    validation of lists in device memory; norms of documents
//	search.h    device functions that look for docIDs in a list
//	intersect.cu conjunctions, docIDs out
//	rank.cu     conjunctions and disjunctions scored, list by list
//	disjunct.cu disjunctions fused with top-k
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
	CheckLists         Kernel = iota // CheckParams, a thread block a list
	NormsOfLengths                   // NormParams, a thread a document
	DecodeDocsBP128                  // DecodeParams, a thread block a tile of at most 256 blocks
	DecodeDocsVByte128               // DecodeParams, as DecodeDocsBP128
	DecodeDocsPacked                 // DecodeParams, a warp a tile of at most 32 blocks: bp128 and bp256
	DecodeDocsBytes                  // DecodeParams, likewise: vbyte128 and vbyte1024
	DecodeFreqs                      // DecodeParams, likewise: frequencies of any codec
	SumDocsBP128                     // DecodeParams, as DecodeDocsBP128: fused with a sum, writes eight words a tile
	IntersectDocs                    // IntersectParams, a warp a tile
	Rank                             // RankParams, a warp a tile
	SumTiles                         // GatherParams, a warp a query
	ScanQueries                      // GatherParams, one thread block
	GatherDocs                       // GatherParams, a warp a tile
	Disjunct                         // DisjunctParams, a thread block a range
	SelectBest                       // SelectParams, a thread block a query
	DecodeDocsNewPFD                 // DecodeParams, a warp a tile of at most 32 blocks
	DecodeDocsEF                     // DecodeParams, likewise
	Count                            // how many there are
)

var names = [Count]string{"check_lists", "norms_of_lengths", "decode_docs_bp128", "decode_docs_vbyte128", "decode_docs_packed",
	"decode_docs_bytes", "decode_freqs", "sum_docs_bp128", "intersect_docs", "rank", "sum_tiles",
	"scan_queries", "gather_docs", "disjunct", "select_best",
	"decode_docs_newpfd", "decode_docs_ef"}

// modules says which source file holds each kernel.
var modules = [Count]string{"check", "check", "decode", "decode", "decode", "decode", "decode", "decode", "intersect",
	"rank", "intersect", "intersect", "intersect", "disjunct", "topk", "decode", "decode"}

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
	}
	return 256
}

//go:embed ptx/*.ptx
var ptx embed.FS

// Modules lists the PTX modules.
func Modules() []string { return []string{"check", "decode", "disjunct", "intersect", "rank", "topk"} }

// PTX returns the text of a module for devices of at least compute capability 7.0.
func PTX(module string) (string, error) {
	b, err := ptx.ReadFile("ptx/" + module + ".ptx")
	if err != nil {
		return "", fmt.Errorf("kernels: no module %q: %w", module, err)
	}
	return string(b), nil
}
