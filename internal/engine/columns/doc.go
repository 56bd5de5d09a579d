// Package columns sorts, groups, counts and scores documents by what columns say of them. It knows nothing of queries: who
// finds documents gives them block by block, in Parts.
//
//	part.go      some documents of a block
//	view.go      reading a column, a block at a time or a document
//	key.go       keys of hits, which compare across segments
//	ranking.go   Ranking: the best hits of all segments
//	sorter.go    Sorter: those of one segment, by its own numbers
//	counter.go   Counter: documents by keyword, range or bucket; counter_blocks.go: in a part
//	breakdown.go Counter for figures and facets within facets: a tree of levels, whose buckets are slots
//	level.go     level: documents by bucket; tally.go: figures of their values by slot; place.go: batches of documents
//	writing.go   a tree as Counts
//	static.go    Static: static scores, and bounds of them
//	ranks.go     Ranks: bounds and the greatest of them, kept in memory
package columns
