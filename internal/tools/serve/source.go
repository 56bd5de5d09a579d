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
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// source is an open index, or what opens of a damaged one.
type source struct {
	path     string
	dir      *indexdir.Dir
	manifest *indexdir.Manifest // nil if it cannot be read
	commit   indexdir.CommitID  // of manifest
	segs     []*seg             // those that open
	files    []file
	data     map[string]store.Data // open files by name: newer commits of other processes may remove them
	damage   []string              // why parts do not open

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

// seg is a segment that opens.
type seg struct {
	*segment.Segment
	manifest *indexdir.Manifest // nil if it cannot be read
	file     string
	base     uint32 // global docID of its first document
	deletes  *reader.Deletes
}

// file is a file of the index.
type file struct {
	Name, Kind string
	Size       int64
	Err        string // why it does not open
}

// attempts bounds how often open starts again because a newer commit came between.
const attempts = 16

// open opens the index in the directory at path. The error is that of a directory that
// holds no index; of a damaged index it opens what it can.
func open(path string) (*source, error) {
	for attempt := 1; ; attempt++ {
		x := &source{path: path, data: map[string]store.Data{}}
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
	c, err := x.dir.OpenLatest(x.openCommit)
	switch {
	case err == nil:
		x.closers = append(x.closers, func() error { c.Release(); return nil })
	case errors.Is(err, format.ErrCorrupt):
		x.damage = append(x.damage, err.Error())
		if err = x.inspect(); err != nil {
			return err
		}
	default:
		return err
	}
	if err := x.openSearcher(); err != nil {
		return err
	}
	for _, g := range x.segs {
		g.expectLooks()
		if err := x.warm(g); err != nil && len(x.damage) == 0 {
			x.damage = append(x.damage, err.Error())
		}
	}
	return nil
}

// expectLooks says that pages look into all of a segment here and there, into lists too: what
// is shown of one is asked for.
func (g *seg) expectLooks() {
	g.ExpectQueries()
	if d, can := g.Data().(interface{ Scattered(off, n int64) }); can {
		d.Scattered(0, g.Data().Size())
	}
}

// warm reads what every first look into a segment would have to read whole: the table of
// lengths and the index of stored text, a few bytes a document.
func (x *source) warm(g *seg) (err error) {
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

// openCommit opens the files of a commit. It returns an error if one has been removed,
// perhaps by a newer commit.
func (x *source) openCommit(c *indexdir.Commit) error {
	x.manifest, x.commit, x.segs, x.files = c.Manifest, c.ID(), nil, nil
	for _, name := range []string{indexdir.ManifestName(c.Generation), indexdir.MirrorName(c.Generation)} {
		x.addFile(name, "manifest", x.checkManifest(name))
	}
	base := uint32(0)
	for i, info := range c.Segments {
		name := indexdir.SegmentName(info.File)
		g, err := x.openSegment(name)
		if err == nil {
			if err = c.CheckSegment(i, g.Segment); err == nil {
				g.base = base
				x.segs = append(x.segs, g)
			}
		}
		x.addFile(name, "segment", err)
		base += info.Docs
		if info.DeletesFile > 0 {
			name := indexdir.DeletesName(info.DeletesFile)
			bm, err := x.openDeletes(name, &info)
			if err == nil && g != nil {
				g.deletes = reader.NewDeletes(bm.Words())
			}
			x.addFile(name, "deletes", err)
		}
	}
	return nil
}

// checkManifest returns why one of the two files of a manifest cannot be read.
func (x *source) checkManifest(name string) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	d, err := x.openFile(name)
	if err != nil {
		return err
	}
	_, err = indexdir.ReadManifest(name, d)
	return err
}

func (x *source) openDeletes(name string, info *indexdir.SegmentInfo) (bm *docset.Bits, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	d, err := x.openFile(name)
	if err != nil {
		return nil, err
	}
	return indexdir.ReadDeletes(name, d, info)
}

// inspect lists the files of an index without a manifest that can be read.
func (x *source) inspect() error {
	x.manifest, x.segs, x.files = nil, nil, nil
	inv, err := x.dir.Inspect(context.Background(), nil)
	if err != nil {
		return err
	}
	for _, m := range inv.Manifests {
		x.addFile(m.Name, "manifest", m.Err)
	}
	base := uint32(0)
	for _, f := range inv.Files {
		if f.Kind != format.KindSegment || f.Err != nil {
			x.addFile(f.Name, f.Kind.String(), f.Err)
			continue
		}
		g, err := x.openSegment(f.Name)
		if err == nil {
			g.base = base
			base += f.Docs
			x.segs = append(x.segs, g)
		}
		x.addFile(f.Name, "segment", err)
	}
	return nil
}

func (x *source) openSegment(name string) (g *seg, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	d, err := x.openFile(name)
	if err != nil {
		return nil, err
	}
	s, err := segment.Open(filepath.Join(x.path, name), d)
	if err != nil {
		return nil, err
	}
	return &seg{Segment: s, file: name, manifest: x.manifest}, nil
}

// openFile opens a file, once.
func (x *source) openFile(name string) (store.Data, error) {
	if d := x.data[name]; d != nil {
		return d, nil
	}
	d, err := x.dir.OpenFile(name)
	if err != nil {
		return nil, err
	}
	x.closers = append(x.closers, d.Close)
	x.data[name] = d
	return d, nil
}

// addFile records a file, and its damage if it does not open.
func (x *source) addFile(name, kind string, err error) {
	f := file{Name: name, Kind: kind}
	if d, derr := x.openFile(name); derr == nil {
		f.Size = d.Size()
	}
	if err != nil {
		f.Err = err.Error()
		x.damage = append(x.damage, f.Err)
	}
	x.files = append(x.files, f)
}

// openSearcher makes x answer queries, if all of the index opens.
func (x *source) openSearcher() error {
	o := reader.Options{}
	if x.manifest != nil {
		o.Generation = x.manifest.Generation
	}
	index, err := reader.Open(context.Background(), reader.Dir(x.path), o)
	if err == nil {
		x.closers = append(x.closers, index.Close)
		x.snapshot, err = index.Snapshot()
	}
	if err == nil {
		x.closers = append(x.closers, x.snapshot.Close)
		if x.manifest != nil && x.snapshot.CommitID() != x.commit.Bytes() { // another index is there now
			return errOvertaken
		}
		// Without a cache of long lists every look into a list shows, and memory does not
		// grow with the index.
		x.searcher, err = search.NewSearcher(x.snapshot, search.Options{DenseBytes: -1})
	}
	if err == nil {
		x.closers = append(x.closers, x.searcher.Close)
		x.pages, err = pinion.NewView(x.snapshot, nil)
	}
	if err == nil {
		x.closers = append(x.closers, x.pages.Close)
	}
	if err == nil && len(x.damage) == 0 {
		for i, g := range x.snapshot.Segments() {
			x.segs[i].Segment = g.Views() // so that pages are mapped and checked once
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

// hasFile reports whether name is a file of the index.
func (x *source) hasFile(name string) bool {
	for _, f := range x.files {
		if f.Name == name {
			return true
		}
	}
	return false
}

// segments returns the segments for a walk over their terms.
func (x *source) segments() (all []*segment.Segment) {
	for _, g := range x.segs {
		all = append(all, g.Segment)
	}
	return all
}

// find returns the segment of a global docID, and the local docID.
func (x *source) find(doc uint32) (*seg, uint32, bool) {
	for _, g := range x.segs {
		if doc >= g.base && doc-g.base < g.Meta().Docs {
			return g, doc - g.base, true
		}
	}
	return nil, 0, false
}

// findID returns the global docID of an external id, of one that is not deleted if there
// is one.
func (x *source) findID(id string) (doc uint32, err error) {
	found := false
	for _, g := range x.segs {
		d, ok, err := g.Documents().FindID([]byte(id))
		if err != nil {
			return 0, err
		}
		if ok && (!found || !g.deletes.Has(d)) {
			doc, found = g.base+d, true
		}
	}
	if !found {
		return 0, notFound("no document has the id %q", id)
	}
	return doc, nil
}

// end returns the docID after the last.
func (x *source) end() (end uint32) {
	for _, g := range x.segs {
		end = max(end, g.base+g.Meta().Docs)
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
