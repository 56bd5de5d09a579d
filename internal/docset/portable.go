package docset

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/format"
)

// The portable form of roaring bitmaps (github.com/RoaringBitmap/RoaringFormatSpec): a cookie; a key, the upper 16 bits of
// its members, and their number less 1 for each container; offsets; then the containers.
const (
	cookieNoRuns  = 12346 // and then the number of containers
	cookieRuns    = 12347 // with their number less 1 in the upper half, and then a bit for each that says whether it has runs
	offsetsFrom   = 4     // with runs, there are offsets from this many containers on
	keyDocs       = 1 << 16
	arrayMost     = 4096 // members of an array; a bitmap has more
	bitmapBytes   = keyDocs / 8
	maxContainers = 1 << 16
	// runsBelow is what runs must take less than in bytes, so that the bytes are those of the library in Go on 64-bit
	// machines: it counts 32 bytes that a bitmap takes in memory.
	runsBelow = bitmapBytes + 32
)

// portable reads a set in the portable form.
type portable struct {
	r             *format.Buffer
	size, i       int
	runs          []byte // a bit for each container, nil without runs
	keys, offsets []byte
	last          int // key, -1 before the first
}

// container is a part of one.
type container struct {
	base uint32 // its documents have this in their upper bits
	card uint32 // members
	kind int
	data []byte
}

// newPortable reads the header.
func newPortable(b []byte, at int64) *portable {
	p := &portable{r: format.NewBuffer(b, at), last: -1}
	r := p.r
	switch cookie := r.Uint32(); {
	case cookie == cookieNoRuns:
		p.size = int(min(r.Uint32(), maxContainers+1))
	case cookie&0xffff == cookieRuns:
		p.size = int(cookie>>16) + 1
		p.runs = r.Bytes((p.size + 7) / 8)
		if p.size%8 != 0 && len(p.runs) > 0 && p.runs[len(p.runs)-1]>>(p.size%8) != 0 {
			r.Fail("flags of roaring containers that do not exist are set")
		}
	default:
		r.Fail("roaring cookie %#x", cookie)
	}
	if p.size > maxContainers {
		r.Fail("more than %d roaring containers", maxContainers)
	}
	p.keys = r.Bytes(4 * p.size)
	if p.runs == nil || p.size >= offsetsFrom {
		p.offsets = r.Bytes(4 * p.size)
	}
	return p
}

// next reads the next container, and returns false at the end or after a failure.
func (p *portable) next() (c container, ok bool) {
	r, i := p.r, p.i
	if i == p.size || r.Err() != nil {
		return c, false
	}
	p.i++
	key := int(binary.LittleEndian.Uint16(p.keys[4*i:]))
	if key <= p.last {
		r.Fail("roaring containers are out of order")
	}
	p.last = key
	if p.offsets != nil && uint64(binary.LittleEndian.Uint32(p.offsets[4*i:])) != uint64(r.Pos()) {
		r.Fail("the offset of roaring container %d is wrong", i)
	}
	c = container{base: uint32(key) << 16, card: uint32(binary.LittleEndian.Uint16(p.keys[4*i+2:])) + 1}
	switch {
	case p.runs != nil && p.runs[i/8]>>(i%8)&1 != 0:
		c.kind, c.data = ofSpans, r.Bytes(4*int(r.Uint16()))
	case c.card > arrayMost:
		c.kind, c.data = ofWords, r.Bytes(bitmapBytes)
	default:
		c.kind, c.data = ofDocs, r.Bytes(2*int(c.card))
	}
	return c, r.Err() == nil
}

