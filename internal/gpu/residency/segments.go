package residency

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Segment is one segment of the snapshot.
type Segment struct {
	Seg     *segment.Segment
	Base    uint32          // global docID of its first document
	Deletes *reader.Deletes // nil for none
	// Fields are the numbers in Seg of the fields of the index, -1 for one that Seg does not have; nil means that the
	// index has no schema, and so one field.
	Fields []int
}

// FieldsOf returns the number of fields of an index with such segments.
func FieldsOf(segs []Segment) int {
	if len(segs) == 0 || segs[0].Fields == nil {
		return 1
	}
	return len(segs[0].Fields)
}

// In returns what a segment has of a field of the index. ok is false if that is nothing.
func (s *Segment) In(field int) (v segment.FieldView, ok bool) {
	if s.Fields != nil {
		field = s.Fields[field]
	}
	if field < 0 {
		return v, false
	}
	return s.Seg.Field(field), true
}

// fieldOf returns the field of the index that an entry of the segment belongs to.
func (s *Segment) fieldOf(e segment.Entry) int {
	if s.Fields == nil {
		return 0
	}
	return slices.Index(s.Fields, s.Seg.FieldOf(e))
}

// View is what jobs take for one segment.
type View struct {
	Base, Docs uint32    // its documents
	number     int       // index in Executor.views
	First      int       // number of its first segment
	Parts      []Segment // its segments
}

// A list of leastJoined postings or more is resident. A view has fewer segments, so one of
// the parts of such a list has more than one posting.
const leastJoined = 128

// Join returns views of segments: one for each if apart.
func Join(segs []Segment, apart bool) (views []View) {
	most := leastJoined - 1
	if apart {
		most = 1
	}
	for i := 0; i < len(segs); i += most {
		v := View{Base: segs[i].Base, number: len(views), First: i, Parts: segs[i:min(i+most, len(segs))]}
		for _, s := range v.Parts {
			v.Docs += s.Seg.Meta().Docs
		}
		views = append(views, v)
	}
	return views
}

// compactBit marks keys of lists whose first part is compact: its offset is one in TERMS.
const compactBit = 1 << 62

// WantOf returns the list on the device with the n postings of parts. It reports false if
// they are too few for one.
func (v *View) WantOf(parts []ListPart, n uint32) (w Want, ok bool) {
	field := v.Parts[parts[0].Seg-v.First].fieldOf(parts[0].Entry)
	if len(v.Parts) == 1 {
		e := parts[0].Entry
		return Want{Key: ListKey{Key: Key{parts[0].Seg, e.Offset}, Field: uint32(field), N: e.DF}, Entry: e}, e.Kind == segment.KindExtent
	}
	if n < leastJoined {
		return w, false
	}
	at := slices.IndexFunc(parts, func(p ListPart) bool { return p.Entry.Kind != segment.KindSingleton })
	w.Key = ListKey{Key: Key{parts[at].Seg, parts[at].Entry.Offset}, Field: uint32(field), N: n, parts: digestOf(parts)}
	if parts[at].Entry.Kind == segment.KindCompact {
		w.Key.Offset |= compactBit
	}
	w.Joined = &joined{view: v.number, field: uint32(field), parts: slices.Clone(parts)}
	return w, true
}

// digestOf returns a hash of parts.
func digestOf(parts []ListPart) uint32 {
	b := make([]byte, 0, 1024)
	for i := range parts {
		e := &parts[i].Entry
		b = binary.AppendUvarint(append(b, byte(e.Kind)), uint64(parts[i].Seg))
		for _, v := range [...]uint32{e.DF, e.Doc, e.TF, e.Length} {
			b = binary.AppendUvarint(b, uint64(v))
		}
		b = binary.AppendUvarint(b, uint64(e.Offset))
	}
	return uint32(xxhash.Sum64(b))
}

// EachTerm calls f with the lists of each term that has documents, field by field but for those of impacts, and their
// postings.
func (v *View) EachTerm(f func(parts []ListPart, n uint32)) error {
	for field := range FieldsOf(v.Parts) {
		if v.weighs(field) {
			continue // it goes to the device as a whole
		}
		if err := v.eachTerm(field, func(_ []byte, parts []ListPart, n uint32) { f(parts, n) }); err != nil {
			return err
		}
	}
	return nil
}

// eachTerm is EachTerm for a field, with the terms.
func (v *View) eachTerm(field int, f func(term []byte, parts []ListPart, n uint32)) error {
	its := make([]*segment.TermIterator, len(v.Parts)) // nil at its end
	next := func(i int) error {
		if it := its[i]; !it.Next() {
			its[i] = nil
			return it.Err()
		}
		return nil
	}
	for i := range its {
		in, ok := v.Parts[i].In(field)
		if !ok {
			continue
		}
		its[i] = in.Terms(nil)
		if err := next(i); err != nil {
			return err
		}
	}
	var term []byte
	var parts []ListPart
	for {
		least := -1
		for i, it := range its {
			if it != nil && (least < 0 || bytes.Compare(it.Term(), its[least].Term()) < 0) {
				least = i
			}
		}
		if least < 0 {
			return nil
		}
		term, parts = append(term[:0], its[least].Term()...), parts[:0]
		n := uint32(0)
		for i, it := range its {
			if it == nil || !bytes.Equal(it.Term(), term) {
				continue
			}
			e := it.Entry()
			live, err := v.Parts[i].Deletes.Live(v.Parts[i].Seg, e)
			if err != nil {
				return err
			}
			if live > 0 {
				parts = append(parts, ListPart{v.First + i, e})
				n += e.DF
			}
			if err := next(i); err != nil {
				return err
			}
		}
		if n > 0 {
			f(term, parts, n)
		}
	}
}
