package pinion

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// modelled is what the model has of a document: its values by the field's id.
type modelled map[uint32][]string

// fieldModel is an index with a schema, and what it must hold.
type fieldModel struct {
	*Index
	o      Options
	mem    *memfs.FS
	docs   map[string]modelled // after all calls
	synced map[string]modelled // after the last one that made all durable
	added  int                 // documents
}

var modelWords = []string{"a", "b", "c", "d"}

// draw draws a document.
func (m *fieldModel) draw(t *rapid.T) (Doc, modelled) {
	m.added++
	d, r := Doc{ID: rapid.SampledFrom([]string{"1", "2", "3", "4", "5", "6"}).Draw(t, "id")}, modelled{}
	for i, f := range m.Schema().Fields {
		for range rapid.IntRange(0, 2).Draw(t, "values of "+f.Name) {
			v := schema.IntegerValue(i, int64(m.added))
			switch f.Kind {
			case schema.Text:
				v = schema.TextValue(i, []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(modelWords), 1, 4).Draw(t, "text"), " ")))
			case schema.Keyword:
				v = schema.KeywordValue(i, []byte(rapid.SampledFrom(modelWords).Draw(t, "keyword")))
			}
			d.Values = append(d.Values, v)
			r[f.ID] = append(r[f.ID], v.String())
		}
	}
	return d, r
}

// oracleOf returns the oracle's collection of documents, and their ids by number.
func oracleOf(s *schema.Schema, docs map[string]modelled) (*oracle.Records, []string) {
	var fields []oracle.Field
	for _, f := range s.Fields {
		x := oracle.Field{Name: f.Name, K1: 1.2, B: 0.75, Weight: f.Factor()}
		switch {
		case f.Kind == schema.Keyword:
			x.Lengths = oracle.None
		case f.Lengths == schema.LengthsByte:
			x.Lengths = oracle.Bytes
		}
		fields = append(fields, x)
	}
	ids := slices.Sorted(maps.Keys(docs))
	records := make([]oracle.Record, len(ids))
	for i, id := range ids {
		records[i].Terms = map[string][]string{}
		for _, f := range s.Fields {
			if f.Indexing() != schema.IndexNone {
				records[i].Terms[f.Name] = strings.Fields(strings.Join(docs[id][f.ID], " "))
			}
		}
	}
	return oracle.NewRecords(fields, records), ids
}

// searcher is an Index or a View.
type searcher func(r Request) (Page, error)

// check compares what searches find, and show, with the documents.
func (m *fieldModel) check(t *rapid.T, search searcher, docs map[string]modelled) {
	s := m.Schema()
	truth, ids := oracleOf(s, docs)
	var names []string
	for _, f := range s.Fields {
		if f.Stored {
			names = append(names, f.Name)
		}
	}
	for range 3 {
		var nodes []query.Node
		q := oracle.LeafQuery{K: 100}
		for range rapid.IntRange(1, 3).Draw(t, "nodes") {
			f := rapid.SampledFrom(s.Fields).Draw(t, "field")
			if f.Indexing() == schema.IndexNone {
				continue
			}
			word := rapid.SampledFrom(modelWords).Draw(t, "word")
			q.Leaves = append(q.Leaves, oracle.Leaf{Field: f.Name, Term: word, Boost: 1})
			nodes = append(nodes, query.Match{Field: f.Name, Text: word})
		}
		page, err := search(Request{Query: query.Bool{Should: nodes}, Limit: 100, Fields: names})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]float32{}
		for _, h := range truth.Answer(q) {
			want[ids[h.Doc]] = h.Score
		}
		for _, h := range page.Hits {
			if score, ok := want[string(h.ID)]; !ok || score != h.Score {
				t.Fatalf("%v finds %q with %v, expected %v, %v", nodes, h.ID, h.Score, ok, score)
			}
			delete(want, string(h.ID))
			shown := modelled{}
			for _, v := range h.Values {
				f := s.Fields[v.Field]
				shown[f.ID] = append(shown[f.ID], v.String())
			}
			for _, f := range s.Fields {
				if f.Stored && !slices.Equal(shown[f.ID], docs[string(h.ID)][f.ID]) {
					t.Fatalf("%q has %q in field %q, expected %q", h.ID, shown[f.ID], f.Name, docs[string(h.ID)][f.ID])
				}
			}
		}
		if len(want) > 0 {
			t.Fatalf("%v does not find %v", nodes, want)
		}
	}
}

// deleteWhere deletes the documents with some values in a column, if there still is one.
func (m *fieldModel) deleteWhere(t *rapid.T) error {
	columns := slices.DeleteFunc(m.Schema().Fields, func(f schema.Field) bool { return !f.Column })
	if len(columns) == 0 {
		return nil
	}
	c := rapid.SampledFrom(columns).Draw(t, "column")
	word, limit := rapid.SampledFrom(modelWords).Draw(t, "word"), rapid.IntRange(0, m.added).Draw(t, "limit")
	f := query.Equal(c.Name, word)
	passes := func(v string) bool { return v == word }
	if c.Kind == schema.Integer {
		f = query.Range{Field: c.Name, Max: limit}
		passes = func(v string) bool {
			n, err := strconv.Atoi(v)
			return err == nil && n <= limit
		}
	}
	before := len(m.docs)
	maps.DeleteFunc(m.docs, func(_ string, r modelled) bool { return slices.ContainsFunc(r[c.ID], passes) })
	n, err := m.DeleteWhere(ctx, f)
	if err == nil && n != uint64(before-len(m.docs)) {
		t.Fatalf("%v: %d documents deleted, not %d", f, n, before-len(m.docs))
	}
	return err
}

