package cli

import (
	"os"
	"path/filepath"

	"github.com/pinion-index/pinion/internal/indexdir"
)

// Fresh is an index directory that a command may create.
type Fresh struct {
	dir  string
	made []string // directories that were not there, the innermost first
	was  bool     // an index
}

// NewFresh looks at dir before a command opens it for writing.
func NewFresh(dir string) *Fresh {
	f := &Fresh{dir: dir, was: hasManifest(dir)}
	for p := filepath.Clean(dir); ; p = filepath.Dir(p) {
		if _, err := os.Lstat(p); !os.IsNotExist(err) || p == filepath.Dir(p) {
			return f
		}
		f.made = append(f.made, p)
	}
}

// hasManifest reports whether dir has a manifest, sound or not.
func hasManifest(dir string) bool {
	d, err := indexdir.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	g, err := d.Generation()
	return err != nil || g > 0
}

// Was reports whether there was an index.
func (f *Fresh) Was() bool { return f.was }

// Undo removes the index, if the command created it and nothing was committed, and the
// directories that were made for it. Whatever else is there stays.
func (f *Fresh) Undo() {
	if f.was || !f.undo() {
		return
	}
	for _, p := range f.made {
		if err := os.Remove(p); err != nil && !os.IsNotExist(err) {
			return // something is in it
		}
	}
}

// undo removes the files of an empty index that nobody else writes to, and reports
// whether there is none any more.
func (f *Fresh) undo() bool {
	if _, err := os.Lstat(filepath.Join(f.dir, indexdir.LockName)); os.IsNotExist(err) {
		return true
	}
	d, err := indexdir.Open(f.dir)
	if err != nil {
		return false
	}
	defer d.Close()
	lock, err := d.Lock()
	if err != nil {
		return false
	}
	defer lock.Close()
	m := lock.Manifest()
	if m.Generation != 1 || len(m.Segments) > 0 {
		return false
	}
	for _, name := range []string{indexdir.MirrorName(1), indexdir.ManifestName(1)} {
		os.Remove(filepath.Join(f.dir, name))
	}
	name := filepath.Join(f.dir, indexdir.LockName)
	if os.Remove(name) != nil { // Windows keeps open files
		lock.Close()
		os.Remove(name)
	}
	return true
}
