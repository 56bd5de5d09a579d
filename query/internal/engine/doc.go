// Package engine executes the queries of package query, which gives them their types and documents what
// they mean, in one goroutine, or in tasks of package pool.
//
//	query.go                    queries and modes, as package query hands them over
//	searcher.go                 Searcher: its life, queries in, hits out
//	passes.go                   one or two passes over the segments; which algorithm runs
//	iterate.go                  all documents of a query, not scored
//	run.go, list.go, stop.go    the state of an execution, its lists, stopping it early
//	terms.go, termcache.go      looking terms up, in canonical order; lengths.go: lengths of lists
//	terminfo.go                 what is known of a term without its postings
//	prefetch.go                 what is read ahead from an index that is not in memory
//	bm25.go, log.go             weights, norms, bounds, Score
//	score*.go                   scores of many postings at once
//	topk.go, kth.go, select.go  the best hits and the threshold
//	guess.go                    first thresholds that are likely, not proven
//	tasks.go                    executing a query in tasks
//	blame.go                    which list a fault was in
//	trace.go                    a record of an execution
//
// The algorithms:
//
//	exhaustive.go               Exhaustive
//	window.go, stretch.go,      Scan and RangeMaxScore: windows of documents, reading lists in
//	accumulate.go               them, adding scores up
//	candidates.go, probe.go     RangeMaxScore: candidates of a window, probing the longest lists
//	maxscore.go                 MaxScore, BlockMaxMaxScore
//	wand.go                     WAND, BlockMaxWAND
//	filter.go, filterfirst.go   filters in windows; FilterFirst
//	and.go                      Leapfrog, SmallAdaptive
//	blockand.go, matches.go     BlockMaxAnd: intersecting blocks, scoring the matches
//	among.go                    And continued from an intermediate result
//	bitmap*.go                  sets of documents in a range, for windows and BlockMaxAnd
//	dense.go                    long lists cached as bitmaps, for RangeMaxScore and BlockMaxAnd
package engine
