package reader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/store"
)

// Source provides the files of an index that is not in a local directory but,
// say, in an object store, in an archive or embedded in the program. It must be
// safe for concurrent use. Files do not change; the error for a missing file
// matches fs.ErrNotExist.
type Source interface {
	// List returns the names of the files, in any order.
	List() ([]string, error)
	// Open opens a file and returns its size in bytes. If the io.ReaderAt is an
	// io.Closer, it is closed when the index no longer needs the file.
	Open(name string) (r io.ReaderAt, size int64, err error)
}

// FollowingSource is a Source of one commit of an index that others change, which goes on to newer ones: that of a web server, or of a
// bucket. Files that were opened stay readable while the Source has them.
type FollowingSource interface {
	Source
	// OpenContext is Open whose requests end with ctx.
	OpenContext(ctx context.Context, name string) (r io.ReaderAt, size int64, err error)
	// Refresh makes the newest commit the one whose files List and Open have, and reports whether that is another one. On an
	// error the commit stays. A Source of a commit that was asked for by its number has no other: it reports false.
	Refresh(ctx context.Context) (changed bool, err error)
}

// ErrExpired is matched by the error of a read from a FollowingSource whose commit was removed, after its time, while it was read.
// There is a newer one then.
var ErrExpired = errors.New("the commit was removed while it was read")

// ContextReaderAt is an io.ReaderAt whose reads can be ended, such as one that sends requests.
// If the io.ReaderAt of a Source implements it, ReadAt is not called. Ranges that lie close
// together are read at once, and up to 64 reads are under way at the same time.
//
// A read of any other io.ReaderAt goes on when the context of a query ends, but the query
// returns; what is read then is cached.
type ContextReaderAt interface {
	io.ReaderAt
	// ReadAtContext is ReadAt, except that it returns soon after ctx has ended, with an
	// error. ctx has the values of the context for which the bytes were first asked.
	//
	// A reader that caches what it reads has a method Forget(off, n int64) too, which is called for bytes that
	// turn out to be damaged: they are to be read again.
	ReadAtContext(ctx context.Context, p []byte, off int64) (n int, err error)
}

// DefaultCacheSize is the default of Options.CacheSize, for all files of an index
// together: 64 MiB.
const DefaultCacheSize = 64 << 20

// Options configure Open. The zero value means the defaults.
type Options struct {
	// Access says how the segments of a local directory get into memory: by default
	// they are mapped. It covers nothing else: manifests are read, and deletes files are
	// mapped until their first use, when they are checked and decoded. For other indexes
	// it must be zero. If the platform or the kernel cannot access files so, the error matches errors.ErrUnsupported.
	Access store.Access
	// Leaked, unless nil, is called for a Snapshot or a Cursor (what) that nothing
	// refers to any more and that was never closed, some time after that; its files
	// stay in memory. stack is the stack that opened it. Leaked must not block.
	// Recording stacks makes opening a snapshot or a cursor some microseconds slower.
	Leaked func(what string, stack []byte)
	// CacheSize, for files that are read on demand, bounds the cache of byte ranges read, in bytes. Ranges in use and the
	// tables that a segment needs whole come on top. 0 means DefaultCacheSize.
	CacheSize int64
	// NoCache says that no ranges are cached. It goes without CacheSize.
	NoCache bool
	// Generation, if not 0, is the number of the commit to open. Of commits but the newest, those exist that writers keep
	// (writer.Options.KeepCommits); for others the error matches fs.ErrNotExist.
	Generation uint64
	// Unchecked leaves out the comparison of what is read with the checksums of its
	// pages. Damage may then change answers in silence.
	Unchecked bool

	remote bool // files come from a Source
}

// Dir is the Source of a local directory, whose files are mapped (Options.Access).
func Dir(path string) Source { return dirSource(path) }

type dirSource string

func (s dirSource) open() (*indexdir.Dir, error) { return indexdir.Open(string(s)) }
func (s dirSource) String() string               { return string(s) }
func (s dirSource) List() ([]string, error)      { return listOf(store.Dir(string(s))) }
func (s dirSource) Open(name string) (io.ReaderAt, int64, error) {
	return openIn(store.Dir(string(s)), name)
}

// FromStore is the Source of a file system of package store, whose files are accessed as it has them.
func FromStore(fsys store.ReadFS) Source { return storeSource{fsys} }

type storeSource struct{ fsys store.ReadFS }

