package reliability

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// various returns the files of an index with fields of every kind, in two segments with deleted documents and changed values.
func various(t testing.TB) static {
	f := memfs.New()
	w, err := writer.OpenFS(ctx, f, writer.Options{MergePolicy: writer.NoMerges, Memory: writer.MinMemory, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "whitespace", Stored: true, Lengths: schema.LengthsByte},
		{Name: "body", Kind: schema.Text, Analyzer: "whitespace", Positions: true, Stored: true},
		{Name: "shelf", Kind: schema.Keyword, Stored: true, Column: true},
		{Name: "at", Kind: schema.Time, Column: true},
		{Name: "worth", Kind: schema.Float, Column: true},
		{Name: "vector", Kind: schema.Impacts, Scale: 0.1},
	}}})
	check(t, err)
	r := rand.New(rand.NewPCG(21, 1))
	for i := range 700 {
		var all []schema.Impact
		for j := range 12 {
			if r.IntN(j+1) == 0 {
				all = append(all, schema.Impact{Term: fmt.Sprint("v", j), Weight: uint8(1 + r.IntN(200))})
			}
		}
		values := []schema.Value{
			schema.TextValue(0, []byte(text(r, i))), schema.TextValue(1, []byte(text(r, i)+text(r, i+1))),
			schema.KeywordValue(2, fmt.Append(nil, "shelf ", r.IntN(9))), schema.TimeValue(3, time.Unix(int64(1e9+i*60), 0)), schema.FloatValue(4, r.Float64()),
			schema.ImpactsValue(5, all),
		}
		check(t, w.Add(ctx, writer.Doc{ID: fmt.Append(nil, "d", i), Values: values}))
		if i == 400 {
			check(t, w.Commit(ctx))
		}
	}
	for i := 0; i < 700; i += 11 {
		check(t, w.Delete(ctx, fmt.Append(nil, "d", i)))
	}
	var changes []writer.Change
	for i := 1; i < 700; i += 50 {
		changes = append(changes, writer.Change{Doc: writer.Doc{ID: fmt.Append(nil, "d", i), Values: []schema.Value{schema.FloatValue(4, 3)}}, Set: []string{"worth", "at"}})
	}
	check(t, w.Apply(ctx, changes, nil))
	check(t, w.Commit(ctx), w.Close())
	return files(t, f)
}

// TestKinds changes the structure of segments, deletes and values, with checksums that hold, and reads them in every way that
// programs can. Each error must be of one of the kinds of package format: it is damage, and programs ask which errors are.
func TestKinds(t *testing.T) {
	sound := various(t)
	parsed := map[string]*damage.File{}
	var names []string
	for name, b := range sound {
		if strings.HasSuffix(name, ".pin") && !isManifest(name) {
			f, err := damage.Parse(b)
			check(t, err)
			parsed[name], names = f, append(names, name)
		}
	}
	slices.Sort(names)
	readInEveryWay(rand.New(rand.NewPCG(1, 1)), sound, func(way string, err error) { t.Errorf("the sound index: %s: %v", way, err) })
	wrong, found := 0, map[string]int{}
	for i := range uint64(trials(2000)) {
		r := rand.New(rand.NewPCG(*seed+i, 22))
		name, other := names[r.IntN(len(names))], names[r.IntN(len(names))]
		b, what := damage.Mutate(r, parsed[name], parsed[other])
		if b == nil {
			continue
		}
		readInEveryWay(r, sound.with(name, b), func(way string, err error) {
			if found[way]++; isIndexError(err) || strings.HasPrefix(way, "export") && errors.Is(err, exchange.ErrNotUTF8) { // an id can be that
				return
			}
			if t.Errorf("-seed %d: %s: %s: %s: %v", *seed+i, name, what, way, err); wrong > 20 {
				t.FailNow()
			}
			wrong++
		})
	}
	t.Logf("errors: %v", found)
}

