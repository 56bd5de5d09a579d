package reader_test

import (
	"bytes"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Whatever is damaged, reading returns postings in order or an error.
func TestDamagedPostings(t *testing.T) {
	docs, freqs := seq(20000), ones(20000)
	for i := range docs {
		docs[i] *= 3
		freqs[i] += uint32(i % 7)
	}
	fsys := memfs.New()
	commit(t, fsys, &content{docs: 60000, lists: map[string]postings{"x": {docs, freqs}}})
	d, _ := fsys.Open(indexdir.SegmentName(1))
	good, _ := d.Range(0, d.Size())
	s, err := segment.Open("good", segment.Aligned(good))
	if err != nil {
		t.Fatal(err)
	}
	l, _ := s.Header().Section(format.SectionPostings)
	for i := range 600 {
		b := bytes.Clone(good)
		at := l.Offset + int64(i*7919*13)%l.Length
		if i%2 == 0 {
			at = l.Offset + int64(i)%2500 // the header and the tables
		}
		b[at] ^= byte(1 << (i % 8))
		seg, err := segment.Open("damaged", segment.Aligned(b))
		if err != nil {
			continue
		}
		read(t, reader.NewSegment(seg, 0, 0))
	}
}

// read walks list x in several ways.
func read(t *testing.T, seg *reader.Segment) {
	e, ok, err := seg.Lookup([]byte("x"))
	if err != nil || !ok {
		return
	}
	c := reader.NewCursor()
	defer c.Close()
	for step := uint32(5); step < 10000; step *= 11 {
		for by := range reader.Strategy(3) {
			if c.Init(seg, e) != nil {
				return
			}
			c.SetStrategy(by)
			n := 0
			for doc := c.Doc(); doc != reader.NoDoc; n++ {
				if step > 500 {
					c.Shallow(doc + step)
				}
				c.Freq()
				next := c.NextGEQ(doc + step)
				if next < doc+step || next != reader.NoDoc && next >= seg.Docs() || n > 60000 {
					t.Fatalf("docID %d after %d, a step of %d", next, doc, step)
				}
				doc = next
			}
		}
	}
}
