// Package algorithm has the algorithms that compute conjunctions and disjunctions within a segment.
//
//	name.go                 the algorithms by name
//	run.go, stop.go         Run: what the algorithms share; stopping early
//	trace.go                a record of an execution
//	guess.go                first thresholds, proven or likely
//	filterset.go, filter.go filters in windows
//	score_matches.go        scores of many postings and of matches
//	dispatch.go             which algorithm runs
//	cut.go                  cutting a pass into ranges, for tasks
//
// The algorithms:
//
//	node.go                      trees of nodes: streams of matches with bounds and scores; Exhaustive
//	window.go, accumulate.go     Scan and RangeMaxScore: windows of documents, adding scores up
//	read.go, probe.go, densely.go  reading lists in windows; probing the longest lists
//	stretch.go, accumulators.go, candidates.go  postings, partial scores and candidates of a window
//	maxscore.go                  MaxScore, BlockMaxMaxScore
//	wand.go                      WAND, BlockMaxWAND
//	filterfirst.go               FilterFirst
//	and.go                       Leapfrog, SmallAdaptive
//	blockand.go, matches.go      BlockMaxAnd: intersecting blocks; their matches
//	continue.go                  And continued from an intermediate result
package algorithm
