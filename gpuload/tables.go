package gpuload

import (
	"container/list"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
)

// docTables are what the device has of all documents for queries that ask for it, in order of use: bitmaps of those that
// pass filters, and static scores. Their memory is not that of lists. They are safe for concurrent use.
type docTables struct {
	budget int64 // bytes of device memory, at most

	mu    sync.Mutex
	known map[tableKey]*list.Element // of *docTable; also of some that are not made
	order list.List                  // the one used last is in front
	text  int                        // bytes of keys
	spare map[int64][]kernels.Ptr    // memory of tables that are no more, by size
	bytes int64                      // of tables and of spare
	live  int64                      // tables that are made
}

// docTable is a table by document. It stays where it is while it has users.
type docTable struct {
	key   tableKey
	size  int64
	users int // guarded by docTables.mu

	making  sync.Mutex  // guards the fields below, unless there are no users
	at      kernels.Ptr // 0: it is not made
	most    float32     // of static scores
	work    int64       // postings that the CPU has read for want of it, and those now
	refused bool        // the CPU answers better
}

// tableKey says what a table has. That of a caller's bitmap, which may change later, is known to one execution only.
type tableKey struct {
	columns string          // the key of a filter
	docs    *roaring.Bitmap // the documents of a filter
	static  bool            // static scores, by field and weight
	field   uint32
	weight  float64
}

// Limits of what is known: tables, made or not, and bytes of their keys.
const maxTables, maxTableText = 1 << 13, 8 << 20

// take returns the table with a key, for a user.
func (t *docTables) take(dev cuda.Device, k tableKey, size int64) *docTable {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.known[k]; e != nil {
		t.order.MoveToFront(e)
		own := e.Value.(*docTable)
		own.users++
		return own
	}
	own := &docTable{key: k, size: size, users: 1}
	if k.docs == nil {
		if t.known == nil {
			t.known = map[tableKey]*list.Element{}
		}
		t.known[k] = t.order.PushFront(own)
		t.text += len(k.columns)
		for e := t.order.Back(); e != nil && (len(t.known) > maxTables || t.text > maxTableText); {
			before := e.Prev()
			t.drop(e)
			e = before
		}
	}
	return own
}

// release ends a use.
func (t *docTables) release(own *docTable) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own.users--
	if own.key.docs != nil && own.users == 0 {
		t.retire(own)
	}
}

// retire makes the memory of a table without users spare.
func (t *docTables) retire(own *docTable) {
	if own.at == 0 {
		return
	}
	if t.spare == nil {
		t.spare = map[int64][]kernels.Ptr{}
	}
	t.spare[own.size] = append(t.spare[own.size], own.at)
	own.at = 0
	t.live--
}

// drop forgets a table, unless it has users.
func (t *docTables) drop(e *list.Element) {
	own := e.Value.(*docTable)
	if own.users > 0 {
		return
	}
	t.order.Remove(e)
	delete(t.known, own.key)
	t.text -= len(own.key.columns)
	t.retire(own)
}

// place gives a table memory, if need be that of the tables that were used least. ok is false if there is not enough.
func (t *docTables) place(x *Executor, own *docTable) (ok bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := t.order.Back(); len(t.spare[own.size]) == 0 && t.bytes+own.size > t.budget; {
		t.freeSpare(x.dev, own.size)
		if t.bytes+own.size <= t.budget {
			break
		}
		if e == nil {
			return false, nil
		}
		before := e.Prev()
		if e.Value.(*docTable).at != 0 {
			t.drop(e)
		}
		e = before
	}
	if s := t.spare[own.size]; len(s) > 0 {
		own.at, t.spare[own.size] = s[len(s)-1], s[:len(s)-1]
		t.live++
		return true, nil
	}
	t.bytes += own.size
	t.mu.Unlock()
	at, err := x.alloc(own.size)
	t.mu.Lock()
	if err != nil {
		t.bytes -= own.size
		return false, err
	}
	own.at = at
	t.live++
	return true, nil
}

// fail takes the memory of a table back that could not be made.
func (t *docTables) fail(own *docTable) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.retire(own)
}

// freeSpare frees spare memory, but for pieces of one size.
func (t *docTables) freeSpare(dev cuda.Device, but int64) {
	for size, all := range t.spare {
		if size == but {
			continue
		}
		for _, p := range all {
			_ = dev.Free(p)
			t.bytes -= size
		}
		delete(t.spare, size)
	}
}

// shed frees the memory of tables without users. It reports whether there was any.
func (t *docTables) shed(dev cuda.Device) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.bytes
	for e := t.order.Back(); e != nil; {
		next := e.Prev()
		if e.Value.(*docTable).at != 0 {
			t.drop(e)
		}
		e = next
	}
	t.freeSpare(dev, 0)
	return t.bytes < before
}

// counts returns how many tables there are, and the bytes of their memory.
func (t *docTables) counts() (n, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live, t.bytes
}
