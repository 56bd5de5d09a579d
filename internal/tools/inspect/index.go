package inspect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// Index is an open index directory, or a single segment file.
type Index struct {
	Path     string
	Manifest *indexdir.Manifest // nil for a file, and if none can be read
	Commit   indexdir.CommitID  // of Manifest
	Segs     []*Segment         // those that open
	Files    []File             // that were opened for them; with All the manifest's too
	Damage   []error            // why others do not open
	Field    uint32             // id of the field whose terms are meant; 0 without a schema

	dir     *indexdir.Dir // nil for a file
	how     How
	closers []func()
}

// Segment is one segment of an Index.
type Segment struct {
	*segment.Segment
	File    string // its name in the directory
	Base    uint32 // global docID of its first document
	Deletes *reader.Deletes
	Tokens  uint64 // of deleted documents

	manifest *indexdir.Manifest // of the Index
}

// Deleted reports whether a document is deleted.
func (s *Segment) Deleted(doc uint32) bool { return s.Deletes.Has(doc) }

// File is a file of an Index.
type File struct {
	Name, Kind string
	Data       store.Data // nil if there is none
	Err        error      // why it does not open
}

// Kinds of files.
const (
	manifestKind = "manifest"
	segmentKind  = "segment"
)

// Size returns the bytes of the file.
func (f *File) Size() int64 {
	if f.Data == nil {
		return 0
	}
	return f.Data.Size()
}

// How says what Open does about damage.
type How int

// What Open may do.
const (
	Whole How = iota // damage is an error
	Sound            // segments that are damaged where they are opened are left out
	All              // so are damaged files of a manifest; without one, all files of the directory are opened
)

// With opens the index at path for f. A fault on a mapped file is an error.
func With(path string, f func(x *Index) error) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	x, err := Open(path, Whole)
	if err != nil {
		return cli.Opening(err)
	}
	defer x.Close()
	return f(x)
}

