package store

import (
	"bytes"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/salvage"
)

// openMended is open for a segment that is damaged. It returns nil if the file cannot be
// made whole.
func (f *FileState) openMended(data Data) (*segment.Segment, []format.Mend, error) {
	m, err := salvage.Mend(f.Name, data, f.known)
	if err != nil || !m.Whole {
		if isDamage(err) {
			err = nil
		}
		return nil, nil, err
	}
	s, err := segment.Open(f.Name, m.Data)
	return s, m.Mends, err
}

// mended returns the state of a file that can be mended, or nil.
func (inv *Inventory) mended(name string) *FileState {
	f, err := inv.file(name)
	if err != nil || len(f.Mends) == 0 {
		return nil
	}
	return f
}

// knownOf returns what the newest manifest that names segment num knows of it.
func (inv *Inventory) knownOf(num uint64) (k salvage.Known) {
	for i := range inv.Manifests {
		m := inv.Manifests[i].Manifest
		if m == nil {
			continue
		}
		if k.Analyzer == "" {
			k.Analyzer, k.AnalyzerOptions = m.Analyzer, m.AnalyzerOptions
		}
		for _, s := range m.Segments {
			if s.File == num {
				return salvage.Known{ID: s.ID, Postings: s.Postings, Tokens: s.Tokens, Analyzer: m.Analyzer, AnalyzerOptions: m.AnalyzerOptions}
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

// writeMended writes a mended segment to a new file and returns its number.
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

// mendSection returns a manifest or deletes file, which has the given kind and only section
// sec, as it was. Front and footer are what format.MendFront gives back, padding is
// zeros, and one bit of the section is flipped back if its checksum then holds. id is the
// file's if it is known. The error is that of opening the file.
func mendSection(name string, d Data, kind format.Kind, sec format.SectionID, id format.ID) (content, []format.Mend, error) {
	raw, err := d.Range(0, d.Size())
	if err != nil {
		return nil, nil, err
	}
	is := bytes.Clone(raw) // the file may change
	size := int64(len(is))
	tables := func(v format.Version, yield func([]format.Section) bool) {
		at := v.LeastFront(1)
		end := size - format.FooterSize
		if end <= at {
			return
		}
		sum := xxhash.Sum64(is[at:end])
		for n := max(0, end-at-format.ReadablePadding-v.Align()+1); n <= end-at-format.ReadablePadding; n++ {
			s := v.NewSection(sec, at, n)
			if s.Checksum = sum; s.End() == end && !yield([]format.Section{s}) {
				return
			}
		}
	}
	front, err := format.MendFront(name, size, is[:min(size, format.PageSize)], is[max(0, size-format.FooterSize):], kind, id, tables)
	if err != nil {
		return nil, nil, err
	}
	h := front.Header
	if !front.Sure || len(h.Sections) != 1 || h.FileLen > 2*size {
		e := format.Corrupt("what is left of it does not say what it was")
		return nil, nil, format.Locate(e, format.Place{File: name, Block: format.NoBlock})
	}
	was := append(make([]byte, 0, h.FileLen), is[:min(size, h.FileLen)]...)[:h.FileLen]
	copy(was, front.Page)
	copy(was[h.FileLen-format.FooterSize:], front.Foot)
	s := h.Sections[0]
	b := was[s.Offset : s.Offset+s.PaddedLength()]
	mends := front.Mends
	if xxhash.Sum64(b) != s.Checksum {
		old := bytes.Clone(b)
		clear(b[s.Length:])
		if !flipSection(b, s) {
			e := format.Corrupt("section checksum does not match")
			return nil, nil, format.Locate(e, format.Place{File: name, Section: s.ID.String(), Block: format.NoBlock})
		}
		if m, ok := format.MendOf(s.ID.String(), s.Offset, old, b); ok {
			m.Sure = true
			mends = append(slices.Clone(mends), m)
		}
	}
	return was, mends, nil
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
		return nil, outside("", off, n, int64(len(c)))
	}
	return c[off : off+n], nil
}

// MendDeletes is Deletes for a damaged file. It returns also what it mended.
func (c *Commit) MendDeletes(i int) (bm *roaring.Bitmap, mends []format.Mend, err error) {
	defer CatchFault(ArmFault(), &err)
	if err := c.err(); err != nil {
		return nil, nil, err
	}
	s := &c.Segments[i]
	name := DeletesName(s.DeletesFile)
	data, err := c.dir.OpenFile(name)
	if err != nil {
		return nil, nil, err
	}
	defer data.Close()
	was, mends, err := mendSection(name, data, format.KindDeletes, format.SectionDeletes, s.ID)
	if err != nil {
		return nil, nil, err
	}
	bm, err = ReadDeletes(name, was, s)
	return bm, mends, err
}
