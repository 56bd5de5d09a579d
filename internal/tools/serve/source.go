package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/reader"
)

// source is an open index, or what opens of a damaged one. Its files stay open: newer commits of other processes may
// remove them.
type source struct {
	*inspect.Index
	path   string
	dir    *indexdir.Dir
	damage []string // why parts do not open

	searcher *search.Searcher // nil unless all opens
	pages    *pinion.View     // nil if searcher is
	snapshot *reader.Snapshot
	closers  []func() error

	stamp stamp // taken before the files were opened
	users int   // kept by current
}

// stamp changes whenever an index gets another newest commit, also when a new index takes
// the place of one.
type stamp struct {
	generation uint64 // 0 without a manifest
	commit     indexdir.CommitID
	changed    time.Time
}

// attempts bounds how often open starts again because a newer commit came between.
const attempts = 16

// open opens the index in the directory at path. The error is that of a directory that
// holds no index; of a damaged index it opens what it can.
func open(path string) (*source, error) {
	for attempt := 1; ; attempt++ {
		x := &source{path: path}
		err := x.open()
		if err == nil {
			return x, nil
		}
		x.close()
		if attempt == attempts || !errors.Is(err, errOvertaken) {
			return nil, err
		}
	}
}

// errOvertaken says that a newer commit has replaced the one being opened.
var errOvertaken = errors.New("commits follow too fast")

func (x *source) open() (err error) {
	if x.dir, err = indexdir.Open(x.path); err != nil {
		return err
	}
	x.closers = append(x.closers, x.dir.Close)
	if x.stamp, err = x.newest(); err != nil {
		return err
	}
	if x.Index, err = inspect.Open(x.path, inspect.All); err != nil {
		return err
	}
	x.closers = append(x.closers, func() error { x.Index.Close(); return nil })
	for _, err := range x.Damage {
		x.damage = append(x.damage, err.Error())
	}
	if err := x.openSearcher(); err != nil {
		return err
	}
	for _, g := range x.Segs {
		expectLooks(g)
		if err := warm(g); err != nil && len(x.damage) == 0 {
			x.damage = append(x.damage, err.Error())
		}
	}
	return nil
}

// expectLooks says that pages look into all of a segment here and there, into lists too: what
// is shown of one is asked for.
func expectLooks(g *inspect.Segment) {
	g.ExpectQueries()
	if d, can := g.Data().(interface{ Scattered(off, n int64) }); can {
		d.Scattered(0, g.Data().Size())
	}
}

// warm reads what every first look into a segment would have to read whole: the table of
// lengths and the index of stored text, a few bytes a document.
func warm(g *inspect.Segment) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if _, err := g.Documents().Length(0); err != nil { // of all fields
		return err
	}
	if g.Meta().Stored && g.Meta().Docs > 0 {
		_, err = g.Documents().AppendStored(nil, 0)
	}
	return err
}

// newest returns the stamp of the directory as it is now.
func (x *source) newest() (s stamp, err error) {
	if s.generation, err = x.dir.Generation(); err != nil {
		return s, err
	}
	if s.commit, err = x.dir.Newest(); err != nil {
		return s, err
	}
	for _, name := range []string{indexdir.ManifestName(s.generation), indexdir.MirrorName(s.generation)} {
		// One of the two suffices, and commits write both.
		if info, err := os.Stat(filepath.Join(x.path, name)); err == nil {
			s.changed = info.ModTime()
			break
		}
	}
	return s, nil
}

func (x *source) close() {
	for i := len(x.closers) - 1; i >= 0; i-- {
		// Nothing was written.
		_ = x.closers[i]()
	}
}

// openSearcher makes x answer queries, if all of the index opens.
func (x *source) openSearcher() error {
	s, q, end, err := x.Searcher(context.Background())
	if errors.Is(err, inspect.ErrReplaced) {
		return errOvertaken
	}
	if err == nil {
		x.closers = append(x.closers, func() error { end(); return nil })
		x.snapshot, x.searcher = s, q
		x.pages, err = pinion.NewView(s, nil)
	}
	if err == nil {
		x.closers = append(x.closers, x.pages.Close)
	}
	if err == nil && len(x.damage) == 0 {
		for i, g := range x.snapshot.Segments() {
			x.Segs[i].Segment = g.Views() // so that pages are mapped and checked once
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		if now, err := x.newest(); err == nil && now != x.stamp {
			return errOvertaken
		}
	}
	if err != nil && len(x.damage) == 0 {
		x.damage = append(x.damage, err.Error())
	}
	return nil
}

// end returns the docID after the last.
func (x *source) end() (end uint32) {
	for _, g := range x.Segs {
		end = max(end, g.Base+g.Meta().Docs)
	}
	return end
}

// pageError is an error with an HTTP status.
type pageError struct {
	status int
	msg    string
}

func (e *pageError) Error() string { return e.msg }

func notFound(msg string, args ...any) error { return &pageError{404, fmt.Sprintf(msg, args...)} }
func badRequest(msg string, args ...any) error {
	return &pageError{400, fmt.Sprintf(msg, args...)}
}
