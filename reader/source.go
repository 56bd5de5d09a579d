package reader

import (
	"context"
	"fmt"
	"io"
	"io/fs"

	"github.com/pinion-index/pinion/format"
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

// Options configure OpenWith, OpenFSWith and OpenReaderAt. The zero value means the
// defaults.
type Options struct {
	// Access says how the segments of a local directory get into memory: by default
	// they are mapped. It covers nothing else: manifests are read, and deletes files are
	// mapped until their first use, when they are checked and decoded. For other indexes
	// it must be zero.
	Access store.Access
	// Leaked, unless nil, is called for a Snapshot or a Cursor (what) that nothing
	// refers to any more and that was never closed, some time after that; its files
	// stay in memory. stack is the stack that opened it. Leaked must not block.
	// Recording stacks makes opening a snapshot or a cursor some microseconds slower.
	Leaked func(what string, stack []byte)
	// CacheSize, for OpenReaderAt, bounds the cache of byte ranges read, in bytes. Ranges in use and the
	// tables that a segment needs whole come on top. 0 means DefaultCacheSize; a
	// negative size disables the cache.
	CacheSize int64
	// Generation, if not 0, is the commit to open, as by OpenCommit.
	Generation uint64
	// Unchecked leaves out the comparison of what is read with the checksums of its
	// pages. Damage may then change answers in silence.
	Unchecked bool

	remote bool // files come from a Source
}

// OpenReaderAt opens the index whose files src provides. The caller closes it.
// Byte ranges are read when they are needed, many at the same time: a query waits
// for the source once, for its terms and their lists; for lists beside which there is more than 1 MiB
// twice, and for those of segments without section LISTS three times, if it needs no more than 64 MiB. Snapshot.Prefetch waits
// once, or twice for texts. Opening a segment reads its front and its tail at once, which has the tables that
// every query needs, or the whole file if that is small; of a tail above 4 MiB the tables
// are read on first use. Up to Options.CacheSize bytes are cached.
func OpenReaderAt(src Source, o Options) (*Index, error) {
	o.remote = true
	return OpenFSWith(FS(src, o.CacheSize), o)
}

// FS returns the files of src as the file system of package store, for what reads an index below
// this package. Up to cacheSize bytes are cached, as Options.CacheSize says.
func FS(src Source, cacheSize int64) store.ReadFS {
	if cacheSize == 0 {
		cacheSize = DefaultCacheSize
	}
	return &sourceFS{src: src, cache: newCache(max(cacheSize, 0))}
}

// sourceFS makes a Source a store.ReadFS. It is its own ID: no other ReadFS
// shares its files.
type sourceFS struct {
	src   Source
	cache *cache
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
	r, size, err := f.src.Open(name)
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
	return newRemote(name, r, size, f.cache), nil
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
