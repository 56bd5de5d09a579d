package ocis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/reader"
)

// Errors of an Engine. They are matched with errors.Is.
var (
	// ErrNotFound says that there is no resource with an id.
	ErrNotFound = errors.New("ocis: resource not found")
	// ErrReadOnly says that an Engine from OpenReader was to write.
	ErrReadOnly = errors.New("ocis: the engine only reads")
	// ErrQuery says that a query asks for nothing.
	ErrQuery = errors.New("ocis: the query cannot be compiled")
)

// Options configure an Engine. The zero value means the defaults.
type Options struct {
	// Lazy is how long changes may take until they survive a crash. 0, the default, means that calls return when they
	// do. They are always found by the searches that begin after the call.
	Lazy time.Duration
	// Memory is the memory budget for writing; 0 means pinion.DefaultMemory. Of a longer text than a thirty-second of
	// it only the beginning is kept.
	Memory int64
	// Observe, if not nil, is told what happens, as in pinion.Options.
	Observe func(pinion.Event)
}

// Engine is an index of resources. It is safe for concurrent use. Its methods but Close and OpenReader's are those of
// the host's interface of this name.
type Engine struct {
	index  *pinion.Index // nil if it only reads
	shared *follower     // nil if it writes
	most   int           // bytes of a text

	// Changes that read before they write hold it alone: what one has read, no other may change before it writes.
	changing sync.RWMutex
}

// room is what the memory budget of a document leaves for all but its text.
const room = 256 << 10

// Open opens the index in a directory to search and change it, and makes both if need be. While another Engine or any
// other writer has it open, in any process, the error matches store.ErrLocked.
func Open(dir string, o Options) (*Engine, error) {
	po := pinion.Options{Schema: description(), Memory: o.Memory, Observe: o.Observe, Durable: -1}
	if o.Lazy > 0 {
		po.Durable, po.Visible = o.Lazy, -1
	}
	index, err := pinion.Open(context.Background(), dir, po)
	if err != nil {
		return nil, err
	}
	return &Engine{index: index, most: max(int(cmp.Or(o.Memory, pinion.DefaultMemory)/32)-room, room)}, nil
}

// Close makes durable what is not yet, and closes the index.
func (e *Engine) Close() error {
	if e.shared != nil {
		return e.shared.close()
	}
	return e.index.Close()
}

// Upsert adds a resource, or replaces the one with the same id.
func (e *Engine) Upsert(id string, r Resource) error {
	if e.index == nil {
		return ErrReadOnly
	}
	r.ID = id
	d, err := document(&r, e.most)
	if err != nil {
		return err
	}
	e.changing.RLock()
	defer e.changing.RUnlock()
	return e.index.Add(context.Background(), d)
}

// Load adds many resources, or replaces those with the same ids, as Upsert does, but a batch at a time: it is for the first
// index of spaces that exist. After an error some of them may have been added.
func (e *Engine) Load(all iter.Seq[Resource]) error {
	if e.index == nil {
		return ErrReadOnly
	}
	e.changing.RLock()
	defer e.changing.RUnlock()
	var docs []pinion.Doc
	bytes := 0
	add := func() error {
		err := e.index.Add(context.Background(), docs...)
		docs, bytes = docs[:0], 0
		return err
	}
	for r := range all {
		d, err := document(&r, e.most)
		if err != nil {
			return errors.Join(err, add())
		}
		docs, bytes = append(docs, d), bytes+len(r.Content)
		if len(docs) == loadDocs || bytes >= loadBytes {
			if err := add(); err != nil {
				return err
			}
		}
	}
	return add()
}

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
	return e.index.Delete(context.Background(), []byte(id))
}

// DocCount returns how many resources there are, those marked as deleted included.
func (e *Engine) DocCount() (n uint64, err error) {
	err = e.view(func(v view) error {
		n = v.snapshot.Stats().Live
		return nil
	})
	return n, err
}

// view is the index at one moment.
type view struct {
	snapshot *reader.Snapshot
	search   func(context.Context, pinion.Request) (pinion.Page, error)
}

// view calls f with the newest state.
func (e *Engine) view(f func(view) error) error {
	if e.shared != nil {
		return e.shared.view(f)
	}
	return e.index.View(func(v *pinion.View) error { return f(view{v.Snapshot(), v.Search}) })
}

// find returns the resources with these ids, in any order, with their texts.
func (v view) find(ids ...[]byte) ([]Resource, error) {
	page, err := v.search(context.Background(), pinion.Request{
		Query: pinion.Bool{Filter: []pinion.Filter{pinion.IDs{IDs: ids}}}, K: len(ids), Fields: whole,
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
