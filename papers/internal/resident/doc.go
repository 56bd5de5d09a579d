// Package resident runs the papers' own kernels (papers/kernels) on lists that lie on the
// device as the papers have them: uncompressed, with one search structure beside them, or
// compressed and answered one step a launch.
//
//	memory.go     device memory, copies, launches between events
//	lists.go      uncompressed lists and their search structures (Ao 2011)
//	search.go     batches of conjunctions over them
//	find.go       Parallel Merge Find by levels of recursion (Ding 2009)
//	steps.go      ranked queries over compressed lists, a launch a step
//	best.go       selection of the best by levels of maxima
//	select.go     selection by sorting and by buckets (Griffin 2018)
//	prefix.go     one prefix sum over a list (Ding 2009)
//	merge.go      pairs of compressed lists, merged or searched, with their transfer
package resident
