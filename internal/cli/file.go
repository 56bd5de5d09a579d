package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/pinion-index/pinion/internal/indexdir"
)

// WriteFile makes what write writes the content of the file at path, if durable with a
// promise that it has reached the disk. It writes to a new file beside path, and leaves
// path as it was on an error. Where path is a device or a pipe, it writes there, and where
// it is a link, to what that names. The name of a file of an index is a usage error.
func WriteFile(path string, durable bool, write func(io.Writer) error) error {
	return writeFile(path, 0o666, durable, write)
}

// WriteCopy is WriteFile for what holds data of the index in dir, or of a file of one: a new
// file is open to nobody whom these keep out (indexdir.Dir.Perm).
func WriteCopy(path, dir string, durable bool, write func(io.Writer) error) error {
	mode := fs.FileMode(0o600)
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		mode |= st.Mode().Perm() & 0o666
	} else if d, err := indexdir.Open(dir); err == nil {
		mode = d.Perm()
		d.Close()
	}
	return writeFile(path, mode, durable, write)
}

func writeFile(path string, mode fs.FileMode, durable bool, write func(io.Writer) error) error {
	if err := checkOutput(path); err != nil {
		return err
	}
	switch st, err := os.Stat(path); {
	case err != nil && !IsNotExist(err):
		return err
	case err == nil && st.IsDir():
		return fmt.Errorf("%s is a directory", path)
	case err == nil && !st.Mode().IsRegular():
		return writeThrough(path, write)
	case err == nil:
		mode = st.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	tmp := fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64())
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		var e *fs.PathError
		if errors.As(err, &e) {
			e.Path = path // the name that the user knows
		}
		return err
	}
	if err = write(f); err == nil && durable {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
	}
	return err
}

// writeThrough writes to a file that is not regular.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return cmp.Or(write(f), f.Close())
}

// SameFile reports whether two names are of one regular file, or would be of one that is
// not there yet: what is written to one of them would be lost.
func SameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		x, aerr := filepath.Abs(a)
		y, berr := filepath.Abs(b)
		return IsNotExist(err) && aerr == nil && berr == nil && x == y
	}
	y, err := os.Stat(b)
	return err == nil && x.Mode().IsRegular() && os.SameFile(x, y)
}
