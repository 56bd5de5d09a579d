package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
)

// firstGeneration is the number of the first commit in a bucket: that of a local index before is the empty one.
const firstGeneration = 2

// Exists reports whether there is an index in b.
func Exists(ctx context.Context, b *blob.Bucket) (bool, error) {
	generation, err := newestGeneration(ctx, b)
	return generation > 0, err
}

// Upload writes the segments of the newest commit of the local index in directory path to b, and returns its manifest.
// They become part of an index by Publish. Until then nothing names them, and Sweep removes them if there is an index
// and they are old. An upload can be repeated: what was there before is written again.
func Upload(ctx context.Context, b *blob.Bucket, path string) (*indexdir.Manifest, error) {
	m, err := latest(path)
	if err != nil {
		return nil, err
	}
	err = each(ctx, m.Files(), func(ctx context.Context, name string) error {
		key, _ := keyOf(m, name)
		if err := createFrom(ctx, b, key, filepath.Join(path, name)); err != nil {
			return fmt.Errorf("bucket: writing %s: %w", key, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Download makes a local index in directory path, which must not exist, of the objects in b that m names. Its newest commit
// is m.
func Download(ctx context.Context, b *blob.Bucket, m *indexdir.Manifest, path string) error {
	raw, err := indexdir.EncodeManifest(m)
	if err != nil {
		return err
	}
	objects, err := os.MkdirTemp(filepath.Dir(filepath.Clean(path)), "pinion-bucket-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(objects)
	x := mirror{b, objects}
	return x.directory(ctx, m, raw, path)
}

// Publish makes the segments of parts, manifests that Upload has returned, the first commit of the index in b: in this order, with
// what the first of parts, of which there must be one, says besides. Their objects must be there. If there is an index already,
// the error matches ErrConflict, unless this is its only commit: so Publish can be repeated. If it remains unknown whether there
// is a commit, the error matches store.ErrUncertain. Ids of documents must differ between segments.
func Publish(ctx context.Context, b *blob.Bucket, parts ...*indexdir.Manifest) error {
	if len(parts) == 0 {
		return errors.New("bucket: an index of no parts")
	}
	if err := Prove(ctx, b); err != nil {
		return err
	}
	m := join(parts)
	raw, err := indexdir.EncodeManifest(m)
	if err != nil {
		return err
	}
	newest, err := newestGeneration(ctx, b)
	if err != nil {
		return err
	}
	if newest == 0 {
		if err := present(ctx, b, m); err != nil {
			return err
		}
		// All objects are there, as if they were those of the commit before.
		a := &attempt{before: m, generation: m.Generation, manifest: m, raw: raw}
		w := &Writer{mirror: mirror{bucket: b}, uploaded: map[string]time.Time{}}
		if won, err := w.publish(ctx, a); won || err != nil {
			return err
		}
		newest = m.Generation
	}
	// The same manifest is there in other bytes, with an id of its own, if Publish is called twice.
	conflict := fmt.Errorf("bucket: there is an index: %w", ErrConflict)
	if newest != m.Generation {
		return conflict
	}
	x := mirror{bucket: b}
	there, _, err := x.commit(ctx, newest)
	if err == nil && !bytes.Equal(indexdir.AppendManifest(nil, there), indexdir.AppendManifest(nil, m)) {
		err = conflict
	}
	return err
}

// join returns the manifest of the first commit of all segments of parts.
func join(parts []*indexdir.Manifest) *indexdir.Manifest {
	m := parts[0].Clone()
	m.Generation, m.NextFile, m.Segments = firstGeneration, 1, nil
	m.Ancestry = format.Ancestry{}.Next(m.Generation, rand.Uint64())
	for _, p := range parts {
		for _, s := range p.Segments {
			s.File = m.NextFile
			m.NextFile++
			if s.DeletesFile != 0 {
				s.DeletesFile = m.NextFile
				m.NextFile++
			}
			m.Segments = append(m.Segments, s)
		}
	}
	return m
}

// present returns an error unless the objects of m are in b, segments in their length.
func present(ctx context.Context, b *blob.Bucket, m *indexdir.Manifest) error {
	length := make(map[string]int64)
	for i := range m.Segments {
		length[segmentKey(m.Segments[i].ID)] = m.Segments[i].FileLen
	}
	return each(ctx, objects(m), func(ctx context.Context, key string) error {
		at, err := attributes(ctx, b, key)
		if err != nil {
			return fmt.Errorf("bucket: %s: %w", key, err)
		}
		if want := length[key]; want != 0 && at.Size != want {
			return fmt.Errorf("bucket: %s has %d bytes, not %d", key, at.Size, want)
		}
		return nil
	})
}
