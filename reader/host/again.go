package host

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
)

// Sound calls read, and once more if its error is damage, which may have come on the way.
func Sound(read func(why reader.Reason) error) error {
	err := read(reader.FirstRequest)
	var damage *format.Error
	if errors.As(err, &damage) {
		err = read(reader.DamagedRequest)
	}
	return err
}

// Damage remembers which bytes of an object came damaged, so that reading them again is counted as that.
type Damage struct {
	mu     sync.Mutex
	ranges [][2]int64
}

// Add remembers n bytes at off.
func (d *Damage) Add(off, n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := [2]int64{off, off + n}; !slices.Contains(d.ranges, r) {
		d.ranges = append(d.ranges, r)
	}
}

// Why returns why n bytes at off are asked for. What it remembers of them it forgets.
func (d *Damage) Why(off, n int64) reader.Reason {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := len(d.ranges)
	d.ranges = slices.DeleteFunc(d.ranges, func(r [2]int64) bool { return r[0] < off+n && off < r[1] })
	if len(d.ranges) < all {
		return reader.DamagedRequest
	}
	return reader.FirstRequest
}

// File is an object that was read whole. If it turns out to be damaged, it is read again.
type File struct {
	read func(context.Context, reader.Reason) ([]byte, error)
	mu   sync.Mutex
	b    []byte // nil: to be read again
}

// NewFile returns an object that holds b, and that read reads.
func NewFile(b []byte, read func(context.Context, reader.Reason) ([]byte, error)) *File {
	return &File{read: read, b: b}
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	return f.ReadAtContext(context.Background(), p, off)
}

// ReadAtContext implements reader.ContextReaderAt.
func (f *File) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.b == nil {
		b, err := f.read(ctx, reader.DamagedRequest)
		if err != nil {
			return 0, err
		}
		f.b = b
	}
	return bytes.NewReader(f.b).ReadAt(p, off)
}

// Forget makes the next read read the object again.
func (f *File) Forget(int64, int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.b = nil
}

var _ io.ReaderAt = (*File)(nil)
