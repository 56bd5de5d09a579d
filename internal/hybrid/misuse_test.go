package hybrid

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// The zero value is a closed Executor, and a nil context is the background.
func TestZeroExecutor(t *testing.T) {
	s, snapshot := newSnapshot(t)
	var none context.Context
	calls := func(x *Executor) map[string]error {
		q := search.Query{Text: "w1 w2"}
		errs := map[string]error{"Ready": x.Ready(none)}
		_, errs["Search"] = x.Search(none, q)
		_, errs["Execute"] = x.Execute(none, []search.Query{q})
		_, errs["Count"] = x.Count(none, q)
		_, errs["Search with a total"] = x.Search(none, search.Query{Text: "w1", Total: true})
		_, errs["Execute with a total"] = x.Execute(none, []search.Query{{Text: "w1", Total: true}})
		done := make(chan error, 1)
		if errs["Submit"] = x.Submit(none, &q, func(_ []search.Hit, err error) { done <- err }); errs["Submit"] == nil {
			errs["Submit"] = <-done
		}
		return errs
	}
	var zero Executor
	for what, err := range calls(&zero) {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("zero value: %s: %v", what, err)
		}
	}
	if zero.Expect(nil) || zero.Close() != nil || zero.Device() == "" || zero.Stats().Opening {
		t.Error("the zero value does something")
	}
	x := newHybrid(t, s, nil, Options{})
	for what, err := range calls(x) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	q := search.Query{Text: "w1"}
	_, other := newSnapshot(t)
	for what, err := range map[string]error{
		"no function":     x.Submit(t.Context(), &q, nil),
		"no query":        x.Submit(t.Context(), nil, func([]search.Hit, error) {}),
		"no snapshot":     opened(Open(nil, s, OpenOptions{})),
		"no searcher":     opened(Open(snapshot, nil, OpenOptions{})),
		"other snapshot":  opened(Open(other, s, OpenOptions{})),
		"negative K":      searched(x.Search(t.Context(), search.Query{Text: "w1", K: -1})),
		"executor's own":  opened(New(nil, nil, Options{})),
		"too many queues": opened(New(x.cpu, nil, Options{Queue: -1})),
	} {
		if !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func opened(_ *Executor, err error) error       { return err }
func searched(_ search.Result, err error) error { return err }

// The hits that Submit hands out stay as they are, and text is analyzed in every way of asking.
func TestKeptHits(t *testing.T) {
	s, snapshot := newSnapshot(t)
	x, err := Open(snapshot, s, OpenOptions{Options: Options{Mode: OnlyCPU}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	const n = 200
	queries, want := make([]search.Query, n), make([]search.Result, n)
	for i := range queries {
		queries[i] = search.Query{Text: "W" + string(rune('1'+i%8)), K: i % 20}
		if want[i], err = s.Search(t.Context(), queries[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Close(), snapshot.Close()); err != nil {
		t.Fatal(err)
	}
	kept, answered := make([][]search.Hit, n), make(chan error, n)
	for i := range queries {
		if err := x.Submit(t.Context(), &queries[i], func(hits []search.Hit, err error) {
			kept[i] = hits
			answered <- err
		}); err != nil {
			t.Fatal(err)
		}
	}
	for range n {
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
	}
	all, err := x.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range queries {
		one, err := x.Search(t.Context(), q)
		if err != nil || !slices.Equal(kept[i], want[i].Hits) || !slices.Equal(all[i].Hits, want[i].Hits) || !slices.Equal(one.Hits, want[i].Hits) {
			t.Fatalf("%+v: %v by Submit, %v by Execute, %v by Search, want %v, %v", q, kept[i], all[i].Hits, one.Hits, want[i].Hits, err)
		}
	}
}