func (m *fieldModel) search(r Request) (Page, error) { return m.Search(ctx, r) }

// reopen opens the index again, with another schema now and then.
func (m *fieldModel) reopen(t *rapid.T) error {
	o := m.o
	if s := m.Schema(); rapid.Bool().Draw(t, "change") {
		name := rapid.SampledFrom(s.Fields).Draw(t, "field").Name
		var err error
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			s, err = s.Add(schema.Field{Name: fmt.Sprint("f", m.added), Kind: schema.Text, Stored: true})
		case 1:
			s, err = s.Rename(name, fmt.Sprint("r", m.added))
		default:
			s, err = s.Drop(name)
		}
		if err == nil { // not the only field
			o.Schema = s
		}
	}
	x, err := OpenFS(ctx, m.mem, o)
	if err == nil {
		m.Index = x
	}
	return err
}

// Whatever is added and deleted in fields, by whatever way, searches find it with the oracle's
// scores, and pages show it: at once if changes are visible at once, after a crash if they are durable at once, and
// otherwise after Sync. A backup and a view hold what the index held; a document that is refused
// leaves nothing behind, and neither do those beside it; fields come and go between lives.
func TestFieldsModel(t *testing.T) {
	dir, backups := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		m := &fieldModel{mem: memfs.New(), docs: map[string]modelled{}, synced: map[string]modelled{}}
		cache := rapid.SampledFrom([]int{-1, 0, 1500}).Draw(t, "cache")
		m.o = Options{
			Memory:     writer.MinMemory,
			Visible:    rapid.SampledFrom([]time.Duration{0, time.Hour, time.Microsecond}).Draw(t, "visible"),
			Durable:    time.Hour,
			SyncEach:   rapid.Bool().Draw(t, "sync"),
			CacheBytes: max(cache, 0), NoCache: cache < 0,
		}
		first := m.o
		first.Schema = &schema.Schema{Fields: []schema.Field{
			{Name: "tag", Kind: schema.Keyword, Stored: true, Column: true},
			{Name: "title", Kind: schema.Text, Lengths: schema.LengthsByte, Boost: 2.5},
			{Name: "body", Kind: schema.Text, Stored: true},
			{Name: "number", Kind: schema.Integer, Stored: true, Column: true},
		}}
		at := m.o.Visible == 0 || m.o.SyncEach // searches see a change when the call returns
		m.Index = must(OpenFS(ctx, m.mem, first))(t)
		defer func() { m.Close() }()
		sync := func() error {
			m.synced = maps.Clone(m.docs)
			return m.Sync(ctx)
		}
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			var err error
			switch rapid.SampledFrom([]string{"add", "add", "add", "bad", "apply", "delete", "where", "sync", "check", "view", "backup", "reopen", "crash"}).Draw(t, "step") {
			case "add":
				d, r := m.draw(t)
				err = m.Add(ctx, d)
				m.docs[string(d.ID)] = r
			case "bad":
				d, _ := m.draw(t)
				bad, _ := m.draw(t)
				last, _ := m.draw(t)
				bad.Values = append(bad.Values, schema.FloatValue(0, 1))
				if err := m.Add(ctx, d, bad, last); !errors.Is(err, writer.ErrDocument) || !strings.Contains(err.Error(), m.Schema().Fields[0].Name) {
					t.Fatalf("a bad document: %v", err)
				}
			case "apply":
				d, rd := m.draw(t)
				gone, _ := m.draw(t)
				last, r := m.draw(t)
				var b Batch
				b.Add(d)
				b.Delete(string(gone.ID))
				b.Add(last)
				err = m.Apply(ctx, &b)
				m.docs[string(d.ID)] = rd
				delete(m.docs, string(gone.ID))
				m.docs[string(last.ID)] = r
			case "delete":
				d, _ := m.draw(t)
				err = m.Delete(ctx, d.ID, "1")
				delete(m.docs, string(d.ID))
				delete(m.docs, "1")
			case "where":
				err = m.deleteWhere(t)
			case "sync":
				err = sync()
				m.check(t, m.search, m.docs)
			case "check":
				if at {
					m.check(t, m.search, m.docs)
				}
			case "view":
				if err = sync(); err == nil {
					err = m.View(ctx, func(v *View) error {
						d, r := m.draw(t)
						before := maps.Clone(m.docs)
						m.docs[string(d.ID)] = r
						err := errors.Join(m.Add(ctx, d), m.Sync(ctx))
						m.synced = maps.Clone(m.docs)
						m.check(t, func(r Request) (Page, error) { return v.Search(ctx, r) }, before)
						return err
					})
				}
				m.check(t, m.search, m.docs)
			case "backup":
				backups++
				path := filepath.Join(dir, fmt.Sprint(backups))
				err = m.Backup(ctx, path)
				m.synced = maps.Clone(m.docs)
				if err == nil {
					x := must(Open(ctx, path, m.o))(t)
					m.check(t, func(r Request) (Page, error) { return x.Search(ctx, r) }, m.docs)
					err = x.Close()
				}
			case "reopen":
				if err = m.Close(); err == nil {
					err = m.reopen(t)
				}
				m.synced = maps.Clone(m.docs)
				m.check(t, m.search, m.docs)
			case "crash":
				m.mem = m.mem.Crash()
				m.Close()
				if err = m.reopen(t); !m.o.SyncEach {
					m.docs = maps.Clone(m.synced)
				}
				m.check(t, m.search, m.docs)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
