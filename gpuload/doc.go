// Package gpuload answers queries on a GPU: it keeps hot posting lists in device
// memory in the very form that they have on disk, gathers queries into batches and
// runs each batch in a few kernel launches.
//
// Layers, from below:
//
//	Device    memory, copies and launches; Cuda (tag cuda) and Emulator (tag emu)
//	Arena     device memory in ranges of 64 bytes
//	Lists     residency: which lists are on the device, loading, eviction
//	Executor  batches; implements query.Executor
//
// A list's extent is copied as it lies in the mapped segment; its offsets are
// validated in device memory before any kernel follows them. Scores are computed
// by the operations of query.Score in its order, so results are those of the CPU
// to the bit.
package gpuload
