package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/pinion-index/pinion/reader"

	"github.com/pinion-index/pinion/scale/bucket"
	"github.com/pinion-index/pinion/store"
)

// mergeFn joins the segments of a group to one.
type mergeFn struct{ Job job }

// ProcessElement does so for one group, and emits the part that they are.
func (f *mergeFn) ProcessElement(ctx context.Context, group int64, encoded func(*[]byte) bool, emit func([]byte)) error {
	end, err := f.Job.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	parts, err := decodeParts(encoded)
	if err != nil {
		return err
	}
	var part []byte
	if len(parts) == 1 && len(parts[0].manifest.Files()) == 1 { // a segment without a deletes file
		part = parts[0].encode()
	} else {
		part, err = f.Job.join(ctx, parts)
	}
	if err != nil {
		return fmt.Errorf("build: segment %d: %w", group, err)
	}
	emit(part)
	return nil
}

// decodeParts returns all parts, in the order of their documents. There is one at least.
func decodeParts(next func(*[]byte) bool) (parts []part, err error) {
	var b []byte
	for next(&b) {
		p, err := decodePart(b)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(p, q part) int { return p.partition - q.partition })
	for i := 1; i < len(parts); i++ {
		if parts[i].partition == parts[i-1].partition {
			return nil, fmt.Errorf("%w: partition %d is there twice", errMalformed, parts[i].partition)
		}
	}
	return parts, nil
}

// join joins parts of a shard, uploads the segment and returns the part that it is.
func (j *job) join(ctx context.Context, parts []part) (_ []byte, err error) {
	dir, err := os.MkdirTemp(j.Options.Scratch, "pinion-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	first := parts[0].partition
	b, err := j.open(ctx, first/j.Options.Partitions)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	var sources []store.ReadFS
	for i, p := range parts {
		path := filepath.Join(dir, strconv.Itoa(i))
		if err := bucket.Download(ctx, b, p.manifest, path); err != nil {
			return nil, err
		}
		sources = append(sources, store.Dir(path))
	}
	index := filepath.Join(dir, "index")
	if err := j.merge(ctx, index, sources); err != nil {
		return nil, err
	}
	return j.upload(ctx, first, index)
}

// merge makes the index of one segment in directory path of others.
func (j *job) merge(ctx context.Context, path string, sources []store.ReadFS) (err error) {
	o, err := j.writer(0)
	if err != nil {
		return err
	}
	w, err := openScratch(ctx, path, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if _, err := w.MergeFrom(ctx, sources...); err != nil {
		return err
	}
	return w.Commit(ctx)
}

// commitFn makes the segments of each shard its index.
type commitFn struct{ Job job }

// ProcessElement does so once.
func (f *commitFn) ProcessElement(ctx context.Context, _ []byte, encoded func(*[]byte) bool) error {
	parts, err := decodeParts(encoded)
	if err != nil {
		return err
	}
	base, err := f.Job.empty(ctx)
	if err != nil {
		return err
	}
	for shard := range f.Job.Options.Shards {
		var ms []*reader.Manifest
		for _, p := range parts {
			if p.partition/f.Job.Options.Partitions == shard {
				ms = append(ms, p.manifest)
			}
		}
		if len(ms) == 0 {
			ms = append(ms, base)
		}
		if err := f.Job.publish(ctx, shard, ms); err != nil {
			return fmt.Errorf("build: shard %d: %w", shard, err)
		}
	}
	return nil
}

func (j *job) publish(ctx context.Context, shard int, ms []*reader.Manifest) (err error) {
	b, err := j.open(ctx, shard)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return bucket.Publish(ctx, b, ms...)
}

// empty returns the manifest of an index without documents.
func (j *job) empty(ctx context.Context) (m *reader.Manifest, err error) {
	dir, err := os.MkdirTemp(j.Options.Scratch, "pinion-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	o, err := j.writer(1)
	if err != nil {
		return nil, err
	}
	w, err := openScratch(ctx, filepath.Join(dir, "index"), o)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		return nil, err
	}
	return reader.NewestManifest(store.Dir(filepath.Join(dir, "index")))
}
