package writer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

var setSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "text", Kind: schema.Text, Analyzer: "whitespace", Stored: true},
	{Name: "n", Kind: schema.Integer, Column: true, Stored: true},
	{Name: "x", Kind: schema.Float, Column: true},
	{Name: "at", Kind: schema.Time, Column: true, Stored: true, Unit: schema.UnitSecond},
	{Name: "tag", Kind: schema.Keyword, Column: true},
	{Name: "rank", Kind: schema.Integer, Column: true},
}}

// setDoc is a document of setSchema. Values that were set are a set, and ascend.
type setDoc struct {
	n    []int64
	x    []float64
	at   []int64 // seconds
	tag  string
	rank int64
}

func (d *setDoc) values(fields ...string) (values []schema.Value) {
	for _, f := range fields {
		switch f {
		case "n":
			for _, v := range d.n {
				values = append(values, schema.IntegerValue(1, v))
			}
		case "x":
			for _, v := range d.x {
				values = append(values, schema.FloatValue(2, v))
			}
		case "at":
			for _, v := range d.at {
				values = append(values, schema.TimeValue(3, time.Unix(v, 7)))
			}
		}
	}
	return values
}

func (d *setDoc) doc(id string) Doc {
	values := append([]schema.Value{schema.TextValue(0, []byte("word "+id))}, d.values("n", "x", "at")...)
	return Doc{ID: []byte(id), Values: append(values, schema.KeywordValue(4, []byte(d.tag)), schema.IntegerValue(5, d.rank))}
}

func someInts(r *rand.Rand) (v []int64) {
	for range []int{1, 1, 1, 1, 0, 2, 3}[r.IntN(7)] {
		v = append(v, []int64{r.Int64N(20), r.Int64N(1 << 40), -5}[r.IntN(3)])
	}
	return v
}

func newSetDoc(r *rand.Rand) *setDoc {
	d := &setDoc{n: someInts(r), tag: fmt.Sprint("t", r.IntN(5)), rank: r.Int64N(100)}
	for _, v := range someInts(r) {
		d.x = append(d.x, float64(v)/4)
	}
	d.at = []int64{1 << 30, 1<<30 + r.Int64N(1000)}
	return d
}

// set gives d other values in some fields, and returns the change.
func (d *setDoc) set(r *rand.Rand, id string) (*setDoc, Change) {
	of := newSetDoc(r)
	c := Change{Doc: Doc{ID: []byte(id)}}
	c.Set = [][]string{{"n"}, {"x"}, {"at"}, {"at", "n"}, {"n", "x", "at"}}[r.IntN(5)]
	c.Doc.Values = of.values(c.Set...)
	is := *d
	for _, f := range c.Set {
		switch f {
		case "n":
			is.n = asSet(of.n)
		case "x":
			is.x = asSet(of.x)
		case "at":
			is.at = asSet(of.at)
		}
	}
	return &is, c
}

func asSet[T int64 | float64](v []T) []T {
	v = slices.Clone(v)
	slices.Sort(v)
	return slices.Compact(v)
}

// setModel are the documents of an index by their ids.
type setModel map[string]*setDoc

