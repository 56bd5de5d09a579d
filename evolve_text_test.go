package pinion

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// moreThanText is a schema that an index of texts gets.
func moreThanText() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Stored: true}, {Name: "title", Kind: schema.Text, Positions: true, Stored: true}, {Name: "n", Kind: schema.Integer, Column: true},
	}}
}

// answersOf returns what the pages of an index say: ids, scores, values and passages.
func answersOf(t *testing.T, x Searcher) (all []any) {
	t.Helper()
	for _, r := range []Request{
		{Query: query.Match{Text: "rose"}}, {Query: query.Match{Field: "text", Text: "rose vase w3"}, Fields: []string{"text"}},
		{Query: query.Match{Field: "text", Text: "w1 w2"}, Snippet: &Snippet{Field: "text"}}, {Query: query.All{}, Limit: 500, Fields: []string{"text"}},
		{Query: query.Prefix{Field: "text", Text: "w"}, Filter: query.Match{Field: "text", Text: "vase"}},
	} {
		r.Limit = max(r.Limit, 100)
		p, err := x.Search(ctx, r)
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		for _, h := range p.Hits {
			text := h.Value("text")
			all = append(all, h.ID, h.Score, text, len(h.Passages))
			for _, passage := range h.Passages {
				all = append(all, passage.Field, passage.Text)
			}
		}
	}
	return all
}

