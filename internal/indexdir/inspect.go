package indexdir

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// Inventory lists what a directory holds, damaged or not. Only Dir.Salvage changes it.
type Inventory struct {
	// Manifests are the files of manifests, the newest commit first.
	Manifests []ManifestState
	// Files are the segment, deletes and values files, in the order of their numbers.
	Files []FileState

	generation, next uint64 // above all that are there; next also above those that manifests tell of
}

// ManifestState is one file of a manifest.
type ManifestState struct {
	Name       string
	Generation uint64 // by its name
	// Manifest is nil if the file cannot be read.
	Manifest *Manifest
	// Err says what is damaged. If Manifest is not nil, it is that of the file after Mends.
	Err   error
	Mends []format.Mend
}

// FileState is one segment, deletes or values file.
type FileState struct {
	Name   string // as manifests name it
	Number uint64
	Kind   format.Kind // by its name
	// Temp is whether it has its temporary name: it was never committed, or a crash
	// followed soon after.
	Temp bool
	ID   format.ID
	// Docs is the number of documents of a segment or, of a deletes file, of deleted
	// documents. It is 0 for a values file. Postings and Tokens are those of a segment.
	Docs             uint32
	Postings, Tokens uint64
	// Err says what is damaged. If there are Mends, the rest is about the file after them,
	// in which every checksum holds; a Recovery has it written again.
	Err   error
	Mends []format.Mend

	ownID             format.ID // the random one of a deletes or values file
	fileLen, tail     int64     // of a segment
	analyzer, options string
	fields            []schema.Field // of a segment with a schema
	known             Known          // of a segment
	mend              Mender         // of a segment; nil if damaged ones stay so
	left              *leftState     // of a segment: Docs, Postings, Tokens and ID are of what is left then
}

// Inspect lists the files of a directory and checks them. Of segments it reads what
// opening them reads; check, if not nil, checks the rest (check.Segment), and mend, if not nil,
// mends those that are damaged (mending.Mend). Damage is in the Inventory; an error is of the operating system, of ctx, or of kind
// format.ErrNotAnIndex if there is no trace of an index. If a writer in another process
// removes a file meanwhile, Inspect starts again.
func (d *Dir) Inspect(ctx context.Context, check func(context.Context, *segment.Segment) error, mend Mender) (*Inventory, error) {
	ctx = orBackground(ctx)
	if err := d.err("read"); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		l, err := list(d.fs)
		if err != nil {
			return nil, err
		}
		inv, err := d.inspect(ctx, l, check, mend)
		if !errors.Is(err, fs.ErrNotExist) || attempt == retries {
			return inv, err
		}
		if now, e := list(d.fs); e != nil || sameNames(l, now) {
			return nil, cmp.Or(e, err)
		}
	}
}

func sameNames(a, b *listing) bool {
	return slices.Equal(slices.Sorted(slices.Values(a.names)), slices.Sorted(slices.Values(b.names)))
}

// inspect is Inspect of the files in a listing.
func (d *Dir) inspect(ctx context.Context, l *listing, check func(context.Context, *segment.Segment) error, mend Mender) (*Inventory, error) {
	if l.found == "" {
		return nil, l.noManifest()
	}
	inv := &Inventory{next: 1}
	for _, name := range l.names {
		n, ok := parseName(name)
		switch {
		case !ok:
		case n.isManifest():
			inv.generation = max(inv.generation, n.num)
			if n.temp {
				continue // from before the commit
			}
			m := inspectManifest(d.fs, name, n.num)
			if m.Err != nil && !isDamage(m.Err) {
				return nil, m.Err
			}
			if m.Manifest != nil {
				inv.next = max(inv.next, m.Manifest.NextFile) // files with lower numbers may be gone
			}
			inv.Manifests = append(inv.Manifests, m)
		default:
			inv.next = max(inv.next, n.num+1)
			f := FileState{Name: n.String(), Number: n.num, Kind: format.KindSegment, Temp: n.temp}
			switch n.prefix {
			case deletesPrefix:
				f.Kind = format.KindDeletes
			case valuesPrefix:
				f.Kind = format.KindValues
			}
			inv.Files = append(inv.Files, f)
		}
	}
	slices.SortFunc(inv.Manifests, func(a, b ManifestState) int {
		return cmp.Or(cmp.Compare(b.Generation, a.Generation), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(inv.Files, func(a, b FileState) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Name, b.Name))
	})
	for i := range inv.Files {
		f := &inv.Files[i]
		switch f.Kind {
		case format.KindSegment:
			f.known, f.mend = inv.knownOf(f.Number), mend
			f.Err = f.segment(ctx, d, check)
		case format.KindDeletes:
			if _, err := f.deletes(d, math.MaxUint32); err != nil {
				f.Err, f.Mends = err, nil
			}
		case format.KindValues:
			if _, err := f.values(d, nil); err != nil {
				f.Err, f.Mends = err, nil
			}
		}
		if f.Err != nil && !isDamage(f.Err) {
			return nil, f.Err
		}
	}
	if err := inv.guessAnalyzers(ctx, d, check); err != nil {
		return nil, err
	}
	if err := inv.guessFields(ctx, d, check); err != nil {
		return nil, err
	}
	return inv, inv.checkValues(d)
}

