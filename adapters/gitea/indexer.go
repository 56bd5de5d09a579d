package gitea

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
)

// ErrClosed is matched by the errors of an Indexer before Init and after Close.
var ErrClosed = pinion.ErrClosed

// Options configure an Indexer. The zero value means the defaults.
type Options struct {
	// MaxFileSize is the size in bytes of the largest file that is indexed: the host's MAX_FILE_SIZE. 0 means
	// DefaultMaxFileSize.
	MaxFileSize int64
	// Ignore, if not nil, tells which files are not indexed: vendored ones.
	Ignore func(filename string) bool
	// Recognize tells what a file is: its text in UTF-8, nil if it is no text, and its language, "" if that is not known. By
	// default what has no NUL near its beginning is text, and no language is known. Bytes that are no UTF-8 are left out.
	Recognize func(filename string, content []byte) (text []byte, language string)
	// Edits is how many characters of a word may differ in the mode Fuzzy, up to 2, if it has four letters for each: the
	// host's TYPE_BLEVE_MAX_FUZZINESS.
	Edits int
	// Observe, if not nil, is told what happens, as in pinion.Options.
	Observe func(pinion.Event)
}

// DefaultMaxFileSize is the host's default.
const DefaultMaxFileSize = 1 << 20

// Indexer is an index of the files of repositories. It is safe for concurrent use. Its methods are those of the host's
// interface of this name, and Counts.
type Indexer struct {
	dir    string
	o      Options
	counts [kinds]atomic.Uint64

	mu    sync.RWMutex
	index *pinion.Index // nil before Init and after Close
}

// New returns an Indexer of a directory, which Init opens.
func New(dir string, o Options) *Indexer {
	o.MaxFileSize = cmp.Or(o.MaxFileSize, DefaultMaxFileSize)
	if o.Recognize == nil {
		o.Recognize = plain
	}
	if at, err := filepath.Abs(dir); err == nil { // for Init, wherever the process is then
		dir = at
	}
	return &Indexer{dir: dir, o: o}
}

const (
	// never is later than any change becomes visible and durable by itself: calls that change the index wait for both at
	// their end, once.
	never = 365 * 24 * time.Hour
	// room is what the memory budget of a document leaves for all but its text.
	room = 256 << 10
)

// Init opens the index, and makes it if need be. existed reports whether it has files: if not, the host is to index all
// repositories. That is also so after an index of an earlier version was removed. While another Indexer or any other
// writer has it open, in any process, the error matches store.ErrLocked.
func (x *Indexer) Init(ctx context.Context) (existed bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.index != nil {
		return false, errors.New("gitea: the indexer is open already")
	}
	dir := place(x.dir, version)
	o := pinion.Options{Schema: description(), Visible: never, Durable: never, NoCache: true, Observe: x.o.Observe}
	o.Memory = max(pinion.DefaultMemory, 4*(x.o.MaxFileSize+room))
	index, err := pinion.Open(ctx, dir, o)
	if errors.Is(err, format.ErrTooOld) { // of a Pinion of long ago: what it has is in git too
		if err = os.RemoveAll(dir); err == nil {
			index, err = pinion.Open(ctx, dir, o)
		}
	}
	if err != nil {
		return false, err
	}
	if err := removeEarlier(x.dir); err != nil {
		return false, errors.Join(err, index.Close())
	}
	if err := index.View(ctx, func(v *pinion.View) error {
		existed = v.Snapshot().Stats().Live > 0
		return nil
	}); err != nil {
		return false, errors.Join(err, index.Close())
	}
	x.index = index
	return existed, nil
}

// place returns where in a directory the index of a version is.
func place(dir string, version int) string { return filepath.Join(dir, "v"+strconv.Itoa(version)) }

// removeEarlier removes the indexes of earlier versions.
func removeEarlier(dir string) error {
	for v := version - 1; v >= 0; v-- {
		if err := os.RemoveAll(place(dir, v)); err != nil {
			return err
		}
	}
	return nil
}

// Ping returns nil if the index is open.
func (x *Indexer) Ping(context.Context) error {
	_, err := x.opened()
	return err
}

// opened returns the index, which may be closed while it is used: its methods say so then.
func (x *Indexer) opened() (*pinion.Index, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.index == nil {
		return nil, fmt.Errorf("gitea: the indexer is not open: %w", ErrClosed)
	}
	return x.index, nil
}

// Close closes the index. What calls have acknowledged is durable already. An Indexer that is not open remains so.
func (x *Indexer) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.index == nil {
		return nil
	}
	err := x.index.Close()
	x.index = nil
	return err
}

// Counts are how many files were in the Changes that an Indexer has indexed since New.
type Counts struct {
	Indexed uint64 // with their text
	Binary  uint64 // with their name only, since they are no text
	Large   uint64 // not, since they are larger than Options.MaxFileSize or have a name that no index holds
	Ignored uint64 // not, since Options.Ignore says so
	Removed uint64
}

