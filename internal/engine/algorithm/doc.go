// Package algorithm has the algorithms that compute conjunctions and disjunctions within a segment.
//
//	name.go                 the algorithms by name
//	run.go, stop.go         Run: what the algorithms share; stopping early
//	                        conjunction, disjunction, lookups, stepwise, and summed and matching of a tree, are views of it with an algorithm's methods
//	expr.go                 Expr: what a query of several nodes matches and scores
//	trace.go                a record of an execution
//	guess.go                first thresholds, proven or likely
//	filterset.go, filter.go filters in windows
//	score_matches.go        scores of many postings and of matches
//	static.go               static scores
//	dispatch.go             which algorithm runs
//	cut.go                  cutting a pass into ranges, for tasks
//
// The algorithms:
//
//	tree.go, tree_plan.go        trees of nodes in a segment; the lists that give their candidates
//	tree_guess.go                first thresholds of trees that are likely
//	tree_sum.go, tree_best.go    candidates in windows by what they score at most; those of a best of sums
//	tree_window.go, tree_match.go, tree_score.go  candidates in windows; which match; their scores
//	near.go                      the nearest vectors, and similarities, as leaves of trees
//	dot.go, dot_read.go          dot products, as leaves of trees; reading them in windows
//	phrase.go                    phrases, as leaves of trees; phrase_find.go, phrase_count.go: documents with all words, how often
//	                             these match; phrase_read.go, phrase_match.go: of the whole query or a window
//	read.go                      what reads a list in a window, for all of these
//	window.go, accumulate.go     Exhaustive, Scan and RangeMaxScore: trees of words alone in windows; adding scores up
//	probe.go, densely.go         probing the longest lists
//	stretch.go, accumulators.go, candidates.go  postings, partial scores and candidates of a window
//	maxscore.go                  MaxScore, BlockMaxMaxScore
//	wand.go                      WAND, BlockMaxWAND
//	filterfirst.go               FilterFirst
//	and.go                       Leapfrog, SmallAdaptive
//	blockand.go, matches.go      BlockMaxAnd: intersecting blocks; their matches
//	continue.go                  And continued from an intermediate result
//	matcher.go                   Matcher: all matches, without scores, of lists
//	match_tree.go                of a tree; match_bool.go, match_leaf.go: its parts
//	match_parts.go               ranges of matches, in any order; matches by blocks of columns
package algorithm