// isDamage reports whether an error says what a file holds, rather than that it could
// not be read just now. Faults of a failing disk are damage too: files are mapped.
func isDamage(err error) bool {
	var e *format.Error
	return errors.As(err, &e)
}

// segment checks a segment file and fills in f. If the file is damaged, it checks what the Mender
// makes of it, and returns what is damaged all the same.
func (f *FileState) segment(ctx context.Context, d *Dir, check func(context.Context, *segment.Segment) error) (err error) {
	defer CatchFault(ArmFault(), &err)
	data, err := d.OpenFile(f.Name)
	if err != nil {
		return err
	}
	defer data.Close()
	s, err := segment.Open(f.Name, data)
	if err == nil {
		f.describe(s)
		if check != nil {
			err = check(ctx, s)
		}
	}
	if !isDamage(err) {
		return err
	}
	s, mends, e := f.openMended(data)
	if s == nil || e != nil {
		return cmp.Or(e, err)
	}
	if check != nil {
		if e := check(ctx, s); e != nil {
			return e
		}
	}
	f.describe(s)
	f.Mends = mends
	return err
}

// describe fills in f from a segment.
func (f *FileState) describe(s *segment.Segment) {
	m := s.Meta()
	f.fields = nil
	if m.Fields > 0 {
		for _, x := range s.Fields() {
			f.fields = append(f.fields, x.Field)
		}
	}
	f.fileLen, f.tail = s.Header().FileLen, s.Header().Tail()
	f.ID, f.Docs, f.Postings, f.Tokens, f.analyzer, f.options = s.Header().ID, m.Docs, m.Postings, m.Tokens, m.Analyzer, m.AnalyzerOptions
}

// open opens a segment file that is sound or can be mended, or what is left of it.
func (f *FileState) open(d *Dir) (s *segment.Segment, data store.Data, err error) {
	name := f.Name
	if f.left != nil {
		d, name = f.left.Dir, f.left.file
	}
	if data, err = d.OpenFile(name); err != nil {
		return nil, nil, err
	}
	if len(f.Mends) == 0 {
		s, err = segment.Open(name, data)
	} else if s, _, err = f.openMended(data); s == nil && err == nil {
		err = f.Err // it has changed
	}
	if err != nil {
		data.Close()
		return nil, nil, err
	}
	return s, data, nil
}

// deletes reads a deletes file of a segment of docs documents and fills in f.
func (f *FileState) deletes(d *Dir, docs uint32) (bm *docset.Bits, err error) {
	defer CatchFault(ArmFault(), &err)
	data, err := d.OpenFile(f.Name)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	h, b, off, err := readSection(f.Name, data, format.KindDeletes, format.SectionDeletes)
	if isDamage(err) {
		if h != nil { // so that a repair says of which segment the deletes are lost
			f.ID = h.ID
		}
		was, mends, e := mendSection(f.Name, data, format.KindDeletes, format.SectionDeletes, format.ID{})
		if e != nil {
			return nil, err
		}
		f.Err, f.Mends = err, mends
		h, b, off, err = readSection(f.Name, was, format.KindDeletes, format.SectionDeletes)
	}
	if err != nil {
		return nil, err
	}
	f.ID = h.ID
	if f.ownID, b, off, err = deletesID(h.Version, b, off); err == nil {
		bm, err = decodeDeletes(b, off, docs)
	}
	if err != nil {
		return nil, format.Locate(err, format.Place{File: f.Name, Section: format.SectionDeletes.String(), Block: format.NoBlock})
	}
	f.Docs = min(bm.Len(), codec.MaxDoc+1)
	return bm, nil
}

// inspectManifest reads a file of a manifest, mended if need be.
func inspectManifest(fsys store.ReadFS, name string, gen uint64) ManifestState {
	s := ManifestState{Name: name, Generation: gen}
	if s.Manifest, _, s.Err = readManifestFile(fsys, name, gen); s.Err == nil {
		return s
	}
	if m, mends, err := mendManifest(fsys, name); err == nil && m.Generation == gen {
		s.Manifest, s.Mends = m, mends
	}
	return s
}

