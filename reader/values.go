package reader

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// valuesFile is an open file of values that were changed in place. It is read when a column or a stored value is first needed.
type valuesFile struct {
	name string
	info indexdir.SegmentInfo

	mu      sync.Mutex
	data    store.Data       // nil once read or closed
	changes *segment.Changes // nil until it is read
	of      *segment.Segment // as its file has it
	views   *segment.Segment // of, with the changes
}

// openValues opens the file now, while it certainly exists.
func (x *Index) openValues(info *indexdir.SegmentInfo) (*handle, error) {
	name := indexdir.ValuesName(info.ValuesFile)
	data, err := x.dir.OpenFile(name)
	if err != nil {
		return nil, err
	}
	return &handle{values: &valuesFile{name: name, info: *info, data: data}}, nil
}

// in returns s with the changes. Views of one segment are one, so that what is kept with it stays from commit to commit.
func (f *valuesFile) in(s *segment.Segment) *segment.Segment {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of != s {
		f.of, f.views = s, s.WithChanges(f.load)
	}
	return f.views
}

// load returns the changes. Its reads end with ctx unless that is nil.
func (f *valuesFile) load(ctx context.Context) (c *segment.Changes, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if f.changes != nil {
		return f.changes, nil
	}
	if f.data == nil {
		return nil, &fs.PathError{Op: "read", Path: f.name, Err: ErrClosed}
	}
	if c, err = readAgain(ctx, f.data, func(d store.Data) (*segment.Changes, error) {
		return indexdir.ReadValues(f.name, d, &f.info, f.of)
	}); err != nil {
		return nil, err
	}
	f.changes = c
	f.data.Close()
	f.data = nil
	return c, nil
}

// readAgain returns what read makes of a small file. Its reads end with ctx unless that is nil. Of an index that is read on demand, damage may have come on the way:
// it is read once more.
func readAgain[T any](ctx context.Context, data store.Data, read func(store.Data) (T, error)) (v T, err error) {
	r, ok := data.(*remote)
	if ok && ctx != nil {
		data = &task{remote: r, ctx: ctx}
	}
	v, err = read(data)
	if err != nil && ok {
		r.Forget(0, r.size) // what comes next reads it again
		if errors.Is(err, format.ErrCorrupt) {
			v, err = read(data)
		}
		if err != nil {
			r.Forget(0, r.size)
		}
	}
	return v, err
}

func (f *valuesFile) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.data == nil {
		return nil
	}
	d := f.data
	f.data = nil
	return d.Close()
}
