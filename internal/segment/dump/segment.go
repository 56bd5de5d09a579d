package dump

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/positions"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/internal/segment/sections"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// part shows one of the sections of segments.
func (c *cursor) part(s *segment.Segment, id format.SectionID) {
	switch id {
	case format.SectionMeta:
		c.meta(s)
	case format.SectionFields:
		c.fields()
	case format.SectionTerms:
		c.termBlocks(s)
	case format.SectionTermIndex:
		c.termIndex(s)
	case format.SectionPostings:
		c.d.extents(s, c)
	case format.SectionDocLengths:
		c.lengths(s)
	case format.SectionIDs:
		c.ids(s)
	case format.SectionIDIndex:
		c.words("offset of block")
	case format.SectionIDHash:
		c.idHash(s)
	case format.SectionPageSums:
		c.pageSums(s)
	default:
		if row := sections.ToolsOf(id); row != nil {
			row.Dump(c, s, id)
		}
	}
}

// meta shows section META.
func (c *cursor) meta(s *segment.Segment) {
	for _, name := range []string{"meta version", "documents", "terms", "postings", "tokens", "least length",
		"greatest length", "bytes of a length"} {
		c.Uvarint(name, "")
	}
	c.text("analyzer")
	c.text("options")
	c.Uvarint("extents", "")
	c.Uvarint("bytes of short lists", "")
	c.Uvarint("flags", "%#x (1: stored text, 2: foreign lengths, 4: fields)")
	for _, name := range []string{"docs codecs", "freqs codecs"} {
		at := c.pos
		if c.bytes(8) != nil {
			c.d.put(at, 8, name, "%s", codecNames(c.d.le(at, 8)))
		}
	}
	if s.Meta().Fields > 0 {
		for _, name := range []string{"fields", "blocks of the dictionary", "bytes of lengths"} {
			c.Uvarint(name, "")
		}
	}
}

// fields shows section FIELDS.
func (c *cursor) fields() {
	for i, n := uint64(0), c.Uvarint("fields", ""); i < n && c.More(); i++ {
		var f schema.Field
		c.Uvarint("field id", "")
		c.text("name")
		f.Kind = schema.Kind(c.named("kind", func(v uint64) string { return schema.Kind(min(v, 255)).String() }))
		record.SetIndexed(&f, uint8(min(c.named("index", func(v uint64) string {
			record.SetIndexed(&f, uint8(min(v, 255)))
			return record.IndexedName(&f)
		}), 255)))
		flags := c.Uvarint("flags", "%#x (1: stored, 2: byte lengths, 4: column, 8s: unit, 32: clusters)")
		c.text("analyzer")
		c.text("options")
		c.Uvarint("terms", "")
		if f.Kind == schema.Vector {
			c.vectors(flags&layout.FieldClusters != 0)
		}
		if !f.HasLengths() {
			continue
		}
		for _, name := range []string{"documents with tokens", "tokens", "sum of lengths", "least length", "greatest length", "bytes of a length"} {
			c.Uvarint(name, "")
		}
	}
}

// vectors shows what FIELDS has of a field of vectors.
func (c *cursor) vectors(clusters bool) {
	dims := c.vectorSchema()
	c.Uvarint("documents with vectors", "")
	if c.Uvarint("vectors", "") > 0 {
		c.Field(2*dims, "centre", func([]byte) string { return fmt.Sprintf("%d values", dims) })
	}
	if clusters {
		c.Uvarint("clusters", "")
		c.Uvarint("groups of clusters", "")
	}
}

// vectorSchema shows what FIELDS and manifests have of a field of vectors, and returns its dimensions.
func (c *cursor) vectorSchema() (dims uint64) {
	dims = min(c.Uvarint("dimensions", ""), schema.MaxDims)
	c.named("similarity", func(v uint64) string { return schema.Similarity(min(v, 255)).String() })
	c.Uvarint("bytes of a value", "")
	c.text("model")
	return dims
}

// named consumes a varint and shows it with its name.
func (c *cursor) named(name string, of func(v uint64) string) uint64 {
	v, _ := c.peekUvarint()
	return c.Uvarint(name, "%d: "+of(v))
}

