// Package kernels contains the CUDA C sources for the GPU, the device code built from
// them, and an emulator that runs the same sources on the host (build tag emu). Package
// internal/kernels has the table of kernels and the parameter structs in Go; internal/gpu launches
// them.
//
// Go files: code.go, the embedded code; emu_cgo.go, the emulator.
//
// Device functions (headers):
//
//	cuda.h      the CUDA built-ins, real or emulated, and a few helpers
//	list.h      one list extent: decode, locate, score
//	values.h    values of packed and byte-oriented payloads
//	patched.h   blocks of newpfd and parapfor
//	pfordelta.h blocks of pfordelta
//	unary.h     blocks of ef and rice
//	lines.h     blocks of lrc, lrcseg, seglrc and hslrc
//	decode.h    shared by the kernels that decode lists
//	queue.h     a top-k queue in shared memory
//	presence.h  a filter that rules out docIDs
//	search.h    searching for docIDs in a list
//	element.h   searching for docIDs by single elements
//	conjoin.h   conjunctions that return docIDs
//	fields.h    norms and scores of documents in fields
//	prune.h     ruling out documents and blocks by bounds on scores
//	rank.h      scored conjunctions and disjunctions, list by list
//	merge.h     intersecting decoded lists
//	check.h     checking lists by decoding them
//	sound.h     the structure of blocks, as decoders on the CPU check it
//	recode.h    writing lists of other codecs in bp128
//	mark.h      making presence words
//	range.h     scored disjunctions, by ranges of documents
//	mma.h       products of tiles of bytes, on tensor cores
//	near.h      parameters of near.cu
//	clauses.h   trees of terms, by ranges of documents; rankclauses.h: list by list
//
// Kernels (one module each):
//
//	lists.cu    checks lists in device memory and publishes what was made of them; computes
//	            norms of documents
//	check.cu, recode.cu, presence.cu: check.h, recode.h and mark.h for lists of any codec
//	decode.cu   decodes whole lists of bp128, bp256, vbyte128 and vbyte1024
//	patched.cu  the same for newpfd, parapfor and pfordelta
//	unary.cu    the same for ef and rice
//	lines.cu    the same for the linear-regression codecs, docIDs only
//	intersect.cu, rank.cu: conjoin.h and rank.h for lists of any codec
//	tiles.cu    cuts the tiles of rank
//	packed.cu   both, check and mark, for lists of bp128 and bp256
//	newpfd.cu   both for lists of bp128, bp256 and newpfd
//	loadpfd.cu  check and recode for the same lists
//	merge.cu    intersects decoded lists: MergePath
//	disjunct.cu, fields.cu: range.h for lists of any codec, and over fields; ranges.cu: for lists of bp128 and bp256
//	clauses.cu  clauses.h and rankclauses.h for lists of bp128 and bp256
//	topk.cu     selects the top k keys
//	impacts.cu  scores dot products over fields of impacts in tiles, and selects
//	near.cu     finds the vectors nearest to queries
//	filters.cu  makes bitmaps of sets of documents and of spans of values, and combines them
//
// Emulator: emu.h (CUDA built-ins for a C++ compiler), emu_sched.h (fibers), emu.cpp
// (the kernels by name).
//
// Every kernel takes one struct by value, so a launch consists of a kernel, a grid size
// and the bytes of the struct. go generate ./kernels rebuilds the code. This requires nvcc
// 11.8 (see install-toolkit.sh); users need only a driver.
package kernels
