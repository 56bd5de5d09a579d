package host

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/meter"
	"github.com/pinion-index/pinion/store"
)

const (
	manifestFirst = 1 << 20   // bytes of a manifest that its first request asks for: those of some thousand segments
	mostManifest  = 256 << 20 // bytes of a manifest: store.MaxSegments segments with 300 fields
	mostDeletes   = 1 << 30   // bytes of a deletes file: a bit for every possible docID takes half of that
)

// Source provides the files of the newest commit of an index directory that a server serves to package reader. If the
// server does not answer requests for ranges, files are read whole and kept in memory. Requests are counted by the Meter of
// the context for which they are sent, or, where it has none, as those that open files, by that of the context given to
// Open. A Source is safe for concurrent use.
type Source struct {
	host     *Host
	meter    *meter.Meter // may be nil
	manifest *store.Manifest
	raw      []byte // the manifest's file
	whole    bool
}

// Open finds the newest commit of the index directory at a URL and reads its manifest. That takes two requests, or three
// if there is no NamesFile.
func Open(ctx context.Context, url string) (*Source, error) {
	return open(ctx, url, (*Source).newest)
}

// OpenCommit reads the manifest of a commit whose number is known, which takes one request.
func OpenCommit(ctx context.Context, url string, generation uint64) (*Source, error) {
	return open(ctx, url, func(*Source, context.Context) (uint64, error) { return generation, nil })
}

// open opens the commit that find finds.
func open(ctx context.Context, url string, find func(*Source, context.Context) (uint64, error)) (*Source, error) {
	h, err := New(url)
	if err != nil {
		return nil, err
	}
	s := &Source{host: h, meter: meter.Of(ctx)}
	generation, err := find(s, ctx)
	if err == nil {
		err = s.load(ctx, generation)
	}
	if err != nil {
		h.Close()
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	return s, nil
}

// newest returns the number of the newest commit.
func (s *Source) newest(ctx context.Context) (uint64, error) {
	end, err := s.meter.Begin(0, meter.First)
	if err != nil {
		return 0, err
	}
	defer end()
	generation, err := s.host.Newest(ctx)
	if err == nil && generation == 0 {
		err = &format.Error{Kind: format.ErrNotAnIndex, File: s.String(), Block: format.NoBlock, Offset: -1, Msg: "there is no index here"}
	}
	return generation, err
}

// load sets s.manifest, s.raw and s.whole.
func (s *Source) load(ctx context.Context, generation uint64) error {
	name := store.ManifestName(generation)
	raw, a, err := s.read(ctx, request{name: name, n: manifestFirst, most: mostManifest, whole: true})
	if err != nil {
		return err
	}
	s.whole = a.status == statusOK
	if s.raw = raw; !s.whole && len(raw) == manifestFirst {
		if s.raw, _, err = s.read(ctx, request{name: name, n: -1, most: mostManifest}); err != nil {
			return err
		}
	}
	s.manifest, err = store.DecodeManifest(name, s.raw)
	return err
}

// request asks for n bytes at off of a file, or for all of it with n < 0.
type request struct {
	name   string
	off, n int64
	known  int64 // how many bytes come, if that is known
	most   int64 // how many may
	whole  bool  // the server may answer with the whole file
}

// read returns what a request brings. The body of the answer is closed.
func (s *Source) read(ctx context.Context, r request) ([]byte, *answer, error) {
	m := meter.Of(ctx)
	if m == nil {
		m = s.meter
	}
	end, err := m.Begin(r.known, meter.First)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	a, err := s.host.ask(ctx, r.name, r.off, r.n, r.whole)
	if err != nil {
		return nil, nil, err
	}
	defer a.body.Close()
	b, err := io.ReadAll(io.LimitReader(a.body, r.most+1))
	m.Grow(int64(len(b)) - r.known)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.name, err)
	}
	if int64(len(b)) > r.most {
		e := format.Corrupt("the file has more than %d bytes", r.most)
		e.File = r.name
		return nil, nil, e
	}
	return b, a, nil
}

// String returns the URL.
func (s *Source) String() string { return s.host.String() }

// Whole reports whether the server does not answer requests for ranges, so that files are read whole.
func (s *Source) Whole() bool { return s.whole }

// Close closes connections that are not in use.
func (s *Source) Close() error { return s.host.Close() }

// List implements reader.Source: it names the manifest alone, without a request.
func (s *Source) List() ([]string, error) {
	return []string{store.ManifestName(s.manifest.Generation)}, nil
}

// Open implements reader.Source. It sends a request for a deletes file only.
func (s *Source) Open(name string) (io.ReaderAt, int64, error) {
	if name == store.ManifestName(s.manifest.Generation) {
		return bytes.NewReader(s.raw), int64(len(s.raw)), nil
	}
	for i := range s.manifest.Segments {
		switch info := &s.manifest.Segments[i]; name {
		case store.SegmentName(info.File):
			if info.FileLen == 0 {
				return nil, 0, fmt.Errorf("%s: the manifest does not say how long it is: %w", name, format.ErrTooOld)
			}
			f := &file{s, name, info.FileLen, make(chan []byte, 1)}
			f.all <- nil
			return f, f.size, nil
		case store.DeletesName(info.DeletesFile):
			b, _, err := s.read(context.Background(), request{name: name, n: -1, most: mostDeletes})
			return bytes.NewReader(b), int64(len(b)), err
		}
	}
	return nil, 0, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// file is a segment.
type file struct {
	src  *Source
	name string
	size int64
	all  chan []byte // its content, once that was read whole; nil first
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
	if f.src.whole {
		return f.readWhole(ctx, p, off)
	}
	b, _, err := f.src.read(ctx, request{name: f.name, off: off, n: n, known: n, most: n})
	if err == nil && int64(len(b)) < n {
		err = io.ErrUnexpectedEOF
	}
	return copy(p, b), err
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
		got, _, err := f.src.read(ctx, request{name: f.name, n: -1, known: f.size, most: f.size})
		if err != nil {
			return 0, err
		}
		if int64(len(got)) < f.size {
			return 0, fmt.Errorf("%s: %d bytes came, of %d: %w", f.name, len(got), f.size, io.ErrUnexpectedEOF)
		}
		b = got
	}
	return copy(p, b[off:]), nil
}
