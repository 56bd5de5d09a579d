//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// changing is an index that changes, and what reads it.
type changing struct {
	t     *testing.T
	r     *rand.Rand
	w     *writer.Writer
	index *reader.Index
	ids   int
}

func newChanging(t *testing.T, seed uint64, s *schema.Schema) *changing {
	t.Helper()
	c := &changing{t: t, r: rand.New(rand.NewPCG(seed, 71))}
	fs := memfs.New()
	var err error
	c.w, err = writer.OpenFS(t.Context(), fs, writer.Options{MergePolicy: writer.NoMerges, Schema: s})
	c.try(err)
	c.add(3000)
	c.try(c.w.Commit(t.Context()))
	c.index, err = reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	c.try(err)
	t.Cleanup(func() { c.index.Close(); c.w.Close() })
	return c
}

func (c *changing) try(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// add adds documents, as one segment.
func (c *changing) add(n int) {
	for range n {
		id := fmt.Append(nil, c.ids)
		c.ids++
		text := strings.Repeat("all ", 1+c.r.IntN(3)) + fmt.Sprintf("a%d b%d c%d", c.r.IntN(3), c.r.IntN(20), c.r.IntN(200))
		if len(c.w.Schema().Fields) == 1 {
			c.try(c.w.Add(c.t.Context(), writer.Text(id, []byte(text))))
			continue
		}
		var v []schema.Impact
		for j := range 16 {
			if c.r.IntN(1+j*j/2) == 0 {
				v = append(v, schema.Impact{Term: fmt.Sprint("t", j), Weight: uint8(1 + c.r.IntN(255))})
			}
		}
		values := []schema.Value{schema.ImpactsValue(0, v), schema.ImpactsValue(1, []schema.Impact{{Term: "x", Weight: 1}}), schema.IntegerValue(2, int64(c.r.IntN(10))), schema.TextValue(3, []byte(text)), schema.VectorValue(4, drawVector(c.r, 24, nil))}
		c.try(c.w.Add(c.t.Context(), writer.Doc{ID: id, Values: values}))
	}
	c.try(c.w.Flush(c.t.Context()))
}

// change changes something and returns what the index is then.
func (c *changing) change() *reader.Snapshot {
	ctx := c.t.Context()
	switch c.r.IntN(4) {
	case 0:
		c.add(1 + c.r.IntN(300))
	case 1:
		c.add(1 + c.r.IntN(5))
	case 2:
		_, err := c.w.Merge(ctx, writer.MergeOptions{MaxSegments: 1 + c.r.IntN(3)})
		c.try(err)
	}
	for range c.r.IntN(40) {
		c.try(c.w.Delete(ctx, fmt.Append(nil, c.r.IntN(c.ids))))
	}
	c.try(c.w.Commit(ctx))
	return c.snapshot()
}

func (c *changing) snapshot() *reader.Snapshot {
	_, err := c.index.Refresh(c.t.Context())
	c.try(err)
	s, err := c.index.Snapshot()
	c.try(err)
	return s
}

// draw draws queries over a snapshot.
func (c *changing) draw(s *reader.Snapshot, n int) (queries []search.Query) {
	fielded := len(s.Schema().Fields) > 1
	for range n {
		if fielded && c.r.IntN(4) == 0 {
			queries = append(queries, search.Query{Node: query.Nearest{Field: "vec", Vector: drawVector(c.r, 24, nil), K: 1 + c.r.IntN(30)}, K: 10})
			continue
		}
		if fielded && c.r.IntN(2) == 0 {
			queries = append(queries, drawDot(c.r, uint32(s.Stats().Docs)+1))
			continue
		}
		var words []string
		for range 1 + c.r.IntN(4) {
			words = append(words, []string{"all", fmt.Sprintf("a%d", c.r.IntN(4)), fmt.Sprintf("b%d", c.r.IntN(20)), fmt.Sprintf("c%d", c.r.IntN(210))}[c.r.IntN(4)])
		}
		q := search.Query{Node: query.Match{Text: strings.Join(words, " "), Mode: query.Mode(c.r.IntN(2))}, K: []int{1, 10, 1000}[c.r.IntN(3)]}
		if fielded && c.r.IntN(4) == 0 {
			q.Node = query.Bool{Must: []query.Node{q.Node}, Filter: []query.Node{query.Range{Field: "n", Min: schema.IntegerValue(0, 2), Max: schema.IntegerValue(0, 6)}}}
		}
		queries = append(queries, q)
	}
	return queries
}

// An Executor that goes from commit to commit answers as the CPU does, over documents that are added, deleted and merged.
func TestFollow(t *testing.T) {
	named := &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Impacts, Scale: 0.3}, {Name: "w", Kind: schema.Impacts},
		{Name: "n", Kind: schema.Integer, Column: true}, {Name: "body", Kind: schema.Text}, {Name: "vec", Kind: schema.Vector, Dims: 24}}}
	coded := &schema.Schema{Fields: slices.Clone(named.Fields)}
	coded.Fields[3].Lengths = schema.LengthsByte
	for i, s := range []*schema.Schema{nil, named, coded} {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprint(i, stored), func(t *testing.T) {
				for round := range few(1, 3) {
					follow(t, newChanging(t, uint64(10*i+round), s), stored)
				}
			})
		}
	}
}

