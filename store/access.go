package store

import (
	"errors"
	"fmt"
	"io/fs"
)

// Access says how a file of a local directory gets into memory. The zero value maps
// it: its pages are read when they are used, and the operating system keeps or drops
// them. Files of up to 64 KiB, which thousands of small indexes have, are read instead, as
// with Read: a process can have a limited number of mappings.
type Access struct {
	// Read reads the file whole into memory instead, which then never faults. It
	// cannot be combined with the others. js and wasip1 always do that.
	Read bool
	// Populate reads all pages of the file before it is used, and fails if they
	// cannot be read. It needs Linux 5.14 or later.
	Populate bool
	// Lock keeps the pages in physical memory while the file is open, and reads them
	// before. It needs Unix, and a limit on locked memory (RLIMIT_MEMLOCK) that
	// allows it.
	Lock bool
}

// errAccess is why an Access is refused.
var errAccess = fmt.Errorf("this cannot be done here: %w", errors.ErrUnsupported)

// check returns an error unless the options can be combined.
func (a Access) check() error {
	if a.Read && (a.Populate || a.Lock) {
		return errors.New("store: Access.Read cannot be combined with Populate or Lock, which are for mapped files")
	}
	return nil
}

// accessFS is a ReadFS that opens files in its own way.
type accessFS struct {
	ReadFS
	access Access
}

// as returns fsys, which opens files as a says. If fsys is not a local directory,
// opening them fails unless a is zero.
func (a Access) as(fsys ReadFS) ReadFS {
	if a == (Access{}) {
		return fsys
	}
	return accessFS{fsys, a}
}

func (f accessFS) Open(name string) (Data, error) {
	if err := f.access.check(); err != nil {
		return nil, err
	}
	d, ok := f.ReadFS.(osDir)
	if !ok {
		return nil, &fs.PathError{Op: "map", Path: name, Err: fmt.Errorf("%s is not a local directory: %w", f.ReadFS, errAccess)}
	}
	return mapFile(d.file(name), name, f.access)
}
