package compat

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// parsed is a segment with the content of META.
type parsed struct {
	segmentContents
	n, terms, postings int
	tokens             int
	width              int
	fields             []*segmentField // one without FIELDS
	of                 *segmentField   // whose lists are read
	extents            []byte          // POSTINGS
	flags              byte            // flags of all extents in known codecs
	blockLens          map[string]int  // postings of a block of each extent
}

// unknown represents the postings of a list in a codec that this reader does not
// know.
var unknown = posting{-1, 0}

// readSegment reads the sections of a segment (section 4), of which IDHASH is packed from version 0.6 on.
func readSegment(sec map[int][]byte, packed bool) *parsed {
	p := &parsed{extents: sec[4], blockLens: map[string]int{}, segmentContents: segmentContents{lists: map[string][]posting{}}}
	m := &cursor{sec[1]} // 4.1
	need(m.varint() == 1, "version of META")
	p.n, p.terms, p.postings = m.varint(), m.varint(), m.varint()
	least, greatest := 0, 0
	p.tokens, least, greatest = m.varint(), m.varint(), m.varint()
	p.width = m.varint()
	analyzer, _ := m.str(), m.str()
	extents, compact, flags := m.varint(), m.varint(), m.varint()
	docCodecs, freqCodecs := u64(m.take(8), 0), u64(m.take(8), 0)
	p.stored = flags&1 != 0
	p.docs = make([]document, p.n)
	if flags&4 != 0 {
		count, blocks, lengths := m.varint(), m.varint(), m.varint()
		need(analyzer == "" && p.width == 0 && least == 0 && greatest == 0 && flags&2 == 0 && lengths == len(sec[5]), "META beside FIELDS")
		need(blocks*16+8 == len(sec[3]), "blocks of the dictionary")
		p.readFields(sec[15], sec[5])
		need(count == len(p.fields), "number of fields")
	} else {
		need(analyzer == "whitespace" && sec[15] == nil, "analyzer")
		p.readLengths(sec[5], least, greatest)
	}
	need(len(m.b) == 0 && flags&^7 == 0, "META")

	gotExtents, gotCompact, end := p.dictionary(sec[2], sec[3], sec[14], docCodecs, freqCodecs)
	need(gotExtents == extents && gotCompact == compact && end == len(p.extents), "extents and entries")
	p.ids(sec[6], sec[7])
	if packed {
		p.packedHashes(sec[8])
	} else {
		p.hashes(sec[8])
	}
	need(p.stored == (sec[9] != nil) && p.stored == (sec[10] != nil), "flags of META")
	if p.stored {
		p.texts(sec[9], sec[10])
	}
	p.frequent(sec[22])
	p.readColumns(sec[19], sec[20])
	p.readVectors(sec[27], sec[28])
	p.readPositions(sec[18], sec[24])
	total := 0
	for _, l := range p.lists {
		total += len(l)
	}
	need(total == p.postings, "postings: %d, not %d", total, p.postings)
	return p
}

// readLengths reads DOCLENGTHS of a segment without FIELDS (4.6).
func (p *parsed) readLengths(b []byte, least, greatest int) {
	f := &segmentField{terms: p.terms, lens: make([]int, p.n)}
	sum, low, high := 0, 1<<40, 0
	for i := range p.docs {
		for j := range p.width {
			f.lens[i] |= int(b[i*p.width+j]) << (8 * j)
		}
		p.docs[i].tokens = f.lens[i]
		sum, low, high = sum+f.lens[i], min(low, f.lens[i]), max(high, f.lens[i])
	}
	need(len(b) == p.n*p.width && sum == p.tokens && low == least && high == greatest, "lengths")
	p.fields = []*segmentField{f}
}

// head reads a term or id: lcp and suffix length in a byte (4.2).
func (c *cursor) head(prev string) string {
	h := int(c.take(1)[0])
	lcp, n := h&15, h>>4
	if lcp == 15 {
		lcp += c.varint()
	}
	if n == 15 {
		n += c.varint()
	}
	need(lcp <= len(prev), "lcp")
	return prev[:lcp] + string(c.take(n))
}