func (m setModel) check(t interface{ Fatalf(string, ...any) }, s *reader.Snapshot) {
	if err := s.Verify(context.Background()); err != nil {
		t.Fatalf("verify: %v", err)
	}
	live := 0
	for _, seg := range s.Segments() {
		deletes, err := seg.Deletes()
		if err != nil {
			t.Fatalf("%v", err)
		}
		live += int(seg.Docs() - deletes.Count())
	}
	if live != len(m) {
		t.Fatalf("%d documents, want %d", live, len(m))
	}
	sch := s.Schema()
	for id, d := range m {
		doc, ok, err := s.FindID([]byte(id))
		if !ok || err != nil {
			t.Fatalf("%s: %v, %v", id, ok, err)
		}
		for _, f := range []string{"n", "x", "at", "tag", "rank"} {
			field, _ := s.Field(f)
			got, err := field.AppendValues(nil, doc)
			if err != nil {
				t.Fatalf("%s, %s: %v", id, f, err)
			}
			var want []string
			switch f {
			case "n":
				want = strs(asSet(d.n))
			case "x":
				want = strs(asSet(d.x))
			case "at":
				for _, v := range asSet(d.at) {
					want = append(want, schema.TimeValue(0, time.Unix(v, 0)).String())
				}
			case "tag":
				want = []string{d.tag}
			case "rank":
				want = []string{fmt.Sprint(d.rank)}
			}
			if texts(got) != strings.Join(want, " ") {
				t.Fatalf("%s, %s: %s, want %s", id, f, texts(got), want)
			}
		}
		rec, err := s.AppendStored(nil, doc)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		got := map[uint32][]string{}
		for v, err := range record.Values(sch, rec) {
			if err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			f, _ := sch.ByID(v.ID)
			x, err := v.Value(0, f.Kind)
			if err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			got[v.ID] = append(got[v.ID], strings.TrimSuffix(x.String(), ""))
		}
		want := map[uint32][]string{1: {"word " + id}, 2: strs(d.n)}
		for _, v := range d.at {
			want[4] = append(want[4], schema.TimeValue(0, time.Unix(v, 0)).String())
		}
		delete(got, 1)
		delete(want, 1)
		if a, b := fmt.Sprint(got[2], got[4]), fmt.Sprint(want[2], want[4]); a != b || len(got) != min(len(d.n), 1)+min(len(d.at), 1) {
			t.Fatalf("%s: stored %s of %v, want %s", id, a, got, b)
		}
		some, _, err := s.AppendValues(nil, nil, []uint32{doc}, []uint32{2})
		n := 0
		for v, err := range record.Values(sch, some) {
			if err != nil || v.ID != 2 {
				t.Fatalf("%s: %v, %v", id, v, err)
			}
			n++
		}
		if n != len(d.n) || err != nil {
			t.Fatalf("%s: %d values of n, want %d: %v", id, n, len(d.n), err)
		}
	}
}

func strs[T any](v []T) (all []string) {
	for _, x := range v {
		all = append(all, fmt.Sprint(x))
	}
	return all
}

func texts(v []schema.Value) string {
	var all []string
	for _, x := range v {
		all = append(all, x.String())
	}
	return strings.Join(all, " ")
}

// TestSetModel changes values in place among all else that a Writer does, and compares what commits, publications and older snapshots have with a
// model.
func TestSetModel(t *testing.T) {
	longtest.Checks(t, 12)
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		fs := memfs.New()
		o := Options{
			Schema: setSchema, Threads: rapid.IntRange(1, 3).Draw(rt, "threads"), Memory: 16 << 20,
			batchSize: rapid.SampledFrom([]int{200, 5000, 1 << 16}).Draw(rt, "batch"),
			accum:     rapid.SampledFrom([]int64{0, 1 << 20}).Draw(rt, "accum"),
		}
		if rapid.Bool().Draw(rt, "merges") {
			o.MergePolicy = Tiered{PerTier: 2}.Runs
		} else {
			o.MergePolicy = NoMerges
		}
		if rapid.Bool().Draw(rt, "ordered") {
			o.Order = OrderField("rank", true)
		}
		w := mustOpen(rt, fs, o)
		defer func() { w.Close() }()
		x, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer x.Close()
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		ids := rapid.SampledFrom([]int{5, 300, 9000}).Draw(rt, "ids")
		m := setModel{}
		type kept struct {
			s *reader.Snapshot
			m setModel
		}
		var older []kept
		look := func(published bool) {
			if published {
				_, err = x.RefreshUncommitted(ctx)
			} else {
				_, err = x.Refresh(ctx)
			}
			must(err)
			s, err := x.Snapshot()
			must(err)
			m.check(rt, s)
			c := setModel{}
			for id, d := range m {
				c[id] = d
			}
			older = append(older, kept{s, c})
		}
		defer func() {
			for _, k := range older {
				k.s.Close()
			}
		}()
		for range rapid.IntRange(2, 14).Draw(rt, "operations") {
			switch op := rapid.SampledFrom([]string{"change", "change", "change", "where", "commit", "publish", "merge", "reopen", "wait"}).Draw(rt, "op"); op {
			case "change":
				var changes []Change
				for range rapid.SampledFrom([]int{1, 20, 600, ids}).Draw(rt, "n") {
					id := fmt.Sprint("id", r.IntN(ids))
					switch k := r.IntN(10); {
					case k < 4:
						m[id] = newSetDoc(r)
						changes = append(changes, Change{Doc: m[id].doc(id)})
					case k < 5:
						delete(m, id)
						changes = append(changes, Change{Doc: Doc{ID: []byte(id)}, Delete: true})
					default:
						d := m[id]
						if d == nil {
							d = &setDoc{}
						}
						d, c := d.set(r, id)
						if m[id] != nil {
							m[id] = d
						}
						changes = append(changes, c)
					}
				}
				must(w.Apply(ctx, changes, nil))
			case "where":
				hi := r.Int64N(20)
				n, err := w.DeleteWhere(ctx, query.Range{Field: "n", Min: 0, Max: hi})
				must(err)
				was := len(m)
				for id, d := range m {
					if slices.ContainsFunc(d.n, func(v int64) bool { return v >= 0 && v <= hi }) {
						delete(m, id)
					}
				}
				if n != uint64(was-len(m)) {
					rt.Fatalf("%d documents deleted, want %d", n, was-len(m))
				}
			case "merge":
				_, err := w.Merge(ctx, MergeOptions{MaxSegments: rapid.IntRange(0, 3).Draw(rt, "most"), Purge: rapid.Bool().Draw(rt, "purge")})
				must(err)
			case "wait":
				must(w.WaitMerges(ctx))
			case "publish":
				must(w.Publish(ctx))
				look(true)
			case "commit", "reopen":
				must(w.Commit(ctx))
				if op == "reopen" {
					must(w.Close())
					w = mustOpen(rt, fs, o)
				}
				look(false)
			}
		}
		must(w.Commit(ctx))
		must(w.WaitMerges(ctx))
		look(false)
		for _, k := range older {
			k.m.check(rt, k.s)
		}
	})
}

