// Package engine executes the queries of package query, which gives them their types and documents what
// they mean, in one goroutine, or in tasks of package pool. Each package below uses those before it:
//
//	bm25       weights, norms, bounds, Score; scores of many postings at once
//	topk       the best hits and the threshold
//	bitset     sets of documents in a range
//	posting    lists with their cursors and bounds; long lists cached as bitmaps
//	algorithm  Run, the state of an execution within a segment, and what runs over it
//
// This package:
//
//	query.go                queries and modes, as package query hands them over
//	terms.go, resolve.go    what is kept of a term; looking terms up by internal/terms
//	prefetch.go fetch.go    what is read ahead from an index that is not in memory
//	execution.go            the state of a query's execution
//	passes.go               one or two passes over the segments, hits out
//	plan.go                 what would run, as text; testdata/plans has examples that a test checks
//	searcher.go             Searcher: its life
//	iterate.go              all documents of a query, not scored
//	among.go                a conjunction continued from an intermediate result
//	tasks.go                executing queries in tasks: shared.go a query, worker.go who does them
//	blame.go                which list a fault was in
package engine
