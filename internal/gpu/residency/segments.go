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
	Of      *reader.Segment // with Seg, to find it again in another snapshot; may be nil
	Number  int             // the same in all snapshots that have the segment, and no other's
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

// View is what jobs take for one segment: some adjacent ones, whose lists are joined.
type View struct {
	Number     int       // the same in all snapshots that have the segments in one view, and no other's
	Base, Docs uint32    // its documents
	index      int       // among the views of the snapshot
	First      int       // index of its first segment
	Parts      []Segment // its segments
}

// A list of leastJoined postings or more is resident. A view has fewer segments, so one of
// the parts of such a list has more than one posting.
const leastJoined = 128

// joinedTimes is how many times as many documents as those behind it a view has at least. So the lists of a large one stay on the device
// when a commit adds a few documents: those are joined with others as few.
const joinedTimes = 8

// Join returns views of segments, numbered from 0: one for each if apart, and otherwise as joinedTimes says. Where that allows it, segments
// are of one view.
func Join(segs []Segment, apart bool) (views []View) {
	sizes := make([]uint32, len(segs))
	for i, s := range segs {
		sizes[i] = s.Seg.Meta().Docs
	}
	for _, r := range runs(sizes, apart) {
		parts := segs[r.first:r.end]
		views = append(views, View{Number: len(views), Base: parts[0].Base, Docs: r.docs, index: len(views), First: r.first, Parts: parts})
	}
	return views
}

// run are adjacent segments.
type run struct {
	first, end int
	docs       uint32
}

// runs divides segments of so many documents into those of views.
func runs(sizes []uint32, apart bool) (all []run) {
	for i, docs := range sizes {
		r := run{i, i + 1, docs}
		for n := len(all) - 1; n >= 0 && !apart; n-- {
			before := all[n]
			if uint64(before.docs) > joinedTimes*max(uint64(r.docs), 1) || r.end-before.first >= leastJoined {
				break
			}
			r.first, r.docs = before.first, before.docs+r.docs
			all = all[:n]
		}
		all = append(all, r)
	}
	return all
}

// Same reports whether two views, of the same snapshot or another, have the same segments.
func (v *View) Same(o *View) bool {
	return slices.EqualFunc(v.Parts, o.Parts, func(a, b Segment) bool { return a.Number == b.Number })
}

// compactBit marks keys of lists whose first part is compact: its offset is one in TERMS.
const compactBit = 1 << 62

// WantOf returns the list on the device with the n postings of parts. It reports false if
// they are too few for one.
func (v *View) WantOf(parts []ListPart, n uint32) (w Want, ok bool) {
	field := v.Parts[parts[0].Seg-v.First].fieldOf(parts[0].Entry)
	if len(v.Parts) == 1 {
		e := parts[0].Entry
		return Want{Key: ListKey{Key: Key{v.Parts[0].Number, e.Offset}, Field: uint32(field), N: e.DF}, View: v.Number, Entry: e}, e.Kind == segment.KindExtent
	}
	if n < leastJoined {
		return w, false
	}
	at := slices.IndexFunc(parts, func(p ListPart) bool { return p.Entry.Kind != segment.KindSingleton })
	w.View = v.Number
	w.Key = ListKey{Key: Key{v.Parts[parts[at].Seg-v.First].Number, parts[at].Entry.Offset}, Field: uint32(field), N: n, parts: v.digest(parts)}
	if parts[at].Entry.Kind == segment.KindCompact {
		w.Key.Offset |= compactBit
	}
	w.Joined = &joined{view: v.index, field: uint32(field), parts: slices.Clone(parts)}
	return w, true
}

// digest returns a hash of parts.
func (v *View) digest(parts []ListPart) uint32 {
	b := make([]byte, 0, 1024)
	for i := range parts {
		e := &parts[i].Entry
		b = binary.AppendUvarint(append(b, byte(e.Kind)), uint64(parts[i].Seg-v.First))
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
