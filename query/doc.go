// Package query answers ranked Boolean queries over a snapshot of an index:
// conjunctions, disjunctions and conjunction-then-disjunction, BM25, top-k.
//
// One answer. Whatever the codec, the algorithm, the number of goroutines or the
// device, the same snapshot and query give the same docIDs with the same float32
// scores to the bit in the same order: score descending, then docID ascending.
// Three rules make that so:
//
//   - a posting's score is Score, a fixed sequence of float32 operations;
//   - a document's score is the float32 sum of its postings' scores, terms taken
//     in ascending document frequency over the whole snapshot, equal frequencies
//     by the bytes of the term, starting from the first term that occurs;
//   - a hit is ordered by its key, in which score and docID are one uint64.
//
// DocIDs are global: the first docID of a segment is the number of documents in
// the segments before it, deleted ones counted.
//
// What the corner cases mean:
//
//	k = 0                  no hits, no error; nothing is read
//	k above the matches    all matches
//	empty query            no hits
//	unknown term           And: no hits; Or: it is ignored; AndOr: as Or
//	a term given q times   counts q times: its weight is multiplied by q
//	a score of zero        still a hit (a parameter or a rounding can make it so)
//	a deleted document     never a hit; its postings count in df, N and the
//	                       average length until a merge drops it
//	filter                 only documents in it are hits; statistics are unchanged
//	context done           the context's error and no hits, never a part of them
//
// AndOr (Ding 2009, section 5) is exactly And's result where at least k
// documents hold every term, and otherwise exactly Or's result, in which
// documents that hold every term have no precedence beyond their score.
package query
