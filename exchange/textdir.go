package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/pinion-index/pinion/writer"
)

// TextDir reads every regular file below a directory as one document, in lexical
// order of paths. The id is the path relative to the directory, with slashes. It
// skips files and directories whose names begin with a dot, follows no link below the
// directory, which may be one itself, and inflates gzip, zstd and bzip2 files. A file
// with a NUL byte is not text and gives a recoverable error.
type TextDir struct {
	dir   string
	paths []string // relative to dir
	next  int
	buf   bytes.Buffer
	read  atomic.Int64
}

// OpenTextDir lists the files below dir.
func OpenTextDir(dir string) (*TextDir, error) {
	st, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	t := &TextDir{dir: dir}
	err = walkTexts(dir, func(rel string, _ fs.DirEntry) error {
		t.paths = append(t.paths, rel)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// walkTexts calls fn for every file that is a document, with its path relative to dir.
func walkTexts(dir string, fn func(rel string, e fs.DirEntry) error) error {
	dir, err := filepath.EvalSymlinks(dir) // WalkDir does not follow a link
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != dir && e.Name()[0] == '.':
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !e.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return fn(rel, e)
	})
}

func textDirSize(dir string) int64 {
	n := int64(0)
	walkTexts(dir, func(_ string, e fs.DirEntry) error { // Open reports errors
		if st, err := e.Info(); err == nil {
			n += st.Size()
		}
		return nil
	})
	return n
}

// Next implements Source.
func (t *TextDir) Next() (writer.Document, error) {
	if t.next == len(t.paths) {
		return writer.Document{}, io.EOF
	}
	rel := t.paths[t.next]
	t.next++
	path := filepath.Join(t.dir, rel)
	if err := t.load(path); err != nil {
		return writer.Document{}, &Error{File: path, Offset: -1, Recoverable: true, Msg: "cannot read", Err: err}
	}
	if i := bytes.IndexByte(t.buf.Bytes(), 0); i >= 0 {
		return writer.Document{}, &Error{File: path, Offset: int64(i), Recoverable: true, Msg: "a NUL byte: not a text file"}
	}
	id := []byte(filepath.ToSlash(rel))
	if err := checkID(id); err != nil {
		return writer.Document{}, &Error{File: path, Offset: -1, Recoverable: true, Msg: err.Error()}
	}
	return writer.Document{ID: id, Contents: t.buf.Bytes()}, nil
}

// load reads the file into the buffer.
func (t *TextDir) load(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	t.buf.Reset()
	if err := t.take(counter{f, &t.read}); err != nil {
		return err
	}
	whole := t.buf
	r, packed, release, err := inflate(bufio.NewReader(bytes.NewReader(whole.Bytes())))
	if err != nil || !packed {
		return err
	}
	defer release()
	t.buf = bytes.Buffer{}
	return t.take(r)
}

// take reads r to its end into the buffer.
func (t *TextDir) take(r io.Reader) error {
	n, err := t.buf.ReadFrom(io.LimitReader(r, MaxRecord+1))
	if err == nil && n > MaxRecord {
		err = errors.New("the file is larger than a document may be")
	}
	return err
}

// BytesRead implements Source.
func (t *TextDir) BytesRead() int64 { return t.read.Load() }

// Close implements Source.
func (t *TextDir) Close() error { return nil }