// mendManifest reads a damaged file of a manifest.
func mendManifest(fsys store.ReadFS, name string) (m *Manifest, mends []format.Mend, err error) {
	defer CatchFault(ArmFault(), &err)
	data, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer data.Close()
	b, mends, err := mendSection(name, data, format.KindManifest, format.SectionManifest, format.ID{})
	if err != nil {
		return nil, nil, err
	}
	m, err = ReadManifest(name, b)
	return m, mends, err
}

// Recovery is an index that Repair can make of a directory.
type Recovery struct {
	// Manifest has the segments. Its Generation is that of the commit restored, 0 if
	// it is rebuilt from segments.
	Manifest *Manifest
	// Missing says which files of the commit are missing or damaged. If there are any,
	// it cannot be restored.
	Missing []error
	// Dropped says which segments a rebuilt index lacks, and Notes what else is lost.
	Dropped []Dropped
	Notes   []Dropped

	deletes    map[uint64]*docset.Bits // to be written, by the number of the segment
	decided    bool                    // whether the schema is that of a manifest, or of the first segment
	toldFields uint32                  // ids of fields below it are those of the manifest, or of dropped ones
}

// Dropped is a file and what is said about it.
type Dropped struct {
	File, Reason string
}

// Live returns the number of documents that are not deleted.
func (r *Recovery) Live() (n uint64) {
	for _, s := range r.Manifest.Segments {
		n += uint64(s.Docs - s.Deleted)
	}
	return n
}

// Commits returns the commits whose manifest can be read, mended perhaps, newest first.
func (inv *Inventory) Commits() []*Recovery {
	var out []*Recovery
	for _, withFlip := range []bool{false, true} {
		for i := range inv.Manifests {
			s := &inv.Manifests[i]
			if s.Manifest == nil || (s.Err != nil) != withFlip ||
				slices.ContainsFunc(out, func(r *Recovery) bool { return r.Manifest.Generation == s.Generation }) {
				continue
			}
			out = append(out, &Recovery{Manifest: s.Manifest, Missing: inv.missing(s.Manifest), Notes: inv.mendsOf(s.Manifest)})
		}
	}
	slices.SortFunc(out, func(a, b *Recovery) int { return cmp.Compare(b.Manifest.Generation, a.Manifest.Generation) })
	return out
}

// missing returns what is wrong with the files that m names.
func (inv *Inventory) missing(m *Manifest) (errs []error) {
	for i := range m.Segments {
		s := &m.Segments[i]
		f, err := inv.file(SegmentName(s.File))
		if err == nil && (f.ID != s.ID || s.FileLen != 0 && f.fileLen != s.FileLen || f.Docs != s.Docs || f.Postings != s.Postings || f.Tokens != s.Tokens) {
			err = format.Locate(format.Corrupt("it is not the segment that the manifest names"), format.Place{File: f.Name, Block: format.NoBlock})
		}
		if err != nil {
			errs = append(errs, err)
		}
		if s.ValuesFile != 0 {
			f, err := inv.file(ValuesName(s.ValuesFile))
			if err == nil && (f.ID != s.ID || f.ownID != s.ValuesID) {
				err = format.Locate(format.Corrupt("it is not the values file that the manifest names"), format.Place{File: f.Name, Block: format.NoBlock})
			}
			if err != nil {
				errs = append(errs, err)
			}
		}
		if s.DeletesFile == 0 {
			continue
		}
		f, err = inv.file(DeletesName(s.DeletesFile))
		if err == nil && (f.ID != s.ID || f.Docs != s.Deleted || f.ownID != s.DeletesID) {
			err = format.Locate(format.Corrupt("it is not the deletes file that the manifest names"), format.Place{File: f.Name, Block: format.NoBlock})
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// mendsOf says what is mended of the files that m names.
func (inv *Inventory) mendsOf(m *Manifest) (notes []Dropped) {
	for _, name := range m.Files() {
		if f := inv.mended(name); f != nil {
			notes = append(notes, f.mendNotes()...)
		}
	}
	return notes
}

// mendNotes says what is mended of f.
func (f *FileState) mendNotes() (notes []Dropped) {
	for _, m := range f.Mends {
		notes = append(notes, Dropped{f.Name, m.String()})
	}
	return notes
}

// file returns the state of a file that is sound or can be mended, or what is wrong with it.
func (inv *Inventory) file(name string) (*FileState, error) {
	for i := range inv.Files {
		if f := &inv.Files[i]; f.Name == name {
			if len(f.Mends) > 0 {
				return f, nil
			}
			return f, f.Err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// errChoice is returned for a Recovery that cannot be applied.
var errChoice = errors.New("store: files of this commit are missing or damaged")
