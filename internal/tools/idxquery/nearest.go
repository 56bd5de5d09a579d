package idxquery

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// nearFlags are those of vectors.
type nearFlags struct {
	nearest    string // a field
	nearVector string // a vector, or @ and a file
	fuse       bool
	fuseBy     *cli.Choice
	weights    []float64 // of words and of vectors in the one list
	probe      float64
}

// The values of --fuse-by.
const byRanks, byScores = "ranks", "scores"

// checkNearest returns what is wrong with --nearest beside other flags.
func (f *flags) checkNearest() error {
	switch {
	case f.nearest == "" && f.nearVector != "":
		return cli.Usage("--vector goes with --nearest, which names a field of vectors")
	case f.nearest == "" && f.fuse:
		return cli.Usage("--fuse goes with --nearest: it makes one list of what words and vectors find")
	case !f.fuse && (f.fuseBy.Value != byRanks || len(f.weights) > 0):
		return cli.Usage("--fuse-by and --weights go with --fuse, which makes one list of what words and vectors find")
	case len(f.weights) != 0 && !weighable(f.weights):
		return cli.Usage("--weights takes two numbers, of words and of vectors, such as 1,0.5; 0 leaves one of them out")
	case f.nearest == "" && f.probe != 0:
		return cli.Usage("--probe goes with --nearest")
	case f.nearest == "":
		return nil
	case !(f.probe >= 0 && f.probe <= 1):
		return cli.Usage("--probe is %v, not from 0 to 1", f.probe)
	case f.nearVector == "":
		return cli.Usage("--nearest takes a --vector, such as '[0.1, -0.7]' or @FILE")
	case f.dot != "":
		return cli.Usage("--nearest and --dot exclude each other")
	case f.device.Value != "cpu" && (f.fuse || f.probe > 0):
		return cli.Usage("--fuse and --probe take --device cpu")
	case f.algo.Value != search.Auto.String():
		return cli.Usage("--nearest takes --algo auto")
	case f.mode.Value == query.ModeAndOr.String():
		return cli.Usage("--nearest takes --mode or or and: the matches of and-or depend on how many are wanted")
	case f.preload != "":
		return cli.Usage("--nearest takes no --preload")
	case !f.fuse && f.wanted() > query.MaxNearest:
		return cli.Usage("--nearest finds up to %s with those of --offset", cli.Number(query.MaxNearest, "document"))
	case f.fuse && f.wanted() > pinion.MaxRanked:
		return cli.Usage("--fuse ranks up to %s with those of --offset", cli.Number(pinion.MaxRanked, "document"))
	case f.fuse && (f.total || f.count || f.trace || len(f.sort)+len(f.facets) > 0 || f.static != ""):
		return cli.Usage("--fuse takes neither --total, --count and --trace nor --sort, --facet and --static")
	}
	return nil
}

// weighable reports whether weights are those of words and of vectors, of which not both are 0.
func weighable(weights []float64) bool {
	return len(weights) == 2 && weights[0]+weights[1] > 0 && !slices.ContainsFunc(weights, func(w float64) bool { return !(w >= 0 && w <= query.MaxBoost) })
}

// nearestField returns an error unless the field of --nearest is one of vectors.
func (f *flags) nearestField(s *schema.Schema) error {
	if f.nearest == "" {
		return nil
	}
	if x, ok := s.Field(f.nearest); ok && x.Kind == schema.Vector {
		return nil
	}
	names := []string{}
	for i := range s.Fields {
		if s.Fields[i].Kind == schema.Vector {
			names = append(names, cli.Quote(s.Fields[i].Name))
		}
	}
	if len(names) == 0 {
		names = append(names, "none")
	}
	return cli.Usage("--nearest: %s is no field of kind vector; the index has %s", cli.Quote(f.nearest), strings.Join(names, ", "))
}

// vectorSource has a vector for each query.
type vectorSource struct {
	one  []float32 // of all queries; nil: each has its own in a file
	file string
	next func() ([]float32, error, bool)
	stop func()
	n    int // vectors so far
}

// openVectors opens what --vector names.
func (f *flags) openVectors() (v *vectorSource, err error) {
	v = &vectorSource{stop: func() {}}
	file, ok := strings.CutPrefix(f.nearVector, "@")
	if !ok {
		if v.one, err = exchange.ParseVector(f.nearVector); err != nil {
			return nil, cli.Usage("--vector: %w; @FILE names a file", err)
		}
		return v, nil
	}
	if file == exchange.Stdin && f.queries == exchange.Stdin {
		return nil, cli.Usage("standard input cannot hold vectors and queries")
	}
	v.file = file
	v.next, v.stop = iter.Pull2(exchange.EachVector(file))
	return v, nil
}

