package paper

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/listset"
	"github.com/pinion-index/pinion/papers/internal/corpus"
)

// Index is a set of lists, written in the engine's format and open.
type Index struct {
	*listset.Index
	executors map[string]*executor
}

// Index writes a set in a codec. It is made once.
func (e *Env) Index(ctx context.Context, s *corpus.Set, codec string) (*Index, error) {
	key := fmt.Sprint(s.Name, " ", s.Docs, " ", len(s.Lists), " ", codec)
	if x := e.indexes[key]; x != nil {
		return x, nil
	}
	c, ok := registry.ByName(codec)
	if !ok {
		return nil, fmt.Errorf("no codec %q", codec)
	}
	start := time.Now()
	written, err := listset.Write(ctx, e.Dir, c, &s.Set)
	if err != nil {
		return nil, err
	}
	x := &Index{Index: written}
	if e.indexes == nil {
		e.indexes = map[string]*Index{}
	}
	e.indexes[key] = x
	if e.Log != nil {
		fmt.Fprintf(e.Log, "wrote %s in %s in %.1f s\n", s.Name, codec, time.Since(start).Seconds())
	}
	return x, nil
}

// Drop closes and removes an index, which takes room on the disk.
func (e *Env) Drop(x *Index) error {
	for k, y := range e.indexes {
		if x == y {
			delete(e.indexes, k)
		}
	}
	for _, g := range x.executors {
		if err := g.Close(); err != nil {
			return err
		}
	}
	return x.Close()
}

// Close closes what experiments have opened.
func (e *Env) Close() (err error) {
	for _, x := range e.indexes {
		err = errors.Join(err, e.Drop(x))
	}
	return err
}

// Norms returns norms of documents, of lengths that are made up, for what scores without an
// index.
func Norms(docs int) []float32 {
	out := make([]float32, docs)
	for d := range out {
		out[d] = float32(1 / (0.5 + float64(uint32(d)*2654435761>>24)/200))
	}
	return out
}