// termBlocks shows the dictionary from its beginning.
func (c *cursor) termBlocks(s *segment.Segment) {
	for i := 0; i < int(s.Meta().Counts().TermBlocks) && c.More(); i++ {
		c.termBlock(s, i)
	}
}

// termBlock shows block i.
func (c *cursor) termBlock(s *segment.Segment, i int) {
	terms := c.blockTerms(s, i)
	for i := 0; i < len(terms) && !c.bad; i++ {
		c.entry(s, terms[i])
	}
}

// blockTerms shows the terms of block i.
func (c *cursor) blockTerms(s *segment.Segment, block int) (terms []string) {
	var term []byte
	for i := 0; i < s.Raw().TermsIn(block) && !c.bad; i++ {
		term = c.frontCoded(term, fmt.Sprintf("term %d", block*layout.TermsPerBlock+i))
		terms = append(terms, quote(string(term)))
	}
	return terms
}

// onlyEntry shows the entry of term i of a block. The cursor is at the block's entries.
func (c *cursor) onlyEntry(s *segment.Segment, terms []string, i int) {
	at, fields := c.pos, len(c.d.fields)
	for j := 0; j < i && !c.bad; j++ {
		c.entry(s, terms[j])
	}
	if c.bad {
		return
	}
	c.d.fields = c.d.fields[:fields]
	if c.pos > at {
		c.d.put(at, c.pos-at, "entries", "of the %d terms before", i)
	}
	c.entry(s, terms[i])
	if c.pos < c.end && !c.bad {
		c.d.put(c.pos, c.end-c.pos, "entries", "of the %d terms after", len(terms)-i-1)
	}
}

// frontCoded shows a string that shares a prefix with prev: a byte with the shared length
// in its low half and the length of the suffix in its high half; for each half that is 15,
// a varint with the excess; the suffix.
func (c *cursor) frontCoded(prev []byte, name string) []byte {
	if c.pos >= c.end {
		c.fail()
		return prev
	}
	at := c.pos
	lcp, n := uint64(c.d.b[at]&layout.HeadMax), uint64(c.d.b[at]>>4)
	c.pos++
	for _, v := range []*uint64{&lcp, &n} {
		if *v == layout.HeadMax {
			more, k := c.peekUvarint()
			if k == 0 {
				c.fail()
				return prev
			}
			*v += more
			c.pos += k
		}
	}
	if lcp > uint64(len(prev)) {
		c.fail()
		return prev
	}
	c.d.put(at, c.pos-at, name+" head", "%d bytes shared, %d added", lcp, n)
	out := append([]byte(nil), prev[:lcp]...)
	suffix := c.Field(n, name, func(b []byte) string { return quote(string(out) + string(b)) })
	return append(out, suffix...)
}

// entry shows the dictionary entry of a term.
func (c *cursor) entry(s *segment.Segment, term string) {
	v, n := c.peekUvarint()
	if n == 0 {
		c.fail()
		return
	}
	at, x := c.pos, v>>2
	c.pos += n
	put := func(value string, args ...any) { c.d.put(at, n, "entry "+term, value, args...) }
	switch v & 3 {
	case 0:
		put("singleton, document %d, tf 1", x)
	case 1:
		put("singleton, document %d", x)
		c.Uvarint("  tf - 2", "")
	case 2:
		put("compact, %d postings", x)
		size := c.Uvarint("  bytes", "")
		c.Field(size, "  bits", func(b []byte) string { return compactText(s, x, size, c.pos) })
	default:
		put("extent at %d of section postings", x*layout.ExtentAlign)
		c.Uvarint("  postings", "")
	}
}

// compactText decodes the compact list of df postings whose bits end at end.
func compactText(s *segment.Segment, df, size uint64, end int64) string {
	sec, _ := s.Header().Section(format.SectionTerms)
	l, err := s.Lists().List(segment.Entry{Kind: segment.KindCompact, DF: uint32(min(df, 127)), Length: uint32(size), Offset: end - int64(size) - sec.Offset})
	if err != nil {
		return "MALFORMED"
	}
	p := l.Small()
	return "documents " + numbers(p.Docs) + "; tf " + numbers(p.Freqs)
}