func (s storeSource) open() (*indexdir.Dir, error) { return indexdir.OpenFS(s.fsys) }
func (s storeSource) List() ([]string, error)      { return listOf(s.fsys) }
func (s storeSource) Open(name string) (io.ReaderAt, int64, error) {
	return openIn(s.fsys, name)
}

func listOf(fsys store.ReadFS) ([]string, error) {
	if fsys == nil {
		return nil, fmt.Errorf("%w: no file system", store.ErrInvalid)
	}
	return fsys.List()
}

func openIn(fsys store.ReadFS, name string) (io.ReaderAt, int64, error) {
	d, err := fsys.Open(name)
	if err != nil {
		return nil, 0, err
	}
	return dataReader{d}, d.Size(), nil
}

// dataReader is a store.Data as an io.ReaderAt.
type dataReader struct{ store.Data }

func (d dataReader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > d.Size() {
		return 0, io.EOF
	}
	n := min(int64(len(p)), d.Size()-off)
	b, err := d.Range(off, n)
	if err == nil && n < int64(len(p)) {
		err = io.EOF
	}
	return copy(p, b), err
}

// FS returns the files of src as the file system of package store, for what reads an index below
// this package. Up to cacheSize bytes are cached, as Options.CacheSize says.
func FS(src Source, cacheBytes int64) store.ReadFS {
	return &sourceFS{src: src, cache: newCache(cmp.Or(cacheBytes, DefaultCacheSize))}
}

// cacheSize returns how many bytes o caches.
func (o *Options) cacheSize() (int64, error) {
	switch {
	case o.CacheSize < 0 || o.CacheSize > 0 && o.NoCache:
		return 0, fmt.Errorf("%w: a cache of %d bytes, and NoCache is %v", store.ErrInvalid, o.CacheSize, o.NoCache)
	case o.NoCache:
		return 0, nil
	}
	return cmp.Or(o.CacheSize, DefaultCacheSize), nil
}

// sourceFS makes a Source a store.ReadFS. It is its own ID: no other ReadFS
// shares its files.
type sourceFS struct {
	src     Source
	cache   *cache
	opening atomic.Pointer[opening] // nil unless files are opened for a task that can end
}

// opening is a task that opens files. What is read of these until it has ended ends with its context.
type opening struct {
	ctx   context.Context
	ended atomic.Bool
}

// begin begins to open files for a task, until end.
func (f *sourceFS) begin(ctx context.Context) (end func()) {
	o := &opening{ctx: ctx}
	f.opening.Store(o)
	return func() {
		f.opening.Store(nil)
		o.ended.Store(true)
	}
}

// context returns the context of what is read now of a file that was opened for o, which may be nil.
func (o *opening) context() context.Context {
	if o == nil || o.ended.Load() {
		return context.Background()
	}
	return o.ctx
}

func (f *sourceFS) ID() any { return f }

func (f *sourceFS) String() string {
	if s, ok := f.src.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", f.src)
}

func (f *sourceFS) List() ([]string, error) { return f.src.List() }

func (f *sourceFS) Open(name string) (store.Data, error) {
	o := f.opening.Load()
	var r io.ReaderAt
	var size int64
	var err error
	if src, ok := f.src.(FollowingSource); ok {
		r, size, err = src.OpenContext(o.context(), name)
	} else {
		r, size, err = f.src.Open(name)
	}
	if err != nil {
		return nil, err
	}
	if size < 0 || size > format.MaxFileSize {
		if c, ok := r.(io.Closer); ok {
			c.Close()
		}
		e := format.Corrupt("impossible file length %d", size)
		e.File = name
		return nil, e
	}
	x := newRemote(name, r, size, f.cache)
	x.opening = o
	return x, nil
}

// FromFS returns a Source of the files at the root of fsys, such as an embed.FS
// or an fs.Sub of it. Files that do not implement io.ReaderAt are read whole when
// they are opened.
func FromFS(fsys fs.FS) Source { return fsSource{fsys} }

type fsSource struct{ fsys fs.FS }

func (s fsSource) List() ([]string, error) {
	entries, err := fs.ReadDir(s.fsys, ".")
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

func (s fsSource) Open(name string) (io.ReaderAt, int64, error) {
	f, err := s.fsys.Open(name)
	if err != nil {
		return nil, 0, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	if r, ok := f.(io.ReaderAt); ok {
		return r, st.Size(), nil
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return sliceReader(b), int64(len(b)), err
}

// sliceReader is an io.ReaderAt over memory.
type sliceReader []byte

func (s sliceReader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(s)) {
		return 0, io.EOF
	}
	n := copy(p, s[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
