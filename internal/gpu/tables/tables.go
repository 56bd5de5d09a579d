// Package tables has what a device keeps of all documents for queries that ask for it: bitmaps of those that pass filters,
// static scores, and values of columns. It decides when one is worth making.
//
//	tables.go  Tables: which there are, in order of use, and their memory
//	make.go    how one is made; values.go: one of a column's values
package tables

import (
	"container/list"
	"sync"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
)

// Tables are the tables of a device, in order of use. Their memory is not that of lists. They are safe for concurrent use.
type Tables struct {
	Budget int64 // bytes of device memory, at most; set before the first use
	Alone  bool  // no CPU answers what has no table: every one is made for which there is room

	docs   *docs.Docs
	stages *stages.Pool
	dev    cuda.Device

	mu    sync.Mutex
	known map[Key]*list.Element   // of *Table; also of some that are not made
	order list.List               // the one used last is in front
	text  int                     // bytes of keys
	spare map[int64][]kernels.Ptr // memory of tables that are no more, by size
	bytes int64                   // of tables and of spare
	live  int64                   // tables that are made
}

// Table is a table by document. It stays where it is while it has users.
type Table struct {
	key   Key
	size  int64
	users int // guarded by Tables.mu

	making  sync.Mutex  // guards the fields below, unless there are no users
	At      kernels.Ptr // 0: it is not made
	Most    float32     // of static scores
	work    int64       // postings that the CPU has read for want of it, and those now
	refused bool        // the CPU answers better
}

// Key says what a table has. That of a caller's bitmap, which may change later, is known to one execution only.
type Key struct {
	Columns string         // the key of a filter
	Docs    *docset.Global // the documents of a filter
	Static  bool           // static scores, by field and weight
	Values  bool           // the values of a field of numbers
	Field   uint32
	Weight  float64
}

// Limits of what is known: tables, made or not, and bytes of their keys.
const maxTables, maxTableText = 1 << 13, 8 << 20

// Open makes the tables those of a device and of documents. There is none yet. Those of other documents must have no users.
func (t *Tables) Open(dev cuda.Device, d *docs.Docs, s *stages.Pool) {
	if t.dev != nil {
		t.Shed()
	}
	t.known, t.text = nil, 0
	t.order.Init()
	t.dev, t.docs, t.stages = dev, d, s
}

// Take returns the table with a key, for a user, who calls Release. It may not be made.
func (t *Tables) Take(k Key) *Table {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.known[k]; e != nil {
		t.order.MoveToFront(e)
		own := e.Value.(*Table)
		own.users++
		return own
	}
	own := &Table{key: k, size: t.docs.Stride(), users: 1}
	if k.Static {
		own.size = 4*int64(t.docs.N) + 64
	}
	if k.Values {
		own.size = 8*int64(t.docs.N) + 64
	}
	if k.Docs == nil {
		if t.known == nil {
			t.known = map[Key]*list.Element{}
		}
		t.known[k] = t.order.PushFront(own)
		t.text += len(k.Columns)
		for e := t.order.Back(); e != nil && (len(t.known) > maxTables || t.text > maxTableText); {
			before := e.Prev()
			t.drop(e)
			e = before
		}
	}
	return own
}

// Release ends a use.
func (t *Tables) Release(own *Table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own.users--
	if own.key.Docs != nil && own.users == 0 {
		t.retire(own)
	}
}

// retire makes the memory of a table without users spare.
func (t *Tables) retire(own *Table) {
	if own.At == 0 {
		return
	}
	if t.spare == nil {
		t.spare = map[int64][]kernels.Ptr{}
	}
	t.spare[own.size] = append(t.spare[own.size], own.At)
	own.At = 0
	t.live--
}

// drop forgets a table, unless it has users.
func (t *Tables) drop(e *list.Element) {
	own := e.Value.(*Table)
	if own.users > 0 {
		return
	}
	t.order.Remove(e)
	delete(t.known, own.key)
	t.text -= len(own.key.Columns)
	t.retire(own)
}

// place gives a table memory, if need be that of the tables that were used least. ok is false if there is not enough.
func (t *Tables) place(own *Table) (ok bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := t.order.Back(); len(t.spare[own.size]) == 0 && t.bytes+own.size > t.Budget; {
		t.freeSpare(own.size)
		if t.bytes+own.size <= t.Budget {
			break
		}
		if e == nil {
			return false, nil
		}
		before := e.Prev()
		if e.Value.(*Table).At != 0 {
			t.drop(e)
		}
		e = before
	}
	if s := t.spare[own.size]; len(s) > 0 {
		own.At, t.spare[own.size] = s[len(s)-1], s[:len(s)-1]
		t.live++
		return true, nil
	}
	t.bytes += own.size
	t.mu.Unlock()
	at, err := t.stages.Alloc(own.size)
	t.mu.Lock()
	if err != nil {
		t.bytes -= own.size
		return false, err
	}
	own.At = at
	t.live++
	return true, nil
}

// fail takes the memory of a table back that could not be made.
func (t *Tables) fail(own *Table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.retire(own)
}

// freeSpare frees spare memory, but for pieces of one size.
func (t *Tables) freeSpare(but int64) {
	for size, all := range t.spare {
		if size == but {
			continue
		}
		for _, p := range all {
			_ = t.dev.Free(p)
			t.bytes -= size
		}
		delete(t.spare, size)
	}
}

// Shed frees the memory of tables without users. It reports whether there was any.
func (t *Tables) Shed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.bytes
	for e := t.order.Back(); e != nil; {
		next := e.Prev()
		if e.Value.(*Table).At != 0 {
			t.drop(e)
		}
		e = next
	}
	t.freeSpare(0)
	return t.bytes < before
}

// Counts returns how many tables there are, and the bytes of their memory.
func (t *Tables) Counts() (n, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live, t.bytes
}

// Users returns how many users tables have that are known.
func (t *Tables) Users() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := t.order.Front(); e != nil; e = e.Next() {
		n += e.Value.(*Table).users
	}
	return n
}
