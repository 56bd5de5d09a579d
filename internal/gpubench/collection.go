package gpubench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/bp128"
	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/corpus"
	"github.com/pinion-index/pinion/query"
)

// Collections are those of Ao 2011, appendix E, as package corpus makes them, in lower case:
// bdr is bd with its documents in random order. StepCollections are those of part steps.
var (
	Collections     = []string{"gov", "gov2", "bdr", "bd"}
	StepCollections = []string{"gov2", "bd"}
)

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

// collection makes a collection of a paper with its log, and writes it in bp128.
func (b *Bench) collection(ctx context.Context, name, dir string) (*corpus.Index, error) {
	name = strings.ToUpper(name)
	scale := 1.0
	if b.Small {
		scale = 20000 / float64(corpus.Documents(name))
	}
	s, err := corpus.Asked(name, scale, math.MaxInt)
	if err != nil {
		return nil, err
	}
	return b.write(ctx, dir, bp128.Codec{}, s)
}

// write writes sets, a segment each.
func (b *Bench) write(ctx context.Context, dir string, c codec.Codec, sets ...*corpus.Set) (*corpus.Index, error) {
	start := time.Now()
	x, err := corpus.Write(ctx, dir, c, sets...)
	if err == nil {
		s := x.Snapshot.Stats()
		fmt.Fprintf(b.Log, "  wrote %s in %.1f s: %d documents, %d postings\n", x.Set.Name, time.Since(start).Seconds(), s.Docs, s.Postings)
	}
	return x, err
}

// engine is an index with its executors.
type engine struct {
	*corpus.Index
	gpu *gpuload.Executor
	cpu *query.Searcher
}

// open creates executors for an index, which the engine closes.
func (b *Bench) open(x *corpus.Index) (e *engine, err error) {
	e = &engine{Index: x}
	if e.cpu, err = query.NewSearcher(x.Snapshot, query.Options{}); err == nil {
		e.gpu, err = gpuload.New(b.Device, x.Snapshot, b.options())
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
func draw(s *corpus.Set, n int, k kind, seed uint64) [][]int {
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
func asked(s *corpus.Set, queries [][]int, k int, mode query.Mode) []query.Query {
	out := make([]query.Query, len(queries))
	for i, terms := range s.Texts(queries) {
		out[i] = query.Query{K: k, Mode: mode}
		for _, t := range terms {
			out[i].RawTerms = append(out[i].RawTerms, []byte(t))
		}
	}
	return out
}
