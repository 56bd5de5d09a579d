package pinion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// pager answers requests over one snapshot, which it keeps open until Close. It is safe for
// concurrent use, close included. The zero value is a closed pager.
type pager struct {
	snapshot *reader.Snapshot
	params   query.Params
	executor Executor    // or nil
	failed   func(error) // is told of what the executor cannot; or nil
	fields   *fields
	pool     sync.Pool // of *scratch

	opening sync.Mutex // held while cpu or part is made
	part    *ofPart    // the last one
	cpu     atomic.Pointer[search.Searcher]
}

// scratch is what one call works with.
type scratch struct {
	hits  []search.Hit
	order []int // of hits by docID
	docs  []uint32
	text  []byte
	ends  []int
	ids   []uint32 // of fields
	// Of the request's fields, those that are only in columns; nil for others.
	columns []*reader.SnapshotField
	words   words
	parts   passages
	texts   []candidate
	marks   []mark // of the best of them so far
	found   []region
	inside  []mark // of a part of a text
}

// newPager returns a pager over a snapshot, which it retains. The error matches ErrInvalid if that is nil, and ErrClosed if it is closed.
func newPager(s *reader.Snapshot, x Executor) (*pager, error) {
	if s == nil {
		return nil, fmt.Errorf("%w: no snapshot", query.ErrInvalid)
	}
	own, err := s.Retain()
	if err != nil {
		return nil, err
	}
	return &pager{snapshot: own, executor: x, fields: fieldsOf(own)}, nil
}

// searching returns how searchers search.
func (s *pager) searching() search.Options {
	return search.Options{Params: s.params, Threads: runtime.GOMAXPROCS(0)}
}

