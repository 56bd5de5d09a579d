package reader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// view is one commit with its files open. Snapshots share it.
type view struct {
	index    *Index
	commit   *indexdir.Commit
	id       string         // Snapshot.CommitID
	schema   *schema.Schema // of the index; not to be modified
	segments []Segment
	held     []*handle // guarded by index.mu while the view is opened
	stats    Stats
	users    int     // guarded by index.mu
	parts    []*view // of several indexes that Join made one of; of each the view is a user
}

// fileKey tells the files of an index apart, also from those of one that was made anew in its
// directory, whose numbers begin again, or restored from a copy and changed in another way. For
// a segment its random id suffices. Numbers of deletes files that were published but never
// committed, or came after the copy, can be used again for the same segment; those of version
// 0.2 have no id of their own.
type fileKey struct {
	num     uint64
	segment format.ID               // of the segment that the file holds, deletes from or has values of
	own     format.ID               // of the deletes or values file
	head    [format.HeaderSize]byte // of a deletes file; with checksums of all that follows
}

// handle is one open file. Views of several commits share it.
type handle struct {
	key      fileKey
	data     store.Data
	segment  *segment.Segment // of a segment file
	verified atomic.Bool      // by Snapshot.Verify
	deletes  deletesFile      // of a deletes file
	values   *valuesFile      // of a values file, or nil
	users    int              // guarded by Index.mu
}

// attempts is how often a commit is opened that expires meanwhile. A writer would have to remove commits
// faster than they are opened that many times in a row.
const attempts = 8

// openNewest opens the commit that the options name; or else what was published, if it
// is wanted and there still is something; or else the newest commit. It counts one
// user. What it reads on demand ends with ctx.
func (x *Index) openNewest(ctx context.Context, published bool) (v *view, err error) {
	if x.files != nil {
		defer x.files.begin(ctx)()
	}
	for i := 1; ; i++ {
		v, err = x.openOnce(published)
		if err == nil || i == attempts || x.follows == nil || !errors.Is(err, ErrExpired) {
			return v, err
		}
		if moved, e := x.follows.Refresh(ctx); e != nil || !moved {
			return nil, errors.Join(err, e)
		}
	}
}

func (x *Index) openOnce(published bool) (v *view, err error) {
	if gen := x.opts.Generation; gen > 0 {
		c, err := x.dir.At(gen)
		if err != nil {
			return nil, err
		}
		if v, err = x.openView(c); err != nil {
			c.Release()
		}
		return v, err
	}
	open := func(c *indexdir.Commit) (err error) {
		v, err = x.openView(c)
		return err
	}
	if published {
		if _, err = x.dir.OpenPublished(open); !errors.Is(err, fs.ErrNotExist) {
			return v, err
		}
	}
	_, err = x.dir.OpenLatest(open)
	return v, err
}

// openView opens the files of c that are not open already.
func (x *Index) openView(c *indexdir.Commit) (*view, error) {
	v := &view{index: x, commit: c, id: c.ID().Bytes(), users: 1}
	if err := x.fill(v); err != nil {
		x.drop(v)
		return nil, err
	}
	return v, nil
}

func (x *Index) fill(v *view) error {
	files := make([]*handle, len(v.commit.Segments))
	deletes := make([]*deletesFile, len(files))
	values := make([]*valuesFile, len(files))
	err := x.each(3*len(files), func(n int) (err error) { // each segment, and each one's deletes and values
		i := n / 3
		switch info := &v.commit.Segments[i]; {
		case n%3 == 0:
			files[i], err = x.hold(v, fileKey{num: info.File, segment: info.ID}, func() (*handle, error) { return x.openSegment(v.commit, i) })
		case n%3 == 1 && info.DeletesFile != 0:
			deletes[i], err = x.holdDeletes(v, i)
		case n%3 == 2 && info.ValuesFile != 0:
			key := fileKey{num: info.ValuesFile, segment: info.ID, own: info.ValuesID}
			h, err := x.hold(v, key, func() (*handle, error) { return x.openValues(info) })
			if err != nil {
				return err
			}
			values[i] = h.values
		}
		return err
	})
	if err != nil {
		return err
	}
	v.setSchema(files)
	base := uint64(0) // indexdir.MaxDocs keeps all docIDs within 32 bits
	for i, h := range files {
		info := &v.commit.Segments[i]
		if err := v.commit.CheckSegment(i, h.segment); err != nil { // also a file that an older view opened
			return err
		}
		views := h.segment
		if values[i] != nil {
			views = values[i].in(views)
		}
		s := Segment{views: views, ord: i, base: uint32(base), info: *info, schema: v.schema, file: h, deletes: deletes[i]}
		v.segments = append(v.segments, s)
		v.stats.add(&s)
		base += uint64(info.Docs)
	}
	return nil
}