// check returns the first and the last member. It fails unless the members of c ascend and are as many as it says.
func (c *container) check(r *format.Buffer) (lo, last uint32) {
	switch c.kind {
	case ofSpans:
		n, next := uint32(0), uint32(0)
		for i := 0; i < len(c.data); i += 4 {
			start, more := c.run(i)
			if start < next || start+more >= keyDocs {
				r.Fail("roaring runs are out of order")
				return 0, 0
			}
			last, next, n = start+more, start+more+1, n+more+1
		}
		if n != c.card {
			r.Fail("roaring runs do not sum to their cardinality")
			return 0, 0
		}
		lo, _ = c.run(0)
	case ofWords:
		n, first := 0, -1
		for i := 0; i < len(c.data); i += 8 {
			if w := binary.LittleEndian.Uint64(c.data[i:]); w != 0 {
				n += bits.OnesCount64(w)
				last = uint32(i*8 + 63 - bits.LeadingZeros64(w))
				if first < 0 {
					first = i*8 + bits.TrailingZeros64(w)
				}
			}
		}
		if n != int(c.card) {
			r.Fail("roaring bitmap does not have its cardinality")
			return 0, 0
		}
		lo = uint32(first)
	default:
		for i := 0; i < len(c.data); i += 2 {
			doc := uint32(binary.LittleEndian.Uint16(c.data[i:]))
			if i > 0 && doc <= last {
				r.Fail("roaring array is out of order")
				return 0, 0
			}
			last = doc
		}
		lo = uint32(binary.LittleEndian.Uint16(c.data))
	}
	return c.base + lo, c.base + last
}

// run returns the run at data[i:]: its first document, and how many follow it.
func (c *container) run(i int) (start, more uint32) {
	both := binary.LittleEndian.Uint32(c.data[i:])
	return both & 0xffff, both >> 16
}

// or adds the members to a bitmap whose bit 0 is document lo, a multiple of 64.
func (c *container) or(words []uint64, lo uint32) {
	at := c.base - lo // wraps in a container that begins before lo
	switch c.kind {
	case ofSpans:
		for i := 0; i < len(c.data); i += 4 {
			start, more := c.run(i)
			fill(words, at+start, at+start+more+1)
		}
	case ofWords:
		for i := 0; i < len(c.data); i += 8 {
			if w := binary.LittleEndian.Uint64(c.data[i:]); w != 0 {
				words[(at+uint32(i)*8)/64] |= w
			}
		}
	default:
		for i := 0; i < len(c.data); i += 2 {
			d := at + uint32(binary.LittleEndian.Uint16(c.data[i:]))
			words[d/64] |= 1 << (d % 64)
		}
	}
}

// appendDocs appends the members.
func (c *container) appendDocs(dst []uint32) []uint32 {
	switch c.kind {
	case ofSpans:
		for i := 0; i < len(c.data); i += 4 {
			start, more := c.run(i)
			for d := range more + 1 {
				dst = append(dst, c.base+start+d)
			}
		}
	case ofWords:
		for i := 0; i < len(c.data); i += 8 {
			for w := binary.LittleEndian.Uint64(c.data[i:]); w != 0; w &= w - 1 {
				dst = append(dst, c.base+uint32(i*8+bits.TrailingZeros64(w)))
			}
		}
	default:
		for i := 0; i < len(c.data); i += 2 {
			dst = append(dst, c.base+uint32(binary.LittleEndian.Uint16(c.data[i:])))
		}
	}
	return dst
}

// wordy reports whether m takes c as a bitmap: what is one, and runs that take more.
func (c *container) wordy() bool {
	return c.kind == ofWords || len(c.data)*2 >= bitmapBytes && c.kind == ofSpans
}

// appendTo appends the members to m.
func (c *container) appendTo(m *mixed) {
	switch {
	case c.wordy():
		var words [keyDocs / 64]uint64
		c.or(words[:], c.base)
		m.addWords(words[:], c.base)
	case c.kind == ofSpans:
		for i := 0; i < len(c.data); i += 4 {
			start, more := c.run(i)
			m.addSpan(c.base+start, c.base+start+more+1)
		}
	default:
		var docs [arrayMost]uint32
		m.addDocs(c.appendDocs(docs[:0]))
	}
}