// searcher returns the searcher over the snapshot, which the first call makes.
func (s *pager) searcher() (*search.Searcher, error) {
	if q := s.cpu.Load(); q != nil {
		return q, nil
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	if q := s.cpu.Load(); q != nil {
		return q, nil
	}
	q, err := search.NewSearcher(s.snapshot, s.searching())
	if err == nil {
		s.cpu.Store(q)
	}
	return q, err
}

// close closes s, but not its executor. Further calls do nothing.
func (s *pager) close() error {
	if s.snapshot == nil {
		return nil
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	err := s.snapshot.Close() // no searcher can be made any more
	if q := s.cpu.Load(); q != nil {
		err = errors.Join(err, q.Close())
	}
	if s.part != nil {
		err = errors.Join(err, s.part.cpu.Close())
	}
	return err
}

// search answers a request. The error is one of
// search.Searcher.AppendHits or of Show.
func (s *pager) search(ctx context.Context, r Request) (Page, error) {
	p, err := s.searchHits(ctx, r)
	if err == nil && r.Group != nil {
		err = s.addGroups(ctx, &r, &p)
	}
	if err != nil {
		return Page{}, err
	}
	return p, nil
}

// searchHits is search without Request.Group.
func (s *pager) searchHits(ctx context.Context, r Request) (Page, error) {
	if err := s.check(&r); err != nil {
		return Page{}, err
	}
	snapshot := s.snapshot.WithContext(ctx)
	q, err := queryOf(&r, snapshot)
	if err != nil {
		return Page{}, err
	}
	st := s.take()
	defer s.give(st)
	if r.Fuse != nil || r.Rescore != nil {
		return s.searchRanked(ctx, snapshot, st, &r, &q)
	}
	if s.executor != nil && !r.inTwo() {
		if found, err := s.execute(ctx, &r); found != nil || err != nil {
			if err != nil {
				return Page{}, err
			}
			return s.showFound(ctx, snapshot, st, found, &r)
		}
	}
	cpu, err := s.searcher()
	if err != nil {
		return Page{}, err
	}
	var limited []query.Limited
	q.Limited, q.Approximate = &limited, new(bool)
	var result search.Result
	if r.Total || len(r.Sort)+len(r.Facets) > 0 {
		result, err = cpu.Search(ctx, q)
	} else {
		st.hits, err = find(ctx, cpu, st.hits[:0], &q, &r)
		result.Hits = st.hits
	}
	if err != nil {
		return Page{}, err
	}
	p, err := s.show(ctx, snapshot, st, behind(result.Hits, r.Offset), &r)
	if err != nil {
		return Page{}, err
	}
	for i, values := range behind(result.Sort, r.Offset) {
		p.Hits[i].Sort = values
	}
	p.Total, p.Facets, p.Limited, p.Approximate = result.Total, r.counts(result.Facets), limited, *q.Approximate
	return p, nil
}

// inTwo reports whether r is answered by two queries: a Match of ModeAndOr under a Filter, or with Typos. What that mode does is for a query that is
// the Match alone.
func (r *Request) inTwo() bool {
	m, ok := r.Query.(query.Match)
	return ok && m.Mode == query.ModeAndOr && (r.Filter != nil || m.Typos) && r.After == nil && r.Collapse == ""
}

// find appends the hits of q, which is r.
func find(ctx context.Context, cpu *search.Searcher, dst []search.Hit, q *search.Query, r *Request) ([]search.Hit, error) {
	if !r.inTwo() {
		return cpu.AppendHits(ctx, dst, q)
	}
	n, m := len(dst), r.Query.(query.Match)
	for _, m.Mode = range []query.Mode{query.ModeAnd, query.ModeOr} {
		q.Node = (&Request{Query: m, Filter: r.Filter}).Node()
		var err error
		if dst, err = cpu.AppendHits(ctx, dst[:n], q); err != nil || len(dst)-n == q.K {
			return dst, err
		}
	}
	return dst, nil
}

// behind returns what follows n elements.
func behind[T any](all []T, n int) []T { return all[min(n, len(all)):] }

// queryOf returns r as a query over a snapshot.
func queryOf(r *Request, snapshot *reader.Snapshot) (search.Query, error) {
	own := *r
	var chosen []search.Chosen
	if r.ignoresOwn() {
		if own.Filter, chosen = search.Split(r.Filter, r.facets()); own.Filter == nil && r.Query == nil {
			own.Filter = query.All{}
		}
	}
	q := search.Query{Node: own.Node(), Chosen: chosen, K: cmp.Or(r.Limit, query.DefaultK) + r.Offset,
		Sort: r.sorts(), Facets: r.facets(), Collapse: r.Collapse, Static: (*search.Static)(r.Static), Total: r.Total, Params: query.Params{K1: r.K1, B: r.B, Scorer: r.Scorer}}
	switch {
	case r.After == nil:
	case len(r.Sort) > 0:
		after, err := r.After.sortPosition(snapshot)
		if err != nil {
			return q, err
		}
		q.SortAfter = &after
	default:
		after, err := r.After.position(snapshot)
		if err != nil {
			return q, err
		}
		q.After = &after
	}
	return q, nil
}

// showHits returns the page of hits that were found in some other way, the best first. Of r it reads
// Query or Fuse, whose words are marked, Limit, Fields, Snippet and Nearest. The error matches ErrInvalid for a field
// that cannot be shown, ErrClosed, or format.ErrCorrupt.
func (s *pager) showHits(ctx context.Context, hits []search.Hit, r Request) (Page, error) {
	if err := s.check(&r); err != nil {
		return Page{}, err
	}
	st := s.take()
	defer s.give(st)
	return s.show(ctx, s.snapshot.WithContext(ctx), st, hits, &r)
}

// showFound returns the page of what an Executor has found.
func (s *pager) showFound(ctx context.Context, snapshot *reader.Snapshot, st *scratch, found *Page, r *Request) (Page, error) {
	st.hits = st.hits[:0]
	for _, h := range found.Hits {
		st.hits = append(st.hits, search.Hit{Doc: h.Doc, Score: h.Score})
	}
	p, err := s.show(ctx, snapshot, st, behind(st.hits, r.Offset), r)
	if err != nil {
		return Page{}, err
	}
	for i, h := range behind(found.Hits, r.Offset) {
		p.Hits[i].Sort = h.Sort
	}
	if p.Limited, p.Approximate = found.Limited, found.Approximate; r.Total || len(r.Facets) > 0 {
		p.Total, p.Facets = found.Total, found.Facets
	}
	return p, nil
}

// marks returns where words of a query are in a text of a field, as the field's analyzer sees
// it, in order: those of a phrase where it matches. Spans do not overlap. There are none if the analyzer is not registered. The error
// matches ErrInvalid, ErrClosed or format.ErrCorrupt.
func (s *pager) marks(n query.Node, field string, text []byte) ([]Span, error) {
	if err := s.check(&Request{Query: n}); err != nil {
		return nil, err
	}
	i := s.fields.number(field)
	if i < 0 {
		return nil, fmt.Errorf("%w: there is no field %q, but %s", query.ErrInvalid, field, s.fields.names())
	}
	st := s.take()
	defer s.give(st)
	if err := st.words.set(context.Background(), n, s.snapshot); err != nil {
		return nil, err
	}
	var spans []Span
	for _, m := range st.parts.join(st.words.find(i, text), 0, len(text)) {
		spans = append(spans, Span{m.start, m.end})
	}
	return spans, nil
}

func (s *pager) take() *scratch {
	if st, ok := s.pool.Get().(*scratch); ok {
		return st
	}
	return &scratch{words: words{of: s.fields}}
}

// give gives a scratch back, without much memory that an unusual page has left.
func (s *pager) give(st *scratch) {
	if cap(st.text) > 4<<20 {
		st.text = nil
	}
	s.pool.Put(st)
}

// check returns what is wrong with r before anything is searched.
func (s *pager) check(r *Request) error {
	if s.snapshot == nil {
		return errClosed
	}
	if err := s.snapshot.Err(); err != nil {
		return err
	}
	switch {
	case r.Query == nil && r.Filter == nil && r.Fuse == nil:
		return fmt.Errorf("%w: no Query", query.ErrInvalid)
	case r.Limit < 0 || r.Limit > math.MaxInt32 || r.Offset < 0 || r.Offset > math.MaxInt32:
		return fmt.Errorf("%w: %d hits after %d", query.ErrInvalid, r.Limit, r.Offset)
	case r.Offset > 0 && r.After != nil:
		return fmt.Errorf("%w: a page begins either at an offset or after another page", query.ErrInvalid)
	}
	if err := cmp.Or(r.checkRanked(), r.checkGroup()); err != nil {
		return err
	}
	for _, name := range r.Fields {
		if _, err := s.fields.stored(name); err != nil {
			return err
		}
	}
	if r.Snippet == nil {
		return nil
	}
	return r.Snippet.check(s.fields)
}

// show makes the page of hits. What the hits of a page refer to is in memory of their own, a
// few pieces for all of them.
func (s *pager) show(ctx context.Context, snapshot *reader.Snapshot, st *scratch, hits []search.Hit, r *Request) (p Page, err error) {
	if p.more = len(hits) == cmp.Or(r.Limit, query.DefaultK); p.more {
		if p.order, err = orderAt(snapshot, hits[len(hits)-1].Doc); err != nil {
			return Page{}, err
		}
	}
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
		p.Hits[i] = Hit{Doc: h.Doc, Score: h.Score, ID: asString(ids[from:])}
	}
	if r.Nearest {
		if err := s.showNearest(snapshot, p.Hits, st, r); err != nil {
			return Page{}, err
		}
	}
	if !texts {
		return p, s.showColumns(ctx, &p, st, hits, r)
	}
	st.ids = s.fields.appendIDs(st.ids[:0], r.Fields)
	if r.Snippet != nil {
		if err := st.words.set(ctx, r.scoring(), snapshot); err != nil {
			return Page{}, err
		}
		defer st.words.close()
	}
	own := memory{values: make([]schema.Value, 0, len(hits)*len(r.Fields)), budget: budget.Of(ctx)}
	if r.Snippet != nil {
		own.passages = make([]Passage, 0, len(hits)*max(len(r.Snippet.Fields), 1))
	}
	for k, i := range st.order {
		if err := ctx.Err(); err != nil {
			return Page{}, err
		}
		if k%together == 0 {
			if err := s.read(snapshot, st, st.docs[k:min(k+together, len(st.docs))], r); err != nil {
				return Page{}, err
			}
		}
		k %= together
		d := document{ctx: ctx, fields: s.fields, snapshot: snapshot, doc: hits[i].Doc, text: st.text[st.ends[k]:st.ends[k+1]]}
		if err := s.fill(&p.Hits[i], &d, st, r, &own); err != nil {
			return Page{}, s.blame(err, p.Hits[i].ID)
		}
		if err := own.budget.Take(weight(&p.Hits[i])); err != nil {
			return Page{}, err
		}
	}
	return p, nil
}

// together is of how many documents at most the stored values are in memory at a time.
const together = 32

// read reads the stored values of documents.
func (s *pager) read(snapshot *reader.Snapshot, st *scratch, docs []uint32, r *Request) (err error) {
	if r.Snippet != nil || s.fields.allTexts(st.ids) {
		st.text, st.ends, err = snapshot.AppendTexts(st.text[:0], append(st.ends[:0], 0), docs)
	} else {
		st.text, st.ends, err = snapshot.AppendValues(st.text[:0], append(st.ends[:0], 0), docs, st.ids)
	}
	return err
}

// weight returns how many bytes a hit has in JSON, at least, and about how many it takes beside them.
func weight(h *Hit) (bytes, more int) {
	bytes = 24 + len(h.ID)
	for i := range h.Passages {
		p := &h.Passages[i]
		bytes += len(p.Text) + 6*len(p.Spans)
		more += int(unsafe.Sizeof(*p)) + len(p.Spans)*int(unsafe.Sizeof(Span{}))
	}
	for _, n := range h.Nearest {
		bytes += len(n.Field) + 30
		more += int(unsafe.Sizeof(n))
	}
	for _, v := range h.Values {
		bytes += 2 + len(v.Bytes())
	}
	return bytes, more + int(unsafe.Sizeof(*h)) + len(h.Values)*int(unsafe.Sizeof(schema.Value{}))
}

// showColumns is show for fields that are in columns.
func (s *pager) showColumns(ctx context.Context, p *Page, st *scratch, hits []search.Hit, r *Request) error {
	if len(r.Fields) == 0 {
		return nil
	}
	own := memory{values: make([]schema.Value, 0, len(hits)*len(r.Fields)), budget: budget.Of(ctx)}
	for _, i := range st.order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.fill(&p.Hits[i], &document{ctx: ctx, fields: s.fields, doc: hits[i].Doc}, st, r, &own); err != nil {
			return err
		}
		if err := own.budget.Take(weight(&p.Hits[i])); err != nil {
			return err
		}
	}
	return nil
}

