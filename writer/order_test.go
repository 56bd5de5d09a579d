package writer_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

var orderSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "text", Kind: schema.Text, Analyzer: "whitespace"},
	{Name: "n", Kind: schema.Integer, Column: true},
	{Name: "m", Kind: schema.Integer, Stored: true},
}}

func addNumbered(t *testing.T, w *writer.Writer, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		d := writer.Doc{ID: fmt.Append(nil, n), Values: []schema.Value{schema.TextValue(0, fmt.Appendf(nil, "every t%d", n%7)), schema.IntegerValue(1, int64(n))}}
		if err := w.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
}

// numbersOf returns the numbers of the live documents of each segment in docID order, which their
// ids are too. It checks the lists of a term.
func numbersOf(t *testing.T, fs store.ReadFS) (all [][]string) {
	t.Helper()
	r, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, _ := s.Field("n")
	text, _ := s.Field("text")
	doc := uint32(0)
	for _, g := range s.Segments() {
		var of []string
		for range g.Docs() {
			deleted, err := s.Deleted(doc)
			id, err2 := s.AppendID(nil, doc)
			values, err3 := f.AppendValues(nil, doc)
			if err := errors.Join(err, err2, err3); err != nil {
				t.Fatal(err)
			}
			if doc++; deleted {
				continue
			}
			if len(values) != 1 || values[0].String() != string(id) || values[0].Field != 1 {
				t.Fatalf("document %s has %v", id, values)
			}
			of = append(of, string(id))
		}
		all = append(all, of)
	}
	for i := range 7 {
		for p, err := range text.Postings(fmt.Appendf(nil, "t%d", i)) {
			if err != nil {
				t.Fatal(err)
			}
			var n int
			id, err := s.AppendID(nil, p.Doc)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sscan(string(id), &n); n%7 != i {
				t.Fatalf("term t%d is in document %d", i, n)
			}
		}
	}
	return all
}

// waiting is a Policy that calls a function first.
type waiting struct {
	choose.Policy
	first func()
}

func (p waiting) Docs(docs []uint32) (codec.BlockCodec, error) {
	p.first()
	return p.Policy.Docs(docs)
}

