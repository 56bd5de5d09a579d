package indexdir

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/osdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// Known is what manifests and other segments of an index know of a segment.
type Known struct {
	ID                        format.ID
	Postings, Tokens          uint64
	Analyzer, AnalyzerOptions string
	Schemas                   [][]schema.Field // of which the segment may have one
}

// Mended is a damaged segment as far as what is left of it says what it was.
type Mended struct {
	Mends []format.Mend                    // what differs from the file
	Whole bool                             // every checksum holds
	Open  func() (*segment.Segment, error) // may be called again
}

// Mender mends the segment file behind d, which errors call name.
type Mender func(name string, d store.Data, known Known) (Mended, error)

// openMended is open for a segment that is damaged. It returns nil if the file cannot be
// made whole.
func (f *FileState) openMended(data store.Data) (*segment.Segment, []format.Mend, error) {
	if f.mend == nil {
		return nil, nil, nil
	}
	m, err := f.mend(f.Name, data, f.known)
	if err != nil || !m.Whole {
		if isDamage(err) {
			err = nil
		}
		return nil, nil, err
	}
	s, err := m.Open()
	return s, m.Mends, err
}

// mended returns the state of a file that is to be written again, mended or as what is left of it, or nil.
func (inv *Inventory) mended(name string) *FileState {
	for i := range inv.Files {
		if f := &inv.Files[i]; f.Name == name && (len(f.Mends) > 0 || f.left != nil) {
			return f
		}
	}
	return nil
}

// knownOf returns what the newest manifest that names segment num knows of it.
func (inv *Inventory) knownOf(num uint64) (k Known) {
	for i := range inv.Manifests {
		m := inv.Manifests[i].Manifest
		if m == nil {
			continue
		}
		if !m.Schema.IsImplicit() {
			k.Schemas = append(k.Schemas, m.Schema.Fields)
		}
		if k.Analyzer == "" {
			k.Analyzer, k.AnalyzerOptions = m.Analyzer()
		}
		for _, s := range m.Segments {
			if s.File == num {
				k.ID, k.Postings, k.Tokens = s.ID, s.Postings, s.Tokens
				k.Analyzer, k.AnalyzerOptions = m.Analyzer()
				return k
			}
		}
	}
	return k
}

// guessAnalyzers checks the segments again of which neither META nor a manifest tells the analyzer,
// with those of the other segments: a META made with the right one has the checksum that it had.
func (inv *Inventory) guessAnalyzers(ctx context.Context, d *Dir, check func(context.Context, *segment.Segment) error) error {
	type analyzer struct{ name, options string }
	var known []analyzer
	for i := range inv.Files {
		f := &inv.Files[i]
		if a := (analyzer{f.analyzer, f.options}); a.name != "" && !slices.Contains(known, a) {
			known = append(known, a)
		}
	}
	for i := range inv.Files {
		f := &inv.Files[i]
		if f.Kind != format.KindSegment || f.Err == nil || f.analyzer != "" || f.known.Analyzer != "" {
			continue
		}
		for _, a := range known {
			f.known.Analyzer, f.known.AnalyzerOptions = a.name, a.options
			if f.Err = f.segment(ctx, d, check); f.Err != nil && !isDamage(f.Err) {
				return f.Err
			}
			if f.analyzer != "" {
				break
			}
		}
	}
	return nil
}

// guessFields checks the segments with fields again that are damaged, with the fields of the other segments: META and FIELDS made
// with the right ones have the checksums that they had.
func (inv *Inventory) guessFields(ctx context.Context, d *Dir, check func(context.Context, *segment.Segment) error) error {
	var known [][]schema.Field
	for i := range inv.Files {
		if f := &inv.Files[i]; len(f.fields) > 0 && !slices.ContainsFunc(known, func(k []schema.Field) bool { return slices.Equal(k, f.fields) }) {
			known = append(known, f.fields)
		}
	}
	for i := range inv.Files {
		f := &inv.Files[i]
		if f.Kind != format.KindSegment || f.Err == nil || len(f.Mends) > 0 || len(known) == 0 {
			continue
		}
		f.known.Schemas = append(f.known.Schemas, known...)
		if f.Err = f.segment(ctx, d, check); f.Err != nil && !isDamage(f.Err) {
			return f.Err
		}
	}
	return nil
}

