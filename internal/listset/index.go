package listset

import (
	"context"
	"errors"
	"os"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Index is sets of lists, written in the engine's format and open.
type Index struct {
	Dir      string
	Set      *Set // the first
	Snapshot *reader.Snapshot
	index    *reader.Index
}

// Write writes sets, a segment each, to a new directory in dir and opens it. Lists and
// frequencies are in the codec.
func Write(ctx context.Context, dir string, c codec.Codec, sets ...*Set) (x *Index, err error) {
	x = &Index{Set: sets[0]}
	if x.Dir, err = os.MkdirTemp(dir, "index-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.Close())
		}
	}()
	w, err := writer.Open(ctx, x.Dir, writer.Options{Schema: schema.Implicit("simple", "", false), DocsCodec: codec.Name(c), FreqsCodec: codec.Name(c)})
	if err != nil {
		return x, err
	}
	first := 0
	for _, s := range sets {
		if err == nil {
			err = w.AddInverted(ctx, s.inverted(first))
		}
		first += s.Docs
	}
	if err == nil {
		err = w.Commit(ctx)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return x, err
	}
	if x.index, err = reader.Open(ctx, reader.Dir(x.Dir), reader.Options{}); err != nil {
		return x, err
	}
	x.Snapshot, err = x.index.Snapshot()
	return x, err
}

// Close closes and removes the index.
func (x *Index) Close() (err error) {
	if x.Snapshot != nil {
		err = x.Snapshot.Close()
	}
	if x.index != nil {
		err = errors.Join(err, x.index.Close())
	}
	return errors.Join(err, os.RemoveAll(x.Dir))
}
