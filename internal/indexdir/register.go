package indexdir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
)

// register says which commit of an index is the newest. Nothing else that a writer does to
// files needs an order, so that an index elsewhere than in a directory needs a register of
// its own and nothing more than an FS besides.
type register interface {
	// Newest returns the id of the newest commit, or the zero CommitID if there is none. It
	// is a hint, as Dir.Newest says.
	Newest() (CommitID, error)
	// Load returns the newest commit. If there is none, or what is there contradicts it,
	// that is an error.
	Load() (*Manifest, CommitID, error)
	// CompareAndSwap makes m the newest commit if old is, and returns its id. m has the
	// number after that of old. m and files become durable first; then, with only the swap
	// left to do, ready is called, and its error ends the attempt. If an error matches
	// ErrUncertain, either of the two commits may be the newest after a crash; after
	// another, old is.
	CompareAndSwap(old CommitID, m *Manifest, files []store.File, ready func() error) (CommitID, error)
}

// dirRegister is the register of a directory: the manifest of the highest number, in two
// files, is the newest commit.
type dirRegister struct{ fs store.ReadFS }

const (
	// retries bounds how often a reader starts again because files were removed while
	// it opened them. A writer would have to commit faster than a reader opens that
	// many times in a row.
	retries = 64
	// agree is how many listings in a row must say the same to be believed if what they
	// say is an error. A listing is not atomic: it can miss both the new manifest and
	// the old one, or show one that is gone when it is opened.
	agree = 3
)

func (r dirRegister) Newest() (id CommitID, err error) {
	l, err := list(r.fs)
	if err != nil || l.newest == 0 {
		return CommitID{}, err
	}
	id.generation = l.newest
	for _, name := range manifestNames(l.newest)[:2] {
		if readHead(r.fs, name, id.head[:]) == nil {
			break
		}
	}
	return id, nil
}

// readHead reads the first bytes of a file.
func readHead(fsys store.ReadFS, name string, head []byte) (err error) {
	defer CatchFault(ArmFault(), &err)
	data, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer data.Close()
	b, err := data.Range(0, int64(len(head)))
	if err == nil {
		copy(head, b)
	}
	return err
}

// Load reads the directory again while it finds an error that another listing may not.
func (r dirRegister) Load() (*Manifest, CommitID, error) {
	var before listing
	same := 0
	for attempt := 1; ; attempt++ {
		l, err := list(r.fs)
		if err != nil {
			return nil, CommitID{}, err
		}
		m, id, err := r.newestIn(l)
		if err == nil || attempt == retries {
			return m, id, err
		}
		if same++; l.newest != before.newest || l.top != before.top {
			same = 1
		}
		if same == agree {
			return nil, CommitID{}, err
		}
		before = *l
	}
}

// newestIn reads the newest commit of a listing.
func (r dirRegister) newestIn(l *listing) (*Manifest, CommitID, error) {
	if l.newest == 0 {
		return nil, CommitID{}, l.noManifest()
	}
	m, id, err := r.read(l.newest)
	if err == nil {
		err = l.missingNewer(m)
	}
	if err != nil {
		return nil, CommitID{}, err
	}
	return m, id, nil
}

// CompareAndSwap leaves the comparison to the write lock, without which nobody swaps. That it
// is still held is for ready to say; a lock file that is removed after this moment goes
// unnoticed.
func (r dirRegister) CompareAndSwap(old CommitID, m *Manifest, files []store.File, ready func() error) (CommitID, error) {
	if m.Generation != old.generation+1 {
		return CommitID{}, fmt.Errorf("%w: commit %d behind commit %d", store.ErrInvalid, m.Generation, old.generation)
	}
	content, err := encodeManifest(m)
	if err != nil {
		return CommitID{}, err
	}
	w := r.fs.(store.FS)
	names := manifestNames(m.Generation)[:2]
	err = r.write(w, names, content, files)
	if err == nil {
		err = ready()
	}
	if err != nil {
		if !errors.Is(err, store.ErrLockLost) { // else they may be another writer's
			for _, name := range names {
				w.Remove(name + tempSuffix)
			}
		}
		return CommitID{}, err
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
		return CommitID{}, fmt.Errorf("%w: %w", store.ErrUncertain, err)
	}
	return CommitID{m.Generation, [format.HeaderSize]byte(content)}, nil
}

// write writes a manifest to two files under temporary names and makes them durable,
// together with other files and the directory. All of that must be durable before the first
// of the two is renamed, but in any order.
func (r dirRegister) write(w store.FS, names []string, content []byte, others []store.File) error {
	var files []store.File
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
		err = w.Sync(append(files, others...)...)
	}
	for _, f := range files {
		if e := f.Close(); err == nil {
			err = e
		}
	}
	return err
}

// restoreTwin writes a missing or damaged file of the manifest of a generation again, from the
// other one.
func (r dirRegister) restoreTwin(gen uint64) error {
	var raw [2][]byte
	names := manifestNames(gen)[:2]
	for i, name := range names {
		_, b, err := readManifestFile(r.fs, name, gen)
		if err != nil && !isDamage(err) && !errors.Is(err, fs.ErrNotExist) {
			return err // not damage: perhaps it can be read later
		}
		raw[i] = b
	}
	switch {
	case bytes.Equal(raw[0], raw[1]):
		return nil
	case raw[0] != nil && raw[1] != nil:
		e := format.Corrupt("its content differs from that of %s", names[1])
		e.File = names[0]
		return e
	case raw[0] == nil:
		return r.writeTwin(names[0], raw[1])
	}
	return r.writeTwin(names[1], raw[0])
}

func (r dirRegister) writeTwin(name string, content []byte) error {
	w := r.fs.(store.FS)
	temp := name + tempSuffix
	f, err := createTemp(w, temp)
	if err != nil {
		return err
	}
	if _, err = f.WriteAt(content, 0); err == nil {
		err = w.Sync(f)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = w.Rename(temp, name)
	}
	if err != nil {
		return fmt.Errorf("restoring %s: %w", name, err)
	}
	return nil
}

// createTemp creates a file under a temporary name, in place of one that an earlier
// attempt may have left.
func createTemp(w store.FS, name string) (store.File, error) {
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
func (r dirRegister) read(gen uint64) (*Manifest, CommitID, error) {
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
func readManifestFile(fsys store.ReadFS, name string, gen uint64) (m *Manifest, raw []byte, err error) {
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
	if raw, err = rangeOf(name, data, 0, data.Size()); err != nil {
		return nil, nil, err
	}
	return m, bytes.Clone(raw), nil
}
