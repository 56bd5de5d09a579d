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

// Node is what is searched for: a Match, Term, All or Any.
type Node = query.Node

// Match is text to search for.
type Match = query.Match

// Term is a term of the dictionary to search for.
type Term = query.Term

// All is matched by the documents that match all of its nodes.
type All = query.All

// Any is matched by the documents that match one of its nodes.
type Any = query.Any

// Schema describes the documents of an index.
type Schema = schema.Schema

// Field describes one field of a Schema.
type Field = schema.Field

// Value is what a document has in one field.
type Value = schema.Value

// Doc is a document to add: its id and what it has in the fields of the schema. Text returns
// that for an index without a schema.
type Doc = writer.Doc
