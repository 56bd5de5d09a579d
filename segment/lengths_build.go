package segment

import (
	"encoding/binary"
	"fmt"
)

// LengthSource gives the lengths of the documents of a segment that is being
// built. It is used from several goroutines at once.
type LengthSource interface {
	// Len returns the number of documents.
	Len() int
	// GatherLengths sets dst[i] to the length of docs[i], for ascending docs below
	// Len. dst is at least as long as docs.
	GatherLengths(dst, docs []uint32)
}

// Lengths is a LengthSource in memory.
type Lengths []uint32

// Len returns the number of documents.
func (l Lengths) Len() int { return len(l) }

// GatherLengths sets dst[i] to the length of docs[i].
func (l Lengths) GatherLengths(dst, docs []uint32) {
	dst = dst[:len(docs)]
	for i, d := range docs {
		dst[i] = l[d]
	}
}

const lengthChunk = 4096

// eachLength calls f with the lengths of all documents, a chunk at a time.
func eachLength(src LengthSource, f func(lengths []uint32) error) error {
	docs, lens := make([]uint32, lengthChunk), make([]uint32, lengthChunk)
	for first, n := 0, src.Len(); first < n; first += lengthChunk {
		docs = docs[:min(lengthChunk, n-first)]
		for i := range docs {
			docs[i] = uint32(first + i)
		}
		src.GatherLengths(lens, docs)
		if err := f(lens[:len(docs)]); err != nil {
			return err
		}
	}
	return nil
}

// scanLengths sets the fields of m that depend on document lengths.
func scanLengths(m *Meta, src LengthSource) {
	m.MinLen = ^uint32(0)
	eachLength(src, func(lengths []uint32) error {
		for _, v := range lengths {
			m.Tokens += uint64(v)
			m.MinLen, m.MaxLen = min(m.MinLen, v), max(m.MaxLen, v)
		}
		return nil
	})
	m.MinLen = min(m.MinLen, m.MaxLen)
	m.LenWidth = lengthWidth(m.MaxLen)
}

// writeLengths writes section DOCLENGTHS.
func (b *Builder) writeLengths() error {
	var buf []byte
	return eachLength(b.o.Lengths, func(lengths []uint32) error {
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
