package salvage

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/sections"
	"github.com/pinion-index/pinion/segment"
)

// derive makes the damaged sections that sound ones imply: IDINDEX and IDHASH from IDS, TERMINDEX
// from TERMS, and DOCLENGTHS from the lists. META is sound. It sets sound for those that their
// checksums confirm, and reports whether there are any.
func (m *mender) derive(sound []bool) (some bool) {
	s, err := segment.Open(m.name, m.p)
	if err != nil {
		return false
	}
	s.Raw().SkipPageChecks() // checksums hold of what is read
	var from []format.SectionID
	for i, sec := range m.h.Sections {
		if sound[i] {
			from = append(from, sec.ID)
		}
	}
	for i, sec := range m.h.Sections {
		if sound[i] {
			continue
		}
		x := New(s, s, func(uint32) bool { return false })
		x.bare = true
		b := deriving{x}.derive(sec.ID, func(id format.SectionID) bool { return slices.Contains(from, id) })
		if int64(len(b)) != sec.Length || len(x.losses) > 0 {
			continue
		}
		b = append(b, make([]byte, sec.PaddedLength()-sec.Length)...)
		if sumOf(b) == sec.Checksum {
			m.p.put(sec.Offset, b)
			sound[i], some = true, true
		}
	}
	return some
}

// deriving is a Source as to the sections that are what others imply.
type deriving struct{ *Source }

// derive returns the content of a section as those that it has imply it, or nil.
func (x deriving) derive(id format.SectionID, has func(format.SectionID) bool) []byte {
	switch {
	case id == format.SectionIDIndex && has(format.SectionIDs):
		return x.idIndex()
	case id == format.SectionIDHash && has(format.SectionIDs):
		return x.idHash()
	case id == format.SectionTermIndex && has(format.SectionTerms):
		return x.termIndex()
	case id == format.SectionDocLengths && has(format.SectionTerms) && has(format.SectionPostings):
		return x.docLengths()
	}
	if row := sections.ToolsOf(id); row != nil && row.Derive != nil {
		return row.Derive(x.s, id, has)
	}
	return nil
}

func (x deriving) idIndex() (b []byte) {
	end := int64(0)
	for span := range x.idBlocks() {
		b = binary.LittleEndian.AppendUint64(b, uint64(span.off))
		end = span.off + int64(len(span.bytes))
	}
	return binary.LittleEndian.AppendUint64(b, uint64(end))
}

func (x deriving) idHash() []byte {
	var keys []uint64
	var hashes []uint32
	for doc, id := range x.ids() {
		hashes = append(hashes, layout.IDHash(id))
		keys = append(keys, layout.IDHashKey(layout.IDHash(id), doc))
	}
	if !x.s.Header().Version.PackedIDs() {
		slices.Sort(keys)
		return words(keys)
	}
	if len(hashes) != int(x.s.Meta().Docs) {
		return nil
	}
	var b bytes.Buffer
	if err := layout.WriteIDTable(&b, hashes); err != nil {
		return nil
	}
	return b.Bytes()
}

func (x deriving) termIndex() []byte {
	var keys, offsets []uint64
	end := int64(0)
	for span, err := range x.termBlocks(x.s.Meta().Terms) {
		if err != nil {
			return nil
		}
		_, first, _ := layout.Head(span.bytes, 0, 0)
		keys, offsets = append(keys, layout.TermKey(first)), append(offsets, uint64(span.off))
		end = span.off + int64(len(span.bytes))
	}
	return words(append(append(keys, offsets...), uint64(end)))
}

// docLengths returns the sums of the frequencies of each document, by field, which its length
// is unless META says that lengths are foreign.
func (x deriving) docLengths() (b []byte) {
	fields, lens := x.s.Fields(), x.sums()
	for i := range fields {
		f := &fields[i]
		if lens[i] == nil {
			continue
		}
		b = append(b, make([]byte, f.LengthsAt-int64(len(b)))...)
		for _, n := range lens[i] {
			if f.Coded() {
				b = append(b, format.EncodeLen(n))
				continue
			}
			var word [4]byte
			binary.LittleEndian.PutUint32(word[:], n)
			b = append(b, word[:f.LenWidth]...)
		}
	}
	return b
}

// words returns the bytes of 64-bit numbers.
func words(all []uint64) (b []byte) {
	for _, w := range all {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}