// dictionary reads TERMS and TERMINDEX (4.2).
func (p *parsed) dictionary(terms, index, lists []byte, docCodecs, freqCodecs uint64) (extents, compact, end int) {
	blocks := (len(index) - 8) / 16
	sum := 0
	for _, f := range p.fields {
		first := sum
		sum += (f.terms + 31) / 32
		need(16*sum+8 <= len(index), "length of TERMINDEX")
		p.of = f
		last := ""
		for i := first; i < sum; i++ {
			from, to := int(u64(index, 8*blocks+8*i)), int(u64(index, 8*blocks+8*i+8))
			c := &cursor{terms[from:to]}
			names := make([]string, min(32, f.terms-32*(i-first)))
			prev := ""
			for j := range names {
				names[j] = c.head(prev)
				prev = names[j]
				need(prev > last, "terms in order")
				last = prev
			}
			var key [8]byte
			copy(key[:], names[0])
			need(bits.ReverseBytes64(u64(key[:], 0)) == u64(index, 8*i), "key of block %d", i)
			if lists != nil { // 4.11
				need(int(u64(lists, 8*i)) == end, "extents of block %d", i)
			}
			for _, name := range names {
				before := len(c.b)
				l, isExtent := p.list(c, name, &end, docCodecs, freqCodecs)
				if p.lists[f.prefix()+name] = l; isExtent {
					extents++
				} else {
					compact += before - len(c.b)
				}
			}
			need(len(c.b) == 0, "bytes behind block %d", i)
		}
	}
	need(16*sum+8 == len(index), "length of TERMINDEX")
	if lists != nil {
		need(extents > 0 && len(lists) == 8*blocks+8 && int(u64(lists, 8*blocks)) == end, "LISTS")
	}
	return extents, compact, end
}

// frequent reads FREQUENT (4.12). Fields that indexes of tests have with so many documents are
// one, whose terms have ordinals from 0.
func (p *parsed) frequent(b []byte) {
	if b == nil { // readers can do without
		return
	}
	need(p.n > 1<<16 && len(p.fields) == 1, "FREQUENT")
	terms := slices.Sorted(maps.Keys(p.lists))
	left := 0 // terms that belong to the section
	for _, t := range terms {
		if 64*len(p.lists[t]) > p.n {
			left++
		}
	}
	c := &cursor{b}
	n := c.varint()
	need(n == min(left, 1024), "%d frequent terms of %d", n, left)
	for before := [2]int{-1, p.n + 1}; n > 0; n-- {
		is := [2]int{c.varint(), c.varint()}
		need(is[1] == len(p.lists[terms[is[0]]]) && 64*is[1] > p.n, "frequent term %v", is)
		need(is[1] < before[1] || is[1] == before[1] && is[0] > before[0], "frequent terms %v, %v", before, is)
		before = is
	}
	need(len(c.b) == 0, "bytes behind FREQUENT")
}

// list reads the entry of a term and its list. Extents before it end at end.
func (p *parsed) list(c *cursor, name string, end *int, docCodecs, freqCodecs uint64) (l []posting, isExtent bool) {
	v := c.varint()
	switch v & 3 {
	case 0:
		return []posting{{v >> 2, 1}}, false
	case 1:
		return []posting{{v >> 2, c.varint() + 2}}, false
	case 2:
		return compactList(v>>2, p.n, c.take(c.varint())), false
	}
	df := c.varint()
	need(v>>2*64 == *end && df >= 128, "extent of %s", name)
	b := p.extents[*end:]
	b = b[:u32(b, 8)*64]
	*end += len(b)
	need(docCodecs>>b[16]&1 == 1 && freqCodecs>>b[17]&1 == 1, "codecs of META")
	p.blockLens[p.of.prefix()+name] = 1 << b[18]
	return p.extent(b, df), true
}

// bitReader reads a bit stream, least significant bit first (section 1).
type bitReader struct {
	b   []byte
	pos int
}

func (r *bitReader) bit() int {
	v := int(r.b[r.pos/8]>>(r.pos%8)) & 1
	r.pos++
	return v
}

