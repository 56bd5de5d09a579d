// Package reader opens an index directory and reads posting lists from it.
//
// An Index is an open directory. It provides Snapshots: the index as of one commit,
// which does not change while the snapshot is open. A snapshot consists of Segments,
// each with local docIDs that start at 0; a document's global docID is its segment's
// Base plus its local docID. Postings reads a whole posting list; a Cursor can skip
// in one.
//
// Opening takes the same time whatever the size of the index: headers are read and
// checked; contents are mapped, and read when they are used. Each page is then compared
// with its checksum, once, and damage is an error of kind format.ErrCorrupt;
// Snapshot.Verify reads and checks everything. A mapped file that is truncated or cannot be read also gives that
// error instead of crashing the process. From an index that is not in memory
// Snapshot.Prefetch reads the ids and texts of many documents at once; package query
// does so for the lists of a query. Reads on demand end with the context of the
// query, or that of Snapshot.WithContext.
//
// All types are safe for concurrent use, Close included, except Cursor and Terms,
// which belong to one goroutine at a time. Closing again does nothing. Calls after
// Close return an error that matches ErrClosed. Close of a Snapshot does not wait
// for calls under way: its files stay in memory until the last of them has
// returned and the last Cursor is closed.
package reader

// Inside:
//
//	index.go, view.go       Index: open, refresh, files that snapshots share
//	snapshot.go, stats.go   Snapshot: documents by global docID, counts
//	segment.go, deletes.go  Segment: documents by local docID, what is deleted
//	field.go                fields of a schema, in a segment and in a snapshot
//	column.go, order.go     values in columns; by what documents are sorted
//	livedf.go               document frequencies without deleted documents
//	terms.go                dictionary: lookup, walks over several segments
//	postings.go             whole lists, many blocks at a time
//	cursor.go, seek.go      Cursor: walking and skipping, block by block
//	source.go, remote.go    indexes read through an io.ReaderAt
//	flight.go, cache.go     what of them is on its way, and what is kept
//	meter.go                what tasks read through it, counted and bounded
//	closed.go, leak.go      what is in use, use after Close, what is never closed
