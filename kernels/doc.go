// Package kernels holds the CUDA C sources of the GPU side, the PTX built from them,
// the parameter structs that they share with Go, and an emulator that runs the same
// sources on the host (build tag emu).
//
// Go side:
//
//	table.go    the kernels, one entry each: name, module, parameters, codecs
//	codecs.go   which kernel serves which codec
//	params.go   the structs that kernels take; params.h is the same in C
//	ptx.go      the embedded PTX
//
// Device functions (headers):
//
//	cuda.h      the CUDA built-ins, real or emulated, and a few helpers
//	list.h      one list extent: decode, locate, score
//	patched.h   blocks of newpfd and parapfor
//	pfordelta.h blocks of pfordelta
//	unary.h     blocks of ef and rice
//	lines.h     blocks of lrc, lrcseg, seglrc and hslrc
//	decode.h    what the kernels that decode lists share
//	queue.h     a top-k queue in shared memory
//	presence.h  which docIDs a list cannot hold
//	search.h    finding docIDs in a list
//	element.h   finding docIDs by single elements
//	conjoin.h   conjunctions, docIDs out
//	rank.h      conjunctions and disjunctions scored, list by list
//	merge.h     decoded lists
//	accumulate.h adding scores to accumulators
//
// Kernels (one module each):
//
//	check.cu    validates lists in device memory; computes norms of documents
//	decode.cu   decodes whole lists of bp128, bp256, vbyte128 and vbyte1024
//	patched.cu  likewise of newpfd, parapfor and pfordelta
//	unary.cu    likewise of ef and rice
//	lines.cu    likewise of the linear-regression codecs, docIDs only
//	presence.cu makes presence words
//	intersect.cu, rank.cu: conjoin.h and rank.h for lists of any codec
//	packed.cu   the two, and accumulate, for lists of bp128 and bp256
//	newpfd.cu   the two for lists of bp128, bp256 and newpfd
//	merge.cu    intersects decoded lists: MergePath and Parallel Merge Find
//	disjunct.cu scores disjunctions with accumulators in shared memory, and selects
//	accumulate.cu likewise with accumulators in device memory
//	topk.cu     selects the best keys
//
// Emulator: emu.h (CUDA built-ins for a C++ compiler), emu_sched.h (fibers), emu.cpp
// (the kernels by name), emu_cgo.go.
//
// Every kernel takes one struct by value, so a launch is a kernel, a grid and some
// bytes. go generate ./kernels rebuilds the PTX. That needs nvcc 11.8
// (install-toolkit.sh); users need only a driver.
package kernels
