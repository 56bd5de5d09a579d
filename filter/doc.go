// Package filter says which documents of an index are meant, by what they have in columns: for searches, for deletes,
// and on the command line. A filter does not score.
//
// # Values
//
// A document may have no value in a field, one, or several. In, Range and Exists are passed by a document if at least
// one of its values is meant, so that one without a value passes none of them, and passes their Not.
//
// Values of a filter are rounded as those of documents are: a time in a field of seconds begins its second. -0 is 0.
//
// # The language
//
// Parse reads a filter from text, and String writes it:
//
//	level = error            level != error
//	level in (error, warn)   one of these values
//	price 10..20             from 10 to 20
//	price 10..<20            below 20; 10<..20: above 10
//	ts >= 2026-01-01         also >, <, <=; the day begins at 0 o'clock UTC
//	ts < 2026-01-01T12:30Z   or to the second, or beyond; in a field of seconds, milliseconds or
//	                         microseconds a number of five digits or more counts them since 1970
//	exists(price)            there is a value
//	ids(a, "b c")            the documents with these ids
//	a and b, a or b, not a   with brackets; not comes before and, which comes before or
//	*                        all documents
//
// A value or name with other characters than letters, digits and +-_.:/@ stands in double quotes, where \ works as in
// Go. Docs/filters.md has the grammar.
//
// # Inside
//
//	filter.go   the filters
//	parse.go    text to filters; scan.go: its words and values
//	print.go    filters to text
//	compile.go  filters checked against a schema, simplified, and their keys
//	eval.go     the documents of a segment that pass; cache.go keeps them
package filter
