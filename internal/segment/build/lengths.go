package build

import (
	"encoding/binary"
	"fmt"
	"io"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

// lengths are the lengths of all documents of a segment, in tables one after another.
type lengths struct {
	docs  int
	parts []lengthPart
}

type lengthPart struct {
	base, end uint32 // docIDs
	width     int    // 0: all lengths are 1
	b         []byte // little-endian
	coded     bool   // length codes
}

func newLengths(tables []segment.LengthTable) *lengths {
	l := new(lengths)
	for _, t := range tables {
		if n := t.Len(); n > 0 {
			l.parts = append(l.parts, lengthPart{uint32(l.docs), uint32(l.docs + n), t.Width(), t.Bytes(), t.Coded()})
			l.docs += n
		}
	}
	return l
}

// unitLengths returns the lengths of a field without any: all are 1.
func unitLengths(docs uint32) *lengths {
	return newLengths([]segment.LengthTable{segment.UnitLengths(docs)})
}

// gather sets dst[i] to the length of docs[i], for ascending docs that exist.
func (l *lengths) gather(dst, docs []uint32) {
	dst = dst[:len(docs)]
	for len(docs) > 0 {
		i := 0
		if len(l.parts) > 1 {
			i = sort.Search(len(l.parts), func(i int) bool { return docs[0] < l.parts[i].end })
		}
		p := &l.parts[i]
		n := len(docs)
		if docs[n-1] >= p.end {
			n = sort.Search(n, func(i int) bool { return docs[i] >= p.end })
		}
		p.gather(dst[:n], docs[:n])
		dst, docs = dst[n:], docs[n:]
	}
}

func (p *lengthPart) gather(dst, docs []uint32) {
	b, base := p.b, p.base
	dst = dst[:len(docs)]
	switch p.width {
	case 0:
		for i := range docs {
			dst[i] = 1
		}
	case 1:
		if p.coded {
			for i, d := range docs {
				dst[i] = format.DecodeLen(b[d-base])
			}
			return
		}
		for i, d := range docs {
			dst[i] = uint32(b[d-base])
		}
	case 2:
		lens := format.Uint16s(b)
		for i, d := range docs {
			dst[i] = uint32(lens[d-base])
		}
	default:
		lens := format.Uint32s(b)
		for i, d := range docs {
			dst[i] = lens[d-base]
		}
	}
}

const lengthChunk = 4096

// eachLength calls f with the lengths of all documents, a chunk at a time.
func eachLength(src *lengths, f func(lengths []uint32) error) error {
	chunk := min(lengthChunk, src.docs)
	docs, lens := make([]uint32, chunk), make([]uint32, chunk)
	for first, n := 0, src.docs; first < n; first += lengthChunk {
		docs = docs[:min(lengthChunk, n-first)]
		for i := range docs {
			docs[i] = uint32(first + i)
		}
		src.gather(lens, docs)
		if err := f(lens[:len(docs)]); err != nil {
			return err
		}
	}
	return nil
}

// lengthBytes sets where the lengths of each field begin in DOCLENGTHS, and returns its length.
func (b *Builder) lengthBytes() (n int64) {
	for i := range b.fields {
		if f := &b.fields[i]; b.o.Fields == nil || f.HasLengths() {
			f.LengthsAt = (n + layout.LengthsAlign - 1) &^ (layout.LengthsAlign - 1)
			n = f.LengthsAt + int64(b.o.Docs)*int64(f.LenWidth)
		}
	}
	return n
}

// writeLengths writes section DOCLENGTHS.
func (b *Builder) writeLengths() error {
	n := int64(0)
	b.lengthBytes()
	for i := range b.fields {
		f := &b.fields[i]
		if b.o.Fields != nil && !f.HasLengths() {
			continue
		}
		if _, err := b.w.Write(make([]byte, f.LengthsAt-n)); err != nil {
			return err
		}
		if err := f.writeLengths(b.w); err != nil {
			return err
		}
		n = f.LengthsAt + int64(b.o.Docs)*int64(f.LenWidth)
	}
	return nil
}

// writeLengths writes the lengths of f.
func (f *field) writeLengths(w io.Writer) error {
	var buf []byte
	return eachLength(f.lengths, func(lengths []uint32) error {
		buf = buf[:0]
		for _, v := range lengths {
			if v < f.MinLen || v > f.MaxLen {
				return fmt.Errorf("segment: length %d was not there when the segment was begun", v)
			}
			switch {
			case f.Coded():
				buf = append(buf, format.EncodeLen(v))
			case f.LenWidth == 1:
				buf = append(buf, byte(v))
			case f.LenWidth == 2:
				buf = binary.LittleEndian.AppendUint16(buf, uint16(v))
			default:
				buf = binary.LittleEndian.AppendUint32(buf, v)
			}
		}
		_, err := w.Write(buf)
		return err
	})
}
