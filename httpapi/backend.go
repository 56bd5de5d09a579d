package httpapi

import (
	"context"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/search"
)

// Backend answers what a Server is asked: an index, or a router over shards. It is safe for concurrent use. Contexts
// have a deadline. Answers are not modified. An error that is an *Error is written as it is; of others those that
// match query.ErrInvalid, filter.ErrInvalid, fs.ErrClosed or the context's are told apart.
type Backend interface {
	// Search answers a request that is within the limits of Options.
	Search(ctx context.Context, r *Request) (*Response, error)
	// Count counts the documents that match.
	Count(ctx context.Context, r *CountRequest) (*CountResponse, error)
	// Suggest completes a word.
	Suggest(ctx context.Context, r *SuggestRequest) (*SuggestResponse, error)
	// Summary says what is searched.
	Summary(ctx context.Context) (*Summary, error)
}

// OfIndex returns a Backend over an index that changes. Each request sees its newest state.
func OfIndex(x *pinion.Index) Backend {
	return local(func(f func(*state) error) error {
		return x.View(func(v *pinion.View) error {
			return f(&state{v.Snapshot(), v.Searcher, v.Search})
		})
	})
}

// OfSnapshot returns a Backend over a snapshot, with searchers over the same one. All of them must stay open.
func OfSnapshot(s *reader.Snapshot, q *query.Searcher, p *search.Searcher) Backend {
	x := &state{s, func() (*query.Searcher, error) { return q, nil }, p.Search}
	return local(func(f func(*state) error) error { return f(x) })
}

// local is a Backend over an index in this process. It calls its argument with what is to be searched.
type local func(func(*state) error) error

// state is an index at one moment.
type state struct {
	snapshot *reader.Snapshot
	searcher func() (*query.Searcher, error)
	page     func(context.Context, search.Request) (search.Page, error)
}

// schema returns the schema of a request's fields.
func (x *state) schema() *schema.Schema {
	s := x.snapshot.Schema()
	if len(s.Fields) == 1 && s.Fields[0].Name == "" {
		s.Fields[0].Stored = x.snapshot.HasStored()
	}
	return s
}

// Search implements Backend.
func (l local) Search(ctx context.Context, r *Request) (a *Response, err error) {
	err = l(func(x *state) error {
		s := x.schema()
		q, err := r.Search(s)
		if err != nil {
			return err
		}
		p, err := x.page(ctx, q)
		if err != nil {
			return err
		}
		a = NewResponse(s, r, &q, &p)
		return nil
	})
	return a, err
}

// Count implements Backend.
func (l local) Count(ctx context.Context, r *CountRequest) (a *CountResponse, err error) {
	err = l(func(x *state) error {
		n, err := node(x.schema(), r.Query, r.Text, r.Vector, r.Filter)
		if err != nil {
			return err
		}
		s, err := x.searcher()
		if err != nil {
			return err
		}
		count, err := s.Count(ctx, query.Query{Node: n})
		a = &CountResponse{Count: count}
		return err
	})
	return a, err
}

// Suggest implements Backend.
func (l local) Suggest(ctx context.Context, r *SuggestRequest) (a *SuggestResponse, err error) {
	err = l(func(x *state) error {
		if _, ok := x.schema().Field(r.Field); !ok {
			return invalid("field", "there is no field %q", r.Field)
		}
		s, err := x.searcher()
		if err != nil {
			return err
		}
		terms, err := s.Suggest(ctx, r.Field, r.Prefix, r.K)
		a = &SuggestResponse{Terms: []Suggestion{}}
		for _, t := range terms {
			a.Terms = append(a.Terms, Suggestion{Term: Text(t.Term), DF: t.DF})
		}
		return err
	})
	return a, err
}

// Summary implements Backend.
func (l local) Summary(context.Context) (a *Summary, err error) {
	err = l(func(x *state) error {
		st := x.snapshot.Stats()
		a = &Summary{Documents: st.Live, Segments: st.Segments, Commit: x.snapshot.Generation(), Schema: x.schema()}
		return x.snapshot.Err()
	})
	return a, err
}