// setSchema takes the schema of the commit, and from the segments what that leaves to them.
func (v *view) setSchema(files []*handle) {
	if v.schema = v.commit.Schema; v.commit.StoredUnknown {
		v.schema = v.schema.Clone()
		v.schema.Fields[0].Stored = len(files) == 0 || slices.ContainsFunc(files, func(h *handle) bool { return h.segment.Meta().Stored })
	}
}

// maxOpening is how many files of a Source are opened at a time.
const maxOpening = 16

// each calls f for numbers below n: of a Source, where each open file is a wait, for several at the
// same time. It returns the first error.
func (x *Index) each(n int, f func(i int) error) error {
	if !x.opts.remote {
		for i := range n {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxOpening)
	errs := make([]error, n)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			errs[i] = f(i)
			<-slots
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// hold adds a file to v, opening it if no view has it open.
func (x *Index) hold(v *view, key fileKey, open func() (*handle, error)) (*handle, error) {
	x.mu.Lock()
	h := x.handles[key]
	if h != nil {
		h.users++
		v.held = append(v.held, h)
	}
	x.mu.Unlock()
	if h == nil {
		var err error
		if h, err = open(); err != nil {
			return nil, err
		}
		h.key, h.users = key, 1
		x.mu.Lock()
		x.handles[key] = h // no other goroutine opens this file: refresh is held
		v.held = append(v.held, h)
		x.mu.Unlock()
	}
	return h, nil
}

// holdDeletes adds the deletes file of segment i to v. It opens the file in any case, to see
// whether it is the one that a view has open.
func (x *Index) holdDeletes(v *view, i int) (*deletesFile, error) {
	opened, err := x.openDeletes(v.commit, i)
	if err != nil {
		return nil, err
	}
	h, err := x.hold(v, opened.key, func() (*handle, error) { return opened, nil })
	if h != opened {
		opened.close()
	}
	if err != nil {
		return nil, err
	}
	return &h.deletes, nil
}

func (x *Index) openSegment(c *indexdir.Commit, i int) (*handle, error) {
	s, data, err := c.OpenSegmentAs(x.opts.Access, i)
	if err != nil {
		return nil, err
	}
	if x.opts.Unchecked {
		s.Raw().SkipPageChecks()
	}
	return &handle{data: data, segment: s}, nil
}

// drop ends v's use of its files and closes those without other users.
func (x *Index) drop(v *view) error {
	x.mu.Lock()
	var unused []*handle
	for _, h := range v.held {
		if h.users--; h.users == 0 {
			delete(x.handles, h.key)
			unused = append(unused, h)
		}
	}
	v.held = nil
	x.mu.Unlock()
	var errs []error
	for _, h := range unused {
		if err := h.close(); err != nil {
			errs = append(errs, fmt.Errorf("close file %d: %w", h.key.num, err))
		}
	}
	return errors.Join(errs...)
}

func (h *handle) close() error {
	switch {
	case h.values != nil:
		return h.values.close()
	case h.data == nil:
		return h.deletes.close()
	}
	return h.data.Close()
}

// release ends one use of v.
func (v *view) release() error {
	x := v.index
	x.mu.Lock()
	v.users--
	last := v.users == 0
	x.mu.Unlock()
	if !last {
		return nil
	}
	err := x.drop(v) // unmap first: Windows cannot remove mapped files
	v.commit.Release()
	for _, part := range v.parts {
		err = errors.Join(err, part.release())
	}
	return err
}
