// Package writer turns documents into segments. A Writer holds the lock of one
// index directory. Add, Delete, Flush and Merge prepare the next commit;
// readers see nothing of it before Commit, or before Publish if they are in this
// process and ask for it.
//
// Documents come in by themselves (Add, Apply), as posting lists (AddInverted), or as segments of other indexes (AddFrom, Adopt).
// Merge, MergeFrom and MergeInto make fewer segments of more, also with documents in another order.
//
// Documents are gathered into batches in the order in which they are added. Worker
// goroutines invert batches independently. Their results are absorbed in order into
// one accumulator, which is written as a segment when its size reaches its share of
// the memory budget. DocIDs therefore follow the order of Add, and the bytes of the
// index do not depend on the number of threads.
//
// After each commit and publication a MergePolicy decides which neighboring segments are
// merged in the background. The plan depends on the sequence of these calls alone. A merge
// that is done replaces its inputs by a commit of its own, or by a publication if they are
// not committed; commits and readers do not wait for it.
package writer

// Inside:
//
//	writer.go, options.go    Writer: open, Add, Delete, Flush, Publish, Commit, Close; memory
//	fields.go                documents with values of a schema's fields
//	analyzer.go              which analyzer an index has, and whether another is the same
//	large.go                 documents that are larger than a batch may be
//	pipeline.go              batches, workers, absorbing their results
//	segments.go              the segments of the next commit, and how one is written
//	replace.go               documents that are deleted or replaced in older segments
//	where.go                 DeleteWhere: documents that pass a filter
//	inverted.go              AddInverted: collections of existing posting lists
//	inverted_field.go        those of fields of a schema
//	inverted_tally.go        their frequencies against the lengths of documents
//	inverted_columns.go      columns of their documents
//	policy.go, merge.go, blame.go, mergefrom.go, addfrom.go, backup.go
//	                         merges that were asked for, also from other indexes
//	tiered.go, plans.go, background.go, limiter.go
//	                         merges in the background: policy, plans, running and
//	                         installing them, their rate
//	reorder.go               merges with documents in another order
//	order.go                 OrderField: documents sorted by a column
//	internal/invert          documents to posting lists in memory to a segment
//	internal/merge           several segments to one
//	internal/reorder         segments to one in another order
//	internal/lists           walking dictionaries together, rewriting lists
//	internal/ordered         jobs on several goroutines, results in order