// writeMended writes a mended segment, or what is left of one, to a new file and returns its number.
func (l *Lock) writeMended(ctx context.Context, f *FileState) (num uint64, err error) {
	defer CatchFault(ArmFault(), &err)
	s, data, err := f.open(l.dir)
	if err != nil {
		return 0, err
	}
	defer data.Close()
	num, out, err := l.CreateSegment()
	if err != nil {
		return 0, err
	}
	from := s.Data()
	for off := int64(0); off < from.Size() && err == nil; {
		n := min(from.Size()-off, 1<<20)
		var b []byte
		if b, err = from.Range(off, n); err == nil {
			_, err = out.WriteAt(b, off)
		}
		if err == nil {
			err = ctx.Err()
		}
		off += n
	}
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		l.Discard(num)
		return 0, err
	}
	return num, nil
}

// maxFlip bounds the sections without sums of pages in which a flipped bit is searched for:
// with 64 KiB it takes a few seconds.
const maxFlip = 64 << 10

// behindManifest are the sections that may follow MANIFEST, and mostBehind how many bytes they have at most.
var (
	behindManifest = [][]format.SectionID{nil, {format.SectionAncestry}, {format.SectionCommitMeta}, {format.SectionAncestry, format.SectionCommitMeta}}
	mostBehind     = map[format.SectionID]int64{format.SectionAncestry: format.MaxAncestry, format.SectionCommitMeta: mostMeta}
)

// mendSection returns a manifest or deletes file, which has the given kind and section sec, and in a manifest
// perhaps others behind it, as it was. Front and footer are what format.MendFront gives back, padding is
// zeros, and one bit of a section is flipped back if its checksum then holds. id is the
// file's if it is known. The error is that of opening the file.
func mendSection(name string, d store.Data, kind format.Kind, sec format.SectionID, id format.ID) (content, []format.Mend, error) {
	raw, err := d.Range(0, d.Size())
	if err != nil {
		return nil, nil, err
	}
	is := bytes.Clone(raw) // the file may change
	size := int64(len(is))
	tables := func(v format.Version, yield func([]format.Section) bool) {
		for _, behind := range behindManifest {
			if len(behind) > 0 && (kind != format.KindManifest || isFirst(v)) {
				return
			}
			for table := range tablesOf(v, append([]format.SectionID{sec}, behind...), is, v.LeastFront(1+len(behind)), size-format.FooterSize) {
				if !yield(table) {
					return
				}
			}
		}
	}
	front, err := format.MendFront(name, size, is[:min(size, format.PageSize)], is[max(0, size-format.FooterSize):], kind, id, tables)
	if err != nil {
		return nil, nil, err
	}
	h := front.Header
	if !front.Sure || h.FileLen > 2*size {
		e := format.Corrupt("what is left of it does not say what it was")
		return nil, nil, format.Locate(e, format.Place{File: name, Block: format.NoBlock})
	}
	was := append(make([]byte, 0, h.FileLen), is[:min(size, h.FileLen)]...)[:h.FileLen]
	copy(was, front.Page)
	copy(was[h.FileLen-format.FooterSize:], front.Foot)
	mends := slices.Clone(front.Mends)
	for _, s := range h.Sections {
		b := was[s.Offset:s.End()]
		if xxhash.Sum64(b) == s.Checksum {
			continue
		}
		old := bytes.Clone(b)
		clear(b[s.Length:])
		if !flipSection(b, s) {
			e := format.Corrupt("section checksum does not match")
			return nil, nil, format.Locate(e, format.Place{File: name, Section: s.ID.String(), Block: format.NoBlock})
		}
		if m, ok := format.MendOf(s.ID.String(), s.Offset, old, b); ok {
			m.Sure = true
			mends = append(mends, m)
		}
	}
	return was, mends, nil
}

