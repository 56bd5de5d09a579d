package indexdir

import (
	"io/fs"
	"os"

	"github.com/pinion-index/pinion/internal/osdir"
	"github.com/pinion-index/pinion/store"
)

const (
	anyFile  fs.FileMode = 0o666
	ownerRW  fs.FileMode = 0o600 // what the owner of an index always may
	searches fs.FileMode = 0o011 // by others than the owner
)

// Perm returns the permissions that a copy of what the index holds may have, so that nobody
// can read or write it whom the directory or one of its files keeps out. They are 0o666 for
// a directory that is not local, and never less than 0o600.
func (d *Dir) Perm() fs.FileMode {
	if d.err("read") != nil {
		return ownerRW
	}
	x := local(d.fs)
	if x == nil {
		return anyFile
	}
	perm, _ := filePerm(x)
	if st, err := os.Stat(x.Path()); err == nil {
		open := st.Mode().Perm() & searches // who may not search a directory opens no file in it
		perm &= open<<2 | open<<1 | ownerRW
	}
	return perm
}

// filePerm returns the permissions that all segment files, deletes files and manifests have,
// and the owner's in any case. ok is false if there is none.
func filePerm(d *osdir.Dir) (perm fs.FileMode, ok bool) {
	entries, err := os.ReadDir(d.Path())
	if err != nil {
		return ownerRW, false
	}
	perm = anyFile
	for _, e := range entries {
		if _, is := parseName(e.Name()); !is {
			continue
		}
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() {
			perm, ok = perm&st.Mode().Perm(), true
		}
	}
	return perm | ownerRW, ok
}

// creating returns fsys for a writer: what it creates in a local directory has the permissions that all files of the
// index have, or perm if there is none, as far as the process may give them.
func creating(fsys store.FS, perm fs.FileMode) store.FS {
	d, ok := fsys.(interface{ Creating(fs.FileMode) store.FS })
	if !ok {
		return fsys
	}
	if there, ok := filePerm(local(fsys)); ok {
		perm = there
	}
	return d.Creating(perm)
}

// CreatePerm is Create for an index whose files will have the permissions perm
// (LockOptions.Perm): who may read these may search and read a directory that it creates.
func CreatePerm(path string, perm fs.FileMode) (*Dir, error) {
	return create(path, 0o700|perm&0o777|perm&0o444>>2)
}