// The kinds of Counts.
const (
	indexed = iota
	binary
	large
	ignored
	removed
	kinds
)

// Counts returns what was indexed, and what left out.
func (x *Indexer) Counts() Counts {
	n := func(kind int) uint64 { return x.counts[kind].Load() }
	return Counts{Indexed: n(indexed), Binary: n(binary), Large: n(large), Ignored: n(ignored), Removed: n(removed)}
}

// Index makes the index have the files of a repository as they are at a commit. Searches see the changes, and they
// survive a crash, once it returns. After an error, or a crash, some of them may be there: the same call again does the
// rest.
func (x *Indexer) Index(ctx context.Context, repo int64, sha string, c *Changes, blobs Blobs) error {
	index, err := x.opened()
	if err != nil {
		return err
	}
	w := batch{index: index}
	for i := range c.Updates {
		f := file{repo: repo, name: c.Updates[i].Filename, commit: sha, at: time.Now()}
		kind, err := x.read(ctx, &f, &c.Updates[i], blobs)
		if err != nil {
			return fmt.Errorf("gitea: repository %d: file %.200q: %w", repo, f.name, err)
		}
		if kind == large || kind == ignored {
			err = w.remove(ctx, &f)
		} else {
			err = w.add(ctx, &f)
		}
		if err != nil {
			return err
		}
		x.counts[kind].Add(1)
	}
	for _, filename := range c.RemovedFilenames {
		if err := w.remove(ctx, &file{repo: repo, name: filename}); err != nil {
			return err
		}
		x.counts[removed].Add(1)
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	return index.Sync(ctx)
}

// read finds out what kind of file f is, and sets its text and its language.
func (x *Indexer) read(ctx context.Context, f *file, u *Update, blobs Blobs) (kind int, err error) {
	if x.o.Ignore != nil && x.o.Ignore(f.name) {
		return ignored, nil
	}
	size := u.Size
	if !u.Sized {
		if size, err = blobs.Size(ctx, u.BlobSHA); err != nil {
			return 0, err
		}
	}
	if size > x.o.MaxFileSize || len(idOf(f.repo, f.name)) > segment.MaxID {
		return large, nil
	}
	b, err := blobs.Read(ctx, u.BlobSHA)
	if err != nil {
		return 0, err
	}
	f.text, f.language = x.o.Recognize(f.name, b)
	f.text = bytes.ToValidUTF8(f.text, nil)
	switch {
	case int64(len(f.text)) > x.o.MaxFileSize: // it has grown in UTF-8
		return large, nil
	case len(f.text) == 0 && len(b) > 0:
		return binary, nil
	}
	return indexed, nil
}

// batch collects changes, so that no more than a few texts are in memory, and files are not written one by one.
type batch struct {
	index   *pinion.Index
	docs    []pinion.Doc
	removed []string
	bytes   int
}

// A batch has one of these, or less.
const (
	batchFiles = 1000
	batchBytes = 4 << 20
)

func (w *batch) add(ctx context.Context, f *file) error {
	w.docs, w.bytes = append(w.docs, f.document()), w.bytes+len(f.text)
	return w.flushIfFull(ctx)
}

func (w *batch) remove(ctx context.Context, f *file) error {
	if id := idOf(f.repo, f.name); len(id) <= segment.MaxID { // no other is there
		w.removed = append(w.removed, id)
	}
	return w.flushIfFull(ctx)
}

func (w *batch) flushIfFull(ctx context.Context) error {
	if len(w.docs)+len(w.removed) < batchFiles && w.bytes < batchBytes {
		return nil
	}
	return w.flush(ctx)
}

// flush writes what was collected: what is removed last, as the host does.
func (w *batch) flush(ctx context.Context) error {
	if len(w.docs) > 0 {
		if err := w.index.Add(ctx, w.docs...); err != nil {
			return err
		}
	}
	if len(w.removed) > 0 {
		if err := w.index.Delete(ctx, w.removed...); err != nil {
			return err
		}
	}
	w.docs, w.removed, w.bytes = w.docs[:0], w.removed[:0], 0
	return nil
}

// Delete removes the files of a repository. It is no error if there are none.
func (x *Indexer) Delete(ctx context.Context, repo int64) error {
	index, err := x.opened()
	if err != nil {
		return err
	}
	if _, err := index.DeleteWhere(ctx, inRepos([]int64{repo})); err != nil {
		return err
	}
	return index.Sync(ctx)
}

// inRepos is passed by the files of repositories.
func inRepos(ids []int64) query.Node {
	f := query.In{Field: names[repoID], Values: make([]any, len(ids))}
	for i, id := range ids {
		f.Values[i] = id
	}
	return f
}
