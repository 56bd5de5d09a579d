package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
)

const (
	manifestFirst = 1 << 20   // bytes of a manifest that its first request asks for: those of some thousand segments
	mostManifest  = 256 << 20 // bytes of a manifest: indexdir.MaxSegments segments with 300 fields
	mostValues    = 1 << 36   // bytes of a values file: those of some columns of a segment
	mostDeletes   = 1 << 30   // bytes of a deletes file: a bit for every possible docID takes half of that
)

// Source provides the files of the newest commit of an index directory that a server serves to package reader, and goes on to newer ones
// (Refresh). If the server does not answer requests for ranges, files are read whole and kept in memory. Requests are counted by the Meter of
// the context for which they are sent, or, where it has none, by that of the context given to Open. A Source is safe for concurrent use.
//
// A request that fails is sent again, up to seven times. One that brings nothing for longer than most of the latest took until they began to
// answer, or for a second, is sent once more, for what is missing: whichever brings the next byte goes on. One that
// lags behind 1 MiB a second by 10 s is given up, and the third time that is an error. What comes damaged is read once more.
type Source struct {
	host   *Host
	client Client
	meter  *reader.Meter // may be nil
	pinned bool          // to a commit
	whole  atomic.Bool   // the server does not answer requests for ranges

	moving sync.Mutex // held by Refresh
	mu     sync.Mutex
	cur    *commit
}

var _ reader.FollowingSource = (*Source)(nil)

// commit is a commit whose manifest was read.
type commit struct {
	manifest *indexdir.Manifest
	raw      []byte // the manifest's file
}

// Open finds the newest commit of the index directory at a URL and reads its manifest. That takes two requests, or three
// if there is no NamesFile.
func Open(ctx context.Context, url string) (*Source, error) { return open(ctx, url, 0) }

// OpenCommit reads the manifest of a commit whose number is known, which takes one request. The Source stays at that commit.
func OpenCommit(ctx context.Context, url string, generation uint64) (*Source, error) {
	return open(ctx, url, generation)
}

// open opens a commit, or the newest one for 0.
func open(ctx context.Context, url string, generation uint64) (*Source, error) {
	h, err := New(url)
	if err != nil {
		return nil, err
	}
	s := &Source{host: h, client: Client{Passes: passes}, meter: reader.MeterOf(ctx), pinned: generation > 0}
	if !s.pinned {
		generation, err = s.newest(ctx)
	}
	if err == nil {
		s.cur, err = s.load(ctx, generation)
	}
	if err != nil {
		h.Close()
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	return s, nil
}

// Refresh implements reader.FollowingSource by one request, or two without NamesFile, and one more for a newer commit.
func (s *Source) Refresh(ctx context.Context) (changed bool, err error) {
	if s.pinned {
		return false, nil
	}
	s.moving.Lock()
	defer s.moving.Unlock()
	generation, err := s.newest(ctx)
	if err != nil || generation == s.commit().manifest.Generation {
		return false, err
	}
	next, err := s.load(ctx, generation)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cur = next
	return true, nil
}

func (s *Source) commit() *commit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur
}

// newest returns the number of the newest commit.
func (s *Source) newest(ctx context.Context) (uint64, error) {
	generation, err := s.client.Number(ctx, s.host.Newest)
	if err == nil && generation == 0 {
		err = &format.Error{Kind: format.ErrNotAnIndex, File: s.String(), Block: format.NoBlock, Offset: -1, Msg: "there is no index here"}
	}
	return generation, err
}

// load reads a manifest, and sets s.whole.
func (s *Source) load(ctx context.Context, generation uint64) (c *commit, err error) {
	name := indexdir.ManifestName(generation)
	c = &commit{}
	return c, Sound(func(why reader.Reason) (err error) {
		var whole atomic.Bool
		first := func(ctx context.Context, off, _ int64) (io.ReadCloser, int64, error) {
			a, err := s.host.ask(ctx, name, off, manifestFirst-off, true)
			if err != nil {
				return nil, 0, err
			}
			if a.status == statusOK {
				whole.Store(true)
				return a.body, a.length, nil
			}
			return a.body, min(a.size(), manifestFirst), nil
		}
		if c.raw, err = s.all(ctx, name, first, 0, mostManifest, why); err != nil {
			return err
		}
		if s.whole.Store(whole.Load()); !whole.Load() && len(c.raw) == manifestFirst {
			if c.raw, err = s.all(ctx, name, s.get(name), 0, mostManifest, why); err != nil {
				return err
			}
		}
		c.manifest, err = indexdir.DecodeManifest(name, c.raw)
		return err
	})
}

// passes reports whether a request that failed may succeed later.
func passes(err error) bool {
	var answer *StatusError
	if !errors.As(err, &answer) {
		return true
	}
	switch answer.Status {
	case statusTimeout, statusTooManyRequests:
		return true
	}
	return answer.Status >= statusServerError
}

