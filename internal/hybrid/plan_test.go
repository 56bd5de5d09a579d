package hybrid

import (
	"errors"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// A Plan says which processors may answer, without a GPU, with one that is asked for no plan, and after Close.
func TestPlanOfQuery(t *testing.T) {
	s := newIndex(t)
	p, err := pool.New(s, pool.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	q := search.Query{Text: "w1 w2"}
	for _, c := range []struct {
		on   search.Executor
		q    search.Query
		want string
	}{
		{nil, q, "CPU, no device: "},
		{&stub{Executor: s}, q, "either processor: a core is predicted to take "},
		{&stub{Executor: s}, search.Query{Text: "w1", Total: true}, "either processor: "},
		{&stub{Executor: s}, search.Query{Text: "w1", K: 20_000}, "CPU, hits: "},
		{&stub{Executor: s}, search.Query{}, "CPU, no terms: "},
		{&stub{Executor: s}, search.Query{Node: query.Prefix{Text: "w"}}, "CPU, nodes: "},
	} {
		x, err := New(p, c.on, Options{})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := x.Plan(t.Context(), c.q)
		if err != nil || !strings.HasPrefix(plan.String(), c.want) || plan.Device != nil || (plan.Why == gpu.OnDevice) != (plan.Core > 0) {
			t.Errorf("%+v: %v, %v, want %q", c.q, plan, err, c.want)
		}
		if _, err := x.Plan(t.Context(), search.Query{K: -1}); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("K -1: %v", err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if _, err := x.Plan(t.Context(), c.q); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}