// readInEveryWay reads an index in every way, and reports each error.
func readInEveryWay(r *rand.Rand, f static, report func(way string, err error)) {
	to := func(way string, err error) {
		if err != nil && err != io.EOF {
			report(way, err)
		}
	}
	x, err := reader.Open(context.Background(), reader.FromStore(f), reader.Options{})
	if err != nil {
		to("open", err)
		return
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		to("snapshot", err)
		return
	}
	defer s.Close()
	readSnapshot(r, s, to)
}

// readSnapshot reads a snapshot in every way.
func readSnapshot(r *rand.Rand, s *reader.Snapshot, to func(way string, err error)) {
	to("verify", s.Verify(ctx))
	readDocuments(r, s, to)
	for _, name := range []string{"title", "body", "shelf", "vector"} {
		if in, ok := s.Field(name); ok {
			readLists(r, s, in, to)
		}
		lists, err := exchange.FromField(s, name)
		if to("lists", err); err == nil {
			n, err := lists.Lists()
			if to("count lists", err); err == nil {
				to("export CIFF", exchange.WriteCIFF(io.Discard, lists.Inverted(), n, ""))
			}
		}
	}
	_, err := exchange.ExportJSONL(ctx, io.Discard, s)
	to("export JSONL", err)
	answers(r, s, to)
}

// faulty is a file system whose files are not in memory, and whose reads fail in a way that a test sets.
type faulty struct {
	static
	read *func(b []byte) ([]byte, error)
}

func (f faulty) ID() any { return f.read }

