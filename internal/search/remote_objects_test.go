package search_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// latency is how long a read of a store takes.
const latency = 50 * time.Millisecond

// objects is a Source of files whose reads take latency. It notes what is read.
type objects struct {
	params query.Params
	ended  bool // reads end with their context
	files  map[string][]byte

	mu     sync.Mutex
	reads  int
	bytes  int64
	twice  int64             // bytes of segments that were read again
	seen   map[string][]bool // pages by file
	open   int
	inside map[string]int // reads under way by file
	fail   func(int) bool // the reads that fail, by number from 1
	stuck  chan struct{}  // unless nil, reads do not return before it is closed
}

var errBroken = errors.New("the line is broken")

func (o *objects) List() ([]string, error) { return slices.Collect(maps.Keys(o.files)), nil }

func (o *objects) Open(name string) (io.ReaderAt, int64, error) {
	b, ok := o.files[name]
	if !ok {
		return nil, 0, fs.ErrNotExist
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open++
	f := &object{o: o, name: name}
	if o.ended {
		return struct {
			reader.ContextReaderAt
			io.Closer
		}{f, f}, int64(len(b)), nil
	}
	return struct {
		io.ReaderAt
		io.Closer
	}{f, f}, int64(len(b)), nil
}

// count returns what was read since reset was called, by all reads that have begun.
func (o *objects) count() (reads int, bytes, twice int64) {
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.reads, o.bytes, o.twice
}

// reset begins to count the reads anew, of which those fail that fail says.
func (o *objects) reset(fail func(int) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reads, o.twice, o.fail = 0, 0, fail
}

// jam makes reads get stuck until way is closed.
func (o *objects) jam(way chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stuck = way
}

type object struct {
	o    *objects
	name string
}

func (f *object) Close() error {
	f.o.mu.Lock()
	defer f.o.mu.Unlock()
	if f.o.open--; f.o.inside[f.name] > 0 {
		panic("closed during a read")
	}
	return nil
}

func (f *object) ReadAt(p []byte, off int64) (int, error) {
	return f.ReadAtContext(context.Background(), p, off)
}

func (f *object) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	o := f.o
	o.mu.Lock()
	o.reads++
	o.bytes += int64(len(p))
	if o.inside == nil {
		o.inside = make(map[string]int)
	}
	o.inside[f.name]++
	stuck, broken := o.stuck, o.fail != nil && o.fail(o.reads)
	if o.seen == nil {
		o.seen = make(map[string][]bool)
	}
	if o.seen[f.name] == nil {
		o.seen[f.name] = make([]bool, len(o.files[f.name])/format.PageSize+1)
	}
	for at := off; at < off+int64(len(p)) && strings.HasPrefix(f.name, "segment"); at += format.PageSize {
		if seen := &o.seen[f.name][at/format.PageSize]; *seen {
			o.twice += format.PageSize
		} else {
			*seen = true
		}
	}
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.inside[f.name]--
	}()
	if stuck != nil {
		select {
		case <-stuck:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	select {
	case <-time.After(latency):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if broken {
		return 0, errBroken
	}
	return copy(p, o.files[f.name][off:]), nil
}
