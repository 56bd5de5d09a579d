package ocis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Errors of an Engine. They are matched with errors.Is.
var (
	// ErrNotFound says that there is no resource with an id.
	ErrNotFound = errors.New("ocis: resource not found")
	// ErrReadOnly says that an Engine from OpenReader was to write.
	ErrReadOnly = errors.New("ocis: the engine only reads")
	// ErrQuery says that a query asks for nothing.
	ErrQuery = errors.New("ocis: the query cannot be compiled")
	// ErrResource says that a resource cannot be added, such as one whose Meta is no JSON. The others are.
	ErrResource = errors.New("ocis: bad resource")
)

// Options configure an Engine. The zero value means the defaults.
type Options struct {
	// Lazy is how long changes normally take until they survive a crash (pinion.Options.Durable). 0, the default, means that calls return when they
	// do. They are always found by the searches that begin after the call.
	Lazy time.Duration
	// Memory is the memory budget for writing; 0 means pinion.DefaultMemory. Of a longer text than a quarter of
	// it only the beginning is kept.
	Memory int64
	// Observe, if not nil, is told what happens, as in pinion.Options.
	Observe func(pinion.Event)
}

// Engine is an index of resources. It is safe for concurrent use. Its methods but Close and OpenReader's are those of
// the host's interface of this name.
type Engine struct {
	index  *pinion.Index  // nil if it only reads
	reader *pinion.Reader // in place of index, nil if it writes
	most   int            // bytes of a text
	left   atomic.Uint64  // times left out

	// Changes that read before they write hold it alone: what one has read, no other may change before it writes.
	changing sync.RWMutex
}

// room is what the memory budget of a document leaves for all but its text.
const room = 256 << 10