// Changes of values that the index does not take are refused by name, and nothing is done.
func TestSetRefused(t *testing.T) {
	ctx := t.Context()
	s := setSchema.Clone()
	s.Fields = append(s.Fields, schema.Field{Name: "word", Kind: schema.Keyword, Column: true, Index: schema.IndexDocs},
		schema.Field{Name: "only", Kind: schema.Integer, Stored: true})
	w := mustOpen(t, memfs.New(), Options{Schema: s, Order: OrderField("rank", false)})
	defer w.Close()
	for want, c := range map[string]Change{
		`no field "z"`:                 {Doc: Doc{ID: []byte("a")}, Set: []string{"z"}},
		`"text" cannot`:                {Doc: Doc{ID: []byte("a")}, Set: []string{"text"}},
		`"tag" cannot`:                 {Doc: Doc{ID: []byte("a")}, Set: []string{"tag"}},
		`"only" cannot`:                {Doc: Doc{ID: []byte("a")}, Set: []string{"only"}},
		`documents are sorted`:         {Doc: Doc{ID: []byte("a")}, Set: []string{"n", "rank"}},
		`set twice`:                    {Doc: Doc{ID: []byte("a")}, Set: []string{"n", "n"}},
		`"x" has a value`:              {Doc: Doc{ID: []byte("a"), Values: []schema.Value{schema.FloatValue(2, 1)}}, Set: []string{"n"}},
		`a value of kind float`:        {Doc: Doc{ID: []byte("a"), Values: []schema.Value{schema.FloatValue(1, 1)}}, Set: []string{"n"}},
		`id is empty`:                  {Set: []string{"n"}},
		`that the same change deletes`: {Doc: Doc{ID: []byte("a")}, Delete: true, Set: []string{"n"}},
		`"n" has a value and is n`:     {Doc: Doc{ID: []byte("a"), Values: []schema.Value{schema.IntegerValue(1, 1)}}, Set: []string{}},
	} {
		err := w.Apply(ctx, []Change{{Doc: Text([]byte("b"), []byte("word"))}, c}, map[string]string{"k": "v"})
		var bad *ChangeError
		if !errors.As(err, &bad) || bad.Number != 1 || !errors.Is(err, ErrDocument) || !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if _, ok := w.Meta("k"); ok {
		t.Error("a part of what was refused is there")
	}
	plain := mustOpen(t, memfs.New(), Options{})
	defer plain.Close()
	if err := plain.Apply(ctx, []Change{{Doc: Doc{ID: []byte("a")}, Set: []string{"text"}}}, nil); !errors.Is(err, ErrDocument) {
		t.Errorf("without a schema: %v", err)
	}
}