// termIndex shows section TERMINDEX.
func (c *cursor) termIndex(s *segment.Segment) {
	blocks := s.Meta().Counts().TermBlocks
	for i := int64(0); i < blocks && c.More(); i++ {
		at := c.pos
		if c.bytes(8) == nil {
			return
		}
		var key [8]byte
		binary.BigEndian.PutUint64(key[:], c.d.le(at, 8))
		c.d.put(at, 8, fmt.Sprintf("key of block %d", i), "%q", bytes.TrimRight(key[:], "\x00"))
	}
	offsets := c.end - 8*(blocks+1)
	if c.pos < offsets {
		c.d.rest(c.pos, offsets)
		c.pos = offsets
	}
	c.d.count = 0
	c.words("offset of block")
}

// lengths shows section DOCLENGTHS.
func (c *cursor) lengths(s *segment.Segment) {
	start := c.pos
	for i := range s.Fields() {
		f := &s.Fields()[i]
		if !f.HasLengths() {
			continue
		}
		name := ""
		if f.ID != 0 {
			name = fmt.Sprintf(" in field %s", quote(f.Name))
		}
		if gap := start + f.LengthsAt - c.pos; gap > 0 {
			c.Field(uint64(gap), "alignment", func([]byte) string { return c.d.zeros(c.pos-gap, gap) })
		}
		for doc := uint32(0); doc < s.Meta().Docs && c.More(); doc++ {
			if f.Coded() {
				at := c.pos
				code := c.bytes(1)
				c.d.put(at, 1, fmt.Sprintf("tokens of document %d%s", doc, name), "code %d: %s", code[0], section.Count(format.DecodeLen(code[0])))
				continue
			}
			c.Fixed(int64(f.LenWidth), fmt.Sprintf("tokens of document %d%s", doc, name), "")
		}
	}
}

// ids shows section IDS.
func (c *cursor) ids(s *segment.Segment) {
	var id []byte
	for doc := uint32(0); doc < s.Meta().Docs && c.More(); doc++ {
		if doc%layout.IDsPerBlock == 0 {
			id = nil
		}
		id = c.frontCoded(id, fmt.Sprintf("id %d", doc))
	}
}

// idHash shows section IDHASH.
func (c *cursor) idHash(s *segment.Segment) {
	if s.Header().Version.PackedIDs() {
		c.idTable(s)
		return
	}
	for c.More() {
		at := c.pos
		if c.bytes(8) == nil {
			return
		}
		v := c.d.le(at, 8)
		c.d.put(at, 8, "hash of an id", "%08x, document %d", v>>32, uint32(v))
	}
}

// idTable shows section IDHASH where it is packed: 8 entries a line, the buckets that 8 bytes count, and where runs begin.
func (c *cursor) idTable(s *segment.Segment) {
	docs, begin := int(s.Meta().Docs), c.pos
	t := layout.NewIDTable(c.d.b[c.pos:c.end], uint32(docs))
	counts, starts := t.Parts()
	for i := 0; i < docs && c.More(); i += 8 {
		n := min(8, docs-i)
		_, end := t.Span(i, n)
		c.Field(uint64(begin+end-c.pos), fmt.Sprintf("entries from %d", i), func([]byte) string {
			text := "print/block"
			for j := i; j < i+n; j++ {
				print, block := t.Entry(j)
				text += fmt.Sprintf(" %d/%d", print, block)
			}
			return text
		})
	}
	for at := counts; at < starts && c.More(); at += 8 {
		c.Field(uint64(min(8, starts-at)), "counts of buckets", func(b []byte) string {
			text := ""
			for i := range 8 * len(b) {
				text += string('0' + b[i/8]>>(i%8)&1)
			}
			return "first bit first: " + text
		})
	}
	for run := 0; c.More(); run++ {
		c.Fixed(4, fmt.Sprintf("entries before bucket %d", run*format.IDBucketRun), "")
	}
}

// pageSums shows section PAGESUMS.
func (c *cursor) pageSums(s *segment.Segment) {
	pages := s.Raw().Pages()
	for group, page := int64(0), pages.First; c.More(); group++ {
		from := c.pos
		for _, end := pages.Of(group); page < end && c.More(); page++ {
			lo, hi := pages.Bounds(page)
			what := fmt.Sprintf("%#x, %s", lo, namesIn(s.Header(), lo, hi))
			c.crc(fmt.Sprintf("crc32c of page %d", page), what, format.PageSum(c.d.b[lo:hi]))
		}
		if c.More() {
			c.crc(fmt.Sprintf("crc32c of group %d", group), section.Count((c.pos-from)/format.PageSumSize)+" sums", format.PageSum(c.d.b[from:c.pos]))
		}
	}
}

