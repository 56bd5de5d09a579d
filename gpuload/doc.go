// Package gpuload answers queries on a GPU. It keeps hot posting lists in device memory
// in the form that they have on disk, gathers queries into batches and runs each batch
// in a few kernel launches.
//
// OpenDevice opens a GPU, New puts an Executor over a snapshot on it, and the Executor
// answers batches of queries as a query.Searcher does. A Gatherer makes the batches
// from queries that come one by one.
//
// A list's extent is copied as it lies in the mapped segment; its offsets are validated
// in device memory before any kernel follows them. Scores are computed by the operations
// of query.Score in its order, so results equal those of the CPU to the bit.
//
// Inside, from the API down:
//
//	device.go         Device, Info, errors
//	options.go        Options, their checks and defaults
//	executor.go       Executor: New, Execute, Close, Stats
//	gather.go         Gatherer
//	plan.go           which lists of a query log are worth device memory
//	snapshot.go       segments and statistics of a snapshot; LoadAll
//	prepare.go        norms and live documents to the device
//	resolve.go        queries to plans: terms looked up, in canonical order
//	run.go            plans to batches, several under way
//	batch.go          one batch: terms, descriptors, results
//	ranked.go         batches scored list by list
//	disjunctions.go   disjunctions with accumulators in shared memory
//	accumulators.go   disjunctions with accumulators in device memory
//	conjunction.go    conjunctions, docIDs out
//	strategy.go       ways to intersect; merged.go: those that merge decoded lists
//	lists.go          residency: the table of lists
//	load.go           copying and validating lists; load_open.go: opening them
//	evict.go          room in device memory
//	presence.go       presence words of lists
//
// Package internal/layout says how things lie in device memory, kernels what runs there,
// and internal/cuda (at the root) how it is run.
//
// The build tag cuda builds for NVIDIA GPUs and emu for the host emulator; both need cgo.
// A program built with neither has no device: see Built.
package gpuload