// An index that began with one text answers, when it has got more fields, as one that has had them from the beginning: to the bit, over
// what was there before and what has come since, deleted and replaced documents left out, in its process, in a reader that goes along, and when it is opened again.
func TestEvolveText(t *testing.T) {
	dir := t.TempDir()
	x := must(Open(ctx, dir, Options{}))(t)
	defer func() { x.Close() }()
	of := must(OpenFS(ctx, memfs.New(), Options{Schema: moreThanText()}))(t)
	defer of.Close()
	both := func(f func(x *Index) error) {
		t.Helper()
		if err := errors.Join(f(x), f(of), x.Sync(ctx), of.Sync(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	add := func(lo, hi int) {
		both(func(x *Index) error {
			b := new(Batch)
			for i := lo; i < hi; i++ {
				text := fmt.Sprint("rose w", i%7, strings.Repeat(" vase", i%3), " w", i%4)
				if i%10 == 9 {
					text = "" // without a term
				}
				b.Add(Doc{ID: fmt.Sprint(i), Fields: map[string]any{"text": text}})
			}
			return x.Apply(ctx, b)
		})
	}
	add(0, 60)
	add(60, 200)
	add(50, 70) // again
	both(func(x *Index) error { return x.Delete(ctx, "3", "77", "199") })
	source := must(OpenReader(ctx, dir))(t)
	defer source.Close()
	if n := must(source.Count(ctx, query.Match{Text: "rose"}))(t); n == 0 {
		t.Error("nothing before")
	}
	err := x.View(ctx, func(v *View) error {
		before := answersOf(t, v)
		err := x.Evolve(ctx, x.Schema().Set(schema.Field{Name: "title", Kind: schema.Text, Positions: true, Stored: true}))
		if got := answersOf(t, v); !reflect.DeepEqual(got, before) {
			t.Error("a view from before has other answers")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Evolve(ctx, moreThanText()); err != nil {
		t.Fatal(err)
	}
	if got := x.Schema(); len(got.Fields) != 3 || got.Fields[0].Name != "text" || !got.Fields[0].Stored || got.NextID != 4 {
		t.Errorf("%+v", got)
	}
	check := func(what string) {
		t.Helper()
		want := answersOf(t, of)
		for who, s := range map[string]Searcher{"index": x, "reader": source} {
			if got := answersOf(t, s); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %v, want %v", what, who, got, want)
			}
		}
	}
	check("evolved")
	both(func(x *Index) error {
		return x.Add(ctx, Text("new", "rose w1 w9"), Doc{ID: "5", Fields: map[string]any{"title": "red roses", "n": 7}}, Doc{ID: "6", Fields: map[string]any{"text": "w2"}})
	})
	add(190, 260)
	check("more documents")
	for _, s := range []Searcher{x, of} {
		if n := must(s.Count(ctx, query.And{query.Phrase{Field: "title", Text: "red roses"}, query.Equal("n", 7)}))(t); n != 1 {
			t.Errorf("%d documents with the new fields", n)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {Schema: moreThanText()}, {Analyzer: must(analysis.New("standard", ""))(t)}} {
		x = must(Open(ctx, dir, o))(t)
		check("again")
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(ctx, dir, Options{Analyzer: must(analysis.New("whitespace", ""))(t)}); !errors.Is(err, ErrInvalid) {
		t.Errorf("with another analyzer: %v", err)
	}
}

// A program with fields, one without, and so on, take turns in an index that began without. Each finds the texts of all.
func TestEvolveTextRollback(t *testing.T) {
	dir := t.TempDir()
	var r *Reader
	for i, s := range []*schema.Schema{nil, moreThanText(), nil, moreThanText()} {
		x := must(Open(ctx, dir, Options{Schema: s}))(t)
		docs := []Doc{Text(fmt.Sprint("own", i), "word"), {ID: "shared", Fields: map[string]any{"text": fmt.Sprint("word ", i)}}}
		if s != nil {
			docs[1].Fields["n"] = i
		}
		if err := errors.Join(x.Add(ctx, docs...), x.Sync(ctx)); err != nil {
			t.Fatal(err)
		}
		if r == nil {
			r = must(OpenReader(ctx, dir))(t)
			defer r.Close()
		}
		for _, in := range []Searcher{x, r} {
			if n, err := in.Count(ctx, query.Match{Text: "word"}); n != i+2 || err != nil {
				t.Errorf("%d: %d, %v", i, n, err)
			}
			if names := in.Schema().Fields; i > 0 && len(names) != 3 {
				t.Errorf("%d: %+v", i, names)
			}
			if i == 0 {
				continue
			}
			if n, err := in.Count(ctx, query.And{query.IDs{"shared"}, query.Exists{Field: "n"}}); n != i%2 || err != nil {
				t.Errorf("%d: %d shared documents with the new field, %v", i, n, err)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever operation of the file system fails while an index of texts gets a field, the index is the one before or the one after, with every
// document, as Evolve says; and so it is after a context that has ended meanwhile.
func TestEvolveTextFaults(t *testing.T) {
	injected := errors.New("injected")
	for at := 0; ; at++ {
		rng := rand.New(rand.NewPCG(uint64(at), 3))
		mem := memfs.New()
		x := must(OpenFS(ctx, mem, Options{}))(t)
		for i := range 3 {
			if err := errors.Join(x.Add(ctx, Text(fmt.Sprint(i), "word")), x.Sync(ctx)); err != nil {
				t.Fatal(err)
			}
		}
		within, cancel := context.WithCancel(ctx)
		fault := memfs.Fault{At: at, Err: injected, Sticky: at%2 == 0, Effect: at%3 == 0}
		if at%5 == 4 {
			n := 0
			mem.Watch(func(memfs.Op) {
				if n++; n == at {
					cancel()
				}
			})
		} else {
			mem.Inject(fault)
		}
		err := x.Evolve(within, x.Schema().Set(schema.Field{Name: "n", Kind: schema.Integer, Column: true}))
		cancel()
		if err != nil && !errors.Is(err, injected) && !errors.Is(err, context.Canceled) {
			t.Fatalf("operation %d: %v", at, err)
		}
		mem.Watch(nil)
		if errors.Is(err, context.Canceled) { // it goes on
			fields := len(x.Schema().Fields)
			var b Batch // one change: a crash keeps all of it or nothing
			b.Add(Text("3", "word"))
			b.Delete("3")
			if err := x.Apply(ctx, &b); err != nil || must(x.Count(ctx, query.Match{Text: "word"}))(t) != 3 {
				t.Fatalf("operation %d, with %d fields: %v", at, fields, err)
			}
		}
		left := mem.CrashKeeping(rng)
		closed := x.Close()
		mem.Heal()
		y := must(OpenFS(ctx, left, Options{}))(t)
		fields, n := len(y.Schema().Fields), must(y.Count(ctx, query.Match{Field: "text", Text: "word"}))(t)
		if n != 3 || err == nil && fields != 2 {
			t.Fatalf("operation %d: %v; %d documents, %d fields", at, err, n, fields)
		}
		if fields == 2 {
			if err := errors.Join(y.Add(ctx, Doc{ID: "4", Fields: map[string]any{"n": 1}}), y.Sync(ctx)); err != nil || must(y.Count(ctx, query.Equal("n", 1)))(t) != 1 {
				t.Fatalf("operation %d: %v", at, err)
			}
		}
		if err := y.Close(); err != nil {
			t.Fatal(err)
		}
		if err == nil && closed == nil && at > 60 {
			return
		}
	}
}

// Texts come, go, and are searched while the index gets its first fields and merges run.
func TestEvolveTextConcurrently(t *testing.T) {
	for round := range 3 {
		x := must(OpenFS(ctx, memfs.New(), Options{}))(t)
		done := make(chan error, 4)
		for g := range 4 {
			go func() {
				for i := range 40 {
					id := fmt.Sprint(g, "-", i)
					if err := x.Add(ctx, Text(id, "word "+id)); err != nil {
						done <- err
						return
					}
					if n, err := x.Count(ctx, query.And{query.IDs{id}, query.Match{Field: "text", Text: "word"}}); n != 1 || err != nil {
						done <- fmt.Errorf("%s: %d, %w", id, n, err)
						return
					}
				}
				done <- nil
			}()
		}
		for i := range 3 {
			if err := x.Evolve(ctx, x.Schema().Set(schema.Field{Name: fmt.Sprint("f", round, i), Kind: schema.Keyword})); err != nil {
				t.Error(err)
			}
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if n := must(x.Count(ctx, query.Match{Text: "word"}))(t); n != 160 || len(x.Schema().Fields) != 4 {
			t.Errorf("%d documents, %d fields", n, len(x.Schema().Fields))
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An index whose lengths were imported keeps to its text, and says why; it goes on.
func TestEvolveImported(t *testing.T) {
	mem := memfs.New()
	w := must(writer.OpenFS(ctx, mem, writer.Options{}))(t)
	in := writer.Inverted{ForeignLengths: true,
		Docs: func(yield func(writer.InvertedDoc, error) bool) {
			yield(writer.InvertedDoc{ID: []byte("1"), Len: 9}, nil)
		},
		Lists: func(yield func(writer.InvertedList, error) bool) {
			yield(writer.InvertedList{Term: []byte("word"), Postings: format.Postings{Docs: []uint32{0}, Freqs: []uint32{1}}}, nil)
		}}
	if err := errors.Join(w.AddInverted(ctx, in), w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	x := must(OpenFS(ctx, mem, Options{}))(t)
	defer x.Close()
	if err := x.Evolve(ctx, moreThanText()); !errors.Is(err, ErrInvalid) {
		t.Errorf("with another schema for its text: %v", err)
	}
	err := x.Evolve(ctx, x.Schema().Set(schema.Field{Name: "n", Kind: schema.Integer, Column: true}))
	if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "imported") {
		t.Errorf("%v", err)
	}
	if err := x.Add(ctx, Text("2", "word")); err != nil || must(x.Count(ctx, query.Match{Text: "word"}))(t) != 2 {
		t.Errorf("it does not go on: %v", err)
	}
}
