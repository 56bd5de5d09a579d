// Package schema says what the documents of an index consist of: fields by name, each with
// a kind of value, an analyzer, and what is indexed and stored of it. A Schema is plain
// data with a form in JSON (Parse, MarshalJSON). Every index has one, which the writer keeps in it: if it is given none, the
// Implicit schema, one field of text.
//
// The fields of an index are fixed once it has them. Add, Rename and Drop make the schema
// of what is allowed later, and Adopt says whether one schema may follow another.
//
// A Value is what a document has in one field.
package schema

// The files:
//
//	schema.go   Schema, Field, and what Check refuses
//	names.go    Kind, Index, Lengths and Unit with their names
//	change.go   Add, Rename, Drop, Extends, Follows, Adopt
//	json.go     the form in JSON
//	value.go    Value, and which values a field takes
//	key.go      values as the numbers of columns, and as bits; what a kind of numbers is, is in internal/kind