// FromPortable returns the set that b is in the portable form of roaring bitmaps. All members must be below limit. The set
// takes at most twice the bytes of b. The error is a *format.Error of kind ErrCorrupt that says where in b, which begins at
// offset at, and what is wrong.
func FromPortable(b []byte, at int64, limit uint32) (*Set, error) {
	s, n := Set{}, uint64(0)
	var docs, words, spans, pieces int // of a mixed set
	p := newPortable(b, at)
	for c, ok := p.next(); ok; c, ok = p.next() {
		lo, last := c.check(p.r)
		if last >= limit {
			p.r.Fail("docID %d of a segment of %d documents", last, limit)
		}
		if p.r.Err() != nil {
			break
		}
		if n == 0 {
			s.lo = lo
		}
		s.hi, n = last+1, n+uint64(c.card)
		switch pieces++; {
		case c.wordy():
			words += bitmapBytes / 8
		case c.kind == ofSpans:
			spans += len(c.data) / 4
		default:
			docs += len(c.data) / 2
		}
	}
	if err := p.r.Done(); err != nil {
		return nil, err
	}
	s.n = uint32(n)
	width, most := uint64(s.hi-s.lo), 2*uint64(len(b))
	p = newPortable(b, at)
	switch {
	case n == width:
	case n*sparse >= width && (width+64)/8 <= most:
		s.words = make([]uint64, (s.hi-first(s.lo)+63)/64)
		for c, ok := p.next(); ok; c, ok = p.next() {
			c.or(s.words, first(s.lo))
		}
	case n*sparse < width && 4*n <= most:
		s.docs = make([]uint32, 0, n)
		for c, ok := p.next(); ok; c, ok = p.next() {
			s.docs = c.appendDocs(s.docs)
		}
	default:
		s.mixed = &mixed{make([]piece, 0, pieces), make([]uint32, 0, docs), make([]uint64, 0, words), make([]span, 0, spans)}
		for c, ok := p.next(); ok; c, ok = p.next() {
			c.appendTo(s.mixed)
		}
	}
	return &s, nil
}

// AppendPortable appends s in the portable form of roaring bitmaps, each container in the form that takes the fewest bytes.
func (s *Set) AppendPortable(dst []byte) []byte {
	var keys, lens []uint32
	var flags, body []byte
	runs := false
	for doc := s.Next(0); doc != End; {
		i, base, from := len(keys), doc&^(keyDocs-1), len(body)
		var c container
		body, c = s.appendContainer(body, base)
		if keys, lens = append(keys, base>>16|(c.card-1)<<16), append(lens, uint32(len(body)-from)); i%8 == 0 {
			flags = append(flags, 0)
		}
		if c.kind == ofSpans {
			flags[i/8] |= 1 << (i % 8)
			runs = true
		}
		if doc = End; base < End&^(keyDocs-1) {
			doc = s.Next(base + keyDocs)
		}
	}
	start := len(dst)
	if runs {
		dst = append(binary.LittleEndian.AppendUint32(dst, uint32(cookieRuns|(len(keys)-1)<<16)), flags...)
	} else {
		dst = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, cookieNoRuns), uint32(len(keys)))
	}
	for _, key := range keys {
		dst = binary.LittleEndian.AppendUint32(dst, key)
	}
	if !runs || len(keys) >= offsetsFrom {
		at := uint32(len(dst) - start + 4*len(keys))
		for _, n := range lens {
			dst = binary.LittleEndian.AppendUint32(dst, at)
			at += n
		}
	}
	return append(dst, body...)
}

// appendContainer appends the container of the documents from base on. It returns its kind and number of members too.
func (s *Set) appendContainer(dst []byte, base uint32) ([]byte, container) {
	var words [keyDocs / 64]uint64
	s.Or(words[:], base)
	card, runs, before := 0, 0, uint64(0)
	for _, w := range words {
		card += bits.OnesCount64(w)
		runs += bits.OnesCount64(w &^ (w<<1 | before))
		before = w >> 63
	}
	c := container{base: base, card: uint32(card)}
	switch {
	case 2+4*runs < min(runsBelow, 2*card):
		c.kind = ofSpans
		dst = binary.LittleEndian.AppendUint16(dst, uint16(runs))
		for lo := nextBit(&words, 0, 0); lo < keyDocs; {
			hi := nextBit(&words, lo, ^uint64(0))
			dst = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(dst, uint16(lo)), uint16(hi-lo-1))
			lo = nextBit(&words, hi, 0)
		}
	case card > arrayMost:
		c.kind = ofWords
		for _, w := range words {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
	default:
		c.kind = ofDocs
		for i, w := range words {
			for ; w != 0; w &= w - 1 {
				dst = binary.LittleEndian.AppendUint16(dst, uint16(i*64+bits.TrailingZeros64(w)))
			}
		}
	}
	return dst, c
}

// nextBit returns the index of the first bit from i on that is set in the words, each with flip by xor, or keyDocs.
func nextBit(words *[keyDocs / 64]uint64, i int, flip uint64) int {
	for i < keyDocs {
		if w := (words[i/64] ^ flip) >> (i % 64); w != 0 {
			return i + bits.TrailingZeros64(w)
		}
		i = i&^63 + 64
	}
	return keyDocs
}
