//go:build emu && cgo

package gpuload

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// An Index whose Executor is on an emulated device answers as the CPU does, to the bit, while documents come and go, and
// is answered by the device.
func TestExecutorOnDevice(t *testing.T) {
	x, err := Open(Options{Devices: 1, Memory: 8 << 20, Hang: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	x.options.Mode = hybrid.OnlyGPU
	follows(t, x, 5)
	if s := x.Stats(); s.GPU.Searches == 0 || s.Device == "" {
		t.Errorf("%+v", s)
	}
}

// Whatever a request asks for, an emulated device and the CPU answer it as the CPU alone.
func TestExecutorOnDeviceSameAnswers(t *testing.T) {
	for _, mode := range []hybrid.Mode{hybrid.OnlyGPU, hybrid.Parallel} { // whole queries, and those that come alone step by step
		t.Run(mode.String(), func(t *testing.T) {
			sameAnswers(t, func() *Executor {
				x, err := Open(Options{Devices: 1, Memory: 8 << 20, Hang: time.Hour})
				if err != nil {
					t.Fatal(err)
				}
				x.options.Mode = mode
				return x
			})
		})
	}
}

// follows searches an Index while documents come and go: pages are those of the CPU.
func follows(t *testing.T, x *Executor, rounds int) {
	fields := &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text}, {Name: "n", Kind: schema.Integer, Column: true}, {Name: "k", Kind: schema.Keyword, Column: true}, {Name: "f", Kind: schema.Float, Column: true}}}
	index, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: fields, Executor: x, NoCache: true, Observe: func(e pinion.Event) {
		if e.Kind == pinion.EventExecutor {
			t.Error(e.Err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	for round := range rounds {
		var docs []pinion.Doc
		for i := range 40 {
			n := round*40 + i
			docs = append(docs, pinion.Doc{ID: fmt.Sprint(n), Fields: map[string]any{"body": fmt.Sprintf("w%d w%d w%d", n%7, n%11, n%3), "n": n % 10, "k": fmt.Sprint(n % 4), "f": float64(n%5) / 4}})
		}
		if err := errors.Join(index.Add(t.Context(), docs...), index.Delete(t.Context(), fmt.Sprint(round*20+5))); err != nil {
			t.Fatal(err)
		}
		for i := range 10 { // values changed in place, of which the device has bitmaps and static scores
			id := fmt.Sprint(round*30 + i)
			if err := errors.Join(index.Set(t.Context(), id, "n", (round+i)%10), index.Set(t.Context(), id, "f", float64(round+i))); err != nil {
				t.Fatal(err)
			}
		}
		if round%2 == 1 {
			if err := index.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for pass := range 2 {
			if err := index.View(t.Context(), func(v *pinion.View) error { return samePages(t, v) }); err != nil {
				t.Fatal(err)
			}
			if pass == 0 {
				if err := x.Ready(t.Context()); err != nil {
					t.Fatal(err)
				}
				x.mu.Lock()
				x.rest = time.Time{}
				x.mu.Unlock()
			}
		}
	}
}

// samePages searches a View and the CPU over the same snapshot.
func samePages(t *testing.T, v *pinion.View) error {
	plain, err := pinion.NewView(v.Snapshot(), nil)
	if err != nil {
		return err
	}
	defer plain.Close()
	for i := range 24 {
		text := fmt.Sprintf("w%d w%d", i%7, i%11)
		r := pinion.Request{Query: query.Match{Text: text, Mode: []query.Mode{query.ModeOr, query.ModeAnd}[i%2]}, Limit: 1 + i%9, Offset: i % 3, Total: i%4 == 0}
		switch i % 8 {
		case 2:
			r.Query = query.Bool{Must: []query.Node{r.Query}, Should: []query.Node{query.Match{Text: "w3"}}, MustNot: []query.Node{query.Match{Text: "w2 w9"}}}
		case 3:
			r.Query = query.Best{Of: []query.Node{r.Query, query.Match{Text: "w4"}, query.Match{Field: "k", Text: "1"}}, Tie: 0.3}
		case 4, 6:
			r.Total, r.Offset = true, 0
			first, err := plain.Search(t.Context(), r)
			if err != nil {
				return err
			}
			if n := len(first.Hits); n > 0 {
				r.After = &pinion.After{ID: first.Hits[n-1].ID, Score: first.Hits[n-1].Score}
			}
		}
		if i%3 == 0 {
			r.Filter = query.AtLeast("n", i%10)
		}
		if i%4 == 1 {
			r.Static = &pinion.Static{Field: "f", Boost: 2}
		}
		if i%12 == 7 {
			r.K1 = 3
		}
		if i%12 == 5 {
			r.Facets = []pinion.Facet{{Field: "k"}}
		}
		want, err := plain.Search(t.Context(), r)
		if err != nil {
			return err
		}
		if got, err := v.Search(t.Context(), r); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %+v, %v, want %+v", r, got, err, want)
		}
	}
	return nil
}

// After a commit the devices stay open, and an earlier snapshot is left to the CPU.
func TestExecutorFollows(t *testing.T) {
	x, err := Open(Options{Devices: 1, Memory: 8 << 20, Hang: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	x.options.Mode = hybrid.OnlyGPU
	opened, real := 0, x.open
	x.open = func(s *reader.Snapshot, q *search.Searcher, o hybrid.OpenOptions) (scheduler, error) {
		opened++
		return real(s, q, o)
	}
	index, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Executor: x, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(index.Close(), x.Close()); err != nil {
			t.Error(err)
		}
	}()
	var first *pinion.View
	defer func() { first.Close() }()
	for n := range 6 {
		if err := errors.Join(index.Add(t.Context(), pinion.Text(fmt.Sprint(n), "rose")), index.Sync(t.Context())); err != nil {
			t.Fatal(err)
		}
		one(t, index, "rose")
		if err := x.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.mu.Lock()
		x.rest = time.Time{}
		x.mu.Unlock()
		if p := one(t, index, "rose"); len(p.Hits) != n+1 {
			t.Fatalf("%+v", p)
		}
		if err := index.View(t.Context(), func(v *pinion.View) error {
			if first == nil {
				first, err = pinion.NewView(v.Snapshot(), x)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if p := one(t, first, "rose"); len(p.Hits) != 1 {
			t.Fatalf("%+v", p)
		}
	}
	// The first search of a commit is the CPU's where going on takes longer than it waits, as on a busy machine.
	if a := x.counts.all(); opened != 1 || a.GPU < 7 || a.GPU > 12 || a.CPU != 18-a.GPU || a.Both > 0 {
		t.Errorf("opened %d times: %+v", opened, a)
	}
}
