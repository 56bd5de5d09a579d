// Package gpuload answers searches of package pinion on NVIDIA GPUs and the CPU together, each on the processor that
// suits it. Hits and scores are those of the CPU to the bit.
//
//	gpu, err := gpuload.Open(gpuload.Options{})
//	defer gpu.Close()
//	index, err := pinion.Open(ctx, dir, pinion.Options{Executor: gpu})
//
// Programs find the driver at run time; they need cgo to be built, and no build tag static. Without a GPU the CPU
// answers: Executor.Ready says why. docs/gpu.md says when a GPU pays, docs/hybrid.md who answers what.
//
//	open.go      Options, Open; Devices; errors
//	executor.go  Executor, which follows the commits of what is searched
//	stats.go     what it did over the snapshot that is searched
//	counts.go    what it did since it was opened
//	metrics.go   metrics, and which processors answer
//	explain.go   how a request would be answered
//	filters.go   bitmaps of documents that pass filters, in device memory
package gpuload
