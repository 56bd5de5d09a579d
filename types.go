package pinion

import (
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/search"
	"github.com/pinion-index/pinion/writer"
)

// Request asks for a page of hits.
type Request = search.Request

// After is the last hit of the page before, in a Request.
type After = search.After

// Snippet asks for a passage of each hit, in a Request.
type Snippet = search.Snippet

// Page is the answer to a Request.
type Page = search.Page

// Hit is one document of a Page.
type Hit = search.Hit

// Span is a word of the query in the text of a Hit.
type Span = search.Span

// Node is what is searched for: a Match, Term, Prefix, Wildcard, Regexp, Fuzzy, Dot, Bool, Best, Const or All. ParseText
// of package query makes one of what people type.
type Node = query.Node

// Match is text to search for.
type Match = query.Match

// Term is a term of the dictionary to search for.
type Term = query.Term

// Prefix is matched by the documents that have a term that begins with a prefix.
type Prefix = query.Prefix

// Wildcard is matched by the documents that have a term that a pattern matches.
type Wildcard = query.Wildcard

// Regexp is matched by the documents that have a term that a regular expression matches.
type Regexp = query.Regexp

// Fuzzy is matched by the documents that have a term that a few edits make of a word.
type Fuzzy = query.Fuzzy

// Dot is a sparse vector to search for in a field of impacts: it scores the dot product.
type Dot = query.Dot

// WeightedTerm is a term of a Dot.
type WeightedTerm = query.WeightedTerm

// Impact is a term of a value of schema.ImpactsValue, with its weight.
type Impact = schema.Impact

// Bool is matched by the documents that match what it says of other nodes.
type Bool = query.Bool

// Best is matched by the documents that match one of its nodes, of which the best score counts.
type Best = query.Best

// Const is matched by the documents that match its node, all with the same score.
type Const = query.Const

// All is matched by all documents.
type All = query.All

// Filter restricts the documents that match a Bool: a Where, IDs or Bitmap, or what package filter has.
type Filter = query.Filter

// Where is passed by the documents that match its node.
type Where = query.Where

// IDs is passed by the documents with its ids.
type IDs = query.IDs

// Bitmap is passed by the documents with its docIDs.
type Bitmap = query.Bitmap

// Schema describes the documents of an index.
type Schema = schema.Schema

// Field describes one field of a Schema.
type Field = schema.Field

// Value is what a document has in one field.
type Value = schema.Value

// Doc is a document to add: its id and what it has in the fields of the schema. Text returns
// that for an index without a schema.
type Doc = writer.Doc
