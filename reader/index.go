package reader

import (
	"errors"
	"fmt"
	"sync"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// Index is an open index directory. It is safe for concurrent use. The zero Index is
// closed.
type Index struct {
	dir  *store.Dir
	opts Options

	refresh sync.Mutex     // held while a newer commit is opened
	schema  *schema.Schema // of the newest commit that was opened; guarded by refresh

	mu      sync.Mutex
	cur     *view               // nil once closed
	handles map[fileKey]*handle // open files; each has users

	joined string // instead of dir: the names of the indexes that Join made one of
}

// Open opens the index in a local directory. The caller closes it. Errors are of
// kind format.ErrNotAnIndex, ErrTooNew, ErrTooOld or ErrCorrupt, or come from the
// operating system.
func Open(path string) (*Index, error) {
	return OpenWith(path, Options{})
}

// OpenWith is Open with options. If the platform or the kernel cannot access files as
// o.Access says, the error matches errors.ErrUnsupported.
func OpenWith(path string, o Options) (*Index, error) {
	d, err := store.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	return open(d, o)
}

// OpenCommit opens the commit of a number of the index in a local directory. Of
// commits but the newest, those exist that writers keep (writer.Options.KeepCommits);
// for others the error matches fs.ErrNotExist. Refresh does nothing.
func OpenCommit(path string, generation uint64) (*Index, error) {
	d, err := store.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	return open(d, Options{Generation: generation})
}

// OpenFS opens the index in any directory, such as one in memory.
func OpenFS(fsys store.ReadFS) (*Index, error) {
	return OpenFSWith(fsys, Options{})
}

// OpenFSWith is OpenFS with options.
func OpenFSWith(fsys store.ReadFS, o Options) (*Index, error) {
	d, err := store.OpenFS(fsys)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	return open(d, o)
}

// open makes an Index of d, or closes d on an error.
func open(d *store.Dir, o Options) (*Index, error) {
	x := &Index{dir: d, opts: o, handles: make(map[fileKey]*handle)}
	v, err := x.openNewest(false)
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("open index %s: %w", d, err)
	}
	x.cur, x.schema = v, v.commit.Schema
	return x, nil
}

// ErrReplaced is matched by the error of a refresh that finds an index with another
// analyzer in the directory: whoever searches it must parse queries anew, so Open it.
var ErrReplaced = errors.New("another index has taken the place of this one")

// String returns the directory's name.
func (x *Index) String() string {
	if x.dir == nil {
		return x.joined
	}
	return x.dir.String()
}

// Snapshot returns the newest state that Open or a refresh has seen. The caller
// closes it. After Close the error matches ErrClosed.
func (x *Index) Snapshot() (*Snapshot, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.cur == nil {
		return nil, x.errClosed()
	}
	x.cur.users++
	return newSnapshot(x.cur), nil
}

func (x *Index) errClosed() error {
	return fmt.Errorf("index %s: %w", x, ErrClosed)
}

// Refresh looks for another newest commit and, if there is one, makes it the result of
// later calls of Snapshot. It reports whether there was one. It may be that of another
// index that has taken the directory's place, whatever its number; if that has
// another analyzer or schema, the error matches ErrReplaced. Files that both commits name stay
// open. On an error the current commit stays. After Close the error matches ErrClosed.
func (x *Index) Refresh() (changed bool, err error) { return x.advance(false) }

// RefreshUncommitted is Refresh, but also looks for what a Writer in this process has
// published and not yet committed (writer.Writer.Publish). If that is gone because
// the Writer was closed without a commit, RefreshUncommitted goes back to the newest
// commit, as Refresh does in any case.
func (x *Index) RefreshUncommitted() (changed bool, err error) { return x.advance(true) }

func (x *Index) advance(uncommitted bool) (changed bool, err error) {
	x.refresh.Lock()
	defer x.refresh.Unlock()
	x.mu.Lock()
	old := x.cur
	x.mu.Unlock()
	if old == nil {
		return false, x.errClosed()
	}
	if x.opts.Generation > 0 {
		return false, nil
	}
	published := uint64(0)
	if uncommitted {
		published = x.dir.Published()
	}
	if published == old.commit.Published {
		if published > 0 {
			return false, nil
		}
		if id, err := x.dir.Newest(); err != nil || id == old.commit.ID() {
			return false, err
		}
	}
	v, err := x.openNewest(published > 0)
	if err != nil {
		return false, fmt.Errorf("refresh index %s: %w", x.dir, err)
	}
	if was, is := old.commit, v.commit; was.Analyzer != is.Analyzer || was.AnalyzerOptions != is.AnalyzerOptions {
		v.release()
		return false, fmt.Errorf("refresh index %s: analyzer %q (%q), before %q (%q): %w", x.dir,
			is.Analyzer, is.AnalyzerOptions, was.Analyzer, was.AnalyzerOptions, ErrReplaced)
	}
	is := v.commit.Schema
	if x.schema != nil { // that of a publication without a commit need not come back
		if err := is.Follows(x.schema); err != nil {
			v.release()
			return false, fmt.Errorf("refresh index %s: %w: %w", x.dir, err, ErrReplaced)
		}
	}
	if v.commit.Published == 0 {
		x.schema = is
	}
	x.mu.Lock()
	if x.cur == nil { // closed meanwhile
		x.mu.Unlock()
		v.release()
		return false, x.errClosed()
	}
	x.cur = v
	x.mu.Unlock()
	changed = v.commit.ID() != old.commit.ID() || v.commit.Published != old.commit.Published
	old.release()
	return changed, nil
}

// Close closes the index. Snapshots stay valid until they are closed. Further
// calls return nil.
func (x *Index) Close() error {
	x.mu.Lock()
	v := x.cur
	x.cur = nil
	x.mu.Unlock()
	if v == nil {
		return nil
	}
	err := v.release()
	if e := x.dir.Close(); err == nil {
		err = e
	}
	return err
}
