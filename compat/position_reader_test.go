package compat

import (
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// readPositions reads POSITIONS and POSITIONINDEX (4.14) into p.positions.
func (p *parsed) readPositions(b, index []byte) {
	p.positions = map[string][][]int{}
	has, block, end := false, 0, 0
	for _, f := range p.fields {
		with := f.id != 0 && f.index == 4
		has = has || with && f.terms > 0
		var terms []string
		for _, t := range slices.Sorted(maps.Keys(p.lists)) {
			if with && strings.HasPrefix(t, f.prefix()) {
				terms = append(terms, t)
			}
		}
		for i := 0; i < f.terms && b != nil; i += 32 {
			begin := int(u64(index, 8*block))
			block++
			next := int(u64(index, 8*block))
			need(begin == end && begin <= next && next <= len(b) && (with || begin == next), "block %d of POSITIONS", block-1)
			if end = next; with {
				p.positionBlock(b[begin:next], terms[i:min(i+32, len(terms))])
			}
		}
	}
	need(has == (b != nil) && has == (index != nil), "sections of positions")
	need(!has || len(index) == 8*block+8 && end == len(b), "lengths of POSITIONS and POSITIONINDEX")
}

// positionBlock reads the parts of some terms.
func (p *parsed) positionBlock(b []byte, terms []string) {
	backwards := slices.Clone(b)
	slices.Reverse(backwards)
	c := &cursor{backwards}
	at := 0
	for _, term := range terms {
		n := c.varint()
		need(at+n <= len(b), "length of the positions of %q", term)
		p.positions[term] = p.positionPart(b[at:at+n], term)
		at += n
	}
	need(len(c.b) == at, "lengths of parts")
}

// positionPart reads the part of a list, unless its frequencies are in a codec that this reader does
// not know.
func (p *parsed) positionPart(b []byte, term string) (all [][]int) {
	l := p.lists[term]
	if l[0] == unknown {
		return nil
	}
	var gaps []int
	if size := p.blockLens[term]; size > 0 {
		nb := (len(l) + size - 1) / size
		blocks, from := b[4*nb:], 0
		for i := range nb {
			end := u32(b, 4*i)
			gaps = append(gaps, pieces(blocks[from:end], tokens(l[i*size:min(i*size+size, len(l))]))...)
			from = end
		}
		need(from == len(blocks), "blocks of positions")
	} else {
		switch n := tokens(l); {
		case n == 1:
			v := 0
			for i, c := range b {
				v |= int(c) << (8 * i)
			}
			need(len(b) == (bits.Len(uint(v))+7)/8, "bytes of a position")
			gaps = []int{v}
		case n < 128:
			gaps = fewGaps(b, n)
		default:
			gaps = pieces(b, n)
		}
	}
	for _, x := range l {
		var places []int
		last := -1
		for _, g := range gaps[:x.tf] {
			last += g + 1
			places = append(places, last)
		}
		need(last < 1<<31, "position %d", last)
		all, gaps = append(all, places), gaps[x.tf:]
	}
	return all
}

// tokens returns the sum of frequencies.
func tokens(l []posting) (n int) {
	for _, x := range l {
		n += x.tf
	}
	return n
}

// fewGaps reads 2 to 127 gaps.
func fewGaps(b []byte, n int) []int {
	r := &bitReader{b: b}
	k := r.bits(5)
	gaps := make([]int, n)
	for i := range gaps {
		gaps[i] = r.bits(k)
	}
	for i := range gaps {
		for r.bit() == 0 {
			gaps[i] += 1 << k
		}
	}
	r.end()
	size := func(k int) (n int) {
		for _, g := range gaps {
			n += k + g>>k
		}
		return n
	}
	for other := range 31 {
		need(size(other) > size(k) || other >= k && size(other) == size(k), "k %d of positions, not %d", k, other)
	}
	return gaps
}

// end checks that nothing but zeros up to a whole byte are left.
func (r *bitReader) end() {
	for r.pos%8 != 0 {
		need(r.bit() == 0, "bits behind numbers")
	}
	need(r.pos/8 == len(r.b), "bytes behind numbers")
}

// pieces reads a block of n gaps.
func pieces(b []byte, n int) (all []int) {
	for ; n > 0; n -= 128 {
		r := min(n, 128)
		head := int(b[0]) | int(b[1])<<8
		w, h, e := head&31, head>>5&31, head>>10&31
		need((head>>15 == 1) == (r < 128) && (e > 0) == (h > 0), "head of a piece")
		indexes, b2 := b[2:2+e], b[2+e:]
		size := (e*h + 7) / 8
		high := &bitReader{b: b2[:size]}
		b2 = b2[size:]
		gaps := make([]int, r)
		if size = 16 * w; r < 128 {
			size = (r*w + 7) / 8
			low := &bitReader{b: b2[:size]}
			for i := range gaps {
				gaps[i] = low.bits(w)
			}
			low.end()
		} else if w > 0 {
			gaps = block(1, b2[:size], r)
		}
		last := -1
		for _, i := range indexes {
			v := high.bits(h)
			need(int(i) > last && int(i) < r && v > 0, "exceptions")
			last = int(i)
			gaps[i] |= v << w
		}
		high.end()
		need(bits.Len(uint(slices.Max(gaps))) == w+h, "widths of a piece")
		checkWidth(gaps, w)
		all, b = append(all, gaps...), b2[size:]
	}
	need(len(b) == 0, "bytes behind pieces")
	return all
}

// checkWidth checks that no other width takes fewer bytes, and no greater one as many.
func checkWidth(gaps []int, width int) {
	top := bits.Len(uint(slices.Max(gaps)))
	size := func(w int) int {
		e := 0
		for _, g := range gaps {
			if g>>w > 0 {
				e++
			}
		}
		if e > 31 {
			return 1 << 30
		}
		n := e + (e*(top-w)+7)/8
		if len(gaps) == 128 {
			return n + 16*w
		}
		return n + (len(gaps)*w+7)/8
	}
	for w := range top + 1 {
		need(size(w) > size(width) || w <= width && size(w) == size(width), "width %d of a piece, not %d", width, w)
	}
}