func (f faulty) Open(name string) (store.Data, error) {
	b, ok := f.static[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return struct{ faultyFile }{faultyFile{staticFile{name, b}, f.read}}, nil
}

type faultyFile struct {
	file staticFile
	read *func(b []byte) ([]byte, error)
}

func (f faultyFile) Size() int64  { return f.file.Size() }
func (f faultyFile) Close() error { return nil }
func (f faultyFile) Range(off, n int64) ([]byte, error) {
	b, err := f.file.Range(off, n)
	if *f.read != nil && err == nil {
		return (*f.read)(b)
	}
	return b, err
}

// TestNoDamage reads a sound index in every way where reads fail, or give too little: such errors are those of the read, and
// of none of the kinds of package format. Nor are those of who asks for what there cannot be, has closed the snapshot, or gave up.
func TestNoDamage(t *testing.T) {
	sound := various(t)
	broken := errors.New("the disk is gone")
	for name, fault := range map[string]struct {
		read func(b []byte) ([]byte, error)
		want error
	}{
		"failing": {func([]byte) ([]byte, error) { return nil, broken }, broken},
		"short":   {func(b []byte) ([]byte, error) { return b[:max(len(b), 8)-8], nil }, fs.ErrInvalid},
	} {
		f := faulty{sound, new(func(b []byte) ([]byte, error))}
		*f.read = fault.read
		if _, err := reader.Open(t.Context(), reader.FromStore(f), reader.Options{}); !errors.Is(err, fault.want) || isIndexError(err) {
			t.Errorf("%s reads: open: %v", name, err)
		}
		*f.read = nil
		x, err := reader.Open(t.Context(), reader.FromStore(f), reader.Options{})
		check(t, err)
		s, err := x.Snapshot()
		check(t, err)
		*f.read = fault.read
		failed := 0
		readSnapshot(rand.New(rand.NewPCG(2, 2)), s, func(way string, err error) {
			if err == nil {
				return
			}
			if failed++; isIndexError(err) || !errors.Is(err, fault.want) {
				t.Errorf("%s reads: %s: %v", name, way, err)
			}
		})
		if failed < 100 {
			t.Errorf("only %d reads failed", failed)
		}
		check(t, s.Close(), x.Close())
	}

	x, err := reader.Open(t.Context(), reader.FromStore(sound), reader.Options{})
	check(t, err)
	s, err := x.Snapshot()
	check(t, err)
	beyond := uint32(s.Stats().Docs)
	views := s.Segments()[0].Views()
	is := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) || isIndexError(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = s.AppendID(nil, beyond)
	is("id", err, fs.ErrInvalid)
	_, err = s.AppendStored(nil, beyond)
	is("stored", err, fs.ErrInvalid)
	_, _, err = s.AppendTexts(nil, nil, []uint32{0, beyond})
	is("texts", err, fs.ErrInvalid)
	_, err = s.Deleted(beyond)
	is("deleted", err, fs.ErrInvalid)
	_, err = views.Documents().AppendID(nil, beyond)
	is("id of a segment", err, fs.ErrInvalid)
	_, err = views.Documents().AppendStored(nil, beyond)
	is("stored of a segment", err, fs.ErrInvalid)
	for i := range views.Fields() {
		if c, ok, err := views.Field(i).Column(); err != nil {
			t.Fatal(err)
		} else if ok {
			_, err = c.Append(nil, beyond)
			is("column", err, fs.ErrInvalid)
		}
	}
	var p segment.PositionReader
	_, err = p.Append(nil, 0, 0, 1)
	is("positions of no list", err, fs.ErrInvalid)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	is("verify", s.Verify(ended), context.Canceled)
	_, err = exchange.ExportJSONL(ended, io.Discard, s)
	is("export", err, context.Canceled)
	check(t, s.Close())
	_, err = s.AppendID(nil, 0)
	is("closed", err, reader.ErrClosed)
	is("verify a closed snapshot", s.Verify(ctx), reader.ErrClosed)
	check(t, x.Close())
}

// readDocuments reads what there is by documents.
func readDocuments(r *rand.Rand, s *reader.Snapshot, to func(string, error)) {
	n := int(s.Stats().Docs)
	for range 20 {
		doc := uint32(r.IntN(max(min(n, 640), 1)))
		_, err := s.AppendID(nil, doc)
		to("id", err)
		_, err = s.AppendStored(nil, doc)
		to("stored", err)
		_, _, err = s.AppendValues(nil, nil, []uint32{doc, min(doc+1, uint32(n-1))}, []uint32{2, 3})
		to("values", err)
		_, err = s.Deleted(doc)
		to("deleted", err)
		_, _, err = s.FindID(fmt.Append(nil, "d", r.IntN(720)))
		to("find id", err)
	}
	for _, name := range []string{"title", "body", "shelf", "at", "worth"} {
		if in, ok := s.Field(name); ok {
			for range 5 {
				doc := uint32(r.IntN(max(min(n, 640), 1)))
				if in.Description().Column {
					_, err := in.AppendValues(nil, doc)
					to("column", err)
				}
				if in.Description().Kind == schema.Text {
					_, err := in.DocLen(doc)
					to("length", err)
				}
			}
		}
	}
	for _, g := range s.Segments() {
		to("each id", g.EachID(func(uint32, []byte) error { return nil }))
		_, err := g.Deletes()
		to("deletes", err)
	}
}

// readLists reads terms of a field, and their lists.
func readLists(r *rand.Rand, s *reader.Snapshot, in *reader.SnapshotField, to func(string, error)) {
	terms := in.Terms(nil)
	var some [][]byte
	for terms.Next() {
		if r.IntN(20) == 0 {
			some = append(some, bytes.Clone(terms.Term()))
		}
	}
	to("terms", terms.Err())
	for _, term := range append(some, []byte("all"), []byte("w0"), []byte("v0"), []byte("shelf 3")) {
		_, entries, err := in.Lookup(term, nil)
		to("lookup", err)
		for _, err := range in.Postings(term) {
			to("postings", err)
		}
		for i, e := range entries {
			g := s.Segments()[e.Segment]
			_, err := g.LiveDF(e.Entry)
			to("live df", err)
			f, ok := in.Segment(e.Segment)
			if !ok || i > 3 {
				continue
			}
			c, err := f.Cursor(term)
			if to("cursor", err); err != nil || c == nil {
				continue
			}
			placed := in.Description().Positions
			for doc := c.NextGEQ(uint32(r.IntN(50))); doc != reader.NoDoc && c.Err() == nil; doc = c.NextGEQ(doc + 1 + uint32(r.IntN(9))) {
				c.Freq()
				if placed {
					_, err := c.AppendPositions(nil)
					to("positions", err)
				}
			}
			to("cursor", c.Err())
			c.Close()
		}
	}
}

// answers answers queries of all kinds, and shows their hits.
func answers(r *rand.Rand, s *reader.Snapshot, to func(string, error)) {
	q, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		to("searcher", err)
		return
	}
	defer q.Close()
	pages, err := pinion.NewView(s, nil)
	if err != nil {
		to("pages", err)
		return
	}
	w := func() string { return fmt.Sprint("w", r.IntN(40)) }
	for name, n := range map[string]query.Node{
		"match":  query.Match{Text: "all " + w() + " " + w()},
		"every":  query.Match{Field: "body", Text: "all w0 " + w(), Mode: query.ModeAnd},
		"phrase": query.Phrase{Field: "body", Text: w() + " " + w(), Slop: r.IntN(5)},
		"near":   query.Near{Field: "body", Text: "all " + w(), Distance: 3},
		"begins": query.Phrase{Field: "body", Text: "all w", Prefix: true},
		"prefix": query.Prefix{Field: "title", Text: "w1", Scored: r.IntN(2) == 0},
		"fuzzy":  query.Fuzzy{Field: "body", Text: "w12"},
		"dot":    query.Dot{Field: "vector", Terms: []query.WeightedTerm{{Term: "v1", Weight: 5}, {Term: "v7", Weight: 3}}},
		"tree": query.Bool{Must: []query.Node{query.Match{Field: "title", Text: w() + " w1"}}, Should: []query.Node{query.Term{Field: "shelf", Text: "shelf 2"}},
			MustNot: []query.Node{query.Term{Field: "vector", Text: "v5"}}, Filter: []query.Node{query.Range{Field: "worth", Min: schema.FloatValue(0, 0.3)}}},
		"ids": query.Bool{Filter: []query.Node{query.IDs{"d7", "d555"}}},
	} {
		ask := search.Query{Node: n, K: 1 + r.IntN(700), Algorithm: search.Algorithms()[r.IntN(len(search.Algorithms()))]}
		found, err := q.Search(ctx, ask)
		to(name, err)
		_, err = q.Count(ctx, search.Query{Node: n})
		to("count "+name, err)
		for _, err := range q.Matches(ctx, search.Query{Node: n}) {
			to("matches "+name, err)
		}
		for _, h := range found.Hits[:min(len(found.Hits), 50)] {
			_, err := s.AppendID(nil, h.Doc)
			to("id of a hit of "+name, err)
		}
		_, err = q.Search(ctx, search.Query{Node: n, K: 50, Sort: []search.SortBy{{Field: "shelf"}, {Field: "at", Desc: true}}, Total: true})
		to("sort "+name, err)
		_, err = q.Search(ctx, search.Query{Node: n, K: 50, Facets: []search.Facet{{Field: "shelf", Limit: 50}}, Collapse: "shelf", Static: &search.Static{Field: "worth", Boost: 2}})
		to("facets "+name, err)
		_, err = pages.Search(ctx, pinion.Request{Query: n, Limit: 20, Fields: []string{"title", "body", "shelf", "at"}, Snippet: &pinion.Snippet{Length: 60}})
		to("page "+name, err)
	}
	_, err = q.Suggest(ctx, "title", "w", 5)
	to("suggest", err)
	_, err = q.Similar(ctx, "body", "w12", 5)
	to("similar", err)
}
