// Package hybrid answers queries on the CPU and the GPU as one engine: each query on the
// processor that suits it, both at the same time (Ding 2009, section 9).
//
// An Executor stands over a pool.Pool and an executor on a GPU. A Model predicts from the
// lengths, bounds and codecs of a query's lists what the query costs on either.
//
// While the Pool is not behind, queries that come one by one (Submit) go to its workers, which
// weigh them and keep those that the GPU is not expected to answer sooner. The others wait in three
// queues: those that suit the CPU, that suit the GPU, and that suit either. An idle processor takes
// from its own queue, then the oldest query of the third, then steals from the other processor
// where that gains time. A query near its deadline goes first. Many, and queries that come together
// (Execute), are one stock: the GPU takes the oldest, and the CPU, on cores that the work for the GPU
// leaves idle, those that the GPU saves least on, or those near their deadline.
//
// Answers are those of the CPU to the bit, whatever was decided.
//
//	executor.go   Executor: queries in, answers out
//	calls.go      Search and Execute; alone.go: a query that finds no other
//	bypass.go     queries that bypass the queues; weighing.go: which of them are weighed, and how that corrects
//	              the model; overload.go: when cores have to catch up
//	intake.go     queries on their way into the queues or the stock; spares.go: their memory
//	bulk.go       many queries at once: goroutines for both processors; call.go: one group
//	stock.go      which of them a processor takes next; stock_known.go: what it knows of both, and
//	              how many cores others take; contest.go: whether more cores help
//	lane.go       batches for the GPU; what happens when it fails or hangs; copies.go: what it is asked, and answers
//	options.go    Options, modes, errors
//	stats.go      what the scheduler did
//	open.go       Open: pool, device and Executor in one call, the device in the background
//	policy.go     the scheduler as a state machine without a clock
//	take.go       which queries a processor takes next; pace.go: corrected predictions; use.go: how
//	              much the GPU is used
//	queue.go      the queues
//	model.go      Model: predicted costs; key.go: where one holds and where it is kept
//	features.go   what a Model knows of a query
//	simulate.go   the same scheduler over recorded costs; simulate_world.go: cores, host work and device;
//	              simulate_stock.go: calls of the stock; simulate_bypass.go: queries that bypass the queues; oracle.go: the best
//	              in hindsight
package hybrid
