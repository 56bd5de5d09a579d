package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/meter"
	"github.com/pinion-index/pinion/store"
)

// place is where the files of an index lie, and how they are named there.
type place interface {
	getter
	// newest returns the generation of the newest commit, or 0 if there is none.
	newest(ctx context.Context) (uint64, error)
	// manifest returns the key of the manifest of a generation.
	manifest(generation uint64) string
	// key returns the key of the file that m calls by a name of package store.
	key(m *store.Manifest, name string) (string, bool)
	Close() error
}

const (
	mostManifest = 256 << 20 // bytes of a manifest: store.MaxSegments segments with 300 fields
	mostDeletes  = 1 << 30   // bytes of a deletes file: a bit for every possible docID takes half of that
)

// DefaultTimeout is the default of ReadOptions.Timeout: 10 s.
const DefaultTimeout = 10 * time.Second

// ReadOptions configure how an index is read from a bucket. The zero value means the defaults.
type ReadOptions struct {
	// Generation, if not 0, is the commit to read, in place of the newest.
	Generation uint64
	// CacheSize bounds the cache in memory, as reader.Options.CacheSize does.
	CacheSize int64
	// CacheDir, unless empty, is a local directory that keeps what was read from segments, up to CacheBytes (by
	// default DefaultCacheBytes). It is made if necessary. Any number of processes and indexes may share it. What is damaged
	// there is read from the bucket again.
	CacheDir   string
	CacheBytes int64
	// Timeout is how long one request may take, beside a second for each megabyte, before it is sent again; 0 means
	// DefaultTimeout. A query whose context has no deadline ends after seven times that.
	Timeout time.Duration
	// NoHedge leaves out the second requests for what takes longer than the 95th percentile of the latest.
	NoHedge bool
}

// Source provides the files of one commit of an index in a bucket to package reader. It is safe for concurrent
// use.
type Source struct {
	place  place
	client client
	disk   *diskCache // nil: none

	advance sync.Mutex // held while another commit becomes the current one
	mu      sync.Mutex
	cur     *commit
	opening *opening // nil unless files are opened for a task that can end
}

// commit is a commit whose manifest was read.
type commit struct {
	manifest *store.Manifest
	raw      []byte            // the manifest's file
	deletes  map[string][]byte // contents by key, of those that were read; guarded by Source.mu
}

// opening is a task that opens files. The reads until it has ended end with its context.
type opening struct {
	ctx   context.Context
	ended atomic.Bool
}

// NewSource returns the files of the newest commit of the index in b, which stays the caller's, or of the commit that the
// options name. It takes two requests.
func NewSource(ctx context.Context, b *blob.Bucket, o ReadOptions) (*Source, error) {
	return newSource(ctx, blobPlace{b, nil}, o)
}

func newSource(ctx context.Context, p place, o ReadOptions) (*Source, error) {
	s := &Source{place: p, client: client{objects: p, timeout: o.Timeout, hedge: !o.NoHedge}}
	if s.client.timeout <= 0 {
		s.client.timeout = DefaultTimeout
	}
	if o.CacheDir != "" {
		var err error
		if s.disk, err = openDiskCache(o.CacheDir, o.CacheBytes); err != nil {
			return nil, fmt.Errorf("bucket: local cache: %w", err)
		}
	}
	if _, err := s.refresh(ctx, o.Generation); err != nil {
		return nil, fmt.Errorf("bucket: %s: %w", p, err)
	}
	return s, nil
}

// String returns where the files are.
func (s *Source) String() string { return s.place.String() }

// Generation returns the number of the commit.
func (s *Source) Generation() uint64 { return s.commit().manifest.Generation }

// Close closes what NewSource and OpenSource opened. Reads under way may fail.
func (s *Source) Close() error { return s.place.Close() }

func (s *Source) commit() *commit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur
}

