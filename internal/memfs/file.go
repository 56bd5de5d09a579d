package memfs

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
)

// data is an open file: a copy of its content, which neither changes nor becomes
// invalid. After Close only Range fails.
type data struct {
	name   string
	b      []byte
	closed atomic.Bool
}

func (d *data) Size() int64 { return int64(len(d.b)) }

func (d *data) Range(off, n int64) ([]byte, error) {
	if d.closed.Load() {
		return nil, pathError("read", d.name, fs.ErrClosed)
	}
	if off < 0 || n < 0 || off > int64(len(d.b))-n {
		return nil, format.Locate(format.Corrupt("%d bytes wanted at %d, the file ends at %d", n, off, len(d.b)),
			format.Place{File: d.name, Block: format.NoBlock})
	}
	return d.b[off : off+n], nil
}

// Mapped returns the whole file, 64-byte aligned, like a mapped file.
func (d *data) Mapped() []byte { return d.b }

func (d *data) Close() error {
	d.closed.Store(true)
	return nil
}

// file is a file being written.
type file struct {
	fs   *FS
	in   *inode
	name string
	pos  int64 // offset of the next Write
}

// WriteAt writes p and counts as one operation. On a full file system it writes as
// much as fits.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	f.fs.begin(Op{"write", f.name, off, int64(len(p))})
	defer f.fs.mu.Unlock()
	err, effect := f.fs.op()
	n := 0
	if effect {
		n = len(p)
		if grow := off + int64(n) - f.in.size; f.fs.capacity >= 0 && grow > 0 && f.fs.used+grow > f.fs.capacity {
			err = ErrNoSpace
			n = int(max(0, int64(n)-(f.fs.used+grow-f.fs.capacity)))
		}
		if n > 0 {
			f.fs.used += max(0, off+int64(n)-f.in.size)
			b := bytes.Clone(p[:n])
			f.in.writeAt(b, off)
			f.in.writes = append(f.in.writes, write{b, off})
		}
	}
	if err != nil {
		return n, pathError("write", f.name, err)
	}
	return n, nil
}

func (f *file) Sync() error {
	f.fs.begin(Op{Kind: "sync", Name: f.name})
	defer f.fs.mu.Unlock()
	err, effect := f.fs.op()
	f.in.lost = f.in.lost || !effect
	if effect && !f.in.lost {
		f.in.durable = f.in.freeze()
		f.in.writes = nil
	}
	if err != nil {
		return pathError("sync", f.name, err)
	}
	return nil
}

func (f *file) Close() error { return nil }

// temp is a scratch file. List shows its name, so that clean-up can be tested.
type temp struct{ file }

// CreateTemp creates a scratch file.
func (f *FS) CreateTemp() (store.Temp, error) {
	f.begin(Op{Kind: "create", Name: "spool"})
	defer f.mu.Unlock()
	if err, _ := f.op(); err != nil {
		return nil, pathError("create", "spool", err)
	}
	f.temps++
	name := fmt.Sprintf("spool-%d.tmp", f.temps)
	in := &inode{}
	f.set(change{names: [2]string{name}, inodes: [2]*inode{in}})
	return &temp{file{fs: f, in: in, name: name}}, nil
}

func (t *temp) Write(p []byte) (int, error) {
	n, err := t.WriteAt(p, t.pos)
	t.pos += int64(n)
	return n, err
}

func (t *temp) ReadAt(p []byte, off int64) (int, error) {
	t.fs.begin(Op{"read", t.name, off, int64(len(p))})
	defer t.fs.mu.Unlock()
	if err, _ := t.fs.op(); err != nil {
		return 0, pathError("read", t.name, err)
	}
	if off < 0 || off > t.in.size {
		return 0, io.EOF
	}
	n := copy(p, t.in.content()[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (t *temp) Close() error {
	t.fs.mu.Lock()
	defer t.fs.mu.Unlock()
	if t.fs.entries[t.name] == t.in {
		t.fs.used -= t.in.size
		t.fs.set(change{names: [2]string{t.name}})
	}
	return nil
}