// tablesOf returns the tables that file b may have if sections of these ids lie from at to end, one behind the other. Of
// COMMITMETA it takes only what can be read.
func tablesOf(v format.Version, ids []format.SectionID, b []byte, at, end int64) iter.Seq[[]format.Section] {
	last := ids[len(ids)-1]
	return func(yield func([]format.Section) bool) {
		if len(ids) == 1 {
			for s := range sectionsOf(v, last, b, at, end) {
				if !yield([]format.Section{s}) {
					return
				}
			}
			return
		}
		for mid := max(at, end-v.PadSection(mostBehind[last])); mid < end; mid += v.Align() {
			for s := range sectionsOf(v, last, b, mid, end) {
				if last == format.SectionCommitMeta && !isMeta(b[s.Offset:s.Offset+s.Length]) {
					continue // of other lengths there could be too many tables
				}
				for table := range tablesOf(v, ids[:len(ids)-1], b, at, mid) {
					if !yield(append(table, s)) {
						return
					}
				}
			}
		}
	}
}

// sectionsOf returns the entries that section id of file b may have if it lies from at to end.
func sectionsOf(v format.Version, id format.SectionID, b []byte, at, end int64) iter.Seq[format.Section] {
	return func(yield func(format.Section) bool) {
		longest := end - at - format.ReadablePadding
		if longest < 0 {
			return
		}
		sum := xxhash.Sum64(b[at:end])
		for n := max(0, longest-v.Align()+1); n <= longest; n++ {
			s := v.NewSection(id, at, n)
			if s.Checksum = sum; s.End() == end && !yield(s) {
				return
			}
		}
	}
}

// flipSection flips one bit of a section back so that its checksum holds, unless it does.
func flipSection(b []byte, s format.Section) bool {
	if xxhash.Sum64(b) == s.Checksum {
		return true
	}
	if s.Length > maxFlip {
		return false
	}
	for i := range b[:s.Length] {
		for bit := range 8 {
			b[i] ^= 1 << bit
			if xxhash.Sum64(b) == s.Checksum {
				return true
			}
			b[i] ^= 1 << bit
		}
	}
	return false
}

// content is a Data in memory.
type content []byte

// Size returns the number of bytes.
func (c content) Size() int64 { return int64(len(c)) }

// Close does nothing.
func (c content) Close() error { return nil }

// Range returns a slice of c.
func (c content) Range(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > int64(len(c))-n {
		return nil, osdir.Outside("", off, n, int64(len(c)))
	}
	return c[off : off+n], nil
}

// MendDeletes is Deletes for a damaged file. It returns also what it mended.
func (c *Commit) MendDeletes(i int) (bm *docset.Bits, mends []format.Mend, err error) {
	if err := c.err(); err != nil {
		return nil, nil, err
	}
	s := &c.Segments[i]
	name := DeletesName(s.DeletesFile)
	mends, err = c.mend(name, format.KindDeletes, format.SectionDeletes, s.ID, func(was store.Data) (err error) {
		bm, err = ReadDeletes(name, was, s)
		return err
	})
	return bm, mends, err
}

// MendValues is Values for a damaged file. It returns also what it mended.
func (c *Commit) MendValues(i int, seg *segment.Segment) (v *segment.Changes, mends []format.Mend, err error) {
	if err := c.err(); err != nil {
		return nil, nil, err
	}
	s := &c.Segments[i]
	name := ValuesName(s.ValuesFile)
	mends, err = c.mend(name, format.KindValues, format.SectionValues, s.ID, func(was store.Data) (err error) {
		v, err = ReadValues(name, was, s, seg)
		return err
	})
	return v, mends, err
}

// mend calls read with what a damaged file of a section was.
func (c *Commit) mend(name string, kind format.Kind, section format.SectionID, id format.ID, read func(was store.Data) error) (mends []format.Mend, err error) {
	defer CatchFault(ArmFault(), &err)
	data, err := c.dir.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	was, mends, err := mendSection(name, data, kind, section, id)
	if err != nil {
		return nil, err
	}
	return mends, read(was)
}