// take returns the vector of the next query, or io.EOF.
func (v *vectorSource) take() ([]float32, error) {
	if v.one != nil {
		return v.one, nil
	}
	x, err, ok := v.next()
	if !ok {
		return nil, io.EOF
	}
	if err != nil {
		return nil, err
	}
	v.n++
	return append([]float32(nil), x...), nil
}

// of returns the vector of the query with an id, of which there must be one.
func (v *vectorSource) of(id string) ([]float32, error) {
	if v == nil {
		return nil, nil
	}
	x, err := v.take()
	if err != nil {
		v.stop()
	}
	if err == io.EOF {
		return nil, cli.Usage("--vector: %s has %s, and query %s is one more", v.file, cli.Number(v.n, "vector"), cli.Quote(id))
	}
	return x, err
}

// end returns an error unless all vectors belong to queries.
func (v *vectorSource) end() error {
	if v == nil || v.one != nil {
		return nil
	}
	defer v.stop()
	n := v.n
	switch _, err := v.take(); err {
	case io.EOF:
		return nil
	case nil:
		return cli.Usage("--vector: %s has more vectors than there are queries, %s", v.file, cli.Count(n))
	default:
		return err
	}
}

// alone passes vectors to the pipeline as queries without words, numbered from 1.
func (v *vectorSource) alone(l *pipeline) error {
	defer v.stop()
	for {
		x, err := v.take()
		if err == io.EOF && v.n == 0 {
			return cli.Usage("--vector: %s has no vector", v.file)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		l.room(len(x))
		l.add([]question{{id: fmt.Sprint(max(v.n, 1)), vector: x}})
		if v.one != nil {
			return nil
		}
	}
}

// nearby returns the node of a query with a vector, in which scores of words and of the vector add up, and sets w.lists.
func (w *worker) nearby(q question) (query.Node, error) {
	f, k := w.s.f, w.s.f.wanted()
	if q.text != "" { // so that pages have the same scores
		k = max(k, pinion.DefaultRanked)
	}
	near := query.Nearest{Field: f.nearest, Vector: q.vector, K: k, Probe: f.probe}
	field, _ := w.s.schema.Field(near.Field)
	if err := field.CheckVector(q.vector); err != nil {
		return nil, cli.Usage("query %s: %w", cli.Quote(q.id), err)
	}
	var words query.Node
	switch {
	case q.text == "":
	case f.syntax:
		var err error
		if words, err = w.s.parse(q.text); err != nil {
			return nil, w.s.refused(q.id, err)
		}
	default:
		words = query.Match{Field: f.field, Text: q.text, Mode: w.s.mode}
	}
	if f.typos && words != nil {
		words = query.WithTypos(words)
	}
	var err error
	if words, err = w.s.expanded(words); err != nil {
		return nil, w.s.refused(q.id, err)
	}
	if words == nil {
		w.lists = append(w.lists[:0], near)
		return w.s.filtered(near), nil
	}
	w.lists = append(w.lists[:0], words, near)
	return w.s.filtered(query.Bool{Should: slices.Clone(w.lists)}), nil
}

// fusion returns the list of what words find and what the vector does.
func (w *worker) fusion() *pinion.Fuse {
	f := w.s.f
	fuse := &pinion.Fuse{}
	if f.fuseBy.Value == byScores {
		fuse.By = pinion.ByScores
	}
	for i, n := range w.lists {
		l := pinion.FuseList{Query: n, K: max(f.wanted(), pinion.DefaultRanked)}
		if len(w.lists) == len(f.weights) { // a list alone has nothing to be weighed against
			if l.Weight = f.weights[i]; l.Weight == 0 {
				continue
			}
		}
		fuse.Lists = append(fuse.Lists, l)
	}
	return fuse
}

// fused appends the hits of one list of what words find and what the vector does, of the question that nearby has been called with.
func (w *worker) fused(ctx context.Context, dst []search.Hit, q *search.Query) ([]search.Hit, error) {
	f := w.s.f
	page, err := w.s.pages.Search(ctx, pinion.Request{Fuse: w.fusion(), Filter: w.s.filter, Collapse: f.collapse, Limit: f.wanted(), K1: f.own.K1, B: f.own.B, Scorer: f.own.Scorer})
	for i := range page.Hits {
		dst = append(dst, search.Hit{Doc: page.Hits[i].Doc, Score: page.Hits[i].Score})
	}
	*q.Limited, *q.Approximate = page.Limited, page.Approximate
	return dst, err
}
