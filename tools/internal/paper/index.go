package paper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/pinion-index/pinion/format/codec/registry"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/tools/internal/paper/corpus"
	"github.com/pinion-index/pinion/writer"
)

// Index is a set of lists, written in the engine's format and open.
type Index struct {
	Dir      string
	Set      *corpus.Set
	Snapshot *reader.Snapshot
	index    *reader.Index

	executors map[string]*executor
}

// Index writes a set in a codec. It is made once.
func (e *Env) Index(ctx context.Context, s *corpus.Set, codec string) (*Index, error) {
	key := fmt.Sprint(s.Name, " ", s.Docs, " ", codec)
	if x := e.indexes[key]; x != nil {
		return x, nil
	}
	c, ok := registry.ByName(codec)
	if !ok {
		return nil, fmt.Errorf("no codec %q", codec)
	}
	start := time.Now()
	dir, err := os.MkdirTemp(e.Dir, "index-")
	if err != nil {
		return nil, err
	}
	w, err := writer.Open(ctx, dir, writer.Options{DocsCodec: c, FreqsCodec: c})
	if err != nil {
		return nil, err
	}
	if err = w.AddInverted(ctx, s.Inverted()); err == nil {
		err = w.Commit(ctx)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	x := &Index{Dir: dir, Set: s}
	if x.index, err = reader.Open(dir); err != nil {
		return nil, err
	}
	if x.Snapshot, err = x.index.Snapshot(); err != nil {
		return nil, errors.Join(err, x.index.Close())
	}
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
	return errors.Join(x.Snapshot.Close(), x.index.Close(), os.RemoveAll(x.Dir))
}

// Close closes what experiments have opened.
func (e *Env) Close() (err error) {
	for _, x := range e.indexes {
		err = errors.Join(err, e.Drop(x))
	}
	return err
}
