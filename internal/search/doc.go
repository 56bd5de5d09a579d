// Package search answers queries over a snapshot of an index, ranked by BM25, in the caller's goroutine: a Searcher. It makes of
// the nodes of package query what internal/engine executes.
//
// # One answer
//
// The same snapshot and query give the same docIDs with the same float32 scores, to the bit, in the same
// order, whatever the codec, the algorithm, the number of goroutines or the device. The order is by score,
// descending; then, in an index that keeps an order (reader.Snapshot.Order), by the values in it; then by docID,
// ascending. Five rules make that so:
//
//   - a posting's score is Score, a fixed sequence of float32 operations, or another for fields with
//     lengths of a byte (format/FORMAT.md, section 8);
//   - a document's score is the float32 sum of its postings' scores, terms taken in ascending
//     document frequency over the whole snapshot, equal frequencies by the name of the field, then by
//     the bytes of the term, starting from the first term that occurs;
//   - nodes of nodes are scored leaf by leaf, in the same order over the whole tree (section 8.1 there);
//     Query.Static is added after all leaves, before constants, or multiplies the sum of all;
//   - a hit is ordered by its key, which is score and docID in one uint64;
//   - where keys of different segments have the same score, and docIDs do not have the order that the index keeps, the
//     values of both documents decide.
//
// DocIDs are global: the first docID of a segment is the number of documents in the segments before
// it, including deleted ones.
//
// # Edge cases
//
//	K 0                    as DefaultK
//	K above the matches    all matches
//	no terms               no hits
//	unknown term           ModeAnd: no hits; others: ignored
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
//	Collapse with ModeAndOr
//	a field without        ErrInvalid
//	column in these or
//	in Static; a Static
//	value below 0
//	a phrase in a field    ErrInvalid, unless it has one word only
//	without positions
//	context done           the context's error and no hits, never some of them
//
// ModeAndOr (Ding 2009, section 5) gives exactly the result of ModeAnd if at least K documents hold every
// term, and otherwise exactly the result of Or, which does not favor documents that hold every term
// other than by their scores.
package search

// The files, each of which uses only those above it:
//
//	algorithm.go, bm25.go, trace.go  ways to compute a result; statistics, Scorer, Score; a record of an execution
//	parser.go, field.go      the fields of an index and their analyzers, the Scorer of each
//	wants.go, query.go       queries, results and their parts; check.go: what contradicts itself
//	frequencies.go, merge.go  what a part of a collection is asked, and the answer of all
//	columns.go               sorting, counting and collapsing by columns, and static scores
//	stats.go, chosen.go      figures of what is counted, and filters that facets leave out; merge_facets.go: of parts
//	builder.go, part.go      what nodes are built with, and what they are once they are built
//	match_fields.go, places.go, match.go, dot.go, nearest.go  nodes of words, and of vectors; compare.go which vector of a document is the nearest
//	phrase.go, compound.go, phrase_build.go  phrases to the words of their places; phrase_matching.go: where they match in a text
//	expansion.go             Prefix, Wildcard, Regexp, Fuzzy; expanding.go, closest.go, expand.go: to the terms they stand for
//	filter.go, build_filter.go  nodes that only match, as package internal/filter has them
//	build.go                 nodes within nodes
//	build_emit.go, build_plain.go  what is built, and queries in fewer steps, as the engine executes them
//	parse.go, dot_words.go   queries to the terms they search for
//	options.go, collection.go  what a Searcher is configured with
//	arena.go                 memory for results that is reused
//	searcher.go              Searcher: its life, queries in, hits out; suggest.go, language.go, words.go: what else it knows
//	internal/engine          what executes queries: terms, lists, algorithms, the best hits
