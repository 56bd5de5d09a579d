package indexdir

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/pinion-index/pinion/internal/osdir"
	"github.com/pinion-index/pinion/store"
)

// checkAccess returns an error unless the options of a can be combined.
func checkAccess(a store.Access) error {
	if a.Read && (a.Populate || a.Lock) {
		return errors.New("store: Access.Read cannot be combined with Populate or Lock, which are for mapped files")
	}
	return nil
}

// local returns the directory that fsys is, or nil if it is not a local one.
func local(fsys store.ReadFS) *osdir.Dir {
	if l, ok := fsys.(interface{ Local() *osdir.Dir }); ok {
		return l.Local()
	}
	return nil
}

// accessFS is a ReadFS that opens files in its own way.
type accessFS struct {
	store.ReadFS
	access store.Access
}

// accessed returns fsys, which opens files as a says. If fsys is not a local directory,
// opening them fails unless a is zero.
func accessed(fsys store.ReadFS, a store.Access) store.ReadFS {
	if a == (store.Access{}) {
		return fsys
	}
	return accessFS{fsys, a}
}

func (f accessFS) Open(name string) (store.Data, error) {
	if err := checkAccess(f.access); err != nil {
		return nil, err
	}
	d := local(f.ReadFS)
	if d == nil {
		return nil, &fs.PathError{Op: "map", Path: name, Err: fmt.Errorf("%s is not a local directory: %w", f.ReadFS, osdir.ErrAccess)}
	}
	m, err := d.Open(name, osdir.Access(f.access))
	if err != nil {
		return nil, err // not m, which would be a Data that is not nil
	}
	return m, nil
}
