package pinion_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// moody is an Executor that answers, refuses, fails, or says what cannot be, by turns.
type moody struct {
	t        *testing.T
	turn     atomic.Int64
	answered atomic.Int64
}

var errMoody = errors.New("in a bad mood")

func (x *moody) Execute(ctx context.Context, s *reader.Snapshot, requests []pinion.Request) ([]*pinion.Page, error) {
	for _, r := range requests {
		if r.Query == nil || r.Filter != nil || r.Limit <= 0 || r.Offset != 0 || r.Fields != nil || r.Snippet != nil {
			x.t.Errorf("asked %+v", r)
		}
	}
	switch x.turn.Add(1) % 7 {
	case 0:
		return nil, errMoody
	case 1:
		return make([]*pinion.Page, len(requests)), nil // it takes none
	case 2:
		return nil, nil
	case 3:
		return []*pinion.Page{{Hits: []pinion.Hit{{Doc: 1 << 30}}}}, nil
	case 4:
		return []*pinion.Page{{Hits: make([]pinion.Hit, requests[0].Limit+1)}}, nil
	}
	q, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return nil, err
	}
	defer q.Close()
	p, err := pool.New(q, pool.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	pages, err := pooled{p}.Execute(ctx, s, requests)
	if err == nil {
		x.answered.Add(1)
	}
	return pages, err
}

// TestExecutor searches while documents come and go: pages are those of the CPU, whatever the Executor does, and what
// it cannot do is told.
func TestExecutor(t *testing.T) {
	var mu sync.Mutex
	told := map[string]int{}
	x, params := &moody{t: t}, query.Params{K1: 1.5}
	s := &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text, Stored: true}, {Name: "n", Kind: schema.Integer, Column: true}, {Name: "k", Kind: schema.Keyword, Column: true}}}
	index, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: s, Executor: x, Params: params, NoCache: true, Observe: func(e pinion.Event) {
		if e.Kind == pinion.EventExecutor {
			mu.Lock()
			defer mu.Unlock()
			told[fmt.Sprint(errors.Is(e.Err, errMoody))]++
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	rng := rand.New(rand.NewPCG(5, 1))
	word := func() string { return fmt.Sprint("w", rng.IntN(1+rng.IntN(30))) }
	for round := range 60 {
		for range rng.IntN(4) {
			d := pinion.Doc{ID: fmt.Sprint(rng.IntN(80)), Fields: map[string]any{"body": word() + " " + word() + " " + word(), "n": rng.IntN(5), "k": word()}}
			if err := index.Add(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		if round%20 == 7 {
			if err := errors.Join(index.Delete(t.Context(), fmt.Sprint(rng.IntN(80))), index.Sync(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		r := pinion.Request{Query: query.Match{Text: word() + " " + word()}, Limit: 1 + rng.IntN(8), Offset: rng.IntN(3), Total: rng.IntN(2) == 0, Fields: []string{"body"}, Snippet: &pinion.Snippet{}}
		if rng.IntN(2) == 0 {
			r.Filter = query.AtLeast("n", 2)
		}
		if rng.IntN(3) == 0 {
			r.K1, r.B = 2, query.Zero
		}
		if rng.IntN(3) == 0 {
			r.Sort, r.Facets = []pinion.Sort{{Field: "n"}}, []pinion.Facet{{Field: "k"}}
		}
		if rng.IntN(4) == 0 {
			r.K1, r.B = 2, query.Zero
		}
		if err := index.View(t.Context(), func(v *pinion.View) error {
			plain, err := pinion.NewView(v.Snapshot(), nil)
			if err != nil {
				return err
			}
			defer plain.Close()
			own, err := pinion.NewView(v.Snapshot(), x)
			if err != nil {
				return err
			}
			defer own.Close()
			if r.K1 == 0 {
				r.K1 = params.K1 // a View of NewView does not have the Index's
			}
			want, err := plain.Search(t.Context(), r)
			if err != nil {
				return err
			}
			for range 4 {
				for _, v := range []*pinion.View{v, own} {
					if got, err := v.Search(t.Context(), r); err != nil || !reflect.DeepEqual(got, want) {
						t.Fatalf("%+v: %v, %v, want %v", r, got, err, want)
					}
				}
				if next := want.Next(); next != nil && r.Offset == 0 {
					r.After = next
					if want, err = plain.Search(t.Context(), r); err != nil {
						return err
					}
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := index.Search(t.Context(), pinion.Request{Query: query.Match{Field: "title", Text: "x"}}); !errors.Is(err, pinion.ErrInvalid) {
		t.Errorf("a field that is not there: %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if x.answered.Load() == 0 || told["true"] == 0 || told["false"] == 0 {
		t.Errorf("%d answered, told %v", x.answered.Load(), told)
	}
}

// stuck is an Executor that answers when its context ends, and not before.
type stuck struct{ begun chan struct{} }

func (x stuck) Execute(ctx context.Context, _ *reader.Snapshot, _ []pinion.Request) ([]*pinion.Page, error) {
	x.begun <- struct{}{}
	<-ctx.Done()
	return []*pinion.Page{{}}, nil
}

// A search ends with its context, and not with what an Executor says afterwards.
func TestExecutorSlow(t *testing.T) {
	x := stuck{make(chan struct{}, 1)}
	dir := t.TempDir()
	files := reader.FromFS(os.DirFS(dir))
	index, err := pinion.Open(t.Context(), dir, pinion.Options{Executor: x})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	if err := errors.Join(index.Add(t.Context(), pinion.Text("a", "rose")), index.Sync(t.Context())); err != nil {
		t.Fatal(err)
	}
	r, err := pinion.ReaderOptions{Executor: x}.OpenSource(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, s := range []pinion.Searcher{index, r} {
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			<-x.begun
			cancel(errMoody)
		}()
		if p, err := s.Search(ctx, pinion.Request{Query: query.Match{Text: "rose"}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%T: %v, %v", s, p, err)
		}
	}
	ended, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if n, err := index.Count(t.Context(), query.Match{Text: "rose"}); n != 1 || err != nil {
		t.Errorf("the CPU counts: %d, %v", n, err)
	}
	if _, err := r.Search(ended, pinion.Request{Query: query.Match{Text: "rose"}}); !errors.Is(err, context.DeadlineExceeded) || len(x.begun) > 0 {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// No sign of an option is a switch.
func TestNoSwitchBySign(t *testing.T) {
	for _, o := range []pinion.Options{{Slow: -1}, {CacheBytes: -1}, {CacheBytes: 1, NoCache: true}, {Visible: -1}, {Durable: -1}} {
		if _, err := pinion.OpenFS(t.Context(), memfs.New(), o); !errors.Is(err, pinion.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