// namesIn names the sections that bytes lo to hi of a file belong to: the first and the last.
func namesIn(h *format.Header, lo, hi int64) string {
	var in []string
	for _, x := range h.Sections {
		if x.Offset < hi && x.End() > lo {
			in = append(in, x.ID.String())
		}
	}
	switch len(in) {
	case 0:
		return "no section"
	case 1:
		return in[0]
	}
	return in[0] + " to " + in[len(in)-1]
}

// crc shows a sum of PAGESUMS of what is to be want.
func (c *cursor) crc(name, what string, want uint32) {
	c.Field(format.PageSumSize, name, func(b []byte) string {
		if binary.LittleEndian.Uint32(b) != want {
			return fmt.Sprintf("%s: DAMAGED (%08x expected)", what, want)
		}
		return what + ": ok"
	})
}

// term shows the dictionary block of a term and its extent, in each field that has it.
func (d *dumper) term(s *segment.Segment, term []byte) error {
	found := false
	for i := range s.Fields() {
		it := s.Field(i).Terms(nil)
		if !it.SeekGE(term) || !bytes.Equal(it.Term(), term) {
			if it.Err() != nil {
				return it.Err()
			}
			continue
		}
		found = true
		if err := d.entry(s, it.Entry(), term); err != nil {
			return err
		}
	}
	if !found {
		return ErrNoTerm
	}
	return nil
}

// entry shows the dictionary block of the entry of a term, and its extent.
func (d *dumper) entry(s *segment.Segment, e segment.Entry, term []byte) error {
	block := e.Ordinal / layout.TermsPerBlock
	in := ""
	if f := s.Field(s.FieldOf(e)).Info(); f.ID != 0 {
		in = fmt.Sprintf(" in field %s", quote(f.Name))
	}
	index, _ := s.Header().Section(format.SectionTermIndex)
	terms, _ := s.Header().Section(format.SectionTerms)
	at := index.Offset + 8*(s.Meta().Counts().TermBlocks+int64(block))
	lo, hi := int64(d.le(at, 8)), int64(d.le(at+8, 8))
	d.heading(terms.Offset+lo, "block %d of the dictionary, which holds %s%s", block, quote(string(term)), in)
	d.cover = "section terms"
	c := &cursor{d: d, pos: terms.Offset + lo, end: terms.Offset + hi}
	d.limitless(func() {
		terms := c.blockTerms(s, int(block))
		if i := int(e.Ordinal % layout.TermsPerBlock); i < len(terms) {
			c.onlyEntry(s, terms, i)
		}
	})
	if e.Kind == segment.KindExtent {
		if err := d.extent(s, e, term); err != nil {
			return err
		}
	}
	return d.positions(s, e, term)
}

// positions shows the positions of the list of e, if its field has some.
func (d *dumper) positions(s *segment.Segment, e segment.Entry, term []byte) error {
	if !s.Field(s.FieldOf(e)).HasPositions() {
		return nil
	}
	at, n, err := positions.Part(s, e)
	if err != nil {
		return err
	}
	sec, _ := s.Header().Section(format.SectionPositions)
	d.heading(sec.Offset+at, "positions of %s: %s bytes", quote(string(term)), section.Count(n))
	d.cover = "section positions"
	positions.Dump(&cursor{d: d, pos: sec.Offset + at, end: sec.Offset + at + n}, s, e, n)
	return nil
}

// limitless runs f without a limit on fields.
func (d *dumper) limitless(f func()) {
	limit := d.limit
	d.limit = 0
	f()
	d.limit = limit
}

// codecNames returns the names of the codecs whose bits are set.
func codecNames(set uint64) string {
	if set == 0 {
		return "-"
	}
	var names []string
	for ; set != 0; set &= set - 1 {
		id := codec.ID(bits.TrailingZeros64(set))
		if c, ok := registry.ByID(id); ok {
			names = append(names, c.ID().String())
		} else {
			names = append(names, fmt.Sprint("codec ", id))
		}
	}
	return strings.Join(names, " ")
}
