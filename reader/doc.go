// Package reader opens an index directory and reads posting lists from it.
//
// An Index is an open directory. It gives Snapshots: the index as of one commit,
// unchanged for as long as the snapshot is held, whatever writers do meanwhile.
// A snapshot consists of Segments, each with docIDs of its own from 0; a
// document's global docID is its segment's Base plus its local one. A Cursor
// walks the postings of one term in one segment.
//
// Opening costs the same for every size of index: headers are read and checked,
// contents are mapped and read when they are used. VerifyOnOpen reads and checks
// everything first. Without it, damage shows as an error of kind
// format.ErrCorrupt when it is met, as far as decoding can notice it.
//
// All of it is safe for concurrent use except Cursor and Terms, of which every
// goroutine takes its own.
//
// Methods of Index and Snapshot turn a fault on a mapped file that was truncated
// into an error. Users of Cursor, and of what Segment offers, guard a whole query
// at once with store.ArmFault and store.CatchFault.
package reader