// Open opens the index in a directory to search and change it, and makes both if need be. While another Engine or any
// other writer has it open, in any process, the error matches store.ErrLocked.
func Open(dir string, o Options) (*Engine, error) {
	po := pinion.Options{Schema: description(), Memory: o.Memory, Observe: o.Observe, SyncEach: true}
	if o.Lazy > 0 {
		po.Durable, po.SyncEach = o.Lazy, false
	}
	index, err := pinion.Open(context.Background(), dir, po)
	if errors.Is(err, schema.ErrInvalid) { // an index from before texts were normalized stays as it is
		po.Schema = earlier()
		if old, oldErr := pinion.Open(context.Background(), dir, po); oldErr == nil {
			index, err = old, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &Engine{index: index, most: max(int(cmp.Or(o.Memory, pinion.DefaultMemory)/4)-room, room)}, nil
}

// TimesLeftOut returns how many times of resources this Engine has left out since Open: values of Mtime, or of when a photo
// was taken, that are no time from the year 1678 to 2261. The rest of such a resource is kept.
func (e *Engine) TimesLeftOut() uint64 { return e.left.Load() }

// document returns r as a document of the index, and counts the times that are left out. The error matches ErrResource.
func (e *Engine) document(r *Resource) (pinion.Doc, error) {
	d, left, err := document(r, e.most)
	if err != nil {
		return d, fmt.Errorf("%w: %w", ErrResource, err)
	}
	e.left.Add(left)
	return d, nil
}

// Close makes durable what is not yet, and closes the index.
func (e *Engine) Close() error {
	if e.reader != nil {
		return e.reader.Close()
	}
	return e.index.Close()
}

// Upsert adds a resource, or replaces the one with the same id.
func (e *Engine) Upsert(id string, r Resource) error {
	if e.index == nil {
		return ErrReadOnly
	}
	r.ID = id
	d, err := e.document(&r)
	if err != nil {
		return err
	}
	e.changing.RLock()
	defer e.changing.RUnlock()
	return e.index.Add(context.Background(), d)
}

// Load adds many resources, or replaces those with the same ids, as Upsert does, but a batch at a time: it is for the first
// index of spaces that exist. Resources that cannot be added are left out, and all others are added: the error then matches
// ErrResource, says how many there are, and names the first ones. After any other error some may have been added.
func (e *Engine) Load(all iter.Seq[Resource]) error {
	if e.index == nil {
		return ErrReadOnly
	}
	e.changing.RLock()
	defer e.changing.RUnlock()
	l := loading{e: e}
	bytes := 0
	for r := range all {
		d, err := e.document(&r)
		if err != nil {
			l.refuse(err)
			continue
		}
		l.docs, bytes = append(l.docs, d), bytes+len(r.Content)
		if len(l.docs) == loadDocs || bytes >= loadBytes {
			if err := l.add(); err != nil {
				return err
			}
			bytes = 0
		}
	}
	if err := l.add(); err != nil || l.refused == 0 {
		return err
	}
	return fmt.Errorf("%d resources were left out: %w", l.refused, errors.Join(l.named...))
}

// loading is a Load.
type loading struct {
	e       *Engine
	docs    []pinion.Doc
	refused int
	named   []error // of the first that were refused
}

// add adds the documents, but for those that the index refuses.
func (l *loading) add() error {
	err := l.e.index.Add(context.Background(), l.docs...)
	if bad, ok := err.(interface{ Unwrap() []error }); ok && errors.Is(err, writer.ErrDocument) {
		refused := map[int]bool{}
		for _, err := range bad.Unwrap() {
			l.refuse(fmt.Errorf("%w: %w", ErrResource, err))
			if c := (*writer.ChangeError)(nil); errors.As(err, &c) {
				refused[c.Number] = true
			}
		}
		var good []pinion.Doc
		for i, d := range l.docs {
			if !refused[i] {
				good = append(good, d)
			}
		}
		err = l.e.index.Add(context.Background(), good...)
	}
	l.docs = l.docs[:0]
	return err
}

// refuse notes that a resource is left out.
func (l *loading) refuse(err error) {
	if l.refused++; l.refused <= namedErrors {
		l.named = append(l.named, err)
	}
}

// namedErrors is how many resources the error of Load names.
const namedErrors = 20

// A batch of Load has one of these, or less.
const (
	loadDocs  = 5000
	loadBytes = 16 << 20
)

// Purge removes a resource for good. It is no error if there is none.
func (e *Engine) Purge(id string) error {
	if e.index == nil {
		return ErrReadOnly
	}
	e.changing.RLock()
	defer e.changing.RUnlock()
	return e.index.Delete(context.Background(), id)
}

// DocCount returns how many resources there are, those marked as deleted included.
func (e *Engine) DocCount() (n uint64, err error) {
	err = e.view(context.Background(), func(v view) error {
		n = v.Snapshot().Stats().Live
		return nil
	})
	return n, err
}

// view is the index at one moment.
type view struct{ *pinion.View }

// view calls f with the newest state.
func (e *Engine) view(ctx context.Context, f func(view) error) error {
	of := e.index.View
	if e.reader != nil {
		of = e.reader.View
	}
	return of(ctx, func(v *pinion.View) error { return f(view{v}) })
}

// find returns the resources with these ids, in any order, with their texts.
func (v view) find(ids ...[]byte) ([]Resource, error) {
	these := make(query.IDs, len(ids))
	for i, id := range ids {
		these[i] = string(id)
	}
	page, err := v.Search(context.Background(), pinion.Request{
		Query: query.Bool{Filter: []query.Node{these}}, Limit: len(ids), Fields: whole,
	})
	if err != nil {
		return nil, err
	}
	found := make([]Resource, len(page.Hits))
	for i := range page.Hits {
		found[i] = resource(&page.Hits[i])
	}
	return found, nil
}

// one returns the resource with an id.
func (v view) one(id string) (Resource, error) {
	found, err := v.find([]byte(id))
	if err != nil {
		return Resource{}, err
	}
	if len(found) == 0 {
		return Resource{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return found[0], nil
}
