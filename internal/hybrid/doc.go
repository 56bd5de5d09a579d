// Package hybrid answers queries on the CPU and the GPU as one engine (Ding 2009, section 9).
//
// An Executor stands over a pool.Pool and an executor on a GPU. Queries that come one by one (Submit) are of three
// classes: the cores' alone, the GPU's, which answers them sooner than a core would, and either's. The cores answer
// while they keep up; then the GPU answers all, until they could do so again. Queries that come together (Execute)
// are one stock, from which both take. What a query costs is learned from those answered. A GPU that is absent, that
// is being opened, fails or hangs answers nothing; one that has too little memory is slow, and gets nothing or little.
//
// Answers are those of the CPU to the bit, whatever was decided.
//
//	executor.go  Executor: Submit, Stats, Close; gate.go: room for queries, and their numbers
//	job.go       a submitted query: on a core, or in a backlog
//	search.go    Search and Execute; alone.go, steps.go: a query that finds no other
//	total.go     totals of the matches, which the CPU counts
//	group.go     many queries of Execute: the stock, and who takes from it
//	lane.go      batches for the GPU; what happens when it fails or hangs; copies.go: what it is asked, and answers; leave.go: what it leaves
//	load.go      who answers submitted queries
//	cost.go      what a query costs either processor, and how many the GPU answers
//	backlog.go   queries that wait; spares.go: their memory
//	options.go   Options, modes, errors
//	stats.go     what the scheduler did
//	open.go      Open: pool, device and Executor in one call, the device in the background; follow.go: another snapshot
package hybrid
