// Package writer turns documents into segments. A Writer holds the lock of one
// index directory; Add, Delete, Flush, Commit and Merge change what the next
// commit will hold, and readers see nothing before Commit.
//
// Documents are gathered into batches in the order in which they arrive. Worker
// goroutines invert batches independently; their results are absorbed in order
// into one accumulator, which is written as a segment when its counted bytes
// near the memory budget. DocIDs therefore follow arrival, and the bytes of the index
// do not depend on the number of threads.
//
// Inside:
//
//	writer.go, options.go    Writer: open, Add, Delete, Flush, Commit, Close; memory
//	pipeline.go              batches, workers, and who absorbs their results
//	segments.go              the segments of the next commit, and how one is written
//	replace.go               documents that are deleted or replaced in older segments
//	inverted.go              AddInverted: collections of ready-made posting lists
//	policy.go, merge.go, mergefrom.go
//	                         which segments are merged, also from other indexes
//	reorder.go               Reorder: docIDs in another order
//	internal/invert          documents to posting lists in memory to a segment
//	internal/merge           several segments to one
//	internal/reorder         one segment to another order
//	internal/lists           walking dictionaries together, writing lists anew
//	internal/ordered         jobs on several goroutines, results in order
package writer
