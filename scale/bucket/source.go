package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"
)

// place is where the files of an index lie, and how they are named there.
type place interface {
	getter
	// newest returns the generation of the newest commit, or 0 if there is none.
	newest(ctx context.Context) (uint64, error)
	// manifest returns the key of the manifest of a generation.
	manifest(generation uint64) string
	// key returns the key of a file of a commit.
	key(f reader.CommitFile) string
	Close() error
}

const (
	mostManifest = 256 << 20 // bytes of a manifest: 65,536 segments, the most there are, with 300 fields
	mostValues   = 1 << 36   // bytes of a values file: those of some columns of a segment
	mostDeletes  = 1 << 30   // bytes of a deletes file: a bit for every possible docID takes half of that
)

// DefaultTimeout is the default of ReadOptions.Timeout: 10 s.
const DefaultTimeout = host.DefaultTimeout

// ReadOptions configure how an index is read from a bucket. The zero value means the defaults.
type ReadOptions struct {
	// Generation, if not 0, is the commit to read, in place of the newest.
	Generation uint64
	// CacheSize and NoCache bound the cache in memory, as those of reader.Options do.
	CacheSize int64
	NoCache   bool
	// CacheDir, unless empty, is a local directory that keeps what was read from segments, up to CacheBytes (by
	// default DefaultCacheBytes). It is made if necessary. Any number of processes and indexes may share it. What is damaged
	// there is read from the bucket again.
	CacheDir   string
	CacheBytes int64
	// Timeout is how far one request may lag behind 1 MiB a second before it is sent again; 0 means
	// DefaultTimeout. A query whose context has no deadline ends after three times that without an answer.
	Timeout time.Duration
	// NoHedge leaves out the second requests, beside the first, for what has brought nothing for longer than 95 % of the latest
	// requests took until they began to answer, or for a second.
	NoHedge bool
}

// Source provides the files of the newest commit of an index in a bucket to package reader, and goes on to newer ones (Refresh), for
// reader.Open and pinion.OpenSource. It is safe for concurrent use.
type Source struct {
	place  place
	client client
	disk   *diskCache // nil: none

	pinned  bool       // to a commit
	advance sync.Mutex // held while another commit becomes the current one
	mu      sync.Mutex
	cur     *commit
}

var _ reader.FollowingSource = (*Source)(nil)

// commit is a commit whose manifest was read.
type commit struct {
	manifest *reader.Manifest
	files    map[string]reader.CommitFile // by name
	small    map[string][]byte            // contents of deletes and values files by key, of those that were read; guarded by Source.mu
}

// NewSource returns the files of the newest commit of the index in b, which stays the caller's, or of the commit that the
// options name. It takes two requests.
func NewSource(ctx context.Context, b *blob.Bucket, o ReadOptions) (*Source, error) {
	return newSource(ctx, blobPlace{b, nil}, o)
}

func newSource(ctx context.Context, p place, o ReadOptions) (*Source, error) {
	s := &Source{place: p, pinned: o.Generation > 0, client: client{objects: p, send: host.Client{Timeout: o.Timeout, NoHedge: o.NoHedge, Passes: passes}}}
	if o.CacheDir != "" {
		var err error
		if s.disk, err = openDiskCache(o.CacheDir, o.CacheBytes); err != nil {
			return nil, fmt.Errorf("bucket: local cache: %w", err)
		}
	}
	if _, err := s.refresh(ctx, o.Generation); err != nil {
		if strings.Contains(err.Error(), p.String()) { // once is enough
			return nil, fmt.Errorf("bucket: %w", err)
		}
		return nil, fmt.Errorf("bucket: %s: %w", p, err)
	}
	return s, nil
}

// String returns where the files are.
func (s *Source) String() string { return s.place.String() }

// Generation returns the number of the commit.
func (s *Source) Generation() uint64 { return s.commit().manifest.Generation() }

// Close closes what NewSource and OpenSource opened. Reads under way may fail.
func (s *Source) Close() error { return s.place.Close() }

func (s *Source) commit() *commit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur
}

// Refresh implements reader.FollowingSource by a listing of one key, and a request for the manifest of a newer commit.
func (s *Source) Refresh(ctx context.Context) (changed bool, err error) {
	if s.pinned {
		return false, nil
	}
	if changed, err = s.refresh(ctx, 0); err != nil {
		return false, fmt.Errorf("bucket: refresh %s: %w", s, err)
	}
	return changed, nil
}

