package indexdir

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// OpenSegment opens segment i, with the values that were changed in place, and checks it against the manifest
// (Manifest.CheckSegment). data is the segment's file, which the caller closes.
func (c *Commit) OpenSegment(i int) (s *segment.Segment, data store.Data, err error) {
	if err := c.err(); err != nil {
		return nil, nil, err
	}
	return openChanged(c.dir.fs, c.Manifest, i)
}

// OpenSegmentAs is OpenSegment of the segment's file alone, which is in memory as a says. If that cannot be
// done here, the error matches errors.ErrUnsupported.
func (c *Commit) OpenSegmentAs(a store.Access, i int) (s *segment.Segment, data store.Data, err error) {
	if err := c.err(); err != nil {
		return nil, nil, err
	}
	return openSegment(accessed(c.dir.fs, a), c.Manifest, i)
}

// OpenSegment opens segment i of m, committed or not, with the values that were changed in place, and checks it against m
// (Manifest.CheckSegment). data is the segment's file, which the caller closes.
func (l *Lock) OpenSegment(m *Manifest, i int) (s *segment.Segment, data store.Data, err error) {
	if l.dir == nil { // the zero Lock
		return nil, nil, l.isClosed()
	}
	if m == nil || i < 0 || i >= len(m.Segments) {
		return nil, nil, fmt.Errorf("%w: no segment %d", store.ErrInvalid, i)
	}
	return openChanged(l.fs, m, i)
}

// openChanged is openSegment, with the values that were changed in place.
func openChanged(fs store.ReadFS, m *Manifest, i int) (*segment.Segment, store.Data, error) {
	s, data, err := openSegment(fs, m, i)
	if err != nil {
		return nil, nil, err
	}
	v, err := valuesOf(fs, &m.Segments[i], s)
	if err != nil {
		data.Close()
		return nil, nil, err
	}
	return changed(s, v), data, nil
}

func openSegment(fs store.ReadFS, m *Manifest, i int) (s *segment.Segment, data store.Data, err error) {
	name := SegmentName(m.Segments[i].File)
	if data, err = openFile(fs, name); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			s = nil
			data.Close()
			data = nil
		}
	}()
	defer CatchFault(ArmFault(), &err)
	m.Segments[i].prefetch(data)
	if s, err = segment.Open(name, data); err == nil {
		err = m.CheckSegment(i, s)
	}
	return s, data, err
}

// Of a segment that is read on demand, opening it reads what every query needs, if that is not
// more than takes as long as another read: a file of up to wholeMost bytes whole, of others the
// front and a tail of up to tailMost bytes. Of a longer tail it reads what opening needs.
const (
	wholeMost = 512 << 10
	tailMost  = 4 << 20
)

// prefetch begins to read what opening the segment reads, if data is read on demand.
func (info *SegmentInfo) prefetch(data store.Data) {
	d, ok := data.(segment.OnDemand)
	if !ok || info.FileLen != d.Size() {
		return
	}
	switch tail := info.FileLen - info.Tail; {
	case info.FileLen <= wholeMost:
		d.Fetch([]segment.Range{{Len: info.FileLen, Guess: true}})
	case info.Tail > 0 && tail <= tailMost:
		d.Fetch([]segment.Range{{Len: format.PageSize}, {Off: info.Tail, Len: tail, Guess: true}})
	}
}

// CheckSegment returns an error of kind format.ErrCorrupt unless s matches entry
// i of m: its id, length and tail; its numbers of documents, postings and tokens; the name and
// options of the analyzer; and the properties and statistics of fields.
func (m *Manifest) CheckSegment(i int, s *segment.Segment) error {
	info, meta := &m.Segments[i], s.Meta()
	name, options := m.Analyzer()
	var e *format.Error
	switch {
	case s.Header().ID != info.ID:
		e = format.Corrupt("the file has id %x, the manifest says %x", s.Header().ID, info.ID)
	case info.FileLen != 0 && s.Header().FileLen != info.FileLen:
		e = format.Corrupt("%d bytes, the manifest says %d", s.Header().FileLen, info.FileLen)
	case info.Tail != 0 && s.Header().Tail() != info.Tail:
		e = format.Corrupt("a tail at %d, the manifest says %d", s.Header().Tail(), info.Tail)
	case meta.Docs != info.Docs || meta.Postings != info.Postings || meta.Tokens != info.Tokens:
		e = format.Corrupt("%d documents, %d postings, %d tokens; the manifest says %d, %d, %d",
			meta.Docs, meta.Postings, meta.Tokens, info.Docs, info.Postings, info.Tokens)
	case meta.Analyzer != name || meta.AnalyzerOptions != options:
		e = format.Corrupt("made by analyzer %q (%q), the index by %q (%q)", meta.Analyzer, meta.AnalyzerOptions, name, options)
	default:
		if e = m.checkFields(info, s); e == nil {
			return nil
		}
	}
	e.File = s.Name()
	return e
}

// CheckDeletes returns an error of kind format.ErrCorrupt unless the tokens of the
// documents in deleted, those of segment i, are as many as m says, in each field. s is the
// segment.
func (m *Manifest) CheckDeletes(i int, s *segment.Segment, deleted []uint64) (err error) {
	defer CatchFault(ArmFault(), &err)
	info := &m.Segments[i]
	is := *info
	if err := is.CountDeleted(s, deleted); err != nil {
		return err
	}
	var e *format.Error
	switch {
	case is.DeletedTokens != info.DeletedTokens:
		e = format.Corrupt("the deleted documents have %d tokens, the manifest says %d", is.DeletedTokens, info.DeletedTokens)
	case !slices.Equal(is.Fields, info.Fields):
		e = format.Corrupt("statistics of fields and their deleted documents are %v, the manifest says %v", is.Fields, info.Fields)
	default:
		return nil
	}
	e.File = DeletesName(info.DeletesFile)
	return e
}
