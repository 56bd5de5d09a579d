package gpubench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/listset"
	"github.com/pinion-index/pinion/internal/order"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/synth"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/query"
)

// Collections are crawls of one to 16 million pages: of a domain, of a larger one, and of an engine,
// bd, which is also there with its documents in random order, bdr. They are as large as those of Ao
// 2011, appendix E, and their lists and queries are drawn to be like those. StepCollections are those
// of part steps.
var (
	Collections     = []string{"gov", "gov2", "bdr", "bd"}
	StepCollections = []string{"gov2", "bd"}
)

// Params are the parameters of BM25 with which all recorded runs were made: k1 0.9 and b 0.4.
var Params = query.Params{K1: 0.9, B: 0.4}

// wanted returns those of some collections that are to be measured.
func (b *Bench) wanted(some []string) (out []string) {
	if b.Small && b.Models == nil {
		return some[:1]
	}
	for _, name := range some {
		if b.Models == nil || slices.Contains(b.Models, name) {
			out = append(out, name)
		}
	}
	return out
}

// crawl describes a collection: its documents, lists, and log, in which first is the mean length of
// a query's shortest list.
type crawl struct {
	docs   int
	spec   synth.Spec
	first  float64
	random bool // the order of documents
}

var crawls = map[string]crawl{
	"gov": {docs: 1053372, first: 8600,
		spec: synth.Spec{Terms: 1 << 22, Length: 300, Topics: 32, Seed: 1, Boost: 24, SiteDocs: 8, RegionDocs: 12000, Drift: 0.33, Lean: 0.33, Phases: 16, Even: 0.75, Burst: 1}},
	"gov2": {docs: 5038710, first: 20000,
		spec: synth.Spec{Terms: 1 << 24, Length: 300, Topics: 32, Seed: 2, Boost: 16, SiteDocs: 20, RegionDocs: 150000, Drift: 0.36, Lean: 0.44, Phases: 4, Even: 0.84, Burst: 1}},
	"bd":  {docs: 15749656, first: 3600, spec: bd},
	"bdr": {docs: 15749656, first: 3600, spec: bd, random: true},
}

var bd = synth.Spec{Terms: 1 << 25, Length: 200, Topics: 32, Seed: 3, Boost: 12, SiteDocs: 500, RegionDocs: 20000, Drift: 0.95, Lean: 0.25, Phases: 4, Even: 0.6, Burst: 5}

// collection makes a collection with its log, and writes it in bp128.
func (b *Bench) collection(ctx context.Context, name, dir string) (*listset.Index, error) {
	c, share := crawls[name], 1.0
	if b.Small {
		share = 20000 / float64(c.docs)
	}
	base, err := synth.New(c.spec.Scaled(c.docs, share))
	if err != nil {
		return nil, err
	}
	log := corpus.LogSpec{Queries: 1000, Lengths: []float64{0, 16.1, 24.5, 22.8, 14.8, 8.24, 6, 4, 2.5, 1.06},
		First: c.first, Spread: 0.8, Skew: 1.25, Floor: 0.15, Own: 0.95, Seed: 6}
	log = log.Scaled(float64(base.Spec().Docs) / float64(c.docs))
	var docs order.Permutation
	if c.random {
		docs = order.Shuffle(uint32(base.Spec().Docs), c.spec.Seed)
	}
	s, err := listset.New(strings.ToUpper(name), base, docs, log.Ranks(base))
	if err != nil {
		return nil, err
	}
	return b.write(ctx, dir, bp128.Codec{}, s)
}

// write writes sets, a segment each.
func (b *Bench) write(ctx context.Context, dir string, c codec.Codec, sets ...*listset.Set) (*listset.Index, error) {
	start := time.Now()
	x, err := listset.Write(ctx, dir, c, sets...)
	if err == nil {
		s := x.Snapshot.Stats()
		fmt.Fprintf(b.Log, "  wrote %s in %.1f s: %d documents, %d postings\n", x.Set.Name, time.Since(start).Seconds(), s.Docs, s.Postings)
	}
	return x, err
}

// engine is an index with its executors.
type engine struct {
	*listset.Index
	gpu *gpu.Executor
	cpu *search.Searcher
}

// open creates executors for an index, which the engine closes.
func (b *Bench) open(x *listset.Index) (e *engine, err error) {
	e = &engine{Index: x}
	if e.cpu, err = search.NewSearcher(x.Snapshot, search.Options{Params: Params}); err == nil {
		o := b.options()
		o.Scorer = e.cpu.Scorer()
		e.gpu, err = gpu.New(b.Device, x.Snapshot, o)
	}
	if err != nil {
		if e.cpu != nil {
			err = errors.Join(err, e.cpu.Close())
		}
		return nil, errors.Join(err, x.Close())
	}
	return e, nil
}

func (e *engine) close() error { return errors.Join(e.gpu.Close(), e.cpu.Close(), e.Index.Close()) }

// kind says which queries of a log are asked.
type kind bool

const (
	whole kind = false
	long  kind = true // of three terms and more, without the one with the shortest list
)

func (k kind) String() string {
	if k == long {
		return "long lists"
	}
	return "log"
}

// draw draws n queries of the set's log at random, as indexes of its lists.
func draw(s *listset.Set, n int, k kind, seed uint64) [][]int {
	from := s.Queries
	if k == long {
		from = nil
		for _, q := range s.Queries {
			if len(q) > 2 {
				from = append(from, q[1:])
			}
		}
	}
	r := rand.New(rand.NewPCG(seed, 99))
	out := make([][]int, n)
	for i := range out {
		out[i] = from[r.IntN(len(from))]
	}
	return out
}

// asked returns queries that are given as indexes of a set's lists.
func asked(s *listset.Set, queries [][]int, k int, mode query.Mode) []search.Query {
	out := make([]search.Query, len(queries))
	for i, terms := range s.Texts(queries) {
		out[i] = search.Query{K: k, Mode: mode}
		for _, t := range terms {
			out[i].RawTerms = append(out[i].RawTerms, []byte(t))
		}
	}
	return out
}
