package dump

import (
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/section"
	"github.com/pinion-index/pinion/segment"
)

// extents shows the extents of the first terms that have one.
func (d *dumper) extents(s *segment.Segment, c *cursor) {
	it := s.Lists().Terms()
	for !d.full() && it.Next() {
		if e := it.Entry(); e.Kind == segment.KindExtent {
			n := d.count
			if d.extent(s, e, it.Term()) != nil {
				c.fail()
				return
			}
			d.count += n
			l, _ := s.Lists().List(e)
			c.pos += int64(len(l.Extent()))
		}
	}
	d.cover = "section"
}

// extent shows the extent of a term.
func (d *dumper) extent(s *segment.Segment, e segment.Entry, term []byte) error {
	l, err := s.Lists().List(e)
	if err != nil {
		return format.Locate(err, format.Place{List: string(term), Block: format.NoBlock})
	}
	sec, _ := s.Header().Section(format.SectionPostings)
	at := sec.Offset + e.Offset
	d.heading(at, "extent of %s: %s postings, %s bytes", quote(string(term)), section.Count(l.N), section.Count(len(l.Extent())))
	d.cover = "section postings"
	d.put(at, 8, "xxhash64", "of the extent behind it: %s", d.sumStatus(d.le(at, 8), at+8, at+int64(len(l.Extent()))))
	d.cover = "section postings, extent"
	end := int64(0)
	for _, p := range l.Layout() {
		if end < p.Offset {
			d.put(at+end, p.Offset-end, "alignment", "%s", d.zeros(at+end, p.Offset-end))
		}
		end = p.Offset + p.Length
		c := &cursor{d: d, pos: at + p.Offset, end: at + p.Offset + p.Length}
		d.part(l, p.Name, c)
		d.rest(c.pos, c.end)
	}
	return nil
}

// part shows one part of an extent.
func (d *dumper) part(l *segment.List, name string, c *cursor) {
	d.count = 0
	switch name {
	case "header":
		c.pos += 8
		c.extentHeader(l)
	case "doc-ends", "freq-ends", "skip":
		label := map[string]string{"doc-ends": "docs end", "freq-ends": "freqs end", "skip": "last document"}[name]
		for i := 0; c.More(); i++ {
			c.Fixed(4, fmt.Sprintf("%s %d", label, i), "")
		}
	case "quads":
		for i := 0; c.More(); i++ {
			c.quad(l, fmt.Sprintf("bound of block %d", i))
		}
	case "linear-regression":
		c.Fixed(8, "slope", "%d / 2^32")
		at := c.pos
		if c.bytes(8) != nil {
			d.put(at, 8, "base", "%d / 2^32", int64(d.le(at, 8)))
		}
		c.Fixed(4, "widest left", "")
		c.Fixed(4, "widest right", "")
	case "hash-buckets":
		c.Fixed(1, "shift", "")
		c.Fixed(1, "log2 of buckets", "")
		c.Fixed(2, "reserved", "")
		for i := 0; c.More(); i++ {
			c.Fixed(4, fmt.Sprintf("bucket %d starts at", i), "")
		}
	case "kth-impacts":
		for i := range l.Kth {
			tf, dl, ok := l.Kth[i].Pair()
			at := c.pos
			if c.bytes(2) != nil {
				value := "not known"
				if ok {
					value = fmt.Sprintf("tf >= %d, length <= %d", tf, dl)
				}
				d.put(at, 2, fmt.Sprintf("impact %d", format.KthValues()[i]), "%s", value)
			}
		}
		c.Fixed(2, "reserved", "")
	case "docs":
		c.payload(l, l.Docs, "docs", l.DecodeDocs)
	case "freqs":
		c.payload(l, l.Freqs, "freqs", l.DecodeFreqs)
	default:
		d.put(c.pos, c.end-c.pos, name, "%s", d.zeros(c.pos, c.end-c.pos))
		c.pos = c.end
	}
}

// extentHeader shows the header after the checksum.
func (c *cursor) extentHeader(l *segment.List) {
	docs, freqs := l.Codecs()
	c.Fixed(4, "length", "%d units of 64 bytes")
	c.Fixed(4, "postings", "")
	c.Fixed(1, "docs codec", "%d: "+docs)
	c.Fixed(1, "freqs codec", "%d: "+freqs)
	c.Fixed(1, "log2 of block length", "")
	flags := "%#x (1: regression, 2: hash, 4: k-th)"
	if l.HasImpacts {
		flags = "%#x (1: regression, 2: hash, 8: weights)"
	}
	c.Fixed(1, "flags", flags)
	c.Fixed(4, "first document", "")
	c.quad(l, "bound of the list")
}

// quad shows the pairs of a quad, or the maxima that l has instead.
func (c *cursor) quad(l *segment.List, name string) {
	at := c.pos
	if c.bytes(8) == nil {
		return
	}
	if l.HasImpacts {
		var most []string
		for i := range 8 {
			most = append(most, fmt.Sprint(format.Maxima(c.d.le(at, 8)).Sub(i)))
		}
		c.d.put(at, 8, name, "%s", "weights "+strings.Join(most, " "))
	} else {
		c.d.put(at, 8, name, "%s", "tf/length "+pairs(format.Quad(c.d.le(at, 8))))
	}
}

// payload shows the payload of a sequence block by block.
func (c *cursor) payload(l *segment.List, s format.Sequence, what string, decode func([]uint32, int, int) (int, error)) {
	buf := make([]uint32, l.BlockLen)
	if n := int64(s.Ends[0]) * 4; n > 0 && c.More() {
		c.Field(uint64(n), what+" list header", func([]byte) string { return "" })
	}
	for i := 0; i < l.Blocks && c.More(); i++ {
		lo, hi := s.Ends[i], s.Ends[i+1]
		if hi < lo {
			c.fail()
			return
		}
		n, err := decode(buf, i, 1)
		c.Field(4*uint64(hi-lo), fmt.Sprintf("%s block %d", what, i), func([]byte) string {
			if err != nil {
				return "MALFORMED: " + err.Error()
			}
			return numbers(buf[:n])
		})
		if hi == lo && err == nil {
			c.d.fields = append(c.d.fields, Field{Offset: c.pos, Name: fmt.Sprintf("%s block %d has no bytes: %s", what, i, numbers(buf[:n]))})
		}
	}
}

// pairs prints the distinct pairs of a quad as tf/length.
func pairs(q format.Quad) string {
	var out []string
	for i := range 4 {
		tf, dl := q.Pair(i)
		pair := fmt.Sprintf("%d/%d", tf, dl)
		if tf == format.InfiniteTF {
			pair = fmt.Sprintf("inf/%d", dl)
		}
		if i == 0 || pair != out[len(out)-1] {
			out = append(out, pair)
		}
	}
	return strings.Join(out, " ")
}
