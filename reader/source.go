package reader

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
)

// Source gives the files of an index that is not in a local directory: an object
// store, an archive, files embedded in the program. It must be safe for
// concurrent use. Files do not change; a missing one gives an error that matches
// fs.ErrNotExist.
type Source interface {
	// List returns the names of the files, in any order.
	List() ([]string, error)
	// Open opens a file and tells its size. The io.ReaderAt is closed
	// with the index if it is an io.Closer.
	Open(name string) (r io.ReaderAt, size int64, err error)
}

// DefaultCacheSize is how many bytes an index that OpenReaderAt opened keeps of all
// its files together, unless Options say otherwise: 64 MiB.
const DefaultCacheSize = 64 << 20

// Options say how OpenReaderAt reads. The zero value is good.
type Options struct {
	// CacheSize is how many bytes are kept of what was read; what is in use, and the
	// tables that a segment needs whole, come on top. 0 means DefaultCacheSize, less
	// than 0 nothing.
	CacheSize int64
}

// OpenReaderAt opens an index whose files src gives. Byte ranges are read when
// they are needed: a few hundred bytes for a term, a posting list at once, and
// on first use whole those tables that are searched (the index of terms, document
// lengths, ids). What was read is kept up to Options.CacheSize.
func OpenReaderAt(src Source, o Options) (*Index, error) {
	if o.CacheSize == 0 {
		o.CacheSize = DefaultCacheSize
	}
	return OpenFS(&sourceFS{src: src, cache: newCache(max(o.CacheSize, 0))})
}

// sourceFS makes a Source a store.ReadFS. Its ID is itself: nobody else has its
// files open.
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
		e := format.Corrupt("impossible file length %d", size)
		e.File = name
		return nil, e
	}
	return &remote{name: name, r: r, size: size, cache: f.cache}, nil
}

// FromFS makes a Source of a file system whose root holds the index, such as an
// embed.FS or an fs.Sub of it. Files that are no io.ReaderAt are read whole when
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
