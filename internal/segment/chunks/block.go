package chunks

import (
	"errors"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

// ErrMalformed is the error of a block whose bytes mean nothing.
var ErrMalformed = errors.New("malformed block of chunks")

// Block reads the documents of one block. It is fastest in ascending order, which inflates
// nothing twice.
type Block struct {
	docs               uint32
	size               int64  // of the text
	lens, sizes, bytes []byte // varints of documents, varints of chunks, chunks
	dict               []byte

	doc  uint32 // the document at lens[pos], whose text begins at from
	pos  int
	from int64

	next     int64 // the chunk at sizes[nextPos], whose bytes begin at nextAt
	nextPos  int
	nextAt   int
	current  []byte // the bytes of chunk next-1
	plain    bool   // they are the text
	inflated int    // bytes of buf that used bytes of current gave
	used     int
	buf      [Size + slack]byte
	parts    elements // those of current; unless n is 0, buf has parts of their text
}

// SplitDictionary returns the dictionary at the beginning of b and what follows it. more is
// how many bytes of b are wanted if there are too few, and 0 if b cannot be one.
func SplitDictionary(b []byte) (dict, rest []byte, more int) {
	n, pos := layout.Uvarint(b, 0)
	switch {
	case pos < 0 && len(b) < 3:
		return nil, nil, 3
	case pos < 0 || n > MaxDictionary:
		return nil, nil, 0
	case int(n) > len(b)-pos:
		return nil, nil, pos + int(n)
	}
	return b[pos : pos+int(n)], b[pos+int(n):], 0
}

// Open begins to read a block of docs documents. It retains b and dict.
func (b *Block) Open(block []byte, docs uint32, dict []byte) error {
	b.Close()
	pos, size := 0, int64(0)
	for range docs {
		if pos+1 < len(block) && block[pos] >= 0x80 && block[pos+1]-1 < 0x7f { // two bytes, as most
			size += int64(block[pos]&0x7f) | int64(block[pos+1])<<7
			pos += 2
			continue
		}
		n, after := layout.Uvarint(block, pos)
		if after < 0 || n > 1<<32 {
			return ErrMalformed
		}
		size += int64(n)
		pos = after
	}
	if size > layout.MaxInflated && size > 2*int64(len(block)) {
		return ErrMalformed
	}
	lens := block[:pos]
	block = block[pos:]
	sum := int64(0)
	pos = 0
	for at := int64(0); at < size; at += Size {
		n, after := layout.Uvarint(block, pos)
		if after < 0 || n == 0 || int64(n) > min(Size, size-at) {
			return ErrMalformed
		}
		sum += int64(n)
		pos = after
	}
	if sum != int64(len(block)-pos) {
		return ErrMalformed
	}
	b.docs, b.size, b.lens, b.sizes, b.bytes, b.dict = docs, size, lens, block[:pos], block[pos:], dict
	return nil
}

// Size returns the number of bytes of text.
func (b *Block) Size() int64 { return b.size }

// Close lets go of the block. A Block that is closed has no documents.
func (b *Block) Close() {
	b.docs, b.size = 0, 0
	b.lens, b.sizes, b.bytes, b.dict, b.current = nil, nil, nil, nil, nil
	b.rewind()
	b.restart()
}

func (b *Block) rewind()  { b.doc, b.pos, b.from = 0, 0, 0 }
func (b *Block) restart() { b.next, b.nextPos, b.nextAt, b.inflated, b.used = 0, 0, 0, 0, 0 }

// Append appends the text of a document to dst. On an error it returns dst unchanged.
func (b *Block) Append(dst []byte, doc uint32) ([]byte, error) {
	from, to, err := b.Range(doc)
	if err != nil {
		return dst, err
	}
	return b.between(dst, from, to, b.text)
}

// AppendRange appends the bytes from up to to of the text of the block. If they are few, it inflates
// little else. On an error it returns dst unchanged.
func (b *Block) AppendRange(dst []byte, from, to int64) ([]byte, error) {
	if from < 0 || from > to || to > b.size {
		return dst, ErrMalformed
	}
	return b.between(dst, from, to, b.part)
}

// Range returns where the text of a document begins and ends in that of the block.
func (b *Block) Range(doc uint32) (from, to int64, err error) {
	if doc >= b.docs {
		return 0, 0, ErrMalformed
	}
	if doc < b.doc {
		b.rewind()
	}
	for {
		n, after := layout.Uvarint(b.lens, b.pos)
		from := b.from
		b.doc, b.pos, b.from = b.doc+1, after, from+int64(n)
		if b.doc > doc {
			return from, b.from, nil
		}
	}
}

// between appends the bytes from up to to of the text. chunk returns those from lo up to hi of chunk c.
func (b *Block) between(dst []byte, from, to int64, chunk func(c int64, lo, hi int) ([]byte, error)) ([]byte, error) {
	whole := dst
	for c := from / Size; c*Size < to; c++ {
		text, err := chunk(c, int(max(from-c*Size, 0)), int(min(to-c*Size, Size)))
		if err != nil {
			return whole, err
		}
		dst = append(dst, text...)
	}
	return dst, nil
}

// seek makes chunk c the current one.
func (b *Block) seek(c int64) {
	if c < b.next-1 {
		b.restart()
	}
	for b.next <= c {
		n, after := layout.Uvarint(b.sizes, b.nextPos)
		b.current = b.bytes[b.nextAt : b.nextAt+int(n)]
		b.plain = int64(n) == min(Size, b.size-b.next*Size)
		b.next, b.nextPos, b.nextAt = b.next+1, after, b.nextAt+int(n)
		b.inflated, b.used, b.parts.n = 0, 0, 0
	}
}

// chunk returns the bytes from lo up to hi of chunk c, and inflates all before hi.
func (b *Block) chunk(c int64, lo, hi int) ([]byte, error) {
	b.seek(c)
	if b.plain {
		return b.current[lo:hi], nil
	}
	size := int(min(Size, b.size-c*Size))
	if b.inflated < hi {
		b.inflated, b.used = inflate(b.buf[:size+slack], b.inflated, b.current, b.used, b.dict, hi)
		b.parts.n = 0
	}
	if b.inflated < 0 || b.inflated == size && b.used != len(b.current) {
		b.restart()
		return nil, ErrMalformed
	}
	return b.buf[lo:hi], nil
}

// text is chunk for the text of a document: of the first one of a chunk, if it is short, little else is inflated. Behind a
// second one others will follow.
func (b *Block) text(c int64, lo, hi int) ([]byte, error) {
	if b.seek(c); b.parts.n > 0 {
		return b.chunk(c, lo, hi)
	}
	return b.part(c, lo, hi)
}

// part is chunk, but of few bytes it inflates only what they come from.
func (b *Block) part(c int64, lo, hi int) ([]byte, error) {
	b.seek(c)
	if b.plain || b.inflated > 0 || hi-lo > few {
		return b.chunk(c, lo, hi)
	}
	if b.parts.n == 0 {
		b.parts.reset()
	}
	if !b.parts.scan(b.current, int(min(Size, b.size-c*Size)), hi) || !b.parts.inflate(b.buf[:Size], b.current, b.dict, lo, hi) {
		b.restart()
		return nil, ErrMalformed
	}
	return b.buf[lo:hi], nil
}

// Check inflates every chunk.
func (b *Block) Check() error {
	for c := int64(0); c*Size < b.size; c++ {
		if _, err := b.chunk(c, 0, int(min(Size, b.size-c*Size))); err != nil {
			return err
		}
	}
	return nil
}
