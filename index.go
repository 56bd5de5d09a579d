package pinion

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// ErrClosed is matched by the errors of calls on a closed Index. It matches fs.ErrClosed.
var ErrClosed = fmt.Errorf("pinion: %w", fs.ErrClosed)

// ErrInvalid is matched by the errors for arguments that cannot be used.
var ErrInvalid = errors.New("pinion: invalid argument")

// Index is an index that is searched while it changes. It is safe for concurrent use, Close
// included. The zero value is a closed Index, and a nil context stands for
// context.Background().
type Index struct {
	o      Options
	dir    *store.Dir
	w      *writer.Writer
	r      *reader.Index
	cache  *cache
	schema *schema.Schema // nil if the index has none

	writing   sync.RWMutex // held by writes; by Close while it says so
	observing sync.Mutex   // held while Options.Observe runs
	wake      chan struct{}
	done      chan struct{} // closed when the loop has ended

	mu      sync.Mutex
	closing bool
	err     error         // why nothing can be written any more
	changed chan struct{} // closed when shown, kept or err change
	writes  uint64        // calls of Add and Delete that have come to an end
	shown   uint64        // how many of them are visible
	kept    uint64        // how many of them are durable
	showBy  time.Time     // when the next publication begins, zero if nothing is to be published
	keepBy  time.Time     // when the next commit begins, likewise
	merged  bool          // the files have changed, the documents have not
	took    time.Duration // of the last publication or commit
	cur     *state        // what searches see; nil once closed
}

// Open opens the index in a directory, and makes both if need be. The caller closes the Index.
// While another Index or writer has the directory open, in any process, the error matches
// store.ErrLocked.
func Open(ctx context.Context, dir string, o Options) (*Index, error) {
	d, err := store.Create(dir)
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	return OpenFS(ctx, store.OSDir(dir), o)
}

// OpenFS is Open for any file system.
func OpenFS(ctx context.Context, fsys store.FS, o Options) (*Index, error) {
	if fsys == nil {
		return nil, fmt.Errorf("%w: no file system", ErrInvalid)
	}
	d, err := store.OpenFS(fsys)
	if err != nil {
		return nil, err
	}
	x, err := open(ctx, d, fsys, o)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return x, nil
}

func open(ctx context.Context, d *store.Dir, fsys store.FS, o Options) (x *Index, err error) {
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	x = &Index{o: o, dir: d, cache: newCache(o.CacheBytes), wake: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{})}
	wo, err := x.writerOptions(d)
	if err != nil {
		return nil, err
	}
	if x.w, err = writer.OpenFS(ctx, fsys, wo); err != nil {
		return nil, err
	}
	x.schema = x.w.Schema()
	if err = x.w.Commit(ctx); err == nil { // a new index can be read after its first commit
		if x.r, err = reader.OpenFS(fsys); err == nil {
			_, err = x.advance()
		}
	}
	if err != nil {
		if x.r != nil {
			err = errors.Join(err, x.r.Close())
		}
		return nil, errors.Join(err, x.w.Close())
	}
	go x.run()
	return x, nil
}

// writerOptions returns the options of the writer. What an index says wins over the defaults of
// a new one.
func (x *Index) writerOptions(d *store.Dir) (wo writer.Options, err error) {
	wo = x.o.writer()
	wo.MergeFailed = func(err error) {
		x.tell(Event{Kind: EventMerge, Err: err})
		x.damaged(err)
	}
	wo.Merged = func(s writer.MergeStats) {
		x.nudge(true)
		x.tell(Event{Kind: EventMerge, Merge: s})
	}
	if x.o.Schema != nil {
		return wo, nil
	}
	c, err := d.Latest()
	if err == nil {
		defer c.Release()
		if c.Schema != nil || c.Stored != store.StoredUnknown || len(c.Segments) > 0 {
			return wo, nil
		}
	}
	wo.Stored = !x.o.Unstored
	if wo.Analyzer == nil {
		wo.Analyzer, err = analysis.New("standard", "")
		return wo, err
	}
	return wo, nil
}

// Close makes everything durable that was added and deleted, and closes the index. Calls under
// way return their results or ErrClosed. Views that are in use stay valid. Merges in the
// background end without a result. Further calls return nil.
func (x *Index) Close() error {
	if x.done == nil { // the zero Index
		return nil
	}
	x.writing.Lock() // what is being added is added
	x.mu.Lock()
	again := x.closing
	x.closing = true
	x.mu.Unlock()
	x.writing.Unlock()
	if again {
		<-x.done
		return nil
	}
	x.nudge(false)
	<-x.done
	x.mu.Lock()
	cur, err := x.cur, x.err
	x.cur = nil
	if err == nil {
		x.err = ErrClosed
	}
	x.broadcast()
	x.mu.Unlock()
	if cur != nil {
		cur.release()
	}
	return errors.Join(err, x.w.Close(), x.r.Close(), x.dir.Close())
}

// Schema returns a copy of the schema of the index, of which Values have numbers, or nil if it
// has none.
func (x *Index) Schema() *schema.Schema { return x.schema.Clone() }

// Backup makes everything so far durable and copies the index to a directory that is empty or
// does not exist, as hard links where that is possible (store.Dir.Backup). Changes and
// searches go on meanwhile.
func (x *Index) Backup(ctx context.Context, dir string) (store.BackupStats, error) {
	if err := x.Sync(ctx); err != nil {
		return store.BackupStats{}, err
	}
	return x.dir.Backup(ctx, store.OSDir(dir), store.BackupOptions{})
}
