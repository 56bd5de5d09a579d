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
// descending, then docID ascending. Four rules make that so:
//
//   - a posting's score is Score, a fixed sequence of float32 operations, or another for fields with
//     lengths of a byte (format/FORMAT.md, section 8);
//   - a document's score is the float32 sum of its postings' scores, terms taken in ascending
//     document frequency over the whole snapshot, equal frequencies by the name of the field, then by
//     the bytes of the term, starting from the first term that occurs;
//   - nodes of nodes are scored leaf by leaf, in the same order over the whole tree (section 8.1 there);
//     Query.Static is added after all leaves, before constants;
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
//	                       or by the sum of its boosts; in a Node only next to one another
//	a score of zero        still a hit (parameters or rounding can cause it)
//	a deleted document     never a hit; it does not count in df, N and the
//	                       average length, so merges change no score
//	filter                 only documents in it are hits; statistics are unchanged
//	unknown Mode,          ErrInvalid, whatever else the query says
//	unknown Algorithm,
//	negative K, or Total,
//	Sort, Facets or
//	Collapse with AndOr
//	a field without        ErrInvalid
//	column in these or
//	in Static; a Static
//	value below 0
//	a phrase in a field    ErrInvalid, unless it has one word only
//	without positions
//	context done           the context's error and no hits, never some of them
//
// AndOr (Ding 2009, section 5) gives exactly the result of And if at least K documents hold every
// term, and otherwise exactly the result of Or, which does not favor documents that hold every term
// other than by their scores.
//
// # Inside
//
//	query.go, algorithm.go   queries and their parts; errors.go: errors that callers match
//	node.go                  Node: what is searched for, over fields
//	searcher.go              Searcher: its life, queries in, hits out
//	build.go, build_emit.go, build_filter.go, places.go  nodes to words, the tree over them, and filters
//	phrase.go                Phrase, Near; phrase_build.go: to the words of their places; phrase_matching.go: where they
//	                         match in a text
//	parse.go                 text to terms
//	language.go              the query language to nodes; its words: language_word.go, phrases: language_phrase.go,
//	                         values in columns: language_column.go
//	expand.go                Prefix, Wildcard, Regexp, Fuzzy: to the terms they stand for; expansion.go: the nodes
//	bm25.go                  parameters, statistics, Scorer, Score
//	columns.go               sorting, counting and collapsing by columns, and static scores
//	collection.go            Collection: statistics of parts as integers; frequencies.go: those of a query's terms;
//	                         merge.go: what a part is asked, and the answer of all
//	trace.go                 a record of an execution
//	arena.go                 memory for results that is reused
//	internal/engine          what executes queries: terms, lists, algorithms, the best hits
package query
