package build

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pinion-index/pinion/reader"

	"github.com/pinion-index/pinion/scale/bucket"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// writeFn writes the documents of a partition to segments, uploads them, and emits what they are under the number of
// the group that joins them.
type writeFn struct{ Job job }

// onWrite is called for each partition before it is written, by tests.
var onWrite = func(partition int) {}

// ProcessElement writes one partition.
func (f *writeFn) ProcessElement(ctx context.Context, partition int64, blocks func(*[]byte) bool, emit func(int64, []byte)) error {
	end, err := f.Job.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	dir, err := os.MkdirTemp(f.Job.Options.Scratch, "pinion-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := newSpill(filepath.Join(dir, "documents"))
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.fill(blocks); err != nil {
		return err
	}
	onWrite(int(partition))
	index := filepath.Join(dir, "index")
	if err := f.Job.write(ctx, index, s); err != nil {
		return fmt.Errorf("build: partition %d: %w", partition, err)
	}
	part, err := f.Job.upload(ctx, int(partition), index)
	if err == nil {
		emit(int64(f.Job.group(int(partition))), part)
	}
	return err
}

// write makes the local index of some documents in directory path.
func (j *job) write(ctx context.Context, path string, s *spill) (err error) {
	o, err := j.writer(1)
	if err != nil {
		return err
	}
	if j.Options.Skip {
		o.Refused = func([]byte, error) { // by one goroutine
			countRead.Inc(ctx, -1)
			countSkipped.Inc(ctx, 1)
		}
	}
	w, err := openScratch(ctx, path, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	err = s.each(func(docs []byte) error { return add(ctx, w, o.Schema, docs) })
	if err != nil {
		return err
	}
	return w.Commit(ctx)
}

// add adds documents of a block.
func add(ctx context.Context, w *writer.Writer, s *schema.Schema, docs []byte) error {
	var row []schema.Value
	for len(docs) > 0 {
		id, text, rest, err := cutDocument(docs)
		switch {
		case err != nil:
		case s.IsImplicit():
			err = w.Add(ctx, writer.Text(id, text))
		default:
			if row, err = values(row[:0], s, text); err == nil {
				err = w.Add(ctx, writer.Doc{ID: id, Values: row})
			}
		}
		if err != nil {
			return err
		}
		docs = rest
	}
	return nil
}

// openScratch opens a writer on a new directory that need not outlive a crash.
func openScratch(ctx context.Context, path string, o writer.Options) (*writer.Writer, error) {
	if err := os.Mkdir(path, 0o777); err != nil {
		return nil, err
	}
	return writer.OpenFS(ctx, scratch{store.Dir(path)}, o)
}

type scratch struct{ store.FS }

func (scratch) Sync(...store.File) error { return nil }

// A part is some segments in the bucket of a shard: the first of their partitions, and the manifest of a local index that
// has had them.
type part struct {
	partition int
	manifest  *reader.Manifest
}

// upload uploads the segments of the local index in directory path, and returns the bytes of the part that they are.
func (j *job) upload(ctx context.Context, partition int, path string) (_ []byte, err error) {
	b, err := j.open(ctx, partition/j.Options.Partitions)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	m, err := bucket.Upload(ctx, b, path)
	if err != nil {
		return nil, err
	}
	return part{partition, m}.encode(), nil
}

// encode returns p as bytes.
func (p part) encode() []byte {
	return append(binary.AppendUvarint(nil, uint64(p.partition)), p.manifest.Bytes()...)
}

// decodePart returns the part of some bytes.
func decodePart(b []byte) (p part, err error) {
	n, raw, err := cutNumber(b)
	if err != nil {
		return p, err
	}
	p.partition = int(n)
	p.manifest, err = reader.ParseManifest("part", bytes.Clone(raw))
	return p, err
}
