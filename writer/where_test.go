package writer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

var whereSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "text", Kind: schema.Text, Analyzer: "whitespace"},
	{Name: "n", Kind: schema.Integer, Column: true},
	{Name: "tag", Kind: schema.Keyword, Column: true},
}}

// whereDoc is a document with values in the columns of whereSchema.
type whereDoc struct {
	n    []int64
	tags []string
}

func (d *whereDoc) doc(id string) Doc {
	x := Doc{ID: []byte(id), Values: []schema.Value{schema.TextValue(0, []byte("word "+id))}}
	for _, n := range d.n {
		x.Values = append(x.Values, schema.IntegerValue(1, n))
	}
	for _, tag := range d.tags {
		x.Values = append(x.Values, schema.KeywordValue(2, []byte(tag)))
	}
	return x
}

// passes says whether a document passes a filter, value by value.
func (d *whereDoc) passes(id string, f filter.Filter) bool {
	is := func(p func(v schema.Value) bool) func(n int64) bool {
		return func(n int64) bool { return p(schema.IntegerValue(0, n)) }
	}
	has := func(field string, p func(v schema.Value) bool) bool {
		if field == "n" {
			return slices.ContainsFunc(d.n, is(p))
		}
		return slices.ContainsFunc(d.tags, func(tag string) bool { return p(schema.KeywordValue(0, []byte(tag))) })
	}
	switch f := f.(type) {
	case filter.Exists:
		return has(f.Field, func(schema.Value) bool { return true })
	case filter.In:
		return has(f.Field, func(v schema.Value) bool {
			return slices.ContainsFunc(f.Values, func(w schema.Value) bool { return v.String() == w.String() })
		})
	case filter.Range: // only of integers
		return has(f.Field, func(v schema.Value) bool {
			if n := v.Int(); f.Min.Kind != 0 && (n < f.Min.Int() || f.AboveMin && n == f.Min.Int()) {
				return false
			} else if f.Max.Kind != 0 && (n > f.Max.Int() || f.BelowMax && n == f.Max.Int()) {
				return false
			}
			return true
		})
	case filter.IDs:
		return slices.ContainsFunc(f.IDs, func(x []byte) bool { return string(x) == id })
	case filter.And:
		return !slices.ContainsFunc(f, func(f filter.Filter) bool { return !d.passes(id, f) })
	case filter.Or:
		return slices.ContainsFunc(f, func(f filter.Filter) bool { return d.passes(id, f) })
	case filter.Not:
		return !d.passes(id, f.Filter)
	}
	panic("a filter of another kind")
}

// whereWorld is an index and what it must hold.
type whereWorld struct {
	fs   *memfs.FS
	w    *Writer
	o    Options
	docs map[string]whereDoc
	next int64
}

func (x *whereWorld) add(t *rapid.T, r *rand.Rand) {
	for range rapid.SampledFrom([]int{1, 20, 300}).Draw(t, "n") {
		id := fmt.Sprint(r.IntN(1000))
		d := whereDoc{}
		for range r.IntN(3) {
			d.n = append(d.n, x.next+r.Int64N(10))
			d.tags = append(d.tags, fmt.Sprint("t", r.IntN(8)))
		}
		x.next++
		if err := x.w.Add(context.Background(), d.doc(id)); err != nil {
			t.Fatal(err)
		}
		x.docs[id] = d
	}
}

func (x *whereWorld) filter(t *rapid.T, depth int) filter.Filter {
	kinds := []string{"range", "range", "in", "exists", "ids"}
	if depth < 2 {
		kinds = append(kinds, "and", "or", "not")
	}
	some := func() (out []filter.Filter) {
		for range rapid.IntRange(1, 3).Draw(t, "filters") {
			out = append(out, x.filter(t, depth+1))
		}
		return out
	}
	number := func(name string) schema.Value {
		if rapid.IntRange(0, 3).Draw(t, "no bound") == 0 {
			return schema.Value{}
		}
		return schema.IntegerValue(0, rapid.Int64Range(-1, x.next+11).Draw(t, name))
	}
	switch rapid.SampledFrom(kinds).Draw(t, "filter") {
	case "range":
		return filter.Range{Field: "n", Min: number("min"), Max: number("max"), AboveMin: rapid.Bool().Draw(t, "above"), BelowMax: rapid.Bool().Draw(t, "below")}
	case "in":
		f := filter.In{Field: "tag"}
		for range rapid.IntRange(0, 3).Draw(t, "values") {
			f.Values = append(f.Values, schema.KeywordValue(0, fmt.Append(nil, "t", rapid.IntRange(0, 9).Draw(t, "tag"))))
		}
		return f
	case "exists":
		return filter.Exists{Field: rapid.SampledFrom([]string{"n", "tag"}).Draw(t, "field")}
	case "ids":
		return filter.IDs{IDs: [][]byte{fmt.Append(nil, rapid.IntRange(0, 1000).Draw(t, "id"))}}
	case "and":
		return filter.And(some())
	case "or":
		return filter.Or(some())
	}
	return filter.Not{Filter: x.filter(t, depth+1)}
}

