// Package engine executes the queries of package query, which gives them their types and documents what
// they mean, in one goroutine, or in tasks of package pool. Each package below uses those before it:
//
//	bm25       weights, norms, bounds, Score; scores of many postings at once
//	topk       the best hits and the threshold
//	bitset     sets of documents in a range
//	phrase     the matches of a phrase, by positions alone
//	posting    lists with their cursors, bounds and positions; long lists cached as bitmaps
//	near       the nearest vectors over several segments, and what documents score by them
//	columns    documents sorted, counted and collapsed by what columns have
//	algorithm  Run, the state of an execution within a segment, and what runs over it
//
// This package:
//
//	query.go                queries and modes, as package query hands them over
//	terms.go, resolve.go    what is kept of a term; looking terms up by internal/terms
//	prefetch.go fetch.go    what is read ahead from an index that is not in memory
//	execution.go            the state of a query's execution
//	steps.go                the plan: what is done over all segments, one after the other
//	passes.go               a pass over the segments, hits out
//	ties.go                 hits with equal scores, in the order that the index keeps
//	plan.go                 what would run, as text; testdata/plans has examples that a test checks
//	searcher.go             Searcher: its life
//	iterate.go count.go     all documents of a query, not scored; how many
//	among.go                a conjunction continued from an intermediate result
//	ids.go                  external ids in a tree to documents
//	near.go                 the nearest vectors, found before anything else; near_work.go: on several goroutines
//	compare.go              which vector of a document is the nearest
//	columnar.go             what queries want of columns: sort.go, facets.go, chosen.go, collapse.go
//	tasks.go                executing queries in tasks: shared.go a query, worker.go who does them
//	shared_columns.go       the same of what queries want of columns
//	blame.go                which list a fault was in
package engine
