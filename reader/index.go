package reader

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// Index is an open index directory. It is safe for concurrent use. The zero Index is
// closed.
type Index struct {
	dir     *indexdir.Dir
	opts    Options
	files   *sourceFS       // of a Source whose files are read on demand, or nil
	follows FollowingSource // if that is one

	refresh sync.Mutex     // held while a newer commit is opened
	schema  *schema.Schema // of the newest commit that was opened; guarded by refresh

	mu      sync.Mutex
	cur     *view               // nil once closed
	handles map[fileKey]*handle // open files; each has users

	joined string // instead of dir: the names of the indexes that Join made one of
}

// Open opens the index whose files a Source has: Dir for a local directory, FromFS for an fs.FS, FromStore for a file system of package
// store, a host.Source for a web server, or that of another package. The caller closes the Index. Errors are of kind
// format.ErrNotAnIndex, ErrTooNew, ErrTooOld or ErrCorrupt, or come from the Source. ctx ends the opening only.
//
// The files of Dir and FromStore are mapped, or as their file system has them. Those of other Sources are read on demand, with few waits:
// queries look up all terms at once and fetch their lists in batches. A query waits
// for the source once, for its terms and their lists; for lists beside which there is more than 1 MiB
// twice, and for those of segments without section LISTS three times, if it needs no more than 64 MiB. Snapshot.Prefetch waits
// once, or twice for texts. Opening a segment reads its front and its tail at once, which has the tables that
// every query needs, or the whole file if that is small; of a tail above 4 MiB the tables
// are read on first use. Up to Options.CacheSize bytes are cached. What comes damaged is read once more, past the
// cache, before that is an error.
func Open(ctx context.Context, s Source, o Options) (*Index, error) {
	if s == nil {
		return nil, fmt.Errorf("open index: %w: no source", store.ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x := &Index{opts: o, handles: make(map[fileKey]*handle)}
	var err error
	if l, ok := s.(interface {
		open() (*indexdir.Dir, error)
	}); ok {
		x.dir, err = l.open() // by a method, so that programs without directories do not contain what opens them
	} else {
		var size int64
		if size, err = o.cacheSize(); err != nil {
			return nil, err
		}
		x.opts.remote = true
		x.files = &sourceFS{src: s, cache: newCache(size)}
		x.follows, _ = s.(FollowingSource)
		x.dir, err = indexdir.OpenFS(x.files)
	}
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	v, err := x.openNewest(ctx, false)
	if err != nil {
		x.dir.Close()
		return nil, fmt.Errorf("open index %s: %w", x.dir, err)
	}
	x.cur, x.schema = v, v.schema
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
// open. On an error the current commit stays. After Close the error matches ErrClosed. With Options.Generation it does nothing.
func (x *Index) Refresh(ctx context.Context) (changed bool, err error) { return x.advance(ctx, false) }

// RefreshUncommitted is Refresh, but also looks for what a Writer in this process has
// published and not yet committed (writer.Writer.Publish). If that is gone because
// the Writer was closed without a commit, RefreshUncommitted goes back to the newest
// commit, as Refresh does in any case.
func (x *Index) RefreshUncommitted(ctx context.Context) (changed bool, err error) {
	return x.advance(ctx, true)
}

func (x *Index) advance(ctx context.Context, uncommitted bool) (changed bool, err error) {
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
	if x.follows != nil {
		if _, err := x.follows.Refresh(ctx); err != nil {
			return false, fmt.Errorf("refresh index %s: %w", x.dir, err)
		}
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
	v, err := x.openNewest(ctx, published > 0)
	if err != nil {
		return false, fmt.Errorf("refresh index %s: %w", x.dir, err)
	}
	if err := v.schema.Follows(x.schema); err != nil {
		v.release()
		return false, fmt.Errorf("refresh index %s: %w: %w", x.dir, err, ErrReplaced)
	}
	if v.commit.Published == 0 { // a publication without a commit need not come back
		x.schema = v.schema
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
