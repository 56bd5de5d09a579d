//go:build emu && cgo

package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// brute answers by brute force and counts the calls.
type brute struct {
	c     *gputrial.Collection
	sc    *search.Scorer
	asked int
}

func (b *brute) Execute(_ context.Context, qs []search.Query) ([]search.Result, error) {
	b.asked += len(qs)
	out := make([]search.Result, len(qs))
	for i, q := range qs {
		tq := gputrial.Query{K: q.K, Mode: q.Mode}
		for _, t := range q.RawTerms {
			for n := range b.c.Shape.Terms + 10 {
				if string(gputrial.Term(n)) == string(t) {
					tq.Terms = append(tq.Terms, n)
				}
			}
		}
		out[i].Hits = b.c.Answer(b.sc, tq, nil)
	}
	return out, nil
}

func newCollection(t *testing.T, s gputrial.Shape) (*gputrial.Collection, *search.Scorer) {
	t.Helper()
	c, err := gputrial.New(s, true)
	if err != nil {
		t.Fatal(err)
	}
	return c, mustScorer(t, c)
}

var someShape = gputrial.Shape{Docs: 9000, Segments: 2, Terms: 40, MaxDF: 0.8, MinDF: 1, DocsCodec: "bp128", FreqsCodec: "bp128", Seed: 3}

