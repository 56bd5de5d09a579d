package compat

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// columns reads COLUMNS and COLUMNBOUNDS (4.13) into p.columns.
func (p *parsed) readColumns(b, bounds []byte) {
	p.columns = map[string][][]string{}
	end := 0
	for _, f := range p.fields {
		if f.id == 0 || f.flags&4 == 0 {
			continue
		}
		need(len(bounds) >= 64, "COLUMNBOUNDS")
		c := &columnReader{b: b, docs: p.n}
		end = c.read(bounds, end, f.kind == 2)
		bounds = bounds[64+40*((p.n+4095)/4096):]
		all := make([][]string, p.n)
		for i, values := range c.values {
			for _, v := range values {
				all[i] = append(all[i], c.text(f.kind, v))
			}
		}
		p.columns[f.name] = all
		p.emptyKeyword = p.emptyKeyword || len(c.words) > 0 && c.words[0] == ""
	}
	need(end == len(b) && len(bounds) == 0 && (len(p.columns) > 0) == (b != nil), "columns")
}

// columnReader reads a column.
type columnReader struct {
	b      []byte // COLUMNS
	docs   int
	words  []string
	values [][]int64 // by document
}

// text shows a value of a kind.
func (c *columnReader) text(kind int, v int64) string {
	switch {
	case kind == 2:
		return c.words[v]
	case kind != 4:
		return strconv.FormatInt(v, 10)
	}
	if v < 0 { // bits 0 to 62 inverted
		v = math.MinInt64 | ^v&math.MaxInt64
	}
	return fmt.Sprint(math.Float64frombits(uint64(v)))
}

// read reads the column that begins at byte before, and returns where it ends.
func (c *columnReader) read(bounds []byte, before int, keyword bool) (end int) {
	values, least, greatest, docs, keywords := int(u64(bounds, 0)), int64(u64(bounds, 8)), int64(u64(bounds, 16)), u32(bounds, 24), u32(bounds, 28)
	begin, index, blocks, end := int(u64(bounds, 32)), int(u64(bounds, 40)), int(u64(bounds, 48)), int(u64(bounds, 56))
	need(begin == before && begin <= index && index <= blocks && blocks <= end && end <= len(c.b), "parts of a column")
	need(keyword || keywords == 0 && begin == blocks, "dictionary of no keywords")
	c.dictionary(c.b[begin:index], c.b[index:blocks], keywords)
	at := blocks
	for first := 0; first < c.docs; first += 4096 {
		e := bounds[64+40*(first/4096):]
		need(int(u64(e, 24)) == at, "offset of a block")
		next := end
		if first+4096 < c.docs {
			next = int(u64(e[40:], 24))
		}
		need(next >= at && next <= end, "end of a block")
		c.block(e, c.b[at:next], min(4096, c.docs-first))
		at = next
	}
	var all []int64
	used := map[int64]bool{}
	for _, of := range c.values {
		need(slices.IsSorted(of) && len(slices.Compact(slices.Clone(of))) == len(of), "values of a document: %d", of)
		if all = append(all, of...); len(of) > 0 {
			docs--
		}
		for _, v := range of {
			used[v] = true
		}
	}
	need(at == end && docs == 0 && len(all) == values, "documents and values")
	need(!keyword || len(used) == keywords, "%d of %d keywords are used", len(used), keywords)
	if values == 0 {
		all = []int64{0}
	}
	need(slices.Min(all) == least && slices.Max(all) == greatest, "least and greatest value")
	return end
}

// dictionary reads the keywords.
func (c *columnReader) dictionary(b, index []byte, n int) {
	if n == 0 {
		need(len(b) == 0 && len(index) == 0, "dictionary without keywords")
		return
	}
	need(len(index) == 8*((n+15)/16+1), "index of %d keywords", n)
	r := &cursor{b}
	for i := range n {
		word := ""
		if i%16 == 0 {
			need(int(u64(index, i/16*8)) == len(b)-len(r.b), "offset of keyword %d", i)
			word = r.coded("")
		} else {
			word = r.coded(c.words[i-1])
		}
		need(i == 0 || word > c.words[i-1], "keyword %q", word)
		c.words = append(c.words, word)
	}
	need(len(r.b) == 0 && int(u64(index, len(index)-8)) == len(b), "end of the keywords")
}

// coded reads a front-coded string after another.
func (c *cursor) coded(before string) string {
	head := c.take(1)[0]
	shared, added := int(head&15), int(head>>4)
	if shared == 15 {
		shared += c.varint()
	}
	if added == 15 {
		added += c.varint()
	}
	need(shared <= len(before), "shared bytes")
	return before[:shared] + string(c.take(added))
}

