package pinion

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// ErrClosed is matched by the errors of calls on a closed Index, Reader or View. It is store.ErrClosed.
var ErrClosed = store.ErrClosed

var errClosed = fmt.Errorf("pinion: %w", ErrClosed)

// ErrInvalid is matched by the errors for arguments that cannot be used, and for a request that no index can answer, or not
// this one: a field that it does not have or store, a negative length. It is store.ErrInvalid.
var ErrInvalid = store.ErrInvalid

// Index is an index that is searched while it changes. It is safe for concurrent use, Close
// included. The zero value is a closed Index, and a nil context stands for
// context.Background().
type Index struct {
	front
	o      Options
	dir    *indexdir.Dir
	w      *writer.Writer
	schema atomic.Pointer[schema.Schema]

	evolving sync.Mutex // held while the writer and then schema get another

	notUTF8 atomic.Uint64 // documents given to Add

	writing sync.RWMutex // held by writes; by Close while it says so
	wake    chan struct{}
	done    chan struct{} // closed when the loop has ended

	mu      sync.Mutex
	closing bool
	err     error         // why nothing can be written any more
	changed chan struct{} // closed when tried, kept or err change
	writes  uint64        // calls of Add and Delete that have come to an end
	tried   uint64        // how many of them a publication or commit has ended for: they are visible, or cannot be
	kept    uint64        // how many of them are durable
	wanted  uint64        // how many of them searches wait for
	unshown time.Time     // of the first write that no publication or commit has begun for, or zero
	unkept  time.Time     // of the first write that no commit has begun for, or zero
	merged  bool          // the files have changed, the documents have not
	showing time.Duration // what the last publication took until searches saw it
	keeping time.Duration // what the last commit took until it was durable
}

// Open opens the index in a directory, and makes both if need be. The caller closes the Index.
// While another Index or writer has the directory open, in any process, the error matches
// store.ErrLocked.
func Open(ctx context.Context, dir string, o Options) (*Index, error) {
	d, err := indexdir.Create(dir)
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	return OpenFS(ctx, store.Dir(dir), o)
}

// OpenFS is Open for any file system.
func OpenFS(ctx context.Context, fsys store.FS, o Options) (*Index, error) {
	if fsys == nil {
		return nil, fmt.Errorf("%w: no file system", ErrInvalid)
	}
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		return nil, err
	}
	x, err := open(ctx, d, fsys, o)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return x, nil
}

func open(ctx context.Context, d *indexdir.Dir, fsys store.FS, o Options) (x *Index, err error) {
	ctx = orBackground(ctx)
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	ctx = orBackground(ctx)
	x = &Index{front: front{cache: newCache(o.CacheBytes), params: o.Params, executor: o.Executor, slow: o.Slow, observe: o.Observe}, o: o, dir: d, wake: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{})}
	if x.w, err = writer.OpenFS(ctx, fsys, x.writerOptions(d)); err != nil {
		return nil, err
	}
	x.schema.Store(x.w.Schema())
	if err = x.setEmbeds(o.Embed, x.w.Schema()); err != nil {
		return nil, errors.Join(err, x.w.Close())
	}
	began := time.Now()
	if err = x.w.Commit(ctx); err == nil { // a new index can be read after its first commit
		x.keeping = time.Since(began)
		if x.r, err = reader.Open(ctx, reader.FromStore(fsys), reader.Options{}); err == nil {
			_, err = x.advance(ctx, x.r.RefreshUncommitted)
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
func (x *Index) writerOptions(d *indexdir.Dir) (wo writer.Options) {
	wo = x.o.writer()
	wo.MergeFailed = func(err error) {
		x.tell(Event{Kind: EventMerge, Err: err})
		x.alarm(err)
	}
	wo.Refused = func(_ []byte, err error) { x.tell(Event{Kind: EventRefused, Err: err}) }
	wo.Merged = func(s writer.MergeStats) {
		x.nudge(true)
		x.tell(Event{Kind: EventMerge, Merge: s})
	}
	if x.o.Schema != nil {
		return wo
	}
	stored := true
	if c, err := d.Latest(); err == nil {
		stored = c.StoredUnknown && len(c.Segments) == 0
		c.Release()
	}
	wo.Schema = x.o.text(stored)
	return wo
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
	err := x.err
	if err == nil {
		x.err = errClosed
	}
	x.broadcast()
	x.mu.Unlock()
	x.leave()
	return errors.Join(err, x.w.Close(), x.r.Close(), x.dir.Close())
}

// Schema returns a copy of the schema of the index, of which Values have numbers. It is never nil: an index that was given none
// has the implicit schema, one field of text.
func (x *Index) Schema() *schema.Schema {
	s := x.schema.Load()
	if s == nil { // the zero Index
		return schema.Implicit("", "", false)
	}
	return s.Clone()
}

// Backup makes everything so far durable and copies the index to a directory that is empty or
// does not exist: as hard links to its files if both are local directories of one file system, as copies otherwise. The
// backup is durable when Backup returns, and after an error nothing is left of it. Changes and searches go on meanwhile.
func (x *Index) Backup(ctx context.Context, dir string) error {
	if err := x.Sync(ctx); err != nil {
		return err
	}
	_, err := x.dir.Backup(ctx, store.Dir(dir), indexdir.BackupOptions{})
	return err
}