func (x *whereWorld) deleteWhere(t *rapid.T) {
	f := x.filter(t, 0)
	var want uint64
	after := maps.Clone(x.docs)
	for id, d := range x.docs {
		if d.passes(id, f) {
			want++
			delete(after, id)
		}
	}
	for _, count := range []bool{true, false} {
		do := x.w.deleteWhere
		if count {
			do = x.w.countWhere
		}
		if n, err := do(context.Background(), f); err != nil || n != want {
			t.Fatalf("%v: %d documents, %v; want %d (count only: %v)", f, n, err, want, count)
		}
	}
	x.docs = after
}

// check compares the newest commit with what the index must hold.
func (x *whereWorld) check(t interface{ Fatalf(string, ...any) }, fs store.FS, docs map[string]whereDoc) {
	ids := liveIDs(t, fs)
	if want := slices.Sorted(maps.Keys(docs)); !slices.Equal(ids, want) {
		t.Fatalf("%d documents %v, want %d", len(ids), ids[:min(len(ids), 20)], len(want))
	}
}

// liveIDs returns the ids of the newest commit, sorted. It verifies the index.
func liveIDs(t interface{ Fatalf(string, ...any) }, fs store.FS) (ids []string) {
	r, err := reader.Open(context.Background(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer r.Close()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer s.Close()
	if err := s.Verify(context.Background()); err != nil {
		t.Fatalf("%v", err)
	}
	for _, seg := range s.Segments() {
		deletes, err := seg.Deletes()
		if err == nil {
			err = seg.EachID(func(doc uint32, id []byte) error {
				if !deletes.Has(doc) {
					ids = append(ids, string(id))
				}
				return nil
			})
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
	}
	slices.Sort(ids)
	return ids
}

// TestDeleteWhere deletes by random filters between other operations, and compares what is
// counted and what is left with a model.
func TestDeleteWhere(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		x := &whereWorld{fs: memfs.New(), docs: map[string]whereDoc{}, o: Options{Schema: whereSchema, Threads: 2, batchSize: 1000,
			MergePolicy: rapid.SampledFrom([]MergePolicy{nil, NoMerges, eager}).Draw(rt, "policy")}}
		x.w = mustOpen(rt, x.fs, x.o)
		defer func() { x.w.Close() }()
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		for range rapid.IntRange(1, 15).Draw(rt, "operations") {
			switch op := rapid.SampledFrom([]string{"add", "add", "add", "where", "where", "delete", "commit", "publish", "merge", "reopen"}).Draw(rt, "op"); op {
			case "add":
				x.add(rt, r)
			case "where":
				x.deleteWhere(rt)
			case "delete":
				id := fmt.Sprint(r.IntN(1000))
				must(x.w.Delete(ctx, []byte(id)))
				delete(x.docs, id)
			case "merge":
				_, err := x.w.Merge(ctx, MergeOptions{MaxSegments: rapid.IntRange(1, 3).Draw(rt, "most")})
				must(err)
			case "publish":
				must(x.w.Publish(ctx))
			case "commit", "reopen":
				must(x.w.Commit(ctx))
				x.check(rt, x.fs, x.docs)
				if op == "reopen" {
					must(x.w.Close())
					x.w = mustOpen(rt, x.fs, x.o)
				}
			}
		}
		must(x.w.Commit(ctx))
		must(x.w.WaitMerges(ctx))
		x.check(rt, x.fs, x.docs)
	})
}

// days returns an index with segments of documents of one day each, and which these are.
func days(t *testing.T, days, docs int) (*memfs.FS, Options, map[string]whereDoc) {
	t.Helper()
	fs, all := memfs.New(), map[string]whereDoc{}
	o := Options{Schema: whereSchema, Threads: 1, MergePolicy: NoMerges}
	w := mustOpen(t, fs, o)
	for day := range days {
		for i := range docs {
			id, d := fmt.Sprint(day, "-", i), whereDoc{n: []int64{int64(day)*1000 + int64(i)}}
			if err := w.Add(t.Context(), d.doc(id)); err != nil {
				t.Fatal(err)
			}
			all[id] = d
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return fs, o, all
}

func before(n int64) filter.Filter {
	return filter.Range{Field: "n", Max: schema.IntegerValue(0, n), BelowMax: true}
}

// TestDeleteWhereUnread holds that a segment whose documents all pass a filter leaves the index
// at the next commit, and that nothing but the bounds of its columns is read: all other sections are
// damaged here.
func TestDeleteWhereUnread(t *testing.T) {
	fs, o, docs := days(t, 3, 50)
	first := true
	fs = copyFS(t, fs, func(name string, b []byte) []byte {
		if !strings.HasPrefix(name, "segment") || !first {
			return b
		}
		first = false
		h, err := format.ParseFile(name, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range h.Sections {
			switch s.ID {
			case format.SectionMeta, format.SectionFields, format.SectionPageSums, format.SectionColumnBounds:
				continue
			}
			for i := range s.Length {
				b[s.Offset+i] ^= 0x55
			}
		}
		return b
	})
	w := mustOpen(t, fs, o)
	defer w.Close()
	if n, err := w.deleteWhere(t.Context(), before(1000)); err != nil || n != 50 {
		t.Fatalf("%d, %v", n, err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(w.segments); n != 2 {
		t.Errorf("%d segments", n)
	}
	maps.DeleteFunc(docs, func(id string, d whereDoc) bool { return d.n[0] < 1000 })
	(&whereWorld{}).check(t, fs, docs)
}

// TestDeleteWhereFaults makes every operation on the file system fail in turn. Whatever
// happens, a crash afterwards leaves all documents that pass the filter, or none.
func TestDeleteWhereFaults(t *testing.T) {
	clean, o, docs := days(t, 3, 30)
	left := maps.Clone(docs)
	maps.DeleteFunc(left, func(id string, d whereDoc) bool { return d.n[0] < 1015 }) // a segment, and half of one
	for _, fault := range []memfs.Fault{{}, {Sticky: true}, {Effect: true}} {
		for at := 0; ; at++ {
			fs := copyFS(t, clean, func(_ string, b []byte) []byte { return b })
			ops := fs.Ops()
			fault.At, fault.Err = at, errInjected
			fs.Inject(fault)
			err := func() error {
				w, err := OpenFS(t.Context(), fs, o)
				if err != nil {
					return err
				}
				defer w.Close()
				if _, err = w.deleteWhere(t.Context(), before(1015)); err != nil {
					return err
				}
				return w.Commit(t.Context())
			}()
			if err != nil && !errors.Is(err, errInjected) {
				t.Fatalf("operation %d: %v", at, err)
			}
			after := fs.CrashKeeping(rand.New(rand.NewPCG(uint64(at), 9)))
			got := len(liveIDs(t, after))
			if got != len(left) && (got != len(docs) || err == nil) {
				t.Fatalf("operation %d, error %v: %d documents are left, not %d or %d", at, err, got, len(docs), len(left))
			}
			if fs.Ops()-ops <= at {
				break
			}
		}
		if testing.Short() {
			break
		}
	}
}

// TestDeleteWhereMisuse holds that a filter that does not fit the index, and a call that is
// cancelled, delete nothing and leave the Writer usable.
func TestDeleteWhereMisuse(t *testing.T) {
	fs, o, docs := days(t, 2, 10)
	w := mustOpen(t, fs, o)
	defer w.Close()
	for _, f := range []filter.Filter{
		nil,
		filter.Exists{Field: "absent"},
		filter.Exists{Field: "text"},
		filter.In{Field: "n", Values: []schema.Value{schema.KeywordValue(0, []byte("1"))}},
		filter.Not{},
		filter.And{before(1000), nil},
	} {
		if n, err := w.deleteWhere(t.Context(), f); n != 0 || !errors.Is(err, filter.ErrInvalid) {
			t.Errorf("%#v: %d, %v", f, n, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := w.deleteWhere(ctx, before(1000)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %d, %v", n, err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	(&whereWorld{}).check(t, fs, docs)
	var background context.Context // nil stands for it
	if n, err := w.deleteWhere(background, before(1000)); n != 10 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, w := range []*Writer{w, {}} {
		if n, err := w.deleteWhere(t.Context(), before(1)); n != 0 || !errors.Is(err, ErrClosed) {
			t.Errorf("closed: %d, %v", n, err)
		}
	}
}

func (w *Writer) deleteWhere(ctx context.Context, f filter.Filter) (uint64, error) {
	return changing{w}.where(orBackground(ctx), compiling(f), true)
}

func (w *Writer) countWhere(ctx context.Context, f filter.Filter) (uint64, error) {
	return changing{w}.where(orBackground(ctx), compiling(f), false)
}

func compiling(f filter.Filter) func(*schema.Schema) (*filter.Compiled, error) {
	return func(s *schema.Schema) (*filter.Compiled, error) { return filter.Compile(s, f) }
}
