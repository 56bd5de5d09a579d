package idxinspect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// index is an open index directory, or a single segment file.
type index struct {
	path     string
	manifest *indexdir.Manifest // nil for a file
	commit   indexdir.CommitID
	segs     []*seg
	closers  []func()
	field    uint32      // id of the field whose terms are meant; 0 without a schema
	damaged  func(error) // if not nil, called for segments that are left out for damage
}

// seg is one segment of an index.
type seg struct {
	*segment.Segment
	file    string // its name in the directory
	base    uint32 // global docID of its first document
	deletes *reader.Deletes
	tokens  uint64 // of deleted documents
	size    int64
}

// deleted reports whether a document is deleted.
func (s *seg) deleted(doc uint32) bool { return s.deletes.Has(doc) }

// withIndex opens the index at path for f. A fault on a mapped file is an error.
func withIndex(path string, f func(x *index) error) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	x, err := openIndex(path)
	if err != nil {
		return cli.Opening(err)
	}
	defer x.close()
	return f(x)
}

func openIndex(path string) (*index, error) { return openSound(path, nil) }

// openSound opens the sound segments of the index at path and calls damaged for the
// others; without damaged, they are an error.
func openSound(path string, damaged func(error)) (*index, error) {
	isDir := cli.IsURL(path)
	if !isDir {
		st, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		isDir = st.IsDir()
	}
	x := &index{path: path, damaged: damaged}
	var err error
	if isDir {
		err = x.openDir()
	} else {
		err = x.openFile()
	}
	if err != nil {
		x.close()
		return nil, err
	}
	return x, nil
}

func (x *index) close() {
	for i := len(x.closers) - 1; i >= 0; i-- {
		x.closers[i]()
	}
}

func (x *index) openDir() error {
	d, end, err := cli.OpenDir(x.path)
	if err != nil {
		return err
	}
	x.closers = append(x.closers, end)
	var left []error
	c, err := d.OpenLatest(func(c *indexdir.Commit) (err error) {
		left, err = x.openCommit(d, c)
		return err
	})
	if err != nil {
		return err
	}
	x.closers = append(x.closers, c.Release)
	if err := cli.Committed(x.path, c.Manifest); err != nil {
		return err
	}
	x.manifest, x.commit = c.Manifest, c.ID()
	for _, err := range left {
		x.damaged(err)
	}
	return nil
}

// openCommit opens the segments of c. With x.damaged it leaves out damaged ones and returns
// what is wrong with them. A file that a newer commit may have removed is an error.
func (x *index) openCommit(d *indexdir.Dir, c *indexdir.Commit) (left []error, err error) {
	x.segs = nil
	for i := range c.Segments {
		err := x.openSegment(d, c, i)
		switch {
		case err == nil:
			continue
		case x.damaged == nil || !errors.Is(err, format.ErrCorrupt) && !cli.IsNotExist(err):
			return nil, err
		}
		if err := cli.Overtaken(d, c, err); err != nil {
			return nil, err
		}
		left = append(left, err)
	}
	return left, nil
}

func (x *index) openSegment(d *indexdir.Dir, c *indexdir.Commit, i int) error {
	name := indexdir.SegmentName(c.Segments[i].File)
	data, err := d.OpenFile(name)
	if err != nil {
		return err
	}
	x.closers = append(x.closers, func() { data.Close() })
	shown := filepath.Join(x.path, name)
	if cli.IsURL(x.path) {
		shown = name
	}
	s, err := segment.Open(shown, data)
	if err != nil {
		return err
	}
	if err := c.CheckSegment(i, s); err != nil {
		return err
	}
	bm, err := c.Deletes(i)
	if err != nil {
		return err
	}
	g := x.addSegment(s, name)
	if bm != nil {
		g.deletes, g.tokens = reader.NewDeletes(bm.Words()), c.Segments[i].DeletedTokens
	}
	return nil
}

func (x *index) openFile() error {
	data, err := openData(x.path)
	if err != nil {
		return err
	}
	x.closers = append(x.closers, func() { data.Close() })
	s, err := segment.Open(x.path, data)
	if err != nil {
		return err
	}
	x.addSegment(s, filepath.Base(x.path))
	return nil
}

// openData maps one file.
func openData(path string) (store.Data, error) {
	d, err := indexdir.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.OpenFile(filepath.Base(path))
}

func (x *index) addSegment(s *segment.Segment, file string) *seg {
	base := uint32(0)
	if n := len(x.segs); n > 0 {
		last := x.segs[n-1]
		base = last.base + last.Meta().Docs
	}
	g := &seg{Segment: s, file: file, base: base, size: s.Header().FileLen}
	x.segs = append(x.segs, g)
	return g
}

// segments returns the segments.
func (x *index) segments() []*segment.Segment {
	var out []*segment.Segment
	for _, g := range x.segs {
		out = append(out, g.Segment)
	}
	return out
}

// docs returns the number of documents, deleted ones included.
func (x *index) docs() uint64 {
	n := uint64(0)
	for _, s := range x.segs {
		n += uint64(s.Meta().Docs)
	}
	return n
}

// stats returns the statistics on which scores depend.
func (x *index) stats() (st search.Stats) {
	for _, s := range x.segs {
		m := s.Meta()
		st.Docs += uint64(m.Docs - s.deletes.Count())
		st.Tokens += m.Tokens - s.tokens
		st.MaxLen = max(st.MaxLen, m.MaxLen)
	}
	return st
}

// analyzer returns name and options.
func (x *index) analyzer() (name, options string) {
	switch {
	case x.manifest != nil:
		return x.manifest.Analyzer()
	case len(x.segs) > 0:
		return x.segs[0].Meta().Analyzer, x.segs[0].Meta().AnalyzerOptions
	}
	return "", ""
}

// findID returns the place of the document with an external id. It prefers one that is
// not deleted.
func (x *index) findID(id string) (*seg, uint32, error) {
	var at *seg
	var where uint32
	for _, s := range x.segs {
		doc, ok, err := s.Documents().FindID([]byte(id))
		if err != nil {
			return nil, 0, err
		}
		if ok && (at == nil || !s.deleted(doc)) {
			at, where = s, doc
		}
	}
	if at == nil {
		return nil, 0, fmt.Errorf("no document %s", cli.Quote(id))
	}
	return at, where, nil
}
