package httpapi

import (
	"context"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Backend answers what a Server is asked: an index, or a router over shards. It is safe for concurrent use. Contexts
// have a deadline. Answers are not modified. An error that is an *Error is written as it is; of others those that
// match query.ErrInvalid, fs.ErrClosed or the context's are told apart.
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

// Prober is a Backend of parts elsewhere, which may be missing. /readyz fails with the error of Probe.
type Prober interface {
	Probe(ctx context.Context) error
}

// OfIndex returns a Backend over an index that changes. Each request sees its newest state, but for Summary, which says what
// searches see already: it waits for nothing, so that a commit that takes long makes no server unready.
func OfIndex(x *pinion.Index) Backend {
	return local{view: x.View, peek: x.Peek}
}

// OfView returns a Backend over the index as it is at one moment. The View must stay open.
func OfView(v *pinion.View) Backend {
	return local{
		view: func(_ context.Context, f func(*pinion.View) error) error { return f(v) },
		peek: func(f func(*pinion.View) error) error { return f(v) },
	}
}

// local is a Backend over an index in this process. Its functions call another with what is to be searched.
type local struct {
	view func(context.Context, func(*pinion.View) error) error
	peek func(func(*pinion.View) error) error // waits for nothing

	synonyms func(name string) *query.Synonyms // Options.Synonyms
}

// set returns the set of synonyms of a name.
func (l local) set(name string) (*query.Synonyms, error) {
	var set *query.Synonyms
	if l.synonyms != nil {
		set = l.synonyms(name)
	}
	if set == nil && name != "" {
		return nil, noSet(name)
	}
	return set, nil
}

// noSet is the error of a set of synonyms that is not there.
func noSet(name string) error {
	return invalid("synonyms", "there is no set %.40q of synonyms here", name)
}

// schemaOf returns the schema of a request's fields.
func schemaOf(v *pinion.View) *schema.Schema {
	s := v.Snapshot().Schema()
	if len(s.Fields) == 1 && s.Fields[0].Name == "" {
		s.Fields[0].Stored = v.Snapshot().HasStored()
	}
	return s
}

// Search implements Backend.
func (l local) Search(ctx context.Context, r *Request) (a *Response, err error) {
	err = l.view(ctx, func(v *pinion.View) error {
		s := schemaOf(v)
		known, err := r.similar(ctx, v)
		if err != nil {
			return err
		}
		own := *known
		own.Synonyms = ""
		q, err := own.Search(s)
		if err != nil {
			return err
		}
		if q.Synonyms, err = l.set(r.Synonyms); err != nil {
			return err
		}
		p, err := v.Search(ctx, q)
		if err != nil {
			return err
		}
		a = NewResponse(s, &own, &q, &p)
		return nil
	})
	return a, err
}

// Count implements Backend.
func (l local) Count(ctx context.Context, r *CountRequest) (a *CountResponse, err error) {
	err = l.view(ctx, func(v *pinion.View) error {
		s := schemaOf(v)
		own, err := r.Request().similar(ctx, v)
		if err != nil {
			return err
		}
		q, err := searched(s, own)
		if err != nil {
			return err
		}
		q.Typos = own.Typos
		if q.Synonyms, err = l.set(r.Synonyms); err != nil {
			return err
		}
		if q, err = q.Rewritten(s); err != nil {
			return err
		}
		count, err := v.Count(ctx, q.Node())
		a = &CountResponse{Count: uint64(count)}
		return err
	})
	return a, err
}

// Suggest implements Backend.
func (l local) Suggest(ctx context.Context, r *SuggestRequest) (a *SuggestResponse, err error) {
	err = l.view(ctx, func(v *pinion.View) error {
		if _, ok := schemaOf(v).Field(r.Field); !ok {
			return invalid("field", "there is no field %q", r.Field)
		}
		if r.Text != "" {
			c, err := r.Complete(schemaOf(v))
			if err != nil {
				return err
			}
			found, err := v.Complete(ctx, c)
			a = NewSuggestions(found)
			return err
		}
		terms, err := v.Terms(ctx, r.Field, r.Prefix, r.K)
		a = &SuggestResponse{Terms: []Suggestion{}}
		for _, t := range terms {
			a.Terms = append(a.Terms, Suggestion{Term: Text(t.Text), DF: uint64(t.Docs)})
		}
		return err
	})
	return a, err
}

// Summary implements Backend.
func (l local) Summary(context.Context) (a *Summary, err error) {
	err = l.peek(func(v *pinion.View) error {
		s := v.Snapshot()
		st := s.Stats()
		a = &Summary{Documents: st.Live, Segments: st.Segments, Commit: s.Generation(), Schema: schemaOf(v)}
		return s.Err()
	})
	return a, err
}
