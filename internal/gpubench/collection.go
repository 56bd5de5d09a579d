package gpubench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/bp128"
	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// Model describes a generated index: half of its terms are rare, half are common,
// document frequencies log-uniform in each half, lists those of package synthetic.
type Model struct {
	Name, Short        string
	Docs, Terms        int
	RareLo, RareHi     int
	CommonLo, CommonHi int
	Clustered          bool
	Seed               uint64
	Codec              codec.Codec // of docIDs and frequencies; nil: bp128
	Segments           int         // each with Docs documents; 0: one
}

// The collections of Ao 2011, appendix E, in size. The rare lists average 3,600
// postings on the largest, which is what the paper's throughput, response time and
// threshold imply for the shortest list of a query (1 M / (195,520/s * 1.42 ms)).
var (
	GOV  = Model{Name: "GOV-like", Short: "gov", Docs: 1053372, Terms: 2000, RareLo: 128, RareHi: 18000, CommonLo: 5000, CommonHi: 105000}
	GOV2 = Model{Name: "GOV2-like", Short: "gov2", Docs: 5038710, Terms: 2000, RareLo: 128, RareHi: 18000, CommonLo: 10000, CommonHi: 504000}
	BD   = Model{Name: "BD-like", Short: "bd", Docs: 15749656, Terms: 2000, RareLo: 128, RareHi: 18000, CommonLo: 20000, CommonHi: 1575000}
	tiny = Model{Name: "tiny", Short: "tiny", Docs: 20000, Terms: 60, RareLo: 2, RareHi: 1500, CommonLo: 1500, CommonHi: 12000}
)

func term(i int) []byte { return fmt.Appendf(nil, "t%06d", i) }

// df returns the document frequency of term i.
func (m Model) df(i int) int {
	half := m.Terms / 2
	lo, hi := m.RareLo, m.RareHi
	if i >= half {
		lo, hi = m.CommonLo, m.CommonHi
	}
	f := float64(i%half) / float64(half-1)
	return int(float64(lo) * math.Pow(float64(hi)/float64(lo), f))
}

// list draws the postings of term i.
func (m Model) list(i int) (docs, freqs []uint32) {
	draw := synthetic.Uniform
	if m.Clustered {
		draw = synthetic.Clustered
	}
	n, seed := m.df(i), m.Seed*0x9e3779b97f4a7c15+uint64(i)+1
	return draw(seed, n, m.Docs), synthetic.FewFreqs(seed, n)
}

// length returns the length of a document: independent of its postings.
func (m Model) length(d int) uint32 {
	x := uint64(d)*0x9e3779b97f4a7c15 + m.Seed
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return 20 + uint32(x>>32)%600 + uint32(x>>52)%97*uint32(x>>60&1)*9
}

// Index is a generated index, open.
type Index struct {
	Model    Model
	Dir      string
	Index    *reader.Index
	Snapshot *reader.Snapshot
}

// Build writes the index of a model to a new directory in dir and opens it.
func (m Model) Build(ctx context.Context, dir string) (*Index, error) {
	path, err := os.MkdirTemp(dir, "pinion-gpubench-")
	if err != nil {
		return nil, err
	}
	x := &Index{Model: m, Dir: path}
	if m.Codec == nil {
		m.Codec = bp128.Codec{}
	}
	w, err := writer.Open(ctx, path, writer.Options{DocsCodec: m.Codec, FreqsCodec: m.Codec})
	if err != nil {
		return nil, err
	}
	for i := range max(m.Segments, 1) {
		part := m
		part.Seed += uint64(i)
		if err == nil {
			err = w.AddInverted(ctx, writer.Inverted{Docs: part.documents(i * m.Docs), Lists: part.lists(), ForeignLengths: true})
		}
	}
	if err == nil {
		err = w.Commit(ctx)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	if x.Index, err = reader.Open(path); err != nil {
		return nil, err
	}
	x.Snapshot, err = x.Index.Snapshot()
	return x, err
}

// Close closes and removes the index.
func (x *Index) Close() error {
	return errors.Join(x.Snapshot.Close(), x.Index.Close(), os.RemoveAll(x.Dir))
}

func (m Model) documents(base int) iter.Seq2[writer.InvertedDoc, error] {
	return func(yield func(writer.InvertedDoc, error) bool) {
		var id []byte
		for d := range m.Docs {
			id = fmt.Appendf(id[:0], "%09d", base+d)
			if !yield(writer.InvertedDoc{ID: id, Len: m.length(d)}, nil) {
				return
			}
		}
	}
}

// lists draws lists on all processors, in batches.
func (m Model) lists() iter.Seq2[writer.InvertedList, error] {
	return func(yield func(writer.InvertedList, error) bool) {
		for at := 0; at < m.Terms; {
			part := make([]writer.InvertedList, min(4*runtime.GOMAXPROCS(0), m.Terms-at))
			var wg sync.WaitGroup
			for i := range part {
				wg.Go(func() {
					docs, freqs := m.list(at + i)
					part[i] = writer.InvertedList{Term: term(at + i), Docs: docs, Freqs: freqs}
				})
			}
			wg.Wait()
			for _, l := range part {
				if !yield(l, nil) {
					return
				}
			}
			at += len(part)
		}
	}
}

// Queries draws n queries. If rare is set, the first term of each is rare.
func (m Model) Queries(n, k int, mode query.Mode, rare bool, seed uint64) []query.Query {
	r := rand.New(rand.NewPCG(m.Seed+seed, 99))
	half := m.Terms / 2
	qs := make([]query.Query, n)
	for i := range qs {
		q := query.Query{K: k, Mode: mode}
		terms := []int{2, 2, 2, 2, 2, 3, 3, 3, 4, 4}[r.IntN(10)]
		for j := range terms {
			t := half + r.IntN(half)
			if j == 0 && rare {
				t = r.IntN(half)
			}
			q.Terms = append(q.Terms, term(t))
		}
		qs[i] = q
	}
	return qs
}