func (r *bitReader) bits(n int) (v int) {
	for i := range n {
		v |= r.bit() << i
	}
	return v
}

// compactList reads n postings among docs documents (4.3).
func compactList(n, docs int, b []byte) []posting {
	r := &bitReader{b: b}
	unary := func() (zeros int) {
		for r.bit() == 0 {
			zeros++
		}
		return zeros
	}
	l := make([]posting, n)
	k, once := r.bits(5), r.bit() == 1
	l[0].doc = r.bits(bits.Len(uint(docs - 1)))
	gaps := make([]int, n)
	for i := range gaps[1:] {
		gaps[1+i] = r.bits(k)
	}
	for i := range gaps[1:] {
		gaps[1+i] += unary() << k
		l[1+i].doc = l[i].doc + 1 + gaps[1+i]
	}
	need(l[n-1].doc < docs, "docID %d of %d", l[n-1].doc, docs)
	widths := make([]int, n)
	for i := range widths {
		if !once {
			widths[i] = unary()
		}
	}
	for i, w := range widths {
		l[i].tf = 1<<w + r.bits(w)
	}
	for r.pos%8 != 0 {
		need(r.bit() == 0, "bits behind a compact list")
	}
	need(r.pos/8 == len(b), "length of a compact list")
	return l
}

// ids reads IDS and IDINDEX (4.7).
func (p *parsed) ids(ids, index []byte) {
	blocks := (p.n + 15) / 16
	need(len(index) == 8*blocks+8, "length of IDINDEX")
	for i := range blocks {
		c := &cursor{ids[u64(index, 8*i):u64(index, 8*i+8)]}
		prev := ""
		for j := 16 * i; j < min(16*i+16, p.n); j++ {
			prev = c.head(prev)
			p.docs[j].id = prev
		}
		need(len(c.b) == 0, "bytes behind ids")
	}
}

// hashes reads IDHASH of a version before 0.6 (4.7).
func (p *parsed) hashes(hash []byte) {
	need(len(hash) == 8*p.n, "length of IDHASH")
	for i := range p.n {
		v := u64(hash, 8*i)
		need(i == 0 || v > u64(hash, 8*i-8), "order of IDHASH")
		need(v>>32 == xxhash.Sum64String(p.docs[uint32(v)].id)>>32, "hash of an id")
	}
}

// packedHashes reads IDHASH (4.7): each document must have an entry in the bucket of its id, and there must be as many entries
// as documents.
func (p *parsed) packedHashes(hash []byte) {
	bit := func(b []byte, i int) int { return int(b[i/8] >> (i % 8) & 1) }
	width := 2
	for (p.n+15)/16 > 1<<width {
		width++
	}
	width += 6
	entries, counts := (p.n*width+7)/8, (p.n+3)/4
	need(len(hash) == entries+counts+(p.n+255)/256*4, "length of IDHASH")
	starts := hash[entries+counts:]
	type entry struct{ bucket, print, block int }
	left := map[entry]int{}
	at, pos := 0, 0 // in entries, in counts
	for bucket := range p.n {
		need(bucket%256 != 0 || u32(starts, bucket/64) == at, "start of bucket %d", bucket)
		for last := 0; bit(hash[entries:], pos) == 1; pos++ {
			v := 0
			for i := range width {
				v |= bit(hash, at*width+i) << i
			}
			e := entry{bucket, v % 64, v / 64}
			need(e.print >= last, "order of bucket %d", bucket)
			last = e.print
			left[e]++
			at++
		}
		pos++
	}
	need(at == p.n, "entries of IDHASH")
	for i := p.n * width; i < 8*entries; i++ {
		need(bit(hash, i) == 0, "bits behind entries")
	}
	for ; pos < 8*counts; pos++ {
		need(bit(hash[entries:], pos) == 0, "bits behind counts")
	}
	for doc := range p.docs {
		place := int(xxhash.Sum64String(p.docs[doc].id)>>32) * p.n
		e := entry{place >> 32, place >> 26 & 63, doc / 16}
		need(left[e] > 0, "entry of an id")
		left[e]--
	}
}
