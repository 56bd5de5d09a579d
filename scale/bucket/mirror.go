package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/cespare/xxhash/v2"
	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// A mirror makes local directories of commits in a bucket. Objects that it has read or written lie in
// a folder, from which directories link their files.
type mirror struct {
	bucket *blob.Bucket
	dir    string
}

// width is how many objects are read or written at the same time.
const width = 8

// each calls f with every key, of some at the same time, and returns the first error.
func each(ctx context.Context, keys []string, f func(ctx context.Context, key string) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	slots := make(chan struct{}, width)
	for _, key := range keys {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			if err := f(ctx, key); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// local returns where the object of a key lies when it is here.
func (m *mirror) local(key string) string {
	return filepath.Join(m.dir, path.Dir(key)+"-"+path.Base(key))
}

// commit returns the commit of a generation. If there is none, the error is one of which notExist reports true.
func (m *mirror) commit(ctx context.Context, generation uint64) (c *reader.Manifest, err error) {
	key := manifestKey(generation)
	err = host.Sound(func(reader.Reason) error {
		var raw []byte
		err := again(ctx, func(ctx context.Context) (err error) {
			raw, err = readObject(ctx, m.bucket, key)
			return err
		})
		if err != nil {
			return fmt.Errorf("bucket: commit %d: %w", generation, err)
		}
		c, err = parse(key, raw, generation)
		return err
	})
	return c, err
}

// parse returns the manifest of a generation, whose file is raw.
func parse(key string, raw []byte, generation uint64) (*reader.Manifest, error) {
	m, err := reader.ParseManifest(key, raw)
	if err == nil && m.Generation() != generation {
		e := format.Corrupt("the object holds commit %d", m.Generation())
		e.File = key
		err = e
	}
	return m, err
}

// directory makes the local directory of a commit.
func (m *mirror) directory(ctx context.Context, c *reader.Manifest, dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	names := make(map[string]string) // of files, by their keys
	for _, f := range c.Files() {
		names[keyOf(f)] = f.Name
	}
	err := each(ctx, objects(c), func(ctx context.Context, key string) error {
		if err := m.fetch(ctx, key); err != nil {
			return err
		}
		return linkFile(m.local(key), filepath.Join(dir, names[key]))
	})
	for _, name := range reader.ManifestNames(c.Generation()) {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), c.Bytes(), 0o666)
		}
	}
	return err
}

// linkFile links a file, or copies it where there are no links.
func linkFile(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// fetch reads an object unless it is here, and once more if it comes damaged. What is damaged then too is so in the bucket: who
// opens it says so.
func (m *mirror) fetch(ctx context.Context, key string) error {
	to := m.local(key)
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	download := func(ctx context.Context) error { return m.download(ctx, key, to+".part") }
	err := again(ctx, download)
	if err == nil && sound(ctx, key, to+".part") != nil {
		err = again(ctx, download)
	}
	if err == nil {
		err = os.Rename(to+".part", to)
	}
	if err != nil {
		os.Remove(to + ".part")
		return fmt.Errorf("bucket: reading %s: %w", key, err)
	}
	return nil
}

// sound returns an error unless the file at a path, of the object of a key, matches its checksums.
func sound(ctx context.Context, key, path string) error {
	if o, _ := parseKey(key); o.kind == kindSegment {
		data, err := store.Dir(filepath.Dir(path)).Open(filepath.Base(path))
		if err != nil {
			return err
		}
		defer data.Close()
		s, err := segment.Open(key, data)
		if err != nil {
			return err
		}
		return reader.VerifyChecksums(ctx, s)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	h, err := format.ParseFile(key, b)
	if err != nil {
		return err
	}
	for _, s := range h.Sections {
		if xxhash.Sum64(b[s.Offset:s.End()]) != s.Checksum {
			return format.Corrupt("section checksum does not match")
		}
	}
	return nil
}

func (m *mirror) download(ctx context.Context, key, to string) error {
	r, err := m.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, moving(ctx, r, requestTimeout))
	if err == nil && n != r.Size() {
		err = fmt.Errorf("%d bytes came, of %d: %w", n, r.Size(), io.ErrUnexpectedEOF)
	}
	return errors.Join(err, f.Close())
}

// keep removes what the commit does not name.
func (m *mirror) keep(c *reader.Manifest) {
	named := make(map[string]bool)
	for _, key := range objects(c) {
		named[filepath.Base(m.local(key))] = true
	}
	files, _ := os.ReadDir(m.dir)
	for _, f := range files {
		if !named[f.Name()] {
			os.Remove(filepath.Join(m.dir, f.Name()))
		}
	}
}
