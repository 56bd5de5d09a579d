package store

import (
	"io/fs"

	"github.com/pinion-index/pinion/internal/osdir"
)

// Dir returns the FS of a local directory, which need not exist yet. A relative path is
// one of the working directory at the time of the call, later ones do not matter. Open maps
// files into memory, but for small ones (see Access). On js and wasip1 it reads them whole,
// and Lock fails with ErrReadOnly.
func Dir(path string) FS { return dir{osdir.New(path)} }

// dir makes an FS of a directory.
type dir struct{ *osdir.Dir }

// Local returns the directory, for package indexdir.
func (d dir) Local() *osdir.Dir { return d.Dir }

// Creating returns d, whose files are made with permissions perm, for package indexdir.
func (d dir) Creating(perm fs.FileMode) FS { return dir{d.Dir.Creating(perm)} }

func (d dir) Open(name string) (Data, error) {
	m, err := d.Dir.Open(name, osdir.Access{})
	if err != nil {
		return nil, err // not m, which would be a Data that is not nil
	}
	return m, nil
}

func (d dir) Create(name string) (File, error) {
	f, err := d.Dir.Create(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d dir) CreateTemp() (Temp, error) {
	t, err := d.Dir.CreateTemp()
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (d dir) Lock(name string) (FileLock, error) {
	l, err := d.Dir.Lock(name)
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (d dir) Sync(files ...File) error {
	all := make([]osdir.Syncer, len(files))
	for i, f := range files {
		all[i] = f
	}
	return d.Dir.Sync(all...)
}