// block reads a block of n documents.
func (c *columnReader) block(e, b []byte, n int) {
	least, greatest, gcd, values, docs, form, width := int64(u64(e, 0)), int64(u64(e, 8)), u64(e, 16), u32(e, 32), u16(e, 36), e[38], int(e[39])
	if docs == 0 {
		need(len(b) == 0 && least == 0 && greatest == 0 && gcd == 0 && values == 0 && form == 0 && width == 0, "block without values")
		c.values = append(c.values, make([][]int64, n)...)
		return
	}
	need(greatest >= least && gcd > 0 && bits.Len64((uint64(greatest)-uint64(least))/gcd) == width, "width %d", width)
	r := &cursor{b}
	has := make([]bool, n)
	for i := range has {
		has[i] = docs == n
	}
	if docs < n {
		words := r.take((n + 63) / 64 * 8)
		for i := range len(words) * 8 {
			set := words[i/8]>>(i%8)&1 == 1
			if i >= n {
				need(!set, "bit behind the documents")
			} else if has[i] = set; set {
				docs--
			}
		}
		need(docs == 0, "bitmap")
		docs = u16(e, 36)
	}
	of := make([]int, n) // how many values
	for i := range of {
		if has[i] {
			of[i] = 1
		}
	}
	if values > docs {
		need(form == 1, "several values in form %d", form)
		r.counts(of, docs)
	}
	offsets := r.offsets(form, n, values, width)
	need(len(r.b) == 0, "bytes behind a block")
	c.spread(of, offsets, form, least, greatest, gcd)
}

// counts reads how many values the documents have that have any.
func (c *cursor) counts(of []int, docs int) {
	before := c.take((docs + 127) / 128 * 4)
	width := int(c.take(1)[0])
	counts, sum, k, most := c.packed(docs, width), 0, 0, uint64(0)
	for i := range of {
		if of[i] == 0 {
			continue
		}
		if k%128 == 0 {
			need(u32(before, k/128*4) == sum, "values before document %d", i)
		}
		of[i] += int(counts[k])
		sum, most = sum+of[i], max(most, counts[k])
		k++
	}
	need(bits.Len64(most) == width, "width of counts")
}

// offsets reads the offsets of a block: in form 1 of each value, else of each document.
func (c *cursor) offsets(form byte, n, values, width int) (all []uint64) {
	switch form {
	case 0:
		need(values <= n, "slots")
		return c.packed(n, width)
	case 1:
		return c.packed(values, width)
	}
	need(values == n && (form == 2 || form == 3), "form %d", form)
	size := 4
	if width > 32 {
		size = 8
	}
	rows := (n + 127) / 128
	firsts, widths := c.take(rows*size), c.take(rows)
	for r := range rows {
		at := uint64(0)
		for k := range size {
			at |= uint64(firsts[r*size+k]) << (8 * k)
		}
		most := uint64(0)
		for i, d := range c.packed(min(128, n-128*r), int(widths[r])) {
			need(i > 0 || d == 0, "difference of the first of a row")
			at, most = at+d, max(most, d)
			need(len(all) == 0 || at >= all[len(all)-1], "order of values")
			all = append(all, at)
		}
		need(bits.Len64(most) == int(widths[r]), "width of a row")
	}
	return all
}

// packed reads n numbers of some bits, a bit after the other.
func (c *cursor) packed(n, width int) []uint64 {
	if width > 32 {
		low := c.packed(n, 32)
		for i, x := range c.packed(n, width-32) {
			low[i] |= x << 32
		}
		return low
	}
	all := make([]uint64, n)
	for first := 0; first < n; first += 128 {
		k := min(128, n-first)
		b := c.take(((k+3)/4*width + 31) / 32 * 16)
		for lane := range 4 {
			for bit := range len(b) * 2 { // of a lane
				set := b[bit/32*16+lane*4+bit%32/8]>>(bit%8)&1 == 1
				i := 4*(bit/max(width, 1)) + lane
				if i >= k {
					need(!set, "unused bits")
				} else if set {
					all[first+i] |= 1 << (bit % width)
				}
			}
		}
	}
	return all
}

// spread adds the values of the documents of a block.
func (c *columnReader) spread(of []int, offsets []uint64, form byte, least, greatest int64, gcd uint64) {
	low, high, common, k := int64(math.MaxInt64), int64(math.MinInt64), uint64(0), 0
	for i, n := range of {
		if form != 1 {
			k = i
			need(n > 0 || offsets[i] == 0, "slot of no value")
		}
		var values []int64
		for range n {
			v := int64(uint64(least) + offsets[k]*gcd)
			if form == 3 {
				v = int64(uint64(greatest) - offsets[k]*gcd)
			}
			values, low, high = append(values, v), min(low, v), max(high, v)
			for a, b := common, uint64(v)-uint64(least); ; a, b = b, a%b {
				if b == 0 {
					common = a
					break
				}
			}
			k++
		}
		c.values = append(c.values, values)
	}
	need(low == least && high == greatest && max(common, 1) == gcd, "values from %d to %d, multiples of %d", low, high, common)
}