func follow(t *testing.T, c *changing, stored bool) {
	s := c.snapshot()
	cpu := newAsked(t, s)
	dev := newDevice(testDevice(t, 1))
	defer dev.Close()
	x, err := New(dev, s, Options{Memory: 8 << 20, CPU: cpu, AsStored: stored, Presence: 100, nearCoded: stored})
	c.try(err)
	defer closeExecutor(t, x)
	for step := range 8 {
		c.compare(x, s, cpu)
		old := cpu
		c.try(s.Close())
		s = c.change()
		cpu = newAsked(t, s)
		if err := x.Follow(s, cpu, nil); errors.Is(err, ErrAnew) {
			t.Fatalf("step %d: %v", step, err) // the index does not grow to twice its size
		} else if err != nil {
			t.Fatal(err)
		}
		_ = old.Close()
	}
	c.compare(x, s, cpu)
	_, _ = cpu.Close(), s.Close()
}

func newAsked(t *testing.T, s *reader.Snapshot) *asked {
	t.Helper()
	cpu, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &asked{Searcher: cpu}
}

// compare compares answers until the device gives most of them.
func (c *changing) compare(x *Executor, s *reader.Snapshot, cpu *asked) {
	c.t.Helper()
	queries := c.draw(s, 40)
	want, err := cpu.Searcher.Execute(c.t.Context(), queries)
	c.try(err)
	for round := 0; ; round++ {
		before := cpu.n
		got, err := x.Execute(c.t.Context(), queries)
		c.try(err)
		for i := range queries {
			if !slices.Equal(got[i].Hits, want[i].Hits) {
				c.t.Fatalf("%+v: %v, want %v", queries[i], got[i].Hits, want[i].Hits)
			}
		}
		if err := x.Err(); err != nil {
			c.t.Fatal(err)
		}
		if cpu.n-before < len(queries)/2 {
			return
		}
		if round > 2000 {
			c.t.Fatalf("the CPU answers %d of %d: %v", cpu.n-before, len(queries), x.Stats().OnCPU)
		}
	}
}

// The lists of a large segment stay where they are when a few documents are added.
func TestFollowKeepsLists(t *testing.T) {
	c := newChanging(t, 1, nil)
	s := c.snapshot()
	dev := newDevice(testDevice(t, 1))
	defer dev.Close()
	cpu := newAsked(t, s)
	x, err := New(dev, s, Options{Memory: 8 << 20, CPU: cpu})
	c.try(err)
	defer closeExecutor(t, x)
	c.try(x.LoadAll(t.Context()))
	first := x.Stats()
	for range 5 {
		c.add(20)
		c.try(c.w.Delete(t.Context(), fmt.Append(nil, c.r.IntN(3000))))
		c.try(c.w.Commit(t.Context()))
		c.try(s.Close())
		s = c.snapshot()
		cpu = newAsked(t, s)
		c.try(x.Follow(s, cpu, nil))
		c.compare(x, s, cpu)
	}
	c.try(s.Close())
	if last := x.Stats(); first.BytesLoaded == 0 || last.Lists < first.Lists || last.BytesLoaded-first.BytesLoaded > first.BytesLoaded/4 || last.Evicted > 0 {
		t.Errorf("%+v, then %+v", first, last)
	}
	if err := x.Follow(s, cpu, nil); !errors.Is(err, reader.ErrClosed) {
		t.Error(err)
	}
	if _, err := x.Execute(context.Background(), c.draw(c.snapshot(), 3)); err != nil {
		t.Error(err)
	}
}

// Documents that come back, as when a commit is restored, are found again.
func TestFollowBack(t *testing.T) {
	c := newChanging(t, 3, &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Impacts, Scale: 0.3}, {Name: "w", Kind: schema.Impacts},
		{Name: "n", Kind: schema.Integer, Column: true}, {Name: "body", Kind: schema.Text}, {Name: "vec", Kind: schema.Vector, Dims: 24}}})
	before := c.snapshot()
	defer before.Close()
	for range 500 {
		c.try(c.w.Delete(t.Context(), fmt.Append(nil, c.r.IntN(3000))))
	}
	c.try(c.w.Commit(t.Context()))
	s := c.snapshot()
	defer s.Close()
	dev := newDevice(testDevice(t, 1))
	defer dev.Close()
	cpu := newAsked(t, s)
	x, err := New(dev, s, Options{Memory: 8 << 20, CPU: cpu})
	c.try(err)
	defer closeExecutor(t, x)
	c.compare(x, s, cpu)
	for _, s := range []*reader.Snapshot{before, s, before} {
		cpu = newAsked(t, s)
		c.try(x.Follow(s, cpu, nil))
		c.compare(x, s, cpu)
	}
}
