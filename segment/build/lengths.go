package build

import (
	"encoding/binary"
	"fmt"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

// lengths are the lengths of all documents of a segment, in tables one after another.
type lengths struct {
	docs  int
	parts []lengthPart
}

type lengthPart struct {
	base, end uint32 // docIDs
	width     int
	b         []byte // little-endian
}

func newLengths(tables []segment.LengthTable) *lengths {
	l := new(lengths)
	for _, t := range tables {
		if n := t.Len(); n > 0 {
			l.parts = append(l.parts, lengthPart{uint32(l.docs), uint32(l.docs + n), t.Width(), t.Bytes()})
			l.docs += n
		}
	}
	return l
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
	case 1:
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

// scanLengths sets the fields of m that depend on document lengths.
func scanLengths(m *segment.Meta, src *lengths) {
	m.MinLen = ^uint32(0)
	eachLength(src, func(lengths []uint32) error {
		for _, v := range lengths {
			m.Tokens += uint64(v)
			m.MinLen, m.MaxLen = min(m.MinLen, v), max(m.MaxLen, v)
		}
		return nil
	})
	m.MinLen = min(m.MinLen, m.MaxLen)
	m.LenWidth = layout.LengthWidth(m.MaxLen)
}

// writeLengths writes section DOCLENGTHS.
func (b *Builder) writeLengths() error {
	var buf []byte
	return eachLength(b.lengths, func(lengths []uint32) error {
		buf = buf[:0]
		for _, v := range lengths {
			if v < b.meta.MinLen || v > b.meta.MaxLen {
				return fmt.Errorf("segment: length %d was not there when the segment was begun", v)
			}
			switch b.meta.LenWidth {
			case 1:
				buf = append(buf, byte(v))
			case 2:
				buf = binary.LittleEndian.AppendUint16(buf, uint16(v))
			default:
				buf = binary.LittleEndian.AppendUint32(buf, v)
			}
		}
		_, err := b.w.Write(buf)
		return err
	})
}