// refresh makes the commit of a generation, or with 0 the newest, the current one. It reports whether it was another one.
func (s *Source) refresh(ctx context.Context, generation uint64) (changed bool, err error) {
	s.advance.Lock()
	defer s.advance.Unlock()
	if generation == 0 {
		_, err = s.client.retry(ctx, "the newest commit", 0, func(ctx context.Context, why meter.Reason) ([]byte, error) {
			end, err := meter.Of(ctx).Begin(0, why)
			if err != nil {
				return nil, err
			}
			defer end()
			generation, err = s.place.newest(ctx)
			return nil, err
		})
		if err != nil {
			return false, err
		}
		if generation == 0 {
			return false, &format.Error{Kind: format.ErrNotAnIndex, File: s.String(), Block: format.NoBlock, Offset: -1, Msg: "there is no index here"}
		}
	}
	old := s.commit()
	if old != nil && old.manifest.Generation == generation {
		return false, nil
	}
	key := s.place.manifest(generation)
	raw, err := s.client.readAll(ctx, key, mostManifest)
	if err != nil {
		return false, err
	}
	m, err := store.DecodeManifest(key, raw)
	if err != nil {
		return false, err
	}
	if m.Generation != generation {
		e := format.Corrupt("the object holds commit %d", m.Generation)
		e.File = key
		return false, e
	}
	c := &commit{manifest: m, raw: raw, deletes: map[string][]byte{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old != nil {
		for _, name := range m.Files() {
			if key, ok := s.place.key(m, name); ok && old.deletes[key] != nil {
				c.deletes[key] = old.deletes[key]
			}
		}
	}
	s.cur = c
	return true, nil
}

// List implements reader.Source: it names the manifest alone, without a request.
func (s *Source) List() ([]string, error) {
	return []string{store.ManifestName(s.Generation())}, nil
}

// Open implements reader.Source. It sends a request for a deletes file only.
func (s *Source) Open(name string) (io.ReaderAt, int64, error) {
	s.mu.Lock()
	c, opening := s.cur, s.opening
	s.mu.Unlock()
	if name == store.ManifestName(c.manifest.Generation) {
		return bytes.NewReader(c.raw), int64(len(c.raw)), nil
	}
	key, ok := s.place.key(c.manifest, name)
	if !ok {
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	for i := range c.manifest.Segments {
		if info := &c.manifest.Segments[i]; name == store.SegmentName(info.File) {
			if info.FileLen == 0 {
				return nil, 0, fmt.Errorf("%s: the manifest does not say how long it is: %w", key, format.ErrTooOld)
			}
			return &file{s, key, fmt.Sprintf("%x", info.ID[:]), info.FileLen, opening}, info.FileLen, nil
		}
	}
	b, err := s.readDeletes(opening, c, key)
	return bytes.NewReader(b), int64(len(b)), err
}

func (s *Source) readDeletes(o *opening, c *commit, key string) ([]byte, error) {
	s.mu.Lock()
	b := c.deletes[key]
	s.mu.Unlock()
	if b != nil {
		return b, nil
	}
	ctx := context.Background()
	if o != nil {
		ctx = o.ctx
	}
	b, err := s.client.readAll(ctx, key, mostDeletes)
	if err != nil {
		return nil, expired(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.deletes[key] = b
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

// during opens files for a task: the reads that this takes end with ctx, and are counted for it.
func (s *Source) during(ctx context.Context, open func() error) error {
	o := &opening{ctx: ctx}
	s.mu.Lock()
	s.opening = o
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.opening = nil
		s.mu.Unlock()
		o.ended.Store(true)
	}()
	return open()
}

// file is a segment in the bucket. It implements reader.ContextReaderAt.
type file struct {
	src     *Source
	key, id string
	size    int64
	opening *opening // may be nil
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
	if o := f.opening; o != nil && !o.ended.Load() {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(o.ctx, func() { cancel(context.Cause(o.ctx)) })()
		if m := meter.Of(o.ctx); m != nil && meter.Of(ctx) == nil {
			ctx = meter.With(ctx, m)
		}
	}
	lo, hi := off, off+int64(len(p))
	if f.src.disk != nil {
		lo, hi = f.src.disk.read(f.id, p, off)
		meter.Of(ctx).Cached(int64(len(p)) - (hi - lo))
	}
	if lo == hi {
		return len(p), nil
	}
	part := p[lo-off : hi-off]
	if err := f.src.client.read(ctx, f.key, part, lo, f.size); err != nil {
		return 0, expired(err)
	}
	if f.src.disk != nil {
		f.src.disk.write(f.id, part, lo)
	}
	return len(p), nil
}

// Forget drops what the local cache has of n bytes at off, which are damaged.
func (f *file) Forget(off, n int64) {
	if f.src.disk != nil {
		f.src.disk.forget(f.id, off, n)
	}
}
