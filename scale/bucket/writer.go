package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/pinion-index/pinion/reader"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// WriteOptions configure a Writer. The zero value means the defaults.
type WriteOptions struct {
	// Writer are the options of package writer, which say what an index is. No merges run in the
	// background, whatever MergePolicy says.
	Writer writer.Options
	// Dir is the local folder for a copy of the newest commit and for documents that are not committed
	// yet. "" means that of temporary files. The Writer makes a folder of its own there, which Close removes.
	Dir string
}

// Writer changes the index in a bucket. Any number of Writers, in any number of processes, can do so at
// the same time: there is no lock. What a Writer is given is a batch, which becomes part of the index by
// Commit, and all of it at once: after what others have committed before, and as if it had all come after
// that. So a document of the batch replaces one that another Writer has committed since the batch began.
// Nothing of a batch is in the bucket before Commit, and what Commit has acknowledged stays.
//
// Committing reads the whole index into the local folder, and then what other Writers have added since: the ids of a batch
// are looked up in all segments, and merges read them.
//
// Requests end with the context of the call, or after ten seconds in which nothing comes or goes. A request that fails for a
// reason that may pass is sent five times, and one that is not answered three times. After an error the batch is still
// there, and the next Commit tries again. A Writer is safe for concurrent use.
type Writer struct {
	mirror mirror
	owned  io.Closer      // the bucket, if this Writer opened it
	asked  writer.Options // those of attempts
	opts   writer.Options // those of parts
	schema *schema.Schema
	dir    string

	commit    sync.Mutex // held by what commits
	uploaded  map[string]time.Time
	uncertain *attempt // a commit that may have succeeded

	mu     sync.RWMutex // held for reading while the batch grows
	cur    *part
	ids    sync.Mutex // of cur.deleted
	batch  []*part    // what is not committed, without cur
	parts  int        // made so far
	tries  int        // attempts so far
	closed bool
}

// part is a piece of a batch: deletes, then the documents of a local index, then a filter.
type part struct {
	dir     string
	w       *writer.Writer // nil once the part is complete
	deleted map[string]struct{}
	where   []query.Node
}

// OpenWriter is NewWriter for the bucket of a URL (CreateURL), which the Writer closes.
func OpenWriter(ctx context.Context, url string, o WriteOptions) (*Writer, error) {
	b, err := CreateURL(ctx, url)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(ctx, b, o)
	if err != nil {
		b.Close()
		return nil, err
	}
	w.owned = b
	return w, nil
}

// NewWriter opens the index in b for writing. If there is none, the first Commit makes it. Options that
// contradict the index are an error, as of writer.Open, and so is a store that does not keep conditions (ErrConditions). The caller closes the Writer, and b after it.
func NewWriter(ctx context.Context, b *blob.Bucket, o WriteOptions) (*Writer, error) {
	dir, err := makeTemp(o.Dir)
	if err != nil {
		return nil, err
	}
	w := &Writer{mirror: mirror{b, filepath.Join(dir, "objects")}, asked: o.Writer, dir: dir, uploaded: map[string]time.Time{}}
	w.asked.MergePolicy = writer.NoMerges
	w.opts = w.asked
	if err = os.Mkdir(w.mirror.dir, 0o777); err == nil {
		err = w.start(ctx)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return w, nil
}

// start holds the options against the newest commit, and sets those of batches.
func (w *Writer) start(ctx context.Context) error {
	if err := Prove(ctx, w.mirror.bucket); err != nil {
		return err
	}
	a, err := w.begin(ctx, w.open)
	if err != nil {
		return err
	}
	defer a.close()
	w.schema = a.w.Schema()
	w.opts.Schema = w.schema
	return w.next(ctx)
}

// folder returns the name of a new folder.
func (w *Writer) folder(kind string, n int) string {
	return filepath.Join(w.dir, kind+"-"+strconv.Itoa(n))
}

// next begins a part. The caller holds w.mu, or is alone.
func (w *Writer) next(ctx context.Context) error {
	w.parts++
	dir := w.folder("part", w.parts)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	p, err := writer.OpenFS(ctx, scratch{store.Dir(dir)}, w.opts)
	if err != nil {
		return err
	}
	w.cur = &part{dir: dir, w: p, deleted: map[string]struct{}{}}
	return nil
}

// scratch is a local directory that need not outlive a crash.
type scratch struct{ store.FS }

func (scratch) Sync(...store.File) error { return nil }

// Schema returns a copy of the schema of the index, by whose order of fields documents name them, or nil
// if there is none.
func (w *Writer) Schema() *schema.Schema { return w.schema.Clone() }

// grow calls f with the part that the batch grows by.
func (w *Writer) grow(f func(p *part) error) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return fmt.Errorf("bucket: the writer: %w", fs.ErrClosed)
	}
	return f(w.cur)
}