// Open opens the newest commit of an index, or one segment file.
func Open(path string, how How) (*Index, error) {
	isDir := cli.IsURL(path)
	if !isDir {
		st, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		isDir = st.IsDir()
	}
	x := &Index{Path: path, how: how}
	var err error
	if isDir {
		err = x.openDir()
	} else {
		err = x.openFile()
	}
	if err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// Close closes the files.
func (x *Index) Close() {
	x.forget()
	for _, f := range slices.Backward(x.closers) {
		f()
	}
}

// forget closes the files of a commit.
func (x *Index) forget() {
	for _, f := range x.Files {
		if f.Data != nil {
			f.Data.Close() // nothing was written
		}
	}
	x.Manifest, x.Segs, x.Files, x.Damage = nil, nil, nil, nil
}

func (x *Index) openDir() error {
	d, end, err := cli.OpenDir(x.Path)
	if err != nil {
		return err
	}
	x.closers = append(x.closers, end)
	x.dir = d
	c, err := d.OpenLatest(x.openCommit)
	switch {
	case err == nil:
		x.closers = append(x.closers, c.Release)
	case x.how == All && errors.Is(err, format.ErrCorrupt):
		return x.inspect(err)
	default:
		return err
	}
	if x.how == All {
		return nil
	}
	return cli.Committed(x.Path, c.Manifest)
}

// openCommit opens the files of c. A file that a newer commit may have removed is an error.
func (x *Index) openCommit(c *indexdir.Commit) error {
	x.forget()
	x.Manifest, x.Commit = c.Manifest, c.ID()
	for _, name := range manifestNames(c.Generation) {
		if x.how != All {
			break
		}
		f := x.open(name, manifestKind)
		f.Err = f.manifest()
		if err := x.note(c, f.Err); err != nil {
			return err
		}
	}
	base := uint32(0)
	for i := range c.Segments {
		info := &c.Segments[i]
		g := x.segment(indexdir.SegmentName(info.File), base)
		base += info.Docs
		f := &x.Files[len(x.Files)-1]
		if f.Err == nil {
			f.Err = c.CheckSegment(i, g.Segment)
		}
		err := f.Err
		if err := x.note(c, err); err != nil {
			return err
		}
		if info.DeletesFile > 0 {
			d := x.open(indexdir.DeletesName(info.DeletesFile), "deletes")
			d.Err = d.check(func() error {
				bm, err := indexdir.ReadDeletes(d.Name, d.Data, info)
				if err == nil && g != nil {
					g.Deletes, g.Tokens = reader.NewDeletes(bm.Words()), info.DeletedTokens
				}
				return err
			})
			if err := x.note(c, d.Err); err != nil {
				return err
			}
			if x.how == Sound && err == nil {
				err = d.Err
			}
		}
		if info.ValuesFile > 0 {
			d := x.open(indexdir.ValuesName(info.ValuesFile), "values")
			d.Err = d.check(func() error {
				var of *segment.Segment
				if g != nil {
					of = g.Segment
				}
				v, err := indexdir.ReadValues(d.Name, d.Data, info, of)
				if err == nil && g != nil {
					g.Segment = g.WithChanges(func(context.Context) (*segment.Changes, error) { return v, nil })
				}
				return err
			})
			if err := x.note(c, d.Err); err != nil {
				return err
			}
			if x.how == Sound && err == nil {
				err = d.Err
			}
		}
		if err == nil {
			x.Segs = append(x.Segs, g)
		}
	}
	return nil
}

// note notes that something does not open. It returns an error if that is not to be passed over.
func (x *Index) note(c *indexdir.Commit, err error) error {
	switch {
	case err == nil:
		return nil
	case x.how == Whole, x.how == Sound && !errors.Is(err, format.ErrCorrupt) && !cli.IsNotExist(err):
		return err
	}
	x.Damage = append(x.Damage, err)
	return cli.Overtaken(x.dir, c, err)
}

// inspect opens the files of an index without a manifest that can be read, for which why is the reason.
func (x *Index) inspect(why error) error {
	x.forget()
	x.Damage = []error{why}
	inv, err := x.dir.Inspect(context.Background(), nil, mending.Mend)
	if err != nil {
		return err
	}
	for _, m := range inv.Manifests {
		x.open(m.Name, manifestKind).Err = m.Err
	}
	base := uint32(0)
	for _, s := range inv.Files {
		if s.Kind != format.KindSegment || s.Err != nil {
			x.open(s.Name, s.Kind.String()).Err = s.Err
		} else if g := x.segment(s.Name, base); g != nil {
			x.Segs = append(x.Segs, g)
			base += s.Docs
		}
	}
	for _, f := range x.Files {
		if f.Err != nil {
			x.Damage = append(x.Damage, f.Err)
		}
	}
	return nil
}

func (x *Index) openFile() error {
	data, err := OpenFile(x.Path)
	if err != nil {
		return err
	}
	x.Files = []File{{Name: filepath.Base(x.Path), Kind: segmentKind, Data: data}}
	s, err := segment.Open(x.Path, data)
	if err != nil {
		return err
	}
	x.Segs = []*Segment{{Segment: s, File: filepath.Base(x.Path)}}
	return nil
}

// OpenFile maps one file.
func OpenFile(path string) (store.Data, error) {
	d, err := indexdir.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.OpenFile(filepath.Base(path))
}

// open opens a file of the directory and adds it to Files.
func (x *Index) open(name, kind string) *File {
	data, err := x.dir.OpenFile(name)
	if err != nil {
		data = nil
	}
	x.Files = append(x.Files, File{name, kind, data, err})
	return &x.Files[len(x.Files)-1]
}

// check returns why a file is not there, or what read returns. A fault on the mapped file is an error.
func (f *File) check(read func() error) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if f.Data == nil {
		return f.Err
	}
	return read()
}