// Flushes sort, merges interleave, and what is deleted while one runs in the background is gone
// afterwards.
func TestOrderedMerge(t *testing.T) {
	ctx, fs := t.Context(), memfs.New()
	merging, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	planned := false // its goroutine is begun later
	auto, _ := choose.Auto(nil, nil)
	o := writer.Options{Schema: orderSchema, Order: writer.OrderField("n", true), Threads: 1}
	o.SetChoose(waiting{auto, func() {
		if planned {
			once.Do(func() { close(merging); <-goOn })
		}
	}})
	o.MergePolicy = func(all []writer.SegmentStats) []writer.Run {
		if planned = planned || len(all) == 2; len(all) == 2 {
			return []writer.Run{{From: 0, Segments: 2}}
		}
		return nil
	}
	w, err := writer.OpenFS(ctx, fs, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var even, odd, want []int
	for i := range 400 {
		even, odd = append(even, 2*i), append(odd, 799-2*i)
	}
	addNumbered(t, w, even...)
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	addNumbered(t, w, odd...)
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	<-merging
	gone := map[int]bool{}
	for n := 5; n < 700; n += 31 {
		gone[n] = true
		if err := w.Delete(ctx, fmt.Append(nil, n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if got := numbersOf(t, fs); len(got) != 2 {
		t.Fatalf("%d segments before the merge", len(got))
	}
	close(goOn)
	if err := w.WaitMerges(ctx); err != nil {
		t.Fatal(err)
	}
	for n := 799; n >= 0; n-- {
		if !gone[n] {
			want = append(want, n)
		}
	}
	if got := numbersOf(t, fs); len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(want) {
		t.Errorf("got %.200v\nwant %.200v", fmt.Sprint(got), fmt.Sprint(want))
	}
}

// An index keeps its order, takes one while it has no documents or by Merge, and refuses others.
func TestOrderOfIndex(t *testing.T) {
	ctx, fs := t.Context(), memfs.New()
	open := func(order writer.Order) *writer.Writer {
		t.Helper()
		w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: orderSchema, Order: order})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	end := func(w *writer.Writer) {
		t.Helper()
		if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for _, bad := range []writer.Order{"field:", "field:x", "field:m", "field:text", "bp", "n"} {
		if w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: orderSchema, Order: bad}); !errors.Is(err, writer.ErrInvalid) {
			t.Errorf("%q: %v, %v", bad, w, err)
		}
	}
	if _, err := writer.OpenFS(ctx, memfs.New(), writer.Options{Order: "field:n"}); !errors.Is(err, writer.ErrInvalid) {
		t.Errorf("without a schema: %v", err)
	}
	w := open("field:n")
	addNumbered(t, w, 3, 1, 2)
	end(w)
	w = open("") // which keeps it
	addNumbered(t, w, 5, 9, 4)
	end(w)
	if got := fmt.Sprint(numbersOf(t, fs)); got != "[[1 2 3] [4 5 9]]" {
		t.Errorf("ascending: %s", got)
	}
	if _, err := writer.OpenFS(ctx, fs, writer.Options{Order: "field:-n"}); !errors.Is(err, writer.ErrInvalid) {
		t.Errorf("another order: %v", err)
	}
	w = open("field:n")
	if _, err := w.Merge(ctx, writer.MergeOptions{Order: "field:m"}); !errors.Is(err, writer.ErrInvalid) {
		t.Errorf("Merge by no column: %v", err)
	}
	if stats, err := w.Merge(ctx, writer.MergeOptions{Order: writer.OrderField("n", true)}); err != nil || stats.Outputs != 1 || stats.Reordered != 6 {
		t.Errorf("Merge: %+v, %v", stats, err)
	}
	addNumbered(t, w, 6, 7)
	end(w)
	if got := fmt.Sprint(numbersOf(t, fs)); got != "[[9 5 4 3 2 1] [7 6]]" {
		t.Errorf("descending: %s", got)
	}
	w = open("")
	if _, err := w.Merge(ctx, writer.MergeOptions{Order: writer.OrderRandom, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	addNumbered(t, w, 30, 10, 20)
	end(w)
	got := numbersOf(t, fs)
	if len(got) != 2 || fmt.Sprint(got[1]) != "[30 10 20]" {
		t.Errorf("after a random order: %v", got)
	}
	// A renamed field is the same one; without the field there is no order.
	w = open("")
	if _, err := w.Merge(ctx, writer.MergeOptions{Order: "field:n"}); err != nil {
		t.Fatal(err)
	}
	changed, err := w.Schema().Rename("n", "number")
	if err != nil {
		t.Fatal(err)
	}
	end(w)
	order := func(s *schema.Schema) writer.Order {
		t.Helper()
		w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		end(w)
		r, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		snap, err := r.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		if field, desc, ok := snap.Order(); ok {
			return writer.OrderField(field.Name, desc)
		}
		return ""
	}
	if got := order(changed); got != "field:number" {
		t.Errorf("renamed: %q", got)
	}
	if changed, err = changed.Drop("number"); err != nil {
		t.Fatal(err)
	}
	if got := order(changed); got != "" {
		t.Errorf("dropped: %q", got)
	}
}

// An order that documents do not have is damage.
func TestOrderVerified(t *testing.T) {
	ctx, fs := t.Context(), memfs.New()
	w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: orderSchema})
	if err != nil {
		t.Fatal(err)
	}
	addNumbered(t, w, 1, 3, 2)
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	dir, err := indexdir.OpenFS(fs)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	lock, err := dir.Lock()
	if err != nil {
		t.Fatal(err)
	}
	m := lock.Manifest()
	f, _ := m.Schema.Field("n")
	m.Order.Field = f.ID
	if err := errors.Join(lock.Commit(m), lock.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(ctx); !errors.Is(err, format.ErrCorrupt) || !strings.Contains(err.Error(), `document 2 is out of the order by field "n"`) {
		t.Errorf("an order that documents do not have: %v", err)
	}
}

// MergeInto orders documents as Merge does, in one segment, and refuses what makes no sense of it.
func TestMergeIntoOrdered(t *testing.T) {
	ctx, root := t.Context(), t.TempDir()
	var sources []store.ReadFS
	for i, numbers := range [][]int{{3, 1, 2}, {9, 5}} {
		dir := filepath.Join(root, fmt.Sprint("source", i))
		w, err := writer.Open(ctx, dir, writer.Options{Schema: orderSchema})
		if err != nil {
			t.Fatal(err)
		}
		addNumbered(t, w, numbers...)
		if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		sources = append(sources, store.Dir(dir))
	}
	for i, c := range []struct {
		o    writer.MergeOptions
		want string
		n    uint64
	}{
		{writer.MergeOptions{}, "[[3 1 2 9 5]]", 0},
		{writer.MergeOptions{Order: writer.OrderInput}, "[[3 1 2 9 5]]", 0},
		{writer.MergeOptions{Order: "field:n"}, "[[1 2 3 5 9]]", 5},
		{writer.MergeOptions{Order: "field:-n"}, "[[9 5 3 2 1]]", 5},
		{writer.MergeOptions{Order: "field:m"}, "", 0},
		{writer.MergeOptions{Order: "sideways"}, "", 0},
		{writer.MergeOptions{MaxSegments: 2}, "", 0},
	} {
		out := filepath.Join(root, fmt.Sprint("out", i))
		stats, err := writer.MergeInto(ctx, out, sources, writer.Options{}, c.o)
		if c.want == "" {
			if !errors.Is(err, writer.ErrInvalid) {
				t.Errorf("%+v: %v", c.o, err)
			}
			continue
		}
		if err != nil || stats.Sources != 2 || stats.Outputs != 1 || stats.Reordered != c.n {
			t.Fatalf("%+v: %+v, %v", c.o, stats, err)
		}
		if got := fmt.Sprint(numbersOf(t, store.Dir(out))); got != c.want {
			t.Errorf("%+v: %s, not %s", c.o, got, c.want)
		}
	}
	w, err := writer.Open(ctx, filepath.Join(root, "out0"), writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, o := range []writer.MergeOptions{{Order: writer.OrderRandom, MaxSegments: 2}, {Order: "sideways"}} {
		if _, err := w.Merge(ctx, o); !errors.Is(err, writer.ErrInvalid) {
			t.Errorf("Merge %+v: %v", o, err)
		}
	}
	if stats, err := w.Merge(ctx, writer.MergeOptions{Order: writer.OrderRandom}); err != nil || stats.Sources != 1 || stats.Reordered != 5 {
		t.Errorf("Merge: %+v, %v", stats, err)
	}
}