// refresh makes the commit of a generation, or with 0 the newest, the current one. It reports whether it was another one.
func (s *Source) refresh(ctx context.Context, generation uint64) (changed bool, err error) {
	s.advance.Lock()
	defer s.advance.Unlock()
	if generation == 0 {
		if generation, err = s.client.send.Number(ctx, s.place.newest); err != nil {
			return false, s.client.explain(ctx, "the newest commit", err)
		}
		if generation == 0 {
			return false, &format.Error{Kind: format.ErrNotAnIndex, File: s.String(), Block: format.NoBlock, Offset: -1, Msg: "there is no index here"}
		}
	}
	old := s.commit()
	if old != nil && old.manifest.Generation() == generation {
		return false, nil
	}
	m, err := s.readManifest(ctx, generation)
	if err != nil {
		return false, err
	}
	c := &commit{manifest: m, files: map[string]reader.CommitFile{}, small: map[string][]byte{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range m.Files() {
		c.files[f.Name] = f
		if key := s.place.key(f); old != nil && old.small[key] != nil {
			c.small[key] = old.small[key]
		}
	}
	s.cur = c
	return true, nil
}

// readManifest reads the manifest of a commit.
func (s *Source) readManifest(ctx context.Context, generation uint64) (m *reader.Manifest, err error) {
	key := s.place.manifest(generation)
	err = host.Sound(func(why reader.Reason) error {
		raw, err := s.client.readAll(ctx, key, mostManifest, why)
		if err != nil {
			return err
		}
		m, err = parse(key, raw, generation)
		return err
	})
	return m, err
}

// List implements reader.Source: it names the manifest alone, without a request.
func (s *Source) List() ([]string, error) {
	return []string{reader.ManifestNames(s.Generation())[0]}, nil
}

// Open implements reader.Source. It sends a request for a deletes or values file only.
func (s *Source) Open(name string) (io.ReaderAt, int64, error) {
	return s.OpenContext(context.Background(), name)
}

// OpenContext implements reader.FollowingSource.
func (s *Source) OpenContext(ctx context.Context, name string) (io.ReaderAt, int64, error) {
	c := s.commit()
	if raw := c.manifest.Bytes(); name == reader.ManifestNames(c.manifest.Generation())[0] {
		return bytes.NewReader(raw), int64(len(raw)), nil
	}
	f, ok := c.files[name]
	if !ok {
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	key := s.place.key(f)
	if f.Kind == format.KindSegment {
		if f.Size == 0 {
			return nil, 0, fmt.Errorf("%s: the manifest does not say how long it is: %w", key, format.ErrTooOld)
		}
		return &file{src: s, key: key, id: fmt.Sprintf("%x", f.Segment[:]), size: f.Size}, f.Size, nil
	}
	s.mu.Lock()
	b := c.small[key]
	s.mu.Unlock()
	most := int64(mostDeletes)
	if f.Kind == format.KindValues {
		most = mostValues
	}
	read := func(ctx context.Context, why reader.Reason) ([]byte, error) {
		return s.readSmall(ctx, c, key, most, why)
	}
	if b == nil {
		var err error
		if b, err = read(ctx, reader.FirstRequest); err != nil {
			return nil, 0, err
		}
	}
	return host.NewFile(b, read), int64(len(b)), nil
}

// readSmall reads a deletes or values file of c, and keeps it for later commits that have it too.
func (s *Source) readSmall(ctx context.Context, c *commit, key string, most int64, why reader.Reason) ([]byte, error) {
	b, err := s.client.readAll(ctx, key, most, why)
	if err != nil {
		return nil, expired(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.small[key] = b
	return b, nil
}

// expired returns the error for an object that a manifest names and that could not be read. It does not match
// fs.ErrNotExist, after which package store would read the same manifest again.
func expired(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w (%v)", ErrExpired, err)
	}
	return err
}

// file is a segment in the bucket. It implements reader.ContextReaderAt.
type file struct {
	src     *Source
	key, id string
	size    int64
	damage  host.Damage
}

var _ reader.ContextReaderAt = (*file)(nil)

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	return f.ReadAtContext(context.Background(), p, off)
}

// ReadAtContext implements reader.ContextReaderAt. It sends one request at most, unless that fails or takes long.
func (f *file) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	if off < 0 || off > f.size-int64(len(p)) {
		return 0, io.EOF
	}
	lo, hi := off, off+int64(len(p))
	if f.src.disk != nil {
		lo, hi = f.src.disk.read(f.id, p, off)
		reader.MeterOf(ctx).Cached(int64(len(p)) - (hi - lo))
	}
	if lo == hi {
		return len(p), nil
	}
	part := p[lo-off : hi-off]
	if err := f.src.client.read(ctx, f.key, part, lo, f.size, f.damage.Why(lo, hi-lo)); err != nil {
		return 0, expired(err)
	}
	if f.src.disk != nil {
		f.src.disk.write(f.id, part, lo)
	}
	return len(p), nil
}

// Forget drops what the local cache has of n bytes at off, which are damaged.
func (f *file) Forget(off, n int64) {
	f.damage.Add(off, n)
	if f.src.disk != nil {
		f.src.disk.forget(f.id, off, n)
	}
}
