// Package bleve moves programs and indexes from bleve, version 2, to Pinion. A Translation says what an
// index mapping becomes: a schema, and a list of what the schema cannot carry. It turns bleve's
// queries into nodes of package query, and copies the stored values of an index.
//
//	old, err := bleve.Open("old.bleve")
//	report, err := frombleve.CopyDir(ctx, old, "new.idx", frombleve.Options{})
//	...
//	t, err := frombleve.TranslateIndex(ctx, old, frombleve.Options{})
//	node, err := t.Query(bleve.NewMatchQuery("no rose"))
//
// (Programs that use both name this package frombleve, say.) A query translated has the matches that it has in
// bleve, as far as the terms of the documents are the same; scores are Pinion's. README.md says where words are
// cut differently.
//
// Analyzers of languages other than English need package analysis/languages in the program.
//
// The files:
//
//	translation.go  Translation, Field, Loss: a mapping becomes a schema
//	walk.go         the fields of a mapping
//	analyzer.go     analyzers by name and by what they consist of
//	survey.go       the fields that dynamic mappings have made
//	query.go        queries become nodes: trees of them
//	leaf.go         ranges, terms, and what stands for terms
//	words.go        matches and phrases
//	copy.go         Copy, CopyDir, Report
package bleve
