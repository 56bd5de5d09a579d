// Package query answers ranked Boolean queries over a snapshot of an index: conjunctions,
// disjunctions and conjunction-then-disjunction, BM25, top-k.
//
// A Searcher answers queries one at a time in the caller's goroutine; package query/pool spreads
// them over several.
//
// # One answer
//
// Whatever the codec, the algorithm, the number of goroutines or the device, the same snapshot and
// query give the same docIDs with the same float32 scores to the bit in the same order: score
// descending, then docID ascending. Three rules make that so:
//
//   - a posting's score is Score, a fixed sequence of float32 operations;
//   - a document's score is the float32 sum of its postings' scores, terms taken in ascending
//     document frequency over the whole snapshot, equal frequencies by the bytes of the term,
//     starting from the first term that occurs;
//   - a hit is ordered by its key, which is score and docID in one uint64.
//
// DocIDs are global: the first docID of a segment is the number of documents in the segments before
// it, including deleted ones.
//
// # Edge cases
//
//	K 0                    as DefaultK
//	K above the matches    all matches
//	no terms               no hits
//	unknown term           And: no hits; Or and AndOr: ignored
//	a term given q times   counts q times: its weight is multiplied by q
//	a score of zero        still a hit (parameters or rounding can cause it)
//	a deleted document     never a hit; it does not count in df, N and the
//	                       average length, so merges change no score
//	filter                 only documents in it are hits; statistics are unchanged
//	unknown Mode,          ErrInvalid, whatever else the query says
//	unknown Algorithm,
//	negative K
//	context done           the context's error and no hits, never some of them
//
// AndOr (Ding 2009, section 5) gives exactly the result of And if at least K documents hold every
// term, and otherwise exactly the result of Or, which does not favor documents that hold every term
// other than by their scores.
//
// # Inside
//
//	query.go, algorithm.go      queries and their parts
//	searcher.go, parse.go       Searcher: its life, queries in, hits out; text to terms
//	arena.go                    memory for results that is reused
//	passes.go                   one or two passes over the segments; which algorithm runs
//	iterate.go                  Matches and Count: all documents of a query, not scored
//	run.go, list.go, stop.go    the state of an execution, its lists, stopping it early
//	terms.go, termcache.go      looking terms up, in canonical order; lengths.go: lengths of lists
//	terminfo.go                 what is known of a term without its postings
//	prefetch.go                 what is read ahead from an index that is not in memory
//	bm25.go, log.go             parameters, weights, norms, bounds, Score
//	score*.go                   scores of many postings at once
//	topk.go, kth.go, select.go  the best hits and the threshold
//	guess.go                    first thresholds that are likely, not proven
//	tasks.go, internal/exec     executing a query in tasks, for package pool
//	trace.go                    a record of an execution
//
// The algorithms, by the names in Algorithm:
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
package query
