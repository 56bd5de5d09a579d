package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// ErrInvalid is matched by the errors for a request that no index can answer, or not this one:
// a field that it does not have or store, a negative length. It is query.ErrInvalid.
var ErrInvalid = query.ErrInvalid

// ErrClosed is matched by the errors of calls on a closed Searcher. It is reader.ErrClosed.
var ErrClosed = reader.ErrClosed

// Request asks for a page of hits. The zero value of each part but Query asks for nothing more.
type Request struct {
	// Query is what is searched for.
	Query query.Node
	// K is the maximum number of hits; 0 means query.DefaultK.
	K int
	// After, unless nil, is the last hit of the page before this one.
	After *After
	// Sort, unless empty, are the fields with columns by whose values hits are sorted, instead of by their scores, which are
	// 0 then.
	Sort []query.SortBy
	// Collapse, unless "", is a field with a column: of hits with the same value in it only the best is shown.
	Collapse string
	// Static, unless nil, adds to the scores of hits what a column says.
	Static *query.Static
	// Total asks for the number of all documents that match, which costs as much again as a search, or less.
	Total bool
	// Facets ask for Page.Facets. With them there is a total.
	Facets []query.Facet
	// Fields name the fields whose values are shown: stored ones, in the order of the document, and
	// those only in columns, ascending. The field of an index without a schema is "".
	Fields []string
	// Snippet, unless nil, asks for a passage of each hit.
	Snippet *Snippet
}

// After is a hit, after which a page begins. If its document is no longer in the index, the page
// begins with the hits of the same score, or of the same values that they are sorted by, of which the
// page before may have shown some.
type After struct {
	Score float32
	ID    []byte
	Sort  []schema.Value // as Hit.Sort
}

// Snippet says which passage of a text is wanted.
type Snippet struct {
	// Field is the stored field of text that the passage is from. By default it is the
	// longest text of the document in a field that the query searches.
	Field string
	// Length is the greatest number of characters of the passage; 0 means DefaultLength.
	Length int
}

// DefaultLength is the length in characters of a passage whose Snippet does not say it.
const DefaultLength = 200

// Page is the answer to a Request, the best hit first.
type Page struct {
	Hits []Hit
	// Total is how many documents match, on this page and all others; 0 unless Request.Total is set.
	Total uint64
	// Facets are the counts of all documents that match, for each element of Request.Facets.
	Facets []query.FacetCounts
	more   bool
}

// Next returns what the next page begins after, or nil if this page has fewer hits than it may
// have, so that there is no other.
func (p *Page) Next() *After {
	if !p.more || len(p.Hits) == 0 {
		return nil
	}
	h := &p.Hits[len(p.Hits)-1]
	return &After{Score: h.Score, ID: h.ID, Sort: h.Sort}
}

// Hit is one document of a Page.
type Hit struct {
	Doc   uint32 // global docID
	ID    []byte // external id
	Score float32
	// Sort are the values by which the hit is sorted, one for each element of Request.Sort: the
	// zero Value if it has none.
	Sort []schema.Value
	// Values are those that the document has in the fields of the request, field after
	// field as the request names them.
	Values []schema.Value
	// Text is the passage, as it is in the stored text, and Spans are the words of the query
	// in it, in order. Before and Behind say whether the stored text goes on there.
	Text           []byte
	Spans          []Span
	Before, Behind bool
}

// Span is a range of bytes from Start up to but not including End.
type Span struct{ Start, End int }

// Finder finds the hits of a query: a query.Searcher, or a pool.Pool.
type Finder interface {
	// AppendHits appends the hits of q to dst.
	AppendHits(ctx context.Context, dst []query.Hit, q *query.Query) ([]query.Hit, error)
	// Search is for requests with more than hits, which AppendHits does not give.
	Search(ctx context.Context, q query.Query) (query.Result, error)
}

// Searcher answers requests over one snapshot, which it keeps open until Close. It is safe for
// concurrent use, Close included. The zero value is a closed Searcher.
type Searcher struct {
	snapshot *reader.Snapshot
	finder   Finder
	fields   *fields
	pool     sync.Pool // of *state
}

// state is what one call works with.
type state struct {
	hits  []query.Hit
	order []int // of hits by docID
	docs  []uint32
	text  []byte
	ends  []int
	ids   []uint32 // of fields
	// Of the request's fields, those that are only in columns; nil for others.
	columns []*reader.SnapshotField
	words   words
	parts   passages
}