// Add adds a document to the batch, replacing one with the same id, as writer.Writer.Add does.
func (w *Writer) Add(ctx context.Context, d writer.Doc) error {
	return w.grow(func(p *part) error { return p.w.Add(ctx, d) })
}

// Delete deletes the document with this id: from the batch, and from the index when the batch is
// committed. It is not an error if there is none.
func (w *Writer) Delete(ctx context.Context, id []byte) error {
	return w.grow(func(p *part) error {
		w.ids.Lock()
		p.deleted[string(id)] = struct{}{} // first: if the rest fails, it may have been done
		w.ids.Unlock()
		return p.w.Delete(ctx, id)
	})
}

// DeleteWhere deletes the documents that match a node, which says nothing but what columns and ids know: those of the
// batch so far, and those that the index has when the batch is committed. The error for other nodes, and those that do not
// fit the index, matches query.ErrInvalid. n must not be changed until then.
func (w *Writer) DeleteWhere(ctx context.Context, n query.Node) error {
	if err := writer.CheckWhere(w.schema, n); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.cur
	if err := w.seal(ctx); err != nil {
		return err
	}
	p.where = append(p.where, n)
	w.batch = append(w.batch, p)
	return nil
}

// seal completes the current part, which is not of the batch yet, and begins another one. The caller
// holds w.mu.
func (w *Writer) seal(ctx context.Context) error {
	if w.closed {
		return fmt.Errorf("bucket: the writer: %w", fs.ErrClosed)
	}
	p := w.cur
	if err := p.w.Commit(ctx); err != nil {
		return err
	}
	if err := w.next(ctx); err != nil {
		return err
	}
	err := p.w.Close()
	p.w = nil
	return err
}

// AddIndex adds the documents of the local index in directory path to the batch, by copying its
// segments. It must have the same analyzer or schema.
func (w *Writer) AddIndex(ctx context.Context, path string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.cur
	if err := w.seal(ctx); err != nil {
		return err
	}
	w.batch = append(w.batch, before)
	w.parts++
	p := &part{dir: w.folder("part", w.parts)}
	if err := writer.Backup(ctx, store.Dir(p.dir), store.Dir(path)); err != nil {
		return err
	}
	w.batch = append(w.batch, p)
	return nil
}

// empty reports whether a part that is complete changes nothing.
func (p *part) empty() bool {
	m, err := reader.NewestManifest(store.Dir(p.dir))
	return err == nil && len(m.Files()) == 0 && len(p.deleted) == 0 && len(p.where) == 0
}

// Close ends the Writer and removes its folder. What is not committed is lost. Further calls return nil.
func (w *Writer) Close() error {
	w.commit.Lock()
	defer w.commit.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	if w.uncertain != nil {
		w.uncertain.close()
	}
	err := errors.Join(w.cur.w.Close(), os.RemoveAll(w.dir))
	if w.owned != nil {
		err = errors.Join(err, w.owned.Close())
	}
	return err
}