// segment opens a segment file, and adds it to Files. It returns nil if it does not open.
func (x *Index) segment(name string, base uint32) (g *Segment) {
	f := x.open(name, segmentKind)
	f.Err = f.check(func() error {
		shown := filepath.Join(x.Path, name)
		if cli.IsURL(x.Path) {
			shown = name
		}
		s, err := segment.Open(shown, f.Data)
		if err == nil {
			g = &Segment{Segment: s, File: name, Base: base, manifest: x.Manifest}
		}
		return err
	})
	return g
}

// manifestNames returns the names of the two files of a commit's manifest.
func manifestNames(generation uint64) []string {
	return []string{indexdir.ManifestName(generation), indexdir.MirrorName(generation)}
}

// File returns the file of that name, nil if the index has none.
func (x *Index) File(name string) *File {
	if i := slices.IndexFunc(x.Files, func(f File) bool { return f.Name == name }); i >= 0 {
		return &x.Files[i]
	}
	return nil
}

// Segments returns the segments that open.
func (x *Index) Segments() []*segment.Segment {
	var all []*segment.Segment
	for _, g := range x.Segs {
		all = append(all, g.Segment)
	}
	return all
}

// Docs returns the number of documents of the segments that open, deleted ones included.
func (x *Index) Docs() (n uint64) {
	for _, g := range x.Segs {
		n += uint64(g.Meta().Docs)
	}
	return n
}

// Analyzer returns name and options.
func (x *Index) Analyzer() (name, options string) {
	switch {
	case x.Manifest != nil:
		return x.Manifest.Analyzer()
	case len(x.Segs) > 0:
		return x.Segs[0].Meta().Analyzer, x.Segs[0].Meta().AnalyzerOptions
	}
	return "", ""
}

// Fields returns the fields of the schema, or of a file by itself: none without a schema.
func (x *Index) Fields() []schema.Field { return Fields(x.Manifest, x.Segments()) }

// Choose makes the field of that name the one that terms are of: "" without a schema.
func (x *Index) Choose(name string) (err error) {
	x.Field, err = ChooseField(x.Fields(), name)
	return err
}

// Find returns the segment of a global docID, and the local docID.
func (x *Index) Find(doc uint32) (g *Segment, local uint32, ok bool) {
	for _, g := range x.Segs {
		if doc >= g.Base && doc-g.Base < g.Meta().Docs {
			return g, doc - g.Base, true
		}
	}
	return nil, 0, false
}

// FindID returns the place of the document with an external id. It prefers one that is not deleted.
func (x *Index) FindID(id string) (at *Segment, local uint32, err error) {
	for _, g := range x.Segs {
		doc, ok, err := g.Documents().FindID([]byte(id))
		if err != nil {
			return nil, 0, err
		}
		if ok && (at == nil || !g.Deleted(doc)) {
			at, local = g, doc
		}
	}
	if at == nil {
		return nil, 0, fmt.Errorf("%w %s", ErrNoDocument, cli.Quote(id))
	}
	return at, local, nil
}

// ErrNoDocument is matched by the error for an id that no document has.
var ErrNoDocument = errors.New("no document")

// DF returns the document frequency of a term in the field with an id, without deleted documents.
func (x *Index) DF(field uint32, term []byte) (df uint64, err error) {
	for _, g := range x.Segs {
		e, ok, err := LookupIn(g.Segment, field, term)
		if err != nil {
			return 0, err
		}
		if !ok {
			continue
		}
		live, err := g.Deletes.Live(g.Segment, e)
		if err != nil {
			return 0, err
		}
		df += uint64(live)
	}
	return df, nil
}

// size returns the bytes of the files that the newest commit names.
func (x *Index) size() (n int64) {
	for i := range x.Files {
		n += x.Files[i].Size()
	}
	if x.Manifest == nil || x.how == All {
		return n
	}
	for _, name := range manifestNames(x.Manifest.Generation) {
		if st, err := os.Stat(filepath.Join(x.Path, name)); err == nil { // not behind a URL
			n += st.Size()
		}
	}
	return n
}
