package build

import (
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

// tailMemory is the default of Options.TailMemory: how many bytes of a list's payload a
// ListEncoder holds before it moves them to temporary files.
const tailMemory = 4 << 20

// tailBlocks is how many blocks of a list are copied, or read back from a file, at once.
const tailBlocks = 1024

// Tail is the payload of a long list in temporary files.
type Tail struct {
	spool             *Spool // nil: no files
	docs, freqs       filePart
	gaps              filePart // of positions; not part of the extent
	docsPad, freqsPad int64    // zeros after each payload
}

// Len returns the number of bytes of the extent.
func (t *Tail) Len() int64 {
	if t == nil {
		return 0
	}
	return t.docs.n + t.docsPad + t.freqs.n + t.freqsPad
}

// copyTo writes the bytes of the extent to w.
func (t *Tail) copyTo(w io.Writer) error {
	if t == nil {
		return nil
	}
	buf := make([]byte, maxPiece)
	for _, part := range []struct {
		filePart
		pad int64
	}{{t.docs, t.docsPad}, {t.freqs, t.freqsPad}} {
		if err := part.copyTo(w, buf); err != nil {
			return err
		}
		if _, err := w.Write(make([]byte, part.pad)); err != nil {
			return err
		}
	}
	return nil
}

// release makes the files available to other lists.
func (t *Tail) release() {
	if t == nil {
		return
	}
	for _, p := range []*filePart{&t.docs, &t.freqs, &t.gaps} {
		if p.file != nil {
			t.spool.put(p.file)
		}
	}
	*t = Tail{}
}

// docWords returns the end of the docIDs' payload, in words.
func (e *ListEncoder) docWords() uint32 { return uint32((e.tail.docs.n + int64(len(e.docsBytes))) / 4) }

// freqWords returns the end of the frequencies' payload, in words.
func (e *ListEncoder) freqWords() uint32 {
	return uint32((e.tail.freqs.n + int64(len(e.freqsBytes))) / 4)
}

// words returns the length of the longer payload, in words.
func (e *ListEncoder) words() int64 {
	return max(e.tail.docs.n+int64(len(e.docsBytes)), e.tail.freqs.n+int64(len(e.freqsBytes))) / 4
}

// spillIfLong moves the payload to temporary files if it is long.
func (e *ListEncoder) spillIfLong() error {
	if len(e.docsBytes)+len(e.freqsBytes)+len(e.gaps.bytes) < e.tailLimit || e.spool == nil {
		return nil
	}
	return e.spill()
}

func (e *ListEncoder) spill() error {
	e.tail.spool = e.spool
	for _, x := range []struct {
		part *filePart
		b    []byte
	}{{&e.tail.docs, e.docsBytes}, {&e.tail.freqs, e.freqsBytes}, {&e.tail.gaps, e.gaps.bytes}} {
		if x.part == &e.tail.gaps && !e.gaps.on {
			continue
		}
		if x.part.file == nil {
			f, err := e.spool.take()
			if err != nil {
				return err
			}
			x.part.file = f
		}
		if err := x.part.write(x.b); err != nil {
			return err
		}
	}
	e.docsBytes, e.freqsBytes, e.gaps.bytes = e.docsBytes[:0], e.freqsBytes[:0], e.gaps.bytes[:0]
	return nil
}

// detachTail moves the rest of the payload to the files of the list. It returns the files,
// padded as y says, and the checksum of the extent that begins with head.
func (e *ListEncoder) detachTail(y *layout.Extent, head []byte) (*Tail, uint64, error) {
	if err := e.spill(); err != nil {
		return nil, 0, err
	}
	t := e.tail
	e.tail = Tail{}
	t.docsPad, t.freqsPad = y.Freqs-y.Docs-t.docs.n, y.Size-y.Freqs-t.freqs.n
	h := xxhash.New()
	h.Write(head[layout.ExtLength:])
	if err := t.copyTo(h); err != nil {
		return nil, 0, err
	}
	return &t, h.Sum64(), nil
}

// eachRow decodes the docIDs of the list's blocks, a row of blocks at a time, and calls f
// with each row in order. The row is valid until the next call.
func (e *ListEncoder) eachRow(f func(docs []uint32)) error {
	if e.tail.docs.file == nil {
		e.docsBytes = slices.Grow(e.docsBytes, format.ReadablePadding)
		seq := format.Sequence{Payload: e.docsBytes, Ends: e.docEnds, Last: e.last, N: e.n}
		return e.decodeRows(&seq, 0, 0, f)
	}
	if err := e.spill(); err != nil {
		return err
	}
	var window []byte
	read := int64(0) // bytes before the window
	ends := make([]uint32, 0, tailBlocks+2)
	for from := 0; from < len(e.last); from += tailBlocks {
		to := min(from+tailBlocks, len(e.last))
		base := e.docEnds[from]
		window = slices.Grow(resize(window, 4*int(e.docEnds[to]-base)), format.ReadablePadding)
		if n, err := e.tail.docs.file.ReadAt(window, read); n < len(window) {
			return fmt.Errorf("segment: reading a long list back: %w", err)
		}
		read += int64(len(window))
		// An empty block precedes the window: the first gap of the window counts from
		// its last docID.
		seq := format.Sequence{Payload: window, Last: e.last[:to], Ends: append(ends[:0], 0), N: min(e.n, to*e.blockLen)}
		before := 0
		if from > 0 {
			before = 1
			seq.Ends, seq.Last, seq.N = append(seq.Ends, 0), e.last[from-1:to], seq.N-(from-1)*e.blockLen
		}
		for _, end := range e.docEnds[from+1 : to+1] {
			seq.Ends = append(seq.Ends, end-base)
		}
		if err := e.decodeRows(&seq, before, from, f); err != nil {
			return err
		}
	}
	return nil
}

// row returns a buffer for a row of docIDs.
func (e *ListEncoder) row() []uint32 {
	if e.decoded == nil {
		e.decoded = make([]uint32, max(segment.RowPostings, e.blockLen))
	}
	return e.decoded
}

// decodeRows decodes the blocks of seq from block from on, which has number first in the
// list.
func (e *ListEncoder) decodeRows(seq *format.Sequence, from, first int, f func(docs []uint32)) error {
	row := e.row()
	blocks := len(row) / e.blockLen
	for b := from; b < len(seq.Last); b += blocks {
		n, err := e.docsCodec.DecodeDocs(row, seq, b, min(blocks, len(seq.Last)-b))
		if err != nil {
			return fmt.Errorf("segment: block %d cannot be read back: %w", first+b-from+n/e.blockLen, err)
		}
		f(row[:n])
	}
	return nil
}