// get returns how a file is asked for.
func (s *Source) get(name string) Get {
	return func(ctx context.Context, off, n int64) (io.ReadCloser, int64, error) {
		a, err := s.host.ask(ctx, name, off, n, s.whole.Load())
		if err != nil {
			return nil, 0, err
		}
		return a.body, a.size(), nil
	}
}

// all returns what a request for a whole file brings, known bytes if that is not 0.
func (s *Source) all(ctx context.Context, name string, get Get, known, most int64, why reader.Reason) ([]byte, error) {
	b, err := s.client.ReadAll(s.counted(ctx), get, known, most, why)
	return b, named(name, err)
}

// counted returns a context whose requests are counted.
func (s *Source) counted(ctx context.Context) context.Context {
	if reader.MeterOf(ctx) == nil {
		return reader.WithMeter(ctx, s.meter)
	}
	return ctx
}

// named returns err with the name of the file that it is about.
func named(name string, err error) error {
	var damage *format.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &damage):
		return format.Locate(err, format.Place{File: name, Block: format.NoBlock})
	}
	return fmt.Errorf("%s: %w", name, err)
}

// String returns the URL.
func (s *Source) String() string { return s.host.String() }

// Whole reports whether the server does not answer requests for ranges, so that files are read whole.
func (s *Source) Whole() bool { return s.whole.Load() }

// Close closes connections that are not in use.
func (s *Source) Close() error { return s.host.Close() }

// List implements reader.Source: it names the manifest alone, without a request.
func (s *Source) List() ([]string, error) {
	return []string{indexdir.ManifestName(s.commit().manifest.Generation)}, nil
}

// Open implements reader.Source. It sends a request for a deletes or values file only.
func (s *Source) Open(name string) (io.ReaderAt, int64, error) {
	return s.OpenContext(context.Background(), name)
}

// OpenContext implements reader.FollowingSource.
func (s *Source) OpenContext(ctx context.Context, name string) (io.ReaderAt, int64, error) {
	c := s.commit()
	if name == indexdir.ManifestName(c.manifest.Generation) {
		return bytes.NewReader(c.raw), int64(len(c.raw)), nil
	}
	for i := range c.manifest.Segments {
		switch info := &c.manifest.Segments[i]; name {
		case indexdir.SegmentName(info.File):
			if info.FileLen == 0 {
				return nil, 0, fmt.Errorf("%s: the manifest does not say how long it is: %w", name, format.ErrTooOld)
			}
			f := &file{src: s, name: name, size: info.FileLen, all: make(chan []byte, 1)}
			f.all <- nil
			return f, f.size, nil
		case indexdir.DeletesName(info.DeletesFile), indexdir.ValuesName(info.ValuesFile):
			most := int64(mostDeletes)
			if name == indexdir.ValuesName(info.ValuesFile) {
				most = mostValues
			}
			read := func(ctx context.Context, why reader.Reason) ([]byte, error) {
				b, err := s.all(ctx, name, s.get(name), 0, most, why)
				return b, expired(err)
			}
			b, err := read(ctx, reader.FirstRequest)
			if err != nil {
				return nil, 0, err
			}
			return NewFile(b, read), int64(len(b)), nil
		}
	}
	return nil, 0, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// expired returns the error for a file that a manifest names and that could not be read. It does not match
// fs.ErrNotExist, after which the same manifest would be read again.
func expired(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w (%v)", reader.ErrExpired, err)
	}
	return err
}

// file is a segment.
type file struct {
	src  *Source
	name string
	size int64
	all  chan []byte // its content, once that was read whole; nil first

	damage Damage
}

var _ reader.ContextReaderAt = (*file)(nil)

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	return f.ReadAtContext(context.Background(), p, off)
}

// ReadAtContext implements reader.ContextReaderAt by one request.
func (f *file) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	n := int64(len(p))
	if off < 0 || off > f.size-n {
		return 0, io.EOF
	}
	if f.src.whole.Load() {
		return f.readWhole(ctx, p, off)
	}
	if err := f.src.client.Read(f.src.counted(ctx), f.src.get(f.name), p, off, f.size, f.damage.Why(off, n)); err != nil {
		return 0, expired(named(f.name, err))
	}
	return len(p), nil
}

// Forget drops n bytes at off, which are damaged.
func (f *file) Forget(off, n int64) {
	f.damage.Add(off, n)
	if f.src.whole.Load() {
		<-f.all // which ends once the file is read
		f.all <- nil
	}
}

// readWhole is ReadAtContext for a server without ranges. Who comes while the file is read waits for that.
func (f *file) readWhole(ctx context.Context, p []byte, off int64) (n int, err error) {
	var b []byte
	select {
	case b = <-f.all:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	defer func() { f.all <- b }()
	if b == nil {
		got, err := f.src.all(ctx, f.name, f.src.get(f.name), f.size, f.size, f.damage.Why(0, f.size))
		if err == nil && int64(len(got)) < f.size {
			err = fmt.Errorf("%s: %d bytes came, of %d: %w", f.name, len(got), f.size, io.ErrUnexpectedEOF)
		}
		if err != nil {
			return 0, expired(err)
		}
		b = got
	}
	return copy(p, b[off:]), nil
}
