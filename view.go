package pinion

import (
	"context"
	"time"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// View is the index as it is at one moment: what Index.View and Reader.View call a function with, or NewView makes of a
// snapshot. It does not change while it is in use. It is safe for concurrent use, Close included. The zero value is a closed View.
type View struct {
	f     *front // nil for that of NewView
	s     *state // nil if f is
	pages *pager // of NewView
}

// NewView returns a View of a snapshot, which it retains. An Executor answers its searches, or the CPU if that is nil, or does not. The
// caller closes the View, and the Executor after it. The error matches ErrInvalid if there is no snapshot, and ErrClosed if it is closed.
func NewView(s *reader.Snapshot, x Executor) (*View, error) {
	p, err := newPager(s, x)
	if err != nil {
		return nil, err
	}
	return &View{pages: p}, nil
}

// Close closes a View of NewView. Any other View is closed by what it is of. Further calls do nothing.
func (v *View) Close() error {
	if v.pages == nil {
		return nil
	}
	return v.pages.close()
}

// open returns what makes the pages of v.
func (v *View) open() (*pager, error) {
	if v.pages != nil {
		return v.pages, nil
	}
	if v.s == nil {
		return nil, errClosed
	}
	p, err := v.s.open(v.f)
	if err != nil {
		v.f.alarm(err)
	}
	return p, err
}

// Snapshot returns the snapshot, which the caller does not close, or nil of the zero View.
func (v *View) Snapshot() *reader.Snapshot {
	switch {
	case v.pages != nil:
		return v.pages.snapshot
	case v.s != nil:
		return v.s.snapshot
	}
	return nil
}

// searcher returns a searcher over the snapshot, on the CPU, which the caller does not close.
func (v *View) searcher() (*search.Searcher, error) {
	p, err := v.open()
	if err != nil {
		return nil, err
	}
	return p.searcher()
}

// Schema returns a copy of the schema. It is never nil: that of a View that is closed, or cannot be read, is the implicit one.
func (v *View) Schema() *schema.Schema {
	p, err := v.open()
	if err != nil || p.fields == nil {
		return schema.Implicit("", "", false)
	}
	return p.fields.schema.Clone()
}

// Meta returns the value of a key that Batch.SetMeta has set, as v has it.
func (v *View) Meta(key string) (value string, ok bool) {
	s := v.Snapshot()
	if s == nil {
		return "", false
	}
	return s.Meta(key)
}

// Show returns the page of hits that were found in some other way, the best first: their Doc and Score count. Of r it reads
// Query or Fuse, whose words are marked, Limit, Fields, Snippet and Nearest. The error matches ErrInvalid for a field
// that cannot be shown, ErrClosed, or format.ErrCorrupt, and ErrEmbed as that of Search does.
func (v *View) Show(ctx context.Context, hits []Hit, r Request) (Page, error) {
	p, err := v.open()
	if err != nil {
		return Page{}, err
	}
	if r, err = v.rewritten(r); err != nil {
		return Page{}, err
	}
	if r.Nearest {
		if err := v.embed(ctx, &r); err != nil {
			return Page{}, err
		}
	}
	found := make([]search.Hit, len(hits))
	for i, h := range hits {
		found[i] = search.Hit{Doc: h.Doc, Score: h.Score}
	}
	return p.showHits(orBackground(ctx), found, r)
}

// Marks returns where words of a query are in a text of a field, as the field's analyzer sees
// it, in order: those of a phrase where it matches. Spans do not overlap. There are none if the analyzer is not registered. The error
// matches ErrInvalid, ErrClosed or format.ErrCorrupt.
func (v *View) Marks(n query.Node, field string, text []byte) ([]Span, error) {
	p, err := v.open()
	if err != nil {
		return nil, err
	}
	return p.marks(n, field, text)
}

// View calls f with the newest state, which stays open and as it is until f returns: pages
// and counts that belong together see the same documents. If it must wait for changes to become visible, as searches do, it
// waits no longer than ctx.
func (x *Index) View(ctx context.Context, f func(*View) error) error {
	if x.o.Visible == 0 && !x.o.SyncEach { // with SyncEach all that has returned is visible
		if err := x.catchUp(orBackground(ctx)); err != nil {
			return err
		}
	}
	return x.front.view(f)
}

// Peek is View of what searches see already. It waits for nothing, not for a commit under way either: health checks and figures
// need no newer state.
func (x *Index) Peek(f func(*View) error) error { return x.front.view(f) }

// catchUp returns when searches see all writes so far, or cannot: then they go on with what there is.
func (x *Index) catchUp(ctx context.Context) error {
	x.mu.Lock()
	n := x.writes
	waits := x.tried < n && x.err == nil
	ask := waits && x.wanted <= x.tried
	if waits {
		x.wanted = max(x.wanted, n)
	}
	x.mu.Unlock()
	if !waits {
		return nil
	}
	if ask {
		x.nudge(false)
	}
	if err := x.await(ctx, &x.tried, n); ctx.Err() != nil {
		return err
	}
	return nil
}

// Search returns the page that r asks for, of the newest state. Pages may come from a cache, so
// they must not be modified.
func (x *Index) Search(ctx context.Context, r Request) (page Page, err error) {
	err = x.View(ctx, func(v *View) error {
		page, err = v.Search(ctx, r)
		return err
	})
	return page, err
}

// Search returns the page that r asks for, as Index.Search does. A View of NewView has no cache of pages. A nil ctx means
// context.Background.
func (v *View) Search(ctx context.Context, r Request) (Page, error) {
	r, err := v.rewritten(r)
	if err != nil {
		return Page{}, err
	}
	if v.f == nil {
		s, err := v.open()
		if err != nil {
			return Page{}, err
		}
		return s.search(orBackground(ctx), r)
	}
	k := key(&r)
	if p, ok := v.f.cache.get(v.s.number, k); ok {
		return p, nil
	}
	began := time.Now()
	s, err := v.open()
	if err != nil {
		return Page{}, err
	}
	p, err := v.search(orBackground(ctx), s, r)
	if took := time.Since(began); v.f.slow > 0 && took >= v.f.slow {
		v.f.tell(Event{Kind: EventSlow, Took: took, Commit: v.s.snapshot.Generation(), Docs: v.s.snapshot.Stats().Live, Request: &r, Err: err})
	}
	if err != nil {
		v.f.alarm(err)
		return Page{}, err
	}
	v.f.cache.put(v.s.number, k, p)
	return p, nil
}

// rewritten is Request.Rewritten for the schema of v, with Typos in the nodes.
func (v *View) rewritten(r Request) (Request, error) {
	if r.Synonyms == nil {
		return *r.withTypos(), nil
	}
	p, err := v.open()
	switch {
	case err != nil:
		return r, err
	case p.fields == nil:
		return r, errClosed
	}
	return r.Rewritten(p.fields.schema)
}

// search is Search without a cache.
func (v *View) search(ctx context.Context, s *pager, r Request) (p Page, err error) {
	if err := v.embed(ctx, &r); err != nil {
		return p, err
	}
	return s.search(ctx, r)
}
