package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pinion-index/pinion/format"
)

// register says which commit of a directory is the newest: load reads it, and swap replaces
// it by the next. Nothing else depends on the order in which files are written, renamed and
// synced. In a directory it is the manifest of the highest number, in two files.
type register struct{ fs ReadFS }

// load returns the newest commit, and the listing that it was found by unless there was an
// error before. If there is none, or what is there contradicts it, that is an error.
func (r register) load() (*listing, *Manifest, CommitID, error) {
	l, err := list(r.fs)
	if err != nil {
		return nil, nil, CommitID{}, err
	}
	if l.newest == 0 {
		return l, nil, CommitID{}, l.noManifest()
	}
	m, id, err := r.read(l.newest)
	if err == nil {
		err = l.missingNewer(m)
	}
	return l, m, id, err
}

// swap makes content the manifest of commit gen, the next one, if held returns nil once
// content and the files unsynced are durable: whoever holds the lock is the only one to swap,
// but a lock file that is removed after this moment goes unnoticed. If the error matches
// ErrUncertain, either of the two commits may be the newest after a crash; after another the
// old one remains.
func (r register) swap(gen uint64, content []byte, unsynced []*output, held func() error) error {
	w := r.fs.(FS)
	names := manifestNames(gen)[:2]
	err := r.write(w, names, content, unsynced)
	if err == nil {
		err = held()
	}
	if err != nil {
		if !errors.Is(err, ErrLockLost) { // else they may be another writer's
			for _, name := range names {
				w.Remove(name + tempSuffix)
			}
		}
		return err
	}
	for _, name := range names {
		if err == nil {
			err = w.Rename(name+tempSuffix, name)
		}
	}
	if err == nil {
		err = w.Sync()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUncertain, err)
	}
	return nil
}

// write writes a manifest to two files under temporary names and makes them durable,
// together with the files that it names and the directory. All of that must be durable
// before the first of the two is renamed, but in any order.
func (r register) write(w FS, names []string, content []byte, unsynced []*output) error {
	var files []File
	var errs []error
	for _, name := range names {
		f, err := createTemp(w, name+tempSuffix)
		if err == nil {
			files = append(files, f)
			_, err = f.WriteAt(content, 0)
		}
		errs = append(errs, err)
	}
	err := errors.Join(errs...)
	if err == nil {
		all := files
		for _, o := range unsynced {
			all = append(all, o)
		}
		err = w.Sync(all...)
	}
	for _, f := range files {
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		return err
	}
	for _, o := range unsynced {
		if err := o.synced(); err != nil {
			return err
		}
	}
	return nil
}

// createTemp creates a file under a temporary name, in place of one that an earlier
// attempt may have left.
func createTemp(w FS, name string) (File, error) {
	f, err := w.Create(name)
	if errors.Is(err, fs.ErrExist) {
		if err := w.Remove(name); err != nil {
			return nil, err
		}
		f, err = w.Create(name)
	}
	return f, err
}

// read reads the manifest of a generation from the first file that is readable.
func (r register) read(gen uint64) (*Manifest, CommitID, error) {
	names := manifestNames(gen)
	errs := make([]error, len(names))
	for i, name := range names {
		m, raw, err := readManifestFile(r.fs, name, gen)
		if err == nil {
			return m, CommitID{gen, [format.HeaderSize]byte(raw)}, nil
		}
		errs[i] = err
	}
	if errors.Is(errs[0], fs.ErrNotExist) && errors.Is(errs[1], fs.ErrNotExist) {
		names, errs = names[2:], errs[2:] // superseded, or a generation that does not exist
	}
	return nil, CommitID{}, neither(names[0], names[1], errs[0], errs[1])
}

// neither returns the error for a manifest of which neither file is readable.
func neither(name, twin string, err, err2 error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err, err2 = err2, err
	}
	for _, kind := range []error{fs.ErrNotExist, format.ErrTooNew, format.ErrTooOld} {
		if errors.Is(err, kind) && (errors.Is(err2, kind) || errors.Is(err2, fs.ErrNotExist)) {
			return err
		}
	}
	for _, err := range []error{err, err2} {
		if !isDamage(err) && !errors.Is(err, fs.ErrNotExist) {
			return err // of the operating system
		}
	}
	c := format.Corrupt("it and its twin %s are damaged or missing (%v; %v)", twin, err, err2)
	c.File = name
	return c
}

// readManifestFile reads one file of a manifest. raw is its content.
func readManifestFile(fsys ReadFS, name string, gen uint64) (m *Manifest, raw []byte, err error) {
	defer CatchFault(ArmFault(), &err)
	data, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer data.Close()
	if m, err = ReadManifest(name, data); err != nil {
		return nil, nil, err
	}
	if m.Generation != gen {
		return nil, nil, format.Locate(format.Corrupt("the file holds commit %d", m.Generation),
			format.Place{File: name, Section: format.SectionManifest.String(), Block: format.NoBlock})
	}
	if raw, err = data.Range(0, data.Size()); err != nil {
		return nil, nil, err
	}
	return m, bytes.Clone(raw), nil
}