// blame says which document's stored values an error is of.
func (s *pager) blame(err error, id string) error {
	return fmt.Errorf("index %s: stored values of document %q: %w", s.snapshot.Directory(), id, err)
}

// sort sets order and docs.
func (st *scratch) sort(hits []search.Hit) {
	st.order, st.docs = st.order[:0], st.docs[:0]
	for i := range hits {
		st.order = append(st.order, i)
	}
	slices.SortFunc(st.order, func(a, b int) int { return cmp.Compare(hits[a].Doc, hits[b].Doc) })
	for _, i := range st.order {
		st.docs = append(st.docs, hits[i].Doc)
	}
}

// fill sets the values and the passages of a hit.
func (s *pager) fill(h *Hit, d *document, st *scratch, r *Request, own *memory) error {
	from := len(own.values)
	for j, name := range r.Fields {
		before := len(own.values)
		if c := st.columns[j]; c != nil {
			var err error
			if own.values, err = c.AppendValues(own.values, d.doc); err != nil {
				return err
			}
		} else {
			i, _ := s.fields.stored(name) // check has found it
			for v, err := range d.values(i) {
				if err != nil {
					return err
				}
				switch v.Kind {
				case schema.Text:
					v = schema.TextValue(i, own.keep(v.Bytes()))
				case schema.Keyword:
					v = schema.KeywordValue(i, own.keep(v.Bytes()))
				}
				own.values = append(own.values, v)
			}
		}
		for k := before; k < len(own.values); k++ {
			own.values[k].Name = nameOf(name)
		}
	}
	h.Values = own.values[from:len(own.values):len(own.values)]
	if r.Snippet == nil {
		return nil
	}
	return st.setPassages(h, d, r.Snippet, own)
}
