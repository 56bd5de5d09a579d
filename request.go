package pinion

import (
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Request asks for a page of hits. The zero value of each part but Query asks for nothing more.
type Request struct {
	// Query is what is searched for. It may be nil beside a Filter, whose documents then have the score 0.
	Query query.Node
	// Fuse, unless nil, ranks by several queries in place of Query, which is nil then.
	Fuse *Fuse
	// Rescore, unless nil, puts the best hits in another order.
	Rescore *Rescore
	// Typos gives each query.Match of Query, Fuse and Rescore its Typos: a word of five characters or more, unless many documents have
	// it, also finds those with a slip behind its first character, behind the hits of the word as it is typed.
	Typos bool
	// Filter, unless nil, restricts hits, Total and Facets to the documents that match it. It does not score.
	Filter query.Node
	// Synonyms, unless nil, are searched for with the words of each query.Match, in Query, Fuse, Rescore and Filter, as query.Synonyms.Rewrite
	// says. Another request may have another set.
	Synonyms *query.Synonyms
	// Limit is the maximum number of hits; 0 means query.DefaultK.
	Limit int
	// Offset is how many hits are left out before the first. Each costs as much as one that is shown: After goes on without.
	Offset int
	// After, unless nil, is the last hit of the page before this one. It goes without Offset.
	After *After
	// Sort, unless empty, are the fields by whose values hits are sorted, the first one first, instead of by their scores, which
	// are 0 then. Scores may be one of them. There are at most query.MaxSort.
	Sort []Sort
	// Collapse, unless "", is a field with a column: of hits with the same value in it only the best is shown.
	Collapse string
	// Group, unless nil, asks for Hit.Group. It goes with Collapse.
	Group *Group
	// Static, unless nil, adds to the scores of hits what a column says, or multiplies them by it.
	Static *Static
	// K1 and B, where they are not 0, are the parameters of BM25 in place of those of the schema, in all fields: how much it counts
	// that a word is there several times, up to 1e6, and that a text is long, up to 1. query.Zero means 0. Weights of fields are
	// those of query.Match.Fields.
	K1, B float64
	// Scorer, unless "", is the formula of scores in place of BM25, as query.Params has them. The CPU answers then.
	Scorer string
	// Total asks for the number of all documents that match, which costs as much again as a search, or less.
	Total bool
	// Facets, up to query.MaxFacets, ask for Page.Facets. With them there is a total.
	Facets []Facet
	// Fields name the fields whose values are shown: stored ones, in the order of the document, and
	// those only in columns, ascending. The field of the implicit schema is "text".
	Fields []string
	// Snippet, unless nil, asks for passages of each hit.
	Snippet *Snippet
	// Nearest asks for Hit.Nearest.
	Nearest bool
}

// withTypos returns r with Typos in its nodes.
func (r *Request) withTypos() *Request {
	if !r.Typos {
		return r
	}
	own := *r
	own.Typos = false
	for _, n := range own.own() {
		if n != &own.Filter && *n != nil {
			*n = query.WithTypos(*n)
		}
	}
	return &own
}

// Node returns what documents must match: Query, which scores, or that of one list of Fuse, and Filter.
func (r *Request) Node() query.Node {
	r = r.withTypos()
	switch {
	case r.Fuse != nil:
		return node(r.Fuse.queries(), r.Filter)
	case r.Filter == nil:
		return r.Query
	case r.Query == nil:
		return query.Bool{Filter: []query.Node{r.Filter}}
	}
	return query.Bool{Must: []query.Node{r.Query}, Filter: []query.Node{r.Filter}}
}

// Rewritten returns the request that r is with the synonyms in its nodes, and no Synonyms: what an index with a schema is searched for. Those
// who count, or ask the parts of a collection, begin with it. The error is one of query.Synonyms.Rewrite.
func (r *Request) Rewritten(s *schema.Schema) (Request, error) {
	if r.Synonyms == nil {
		return *r, nil
	}
	to := *r.withTypos()
	to.Synonyms = nil
	for _, n := range to.own() {
		var err error
		if *n, err = r.Synonyms.Rewrite(s, *n); err != nil {
			return to, err
		}
	}
	return to, nil
}

// Snippet says which passages of texts are wanted.
type Snippet struct {
	// Field is the stored field of text that passages are from. By default it is any that the query searches. Of all
	// texts of the document in it, passages are from the one where the words of the query that stand close enough to
	// be in one weigh most, each counted once; of several such texts, from the longest.
	Field string
	// Fields, in place of Field, are several such fields: passages of each are shown, in this order.
	Fields []string
	// Count is the greatest number of passages of a field; 0 means 1. Those after the best do not overlap it and have words of the query. They are
	// shown in the order of the text.
	Count int
	// Length is the greatest number of characters (Unicode code points) of a passage; 0 means DefaultSnippetLength.
	Length int
	// Tag is the element around words of the query in HTML; "" means mark.
	Tag string
}

// DefaultSnippetLength is the length in characters of a passage whose Snippet does not say it.
const DefaultSnippetLength = 200

// Page is the answer to a Request, the best hit first.
type Page struct {
	Hits []Hit
	// Total is how many documents match, on this page and all others; 0 unless Request.Total is set.
	Total uint64
	// Facets are the counts of all documents that match, for each element of Request.Facets.
	Facets []FacetCounts
	// Limited are the nodes of the query that stand for more terms than may score each.
	Limited []query.Limited
	// Approximate says that nearer documents may be missing: a query.Nearest with Probe has left vectors out, or what is
	// compared are codes, in a field of schema.Int8 (NearestVector.Error has what their scores are off).
	Approximate bool
	more        bool
	order       []schema.Value // After.Order of the last hit
}

// Next returns what the next page begins after, or nil if this page has fewer hits than it may
// have, so that there is no other.
func (p *Page) Next() *After {
	if !p.more || len(p.Hits) == 0 {
		return nil
	}
	h := &p.Hits[len(p.Hits)-1]
	return &After{Score: h.Score, ID: h.ID, Sort: h.Sort, Order: p.order}
}

// Hit is one document of a Page.
type Hit struct {
	Doc   uint32 // global docID
	ID    string // external id
	Score float32
	// Sort are the values by which the hit is sorted, one for each element of Request.Sort: the
	// zero Value if it has none, and a float that is Score where scores are what it is sorted by.
	Sort []schema.Value
	// Values are those that the document has in the fields of the request, field after
	// field as the request names them. They have the names of their fields: Value and All find them by name.
	Values []schema.Value
	// Passages are what Request.Snippet asks for, field after field.
	Passages []Passage
	// Nearest say, if Request.Nearest asks for it, which vectors of the document were the nearest: one for each query.Nearest and
	// query.Similarity in Query or Fuse, in their order, in whose field the document has vectors.
	Nearest []NearestVector
	// Lists say what each list of Request.Fuse has of the hit.
	Lists []ListHit
	// Rescored is what the query of Request.Rescore scores, which is in Score times its weight.
	Rescored float32
	// Group is what Request.Group asks for.
	Group *GroupHits
}

// NearestVector is the vector of a document that is nearest to that of a query.
type NearestVector struct {
	Field string
	// Number is which of the document's vectors in the field it is, from 0, in the order in which they were added: that of the parts of
	// texts, if Options.Embed has made them. Of equally near ones it is the first.
	Number int
	// Score is what it scores without boosts: what the similarity of the field says (format/FORMAT.md, section 8.4).
	Score float32
	// Error is how far Score is from that of the vector as it was added, at most, in a field of schema.Int8. It is 0 in others.
	Error float32
}

// Span is a range of bytes from Start up to but not including End.
type Span struct{ Start, End int }
