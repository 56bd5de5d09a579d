// Package gpu answers queries on a GPU. It keeps hot posting lists in device memory,
// gathers queries into batches and runs each batch in a few kernel
// launches.
//
// OpenDevice opens a GPU, New creates an Executor for a snapshot on it, and the Executor
// answers batches of queries as a search.Searcher does. A Group has an Executor on each of
// several GPUs. Package hybrid makes batches of single queries. ExecuteInto puts results into
// memory that the next call reuses, so that millions of queries a second leave hardly any garbage.
// Queries under filters and with static scores are answered too: what these say of each document stays in device memory beside the lists.
// Executor.Filters makes bitmaps of documents that pass filters and leaves them there.
//
// A list's extent is copied unchanged from the mapped segment. The first time, its checksum
// is verified and a kernel decodes each of its blocks and compares the postings with the
// metadata. A list that does not pass is left to the CPU, so that the device never answers
// where the CPU reports damage. In an index of several segments the lists of a term are
// joined instead: the processor checks each and encodes them as one list, so that a query
// costs what it does on one segment. The device then writes lists of other codecs in bp128,
// unless Options.AsStored is set. Scores are computed with the
// operations of query.Score, in the same order, so results equal those of the CPU to the
// bit.
package gpu

// The files, from the API down. Most use only those below them:
//
//	step.go           Stepper: single queries on two processors; step_run.go: their steps
//	step_select.go    selecting the best of a query on the CPU
//	step_load.go      lists copied behind queries
//	step_plan.go      who begins with a query, and goes on
//	stepper.go        the state of a Stepper
//	step_trace.go     a record of the steps of a query; step_rule.go: their decisions
//	opening.go        Opening: a Group that is being opened, and queries that will come
//	preload.go        Preload: the lists of a query log; LoadAll
//	conjunction.go    conjunctions that return docIDs; merged.go: MergePath, on decoded lists
//	conjoin.go        the state of a Conjunction
//	strategy.go       algorithms for intersection
//	filter_sets.go    the sets of filters; filters.go: filters to bitmaps in device memory
//	group_route.go    which device answers a query
//	resident.go       which lists are there, for predictions of costs
//	group.go          Group: several devices
//	new.go            New and Close; attach.go: the device memory that is taken before any query; follow.go: another snapshot
//	planned.go        Plan: the plan of a query as it is printed
//	within.go         queries under a filter of FilterBits
//	execute.go        Execute: queries in shares, from terms to results
//	asks.go           queries that ask for bitmaps of filters and static scores; spans.go: filters of their own
//	resolve.go        the plans of many queries
//	plan.go           who executes a query, and in which steps
//	run.go            plans to batches, several in flight
//	lay.go            one batch: its lists, and what kernels take
//	ranked.go         batches scored list by list
//	impacts_run.go    batches of Dots
//	nearest_run.go    batches of Nearests; nearest_left.go: what their bounds leave; nearest_plan.go: their plans
//	nearest.go        queries that compare vectors
//	disjunctions.go   disjunctions and trees by ranges of documents, with accumulators in shared memory
//	clauses.go        what a tree of terms matches, as a test of a document's state; driven.go: batches of trees list by list
//	batch.go          what both have in common: terms, descriptors, results
//	ready.go          whether the device answers: starts, failures
//	ties.go           hits with equal scores in an index that keeps an order
//	expected.go       lists of queries that will come
//	terms.go          terms in canonical order, looked up or from a cache
//	executor.go       Executor, and a batch
//	impacts.go        fields of impacts in tiles; vectors.go: fields of vectors; whole.go: both, by segment
//	vectors.go        fields of dense vectors
//	shape.go          how a step is executed, how large plans are on the device, and batches of them
//	modules.go        the kernels that an Executor needs; workers.go: its goroutines; state.go: whether its device works
//	snapshot.go       segments of a snapshot
//	demand.go         which lists of a query log are worth device memory
//	fields.go         the fields of an index with a schema, and how they are scored
//	scarcity.go       whether to load lists or to leave queries to the CPU when memory is full
//	options.go        Options, their checks and defaults
//	plans.go          the plan of a query, and its lists
//	reason.go         why the CPU answers
//	device.go         Device, Info, errors
//
// Below it, package residency keeps lists in device memory, docs what is known of documents, tables
// what queries ask for beside lists, stages the batches in flight, and layout says how memory
// is laid out. Package internal/kernels has the table of kernels, and internal/cuda launches them.
//
// On Linux on amd64 and arm64 every program finds the NVIDIA driver at run time, without
// cgo, unless it is built with the tag static. The build tag cuda calls the driver through
// cgo instead, and emu selects the host emulator, which needs cgo.