// New returns a Searcher over a snapshot, which it retains. The finder answers queries over the
// same snapshot and must stay open. The error matches ErrInvalid if one of them is nil, and
// ErrClosed if the snapshot is closed.
func New(s *reader.Snapshot, f Finder) (*Searcher, error) {
	if s == nil || f == nil {
		return nil, fmt.Errorf("%w: no snapshot or no finder", ErrInvalid)
	}
	if o, ok := f.(interface{ Over(*reader.Snapshot) bool }); ok && !o.Over(s) {
		return nil, fmt.Errorf("%w: the finder answers over another snapshot", ErrInvalid)
	}
	own, err := s.Retain()
	if err != nil {
		return nil, err
	}
	return &Searcher{snapshot: own, finder: f, fields: fieldsOf(own)}, nil
}

// Stored returns the names of the fields that the index stores or has in columns, in the order of
// its schema: what Request.Fields may name.
func (s *Searcher) Stored() (names []string) {
	if s.fields != nil {
		for _, f := range s.fields.all {
			if f.Stored || f.Column {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// HasText reports whether the index stores a field of text, so that there are passages.
func (s *Searcher) HasText() bool {
	return s.fields != nil && slices.ContainsFunc(s.fields.all, func(f schema.Field) bool { return f.Stored && f.Kind == schema.KindText })
}

// Close closes the Searcher, but not its finder. Further calls do nothing.
func (s *Searcher) Close() error {
	if s.snapshot == nil {
		return nil
	}
	return s.snapshot.Close()
}

// Search answers a request. A nil ctx means context.Background. The error is one of
// query.Searcher.AppendHits or of Show.
func (s *Searcher) Search(ctx context.Context, r Request) (Page, error) {
	if err := s.check(&r); err != nil {
		return Page{}, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	snapshot := s.snapshot.WithContext(ctx)
	q, err := queryOf(&r, snapshot)
	if err != nil {
		return Page{}, err
	}
	st := s.state()
	defer s.pool.Put(st)
	if !r.Total && len(r.Sort)+len(r.Facets) == 0 {
		if st.hits, err = s.finder.AppendHits(ctx, st.hits[:0], &q); err != nil {
			return Page{}, err
		}
		return s.show(ctx, snapshot, st, st.hits, &r)
	}
	result, err := s.finder.Search(ctx, q)
	if err != nil {
		return Page{}, err
	}
	p, err := s.show(ctx, snapshot, st, result.Hits, &r)
	if err != nil {
		return Page{}, err
	}
	for i, values := range result.Sort {
		p.Hits[i].Sort = values
	}
	p.Total, p.Facets = result.Total, result.Facets
	return p, nil
}

// queryOf returns r as a query over a snapshot.
func queryOf(r *Request, snapshot *reader.Snapshot) (query.Query, error) {
	q := query.Query{Node: r.Query, K: r.K, Sort: r.Sort, Facets: r.Facets, Collapse: r.Collapse, Static: r.Static, Total: r.Total}
	switch {
	case r.After == nil:
	case len(r.Sort) > 0:
		after, err := r.After.SortPosition(snapshot)
		if err != nil {
			return q, err
		}
		q.SortAfter = &after
	default:
		after, err := r.After.Position(snapshot)
		if err != nil {
			return q, err
		}
		q.After = &after
	}
	return q, nil
}

// Show returns the page of hits that were found in some other way, the best first. Of r it reads
// Query, whose words are marked, K, Fields and Snippet. The error matches ErrInvalid for a field
// that cannot be shown, ErrClosed, or format.ErrCorrupt.
func (s *Searcher) Show(ctx context.Context, hits []query.Hit, r Request) (Page, error) {
	if err := s.check(&r); err != nil {
		return Page{}, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	st := s.state()
	defer s.pool.Put(st)
	return s.show(ctx, s.snapshot.WithContext(ctx), st, hits, &r)
}

// Marks returns where words of a query are in a text of a field, as the field's analyzer sees
// it, in order: those of a phrase where it matches. Spans do not overlap. There are none if the analyzer is not registered. The error
// matches ErrInvalid, ErrClosed or format.ErrCorrupt.
func (s *Searcher) Marks(n query.Node, field string, text []byte) ([]Span, error) {
	if err := s.check(&Request{Query: n}); err != nil {
		return nil, err
	}
	i := s.fields.number(field)
	if i < 0 {
		return nil, fmt.Errorf("%w: there is no field %q, but %s", ErrInvalid, field, s.fields.names())
	}
	st := s.state()
	defer s.pool.Put(st)
	if err := st.words.set(n, s.snapshot); err != nil {
		return nil, err
	}
	var spans []Span
	for _, m := range st.parts.join(st.words.find(i, text), 0, len(text)) {
		spans = append(spans, Span{m.start, m.end})
	}
	return spans, nil
}

func (s *Searcher) state() *state {
	if st, ok := s.pool.Get().(*state); ok {
		return st
	}
	return &state{words: words{of: s.fields}}
}

// check returns what is wrong with r before anything is searched.
func (s *Searcher) check(r *Request) error {
	if s.snapshot == nil {
		return fmt.Errorf("search: %w", ErrClosed)
	}
	if err := s.snapshot.Err(); err != nil {
		return err
	}
	if r.Query == nil {
		return fmt.Errorf("%w: no Query", ErrInvalid)
	}
	for _, name := range r.Fields {
		if _, err := s.fields.stored(name); err != nil {
			return err
		}
	}
	if r.Snippet == nil {
		return nil
	}
	if r.Snippet.Length < 0 {
		return fmt.Errorf("%w: a snippet of %d characters", ErrInvalid, r.Snippet.Length)
	}
	if r.Snippet.Field == "" && !s.fields.implicit {
		return nil
	}
	i, err := s.fields.stored(r.Snippet.Field)
	if err == nil && s.fields.all[i].Kind != schema.KindText {
		err = fmt.Errorf("%w: a snippet of field %q, which is of kind %v", ErrInvalid, r.Snippet.Field, s.fields.all[i].Kind)
	}
	return err
}

// Position returns where in the order of hits over a snapshot a is, for query.Query.After.
func (a *After) Position(s *reader.Snapshot) (query.Position, error) {
	doc, ok, err := s.FindID(a.ID)
	if !ok { // before all hits of this score
		return query.Position{Score: math.Nextafter32(a.Score, float32(math.Inf(1))), Doc: math.MaxUint32}, err
	}
	return query.Position{Score: a.Score, Doc: doc}, err
}

// SortPosition returns where in the order of sorted hits over a snapshot a is, for query.Query.SortAfter.
func (a *After) SortPosition(s *reader.Snapshot) (query.SortPosition, error) {
	doc, ok, err := s.FindID(a.ID)
	return query.SortPosition{Values: a.Sort, Doc: doc, Before: !ok}, err
}

// show makes the page of hits. What the hits of a page refer to is in memory of their own, a
// few pieces for all of them.
func (s *Searcher) show(ctx context.Context, snapshot *reader.Snapshot, st *state, hits []query.Hit, r *Request) (p Page, err error) {
	p.more = len(hits) == cmp.Or(r.K, query.DefaultK)
	p.Hits = make([]Hit, len(hits))
	st.columns = s.fields.columns(st.columns[:0], r.Fields, snapshot)
	defer func() { clear(st.columns) }() // they keep the snapshot
	texts := slices.Contains(st.columns, nil) || r.Snippet != nil
	st.sort(hits)
	snapshot.Prefetch(st.docs, texts)
	ids := make([]byte, 0, 24*len(hits))
	for i, h := range hits {
		from := len(ids)
		if ids, err = snapshot.AppendID(ids, h.Doc); err != nil {
			return Page{}, err
		}
		p.Hits[i] = Hit{Doc: h.Doc, Score: h.Score, ID: ids[from:len(ids):len(ids)]}
	}
	if !texts {
		return p, s.showColumns(ctx, &p, st, hits, r)
	}
	st.ids = s.fields.appendIDs(st.ids[:0], r.Fields)
	if r.Snippet != nil || s.fields.allTexts(st.ids) {
		st.text, st.ends, err = snapshot.AppendTexts(st.text[:0], append(st.ends[:0], 0), st.docs)
	} else {
		st.text, st.ends, err = snapshot.AppendValues(st.text[:0], append(st.ends[:0], 0), st.docs, st.ids)
	}
	if err != nil {
		return Page{}, err
	}
	if r.Snippet != nil {
		if err := st.words.set(r.Query, snapshot); err != nil {
			return Page{}, err
		}
		defer st.words.close()
	}
	own := memory{values: make([]schema.Value, 0, len(hits)*len(r.Fields))}
	for k, i := range st.order {
		if err := ctx.Err(); err != nil {
			return Page{}, err
		}
		d := document{fields: s.fields, snapshot: snapshot, doc: hits[i].Doc, text: st.text[st.ends[k]:st.ends[k+1]]}
		if err := s.fill(&p.Hits[i], &d, st, r, &own); err != nil {
			return Page{}, s.blame(err, p.Hits[i].ID)
		}
	}
	return p, nil
}

// showColumns is show for fields that are in columns.
func (s *Searcher) showColumns(ctx context.Context, p *Page, st *state, hits []query.Hit, r *Request) error {
	if len(r.Fields) == 0 {
		return nil
	}
	own := memory{values: make([]schema.Value, 0, len(hits)*len(r.Fields))}
	for _, i := range st.order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.fill(&p.Hits[i], &document{fields: s.fields, doc: hits[i].Doc}, st, r, &own); err != nil {
			return err
		}
	}
	return nil
}

// blame says which document's stored values an error is of.
func (s *Searcher) blame(err error, id []byte) error {
	return fmt.Errorf("index %s: stored values of document %q: %w", s.snapshot.Directory(), id, err)
}

// sort sets order and docs.
func (st *state) sort(hits []query.Hit) {
	st.order, st.docs = st.order[:0], st.docs[:0]
	for i := range hits {
		st.order = append(st.order, i)
	}
	slices.SortFunc(st.order, func(a, b int) int { return cmp.Compare(hits[a].Doc, hits[b].Doc) })
	for _, i := range st.order {
		st.docs = append(st.docs, hits[i].Doc)
	}
}

// memory is what the hits of a page refer to.
type memory struct {
	bytes  []byte
	values []schema.Value
	spans  []Span
}

// keep returns a copy of b.
func (m *memory) keep(b []byte) []byte {
	if cap(m.bytes)-len(m.bytes) < len(b) {
		m.bytes = make([]byte, 0, max(4096, 2*cap(m.bytes), len(b)))
	}
	from := len(m.bytes)
	m.bytes = append(m.bytes, b...)
	return m.bytes[from:len(m.bytes):len(m.bytes)]
}

// fill sets the values and the passage of a hit.
func (s *Searcher) fill(h *Hit, d *document, st *state, r *Request, own *memory) error {
	from := len(own.values)
	for j, name := range r.Fields {
		if c := st.columns[j]; c != nil {
			var err error
			if own.values, err = c.AppendValues(own.values, d.doc); err != nil {
				return err
			}
			continue
		}
		i, _ := s.fields.stored(name) // check has found it
		for v, err := range d.values(i) {
			if err != nil {
				return err
			}
			switch v.Kind {
			case schema.KindText:
				v = schema.TextValue(i, own.keep(v.Bytes()))
			case schema.KindKeyword:
				v = schema.KeywordValue(i, own.keep(v.Bytes()))
			}
			own.values = append(own.values, v)
		}
	}
	h.Values = own.values[from:len(own.values):len(own.values)]
	if r.Snippet == nil {
		return nil
	}
	field, text, alone, err := d.passageField(r.Snippet.Field, &st.words)
	if err != nil {
		return err
	}
	marks, ok := []mark(nil), false
	if alone && st.words.counts(field, text) {
		if marks, ok, err = st.words.findCounted(field, d, text); err != nil {
			return err
		}
	}
	if !ok {
		marks = st.words.find(field, text)
	}
	p := st.parts.best(text, marks, st.words.fields[field].terms, cmp.Or(r.Snippet.Length, DefaultLength))
	h.Text, h.Before, h.Behind = own.keep(text[p.from:p.to]), p.from > 0, p.to < len(text)
	spans := len(own.spans)
	for _, m := range p.marks {
		own.spans = append(own.spans, Span{m.start - p.from, m.end - p.from})
	}
	h.Spans = own.spans[spans:len(own.spans):len(own.spans)]
	return nil
}
