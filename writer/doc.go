// Package writer turns documents into segments. A Writer holds the lock of one
// index directory; Add, Delete, Flush, Commit and Merge change what the next
// commit will hold, and readers see nothing before Commit.
//
// Documents are gathered into batches in the order in which they arrive. Worker
// goroutines invert batches independently; their results are absorbed in order
// into one accumulator, which is written as a segment when its counted bytes
// near the memory budget. So docIDs follow arrival, and the bytes of the index
// do not depend on the number of threads.
package writer
