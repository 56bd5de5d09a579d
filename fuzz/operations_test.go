package fuzz

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// machine is a small index and its model.
type machine struct {
	t         *testing.T
	fs        *memfs.FS
	w         *writer.Writer
	input     []byte
	live      map[string]string // texts by id
	committed map[string]string
}

func (m *machine) do(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// next returns a number below n from the input.
func (m *machine) next(n int) int {
	if len(m.input) == 0 {
		return 0
	}
	b := m.input[0]
	m.input = m.input[1:]
	return int(b) % n
}

func (m *machine) open() {
	var err error
	m.w, err = writer.OpenFS(context.Background(), m.fs, whitespace())
	m.do(err)
}

// FuzzOperations interprets its input as operations on an index.
func FuzzOperations(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte{0, 1, 2, 3, 0, 2, 3, 4, 4, 1, 1, 4, 5, 2, 6, 0, 3, 4, 7, 1, 9})
	r := rand.New(rand.NewPCG(1, 1))
	for range 8 {
		b := make([]byte, 100)
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		m := &machine{t: t, fs: memfs.New(), input: input[:min(len(input), 64)], live: map[string]string{}, committed: map[string]string{}}
		m.open()
		defer func() { m.w.Close() }()
		for len(m.input) > 0 {
			m.step()
		}
		m.commit()
	})
}

func (m *machine) step() {
	ctx := context.Background()
	switch id := fmt.Sprint("d", m.next(12)); m.next(9) {
	default:
		words := []string{}
		for range m.next(6) {
			words = append(words, fmt.Sprint("w", m.next(9)))
		}
		m.live[id] = strings.Join(words, " ")
		m.do(m.w.Add(ctx, writer.Text([]byte(id), []byte(m.live[id]))))
	case 3:
		delete(m.live, id)
		m.do(m.w.Delete(ctx, []byte(id)))
	case 4:
		m.do(m.w.Flush(ctx))
	case 5:
		m.commit()
	case 6:
		_, err := m.w.Merge(ctx, writer.MergeOptions{MaxSegments: m.next(3), Purge: m.next(2) == 0})
		m.do(err)
	case 7:
		m.commit()
		m.do(m.w.Close())
		m.open()
	case 8:
		left := m.fs.CrashWith(memfs.Crash{Keep: []int{0, 10, 50, 100}[m.next(4)], Torn: m.next(2) == 0, Rand: rand.New(rand.NewPCG(uint64(m.next(256)), 0))})
		m.w.Close()
		m.fs, m.live = left, maps.Clone(m.committed)
		m.open()
		m.do(m.w.Commit(ctx))
		m.check()
	}
}

func (m *machine) commit() {
	m.do(m.w.Commit(context.Background()))
	m.committed = maps.Clone(m.live)
	m.check()
}

// check compares the newest commit with the model, and the answer of a query with the
// oracle's.
func (m *machine) check() {
	x, err := reader.Open(context.Background(), reader.FromStore(m.fs), reader.Options{})
	m.do(err)
	defer x.Close()
	s, err := x.Snapshot()
	m.do(err)
	defer s.Close()
	if m.next(4) == 0 {
		m.do(s.Verify(context.Background()))
	}
	got := map[string]string{}
	var docs []oracle.Doc
	for doc := range uint32(s.Stats().Docs) {
		id, err := s.AppendID(nil, doc)
		m.do(err)
		text, err := s.AppendStored(nil, doc)
		m.do(err)
		deleted, err := s.Deleted(doc)
		m.do(err)
		if docs = append(docs, oracle.Doc{Terms: strings.Fields(string(text)), Deleted: deleted}); !deleted {
			got[string(id)] = string(text)
		}
	}
	if !maps.Equal(got, m.committed) {
		m.t.Fatalf("the index holds %q, want %q", got, m.committed)
	}
	searcher, err := search.NewSearcher(s, search.Options{})
	m.do(err)
	defer searcher.Close()
	q := search.Query{K: 1 + m.next(12), Mode: query.Mode(m.next(3)), Algorithm: search.Algorithms()[m.next(len(search.Algorithms()))]}
	o := oracle.Query{K: q.K, Mode: oracle.Mode(q.Mode), K1: query.DefaultParams().K1, B: query.DefaultParams().B}
	for range 1 + m.next(4) {
		word := fmt.Sprint("w", m.next(10))
		q.RawTerms, o.Terms = append(q.RawTerms, []byte(word)), append(o.Terms, word)
	}
	res, err := searcher.Search(context.Background(), q)
	m.do(err)
	want := oracle.New(docs).Answer(o)
	if len(want) != len(res.Hits) {
		m.t.Fatalf("%+v: %v, want %v", q, res.Hits, want)
	}
	for i, h := range res.Hits {
		if h.Doc != want[i].Doc || h.Score != want[i].Score {
			m.t.Fatalf("%+v: hit %d is %v, want %v", q, i, h, want[i])
		}
	}
}
