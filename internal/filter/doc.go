// Package filter finds the documents of an index that are meant by what they have in columns: for searches, for deletes, and
// on the command line. Nodes of package query become its filters; query.In says what passes, and query.ParseFilter describes
// the language.
//
// Values of a filter are rounded as those of documents are: a time in a field of seconds begins its second. -0 is 0.
//
//	filter.go   the filters
//	parse.go    text to filters; scan.go: its words and values
//	print.go    filters to text
//	compile.go  filters checked against a schema, simplified, and their keys
//	eval.go     the documents of a segment that pass; cache.go keeps them
package filter
