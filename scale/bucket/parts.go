package bucket

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pinion-index/pinion/reader"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/store"
)

// Exists reports whether there is an index in b.
func Exists(ctx context.Context, b *blob.Bucket) (bool, error) {
	generation, err := newestGeneration(ctx, b)
	return generation > 0, err
}

// Upload writes the segments of the newest commit of the local index in directory path to b, and returns its manifest.
// They become part of an index by Publish. Until then nothing names them, and Sweep removes them if there is an index
// and they are old. An upload can be repeated: what was there before is written again.
func Upload(ctx context.Context, b *blob.Bucket, path string) (*reader.Manifest, error) {
	m, err := reader.NewestManifest(store.Dir(path))
	if err != nil {
		return nil, err
	}
	names := make(map[string]string) // of files, by their keys
	for _, f := range m.Files() {
		names[keyOf(f)] = f.Name
	}
	err = each(ctx, objects(m), func(ctx context.Context, key string) error {
		if err := createFrom(ctx, b, key, filepath.Join(path, names[key])); err != nil {
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
func Download(ctx context.Context, b *blob.Bucket, m *reader.Manifest, path string) error {
	objects, err := os.MkdirTemp(filepath.Dir(filepath.Clean(path)), "pinion-bucket-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(objects)
	x := mirror{b, objects}
	return x.directory(ctx, m, path)
}

// Publish makes the segments of parts, manifests that Upload has returned, the first commit of the index in b: in this order, with
// what the first of parts, of which there must be one, says besides. Their objects must be there. If there is an index already,
// the error matches ErrConflict, unless this is its only commit: so Publish can be repeated. If it remains unknown whether there
// is a commit, the error matches store.ErrUncertain. Ids of documents must differ between segments.
func Publish(ctx context.Context, b *blob.Bucket, parts ...*reader.Manifest) error {
	if len(parts) == 0 {
		return errors.New("bucket: an index of no parts")
	}
	if err := Prove(ctx, b); err != nil {
		return err
	}
	m, err := reader.JoinManifests(parts...)
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
		a := &attempt{before: m, generation: m.Generation(), manifest: m}
		w := &Writer{mirror: mirror{bucket: b}, uploaded: map[string]time.Time{}}
		if won, err := w.publish(ctx, a); won || err != nil {
			return err
		}
		newest = m.Generation()
	}
	// The same manifest is there in other bytes, with an id of its own, if Publish is called twice.
	conflict := fmt.Errorf("bucket: there is an index: %w", ErrConflict)
	if newest != m.Generation() {
		return conflict
	}
	x := mirror{bucket: b}
	there, err := x.commit(ctx, newest)
	if err == nil && !there.Equal(m) {
		err = conflict
	}
	return err
}

// present returns an error unless the objects of m are in b, segments in their length.
func present(ctx context.Context, b *blob.Bucket, m *reader.Manifest) error {
	length := make(map[string]int64)
	for _, f := range m.Files() {
		length[keyOf(f)] = f.Size
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