func TestVariants(t *testing.T) {
	c, sc := newCollection(t, someShape)
	for name, o := range map[string]Options{
		"default":  {Memory: 4 << 20},
		"shared":   {Memory: 4 << 20, ranges: 1, width: 1024},
		"overflow": {Memory: 4 << 20, overflow: 1},
		"tiles":    {Memory: 4 << 20, tiles: 1}, // the device cuts them
		"skip":     {Memory: 4 << 20, locate: kernels.LocateSkip},
		"lr":       {Memory: 4 << 20, locate: kernels.LocateLR},
		"batches":  {Memory: 4 << 20, Threshold: 1},
		"presence": {Memory: 4 << 20, Presence: 1},
	} {
		t.Run(name, func(t *testing.T) {
			dev := cuda.NewEmulator()
			dev.FailRegister = name == "batches" // copied through the ring
			x, err := newExecutor(dev, viewsIn(c), with(sc, o))
			if err != nil {
				t.Fatal(err)
			}
			check(t, x, c, sc, c.Draw(rand.New(rand.NewPCG(1, 9)), 25, 5, 30, query.ModeAnd, query.ModeOr, query.ModeAndOr), nil)
			closeExecutor(t, x)
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEviction(t *testing.T) {
	c, sc := newCollection(t, someShape)
	cpu := &brute{c: c, sc: sc}
	dev := cuda.NewEmulator()
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 12 << 10, Threshold: 1, CPU: cpu})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 9))
	for range 6 {
		check(t, x, c, sc, c.Draw(r, 8, 3, 20, query.ModeAnd, query.ModeOr), nil)
	}
	s := x.Stats()
	if s.Evicted == 0 || s.Hits == 0 || s.Bytes > 12<<10 || s.Loaded-s.Evicted != s.Lists {
		t.Errorf("statistics are %+v", s)
	}
	if cpu.asked == 0 {
		t.Error("the longest lists fit into 12 KiB")
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestStaleLooks loads lists that were evicted after look found them.
func TestStaleLooks(t *testing.T) {
	c, sc := newCollection(t, someShape)
	dev := cuda.NewEmulator()
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	qs := c.Draw(rand.New(rand.NewPCG(1, 9)), 20, 3, 20, query.ModeAnd, query.ModeOr)
	in := make([]search.Query, len(qs))
	for i := range qs {
		in[i] = qs[i].Query()
	}
	check(t, x, c, sc, qs, nil)
	plans := x.resolve(in)
	found, use := 0, []*plan(nil)
	for i := range plans {
		use = append(use, &plans[i])
		for j := range plans[i].lists {
			if plans[i].lists[j].want.List != nil {
				found++
			}
		}
	}
	for _, r := range x.lists.ByKey {
		x.lists.Evict(r)
	}
	if found == 0 {
		t.Error("no list was found before its batch")
	}
	if err := x.answer(context.Background(), use); err != nil {
		t.Fatal(err)
	}
	for i, q := range qs {
		if !plans[i].done && !gputrial.Equal(plans[i].hits, c.Answer(sc, q, nil)) {
			t.Errorf("query %d has other hits", i)
		}
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeletes(t *testing.T) {
	c, sc := newCollection(t, someShape)
	r := rand.New(rand.NewPCG(4, 4))
	segs := viewsIn(c)
	deleted := deleteSome(r, segs)
	x, err := newExecutor(cuda.NewEmulator(), segs, Options{Scorer: sc, Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	check(t, x, c, sc, c.Draw(r, 30, 4, 30, query.ModeAnd, query.ModeOr, query.ModeAndOr), deleted)
}

// The k-th impacts give a first floor although documents are deleted, the best of a list
// among them.
func TestFloorOfDeletes(t *testing.T) {
	shape := someShape
	shape.Segments = 1
	c, sc := newCollection(t, shape)
	long, floors := 0, 0
	for term := range 10 {
		best := c.Answer(sc, gputrial.Query{Terms: []int{term}, K: 200, Mode: query.ModeOr}, nil)
		for _, n := range []int{0, 2, 3, 95, 150}[:min(5, len(best))] {
			deleted := &docset.Bits{}
			for _, h := range best[:min(n, len(best))] {
				deleted.Add(h.Doc)
			}
			views := viewsIn(c)
			views[0].Deletes = reader.NewDeletes(deleted.Words())
			x, err := newExecutor(cuda.NewEmulator(), views, Options{Scorer: sc, Memory: 4 << 20})
			if err != nil {
				t.Fatal(err)
			}
			qs := []gputrial.Query{{Terms: []int{term}, K: 8, Mode: query.ModeOr}, {Terms: []int{term, 11}, K: 8, Mode: query.ModeOr}}
			check(t, x, c, sc, qs, deleted)
			p := x.resolve([]search.Query{qs[0].Query()})
			if len(best) == 200 {
				long++
				if x.shape().floor(&p[0]) > 0 {
					floors++
				}
			}
			closeExecutor(t, x)
		}
	}
	if long == 0 || floors < long/2 {
		t.Errorf("%d of %d long lists have a floor", floors, long)
	}
}

func TestRefusals(t *testing.T) {
	c, sc := newCollection(t, someShape)
	dev := cuda.NewEmulator()
	dev.Memory = 4 << 20
	if _, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 64 << 20}); !errors.Is(err, ErrMemory) {
		t.Errorf("too little memory: %v", err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	x, err := newExecutor(cuda.NewEmulator(), viewsIn(c), Options{Scorer: sc, Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	q := gputrial.Query{Terms: []int{0, 1}, K: 5000}.Query()
	if _, err := x.Execute(context.Background(), []search.Query{q}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("k of 5000: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.Execute(ctx, []search.Query{q}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestConjunction compares docIDs with brute force, for packed blocks, patched blocks and
// both.
func TestConjunction(t *testing.T) {
	pairs := [][2]string{{"newpfd", "bp128"}, {"bp128", "bp128"}, {"newpfd", "newpfd"}}
	for _, codecs := range pairs[:few(1, len(pairs))] {
		shape := someShape
		shape.DocsCodec, shape.FreqsCodec = codecs[0], codecs[1]
		shape.Clustered = codecs[0] != codecs[1]
		t.Run(codecs[0]+"-"+codecs[1], func(t *testing.T) { testConjunction(t, shape) })
	}
}

func testConjunction(t *testing.T, shape gputrial.Shape) {
	c, sc := newCollection(t, shape)
	x, err := newExecutor(cuda.NewEmulator(), viewsIn(c), Options{Scorer: sc, Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var in []search.Query
	qs := c.Draw(rand.New(rand.NewPCG(8, 8)), 40, 4, 10, query.ModeAnd)
	for i := range qs {
		qs[i].K = 1 << 20
		q := qs[i].Query()
		q.K = 1
		in = append(in, q)
	}
	for _, how := range Strategies() {
		t.Run(how.String(), func(t *testing.T) { checkConjunction(t, x, c, sc, in, qs, how, nil) })
	}
}

func checkConjunction(t *testing.T, x *Executor, c *gputrial.Collection, sc *search.Scorer, in []search.Query, qs []gputrial.Query, how Strategy, deleted *docset.Bits) {
	b, err := x.NewConjunction(context.Background(), in, 1, how)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for range 2 {
		if err := b.Start(); err != nil {
			t.Fatal(err)
		}
		m, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range qs {
			want := map[uint32]bool{}
			for _, h := range c.Answer(sc, q, deleted) {
				want[h.Doc] = true
			}
			got := m.Of(i)
			for j, d := range got {
				if !want[d] || j > 0 && got[j-1] >= d {
					t.Fatalf("query %d: docID %d is wrong or out of order", i, d)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("query %d: %d docIDs, not %d", i, len(got), len(want))
			}
		}
	}
}

// TestConjoinAbsent asks for docIDs where no list fits.
func TestConjoinAbsent(t *testing.T) {
	shape := someShape
	shape.Segments = 1
	c, sc := newCollection(t, shape)
	x, err := newExecutor(testDevice(t, 0), viewsIn(c), Options{Scorer: sc, Memory: 2 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer closeExecutor(t, x)
	for _, how := range Strategies() {
		if err := conjoin(x, []search.Query{gputrial.Query{Terms: []int{0, 1, 2}, K: 10}.Query()}, how); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%v: %v", how, err)
		}
	}
}
