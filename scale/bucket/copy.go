package bucket

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/pinion-index/pinion/reader"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// Import makes the documents of the local index in directory path part of the index in b, by a commit. If there is
// none in b, it gets the schema of that one, unless o has another.
func Import(ctx context.Context, b *blob.Bucket, path string, o WriteOptions) (err error) {
	m, err := reader.NewestManifest(store.Dir(path))
	if err != nil {
		return err
	}
	newest, err := newestGeneration(ctx, b)
	if err != nil {
		return err
	}
	if x := &o.Writer; newest == 0 && x.Schema == nil {
		x.Schema = m.Schema()
		if x.KeepCommits == 0 {
			x.KeepCommits = m.KeepCommits()
		}
	}
	w, err := NewWriter(ctx, b, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := w.AddIndex(ctx, path); err != nil {
		return err
	}
	return w.Commit(ctx)
}

// Export makes a local index of a commit in directory path, which must be empty or not exist. Generation 0 means
// the newest one. If there is none, the error matches store's of a missing file.
func Export(ctx context.Context, b *blob.Bucket, generation uint64, path string) (err error) {
	if generation == 0 {
		if generation, err = newestGeneration(ctx, b); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(filepath.Clean(path)), "pinion-bucket-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := &mirror{b, filepath.Join(dir, "objects")}
	if err := os.Mkdir(m.dir, 0o777); err != nil {
		return err
	}
	c, err := m.commit(ctx, generation)
	if err != nil {
		return err
	}
	from := filepath.Join(dir, "index")
	if err := m.directory(ctx, c, from); err != nil {
		return err
	}
	return writer.Backup(ctx, store.Dir(path), store.Dir(from))
}
