package reliability

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	checks "github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

var scratch = flag.String("scratch", "", "folder of a disk with 20 GB of room, for the tests of large indexes")

// large is a collection of which one section takes more than 4 GiB.
type large struct {
	section format.SectionID
	docs    int
	id      func(doc int) []byte
	text    func(doc int) []byte // nil: none is stored
	terms   int
	term    func(list int) []byte
	freq    func(list, doc int) uint32 // 0: the document is not in the list
}

// noise returns n bytes that cannot be compressed, drawn by x, behind 8 bytes that put them in
// the order of x.
func noise(x, n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24), 1})
	r.Read(b)
	binary.BigEndian.PutUint64(b, uint64(x))
	return b
}

// larges returns the collections, of which a section holds so many bytes, by name.
func larges(size int) map[string]large {
	number := func(i int) []byte { return fmt.Appendf(nil, "n%09d", i) }
	once := func(list, doc int) uint32 { return 1 }
	long := size/64900 + 2
	dense := size / 330 * 1000 / 2800 // a posting takes 23 bits
	return map[string]large{
		"texts": {format.SectionStored, size>>20 + 1, number, func(doc int) []byte { return noise(doc, 1<<20) }, 3, number, once},
		"ids":   {format.SectionIDs, long, func(doc int) []byte { return noise(doc, 65000) }, nil, 3, number, once},
		"terms": {format.SectionTerms, 1000, number, nil, long, func(list int) []byte { return noise(list, 65000) },
			func(list, doc int) uint32 {
				if list%1000 == doc {
					return 1
				}
				return 0
			}},
		"postings": {format.SectionPostings, dense, number, nil, 330, number, func(list, doc int) uint32 {
			return 1 + uint32((uint64(list)*0x9e3779b97f4a7c15+uint64(doc))*0xd1342543de82ef95>>41)
		}},
	}
}

// TestLargeSegments makes segments of which one section is larger than 4 GiB, and so most
// offsets need more than 32 bits: they are verified, read at both ends, merged, deleted from,
// and mended.
func TestLargeSegments(t *testing.T) {
	size := 4<<30 + 200<<20
	if *scratch == "" {
		size = 4 << 20
		t.Logf("sections of %d bytes: -scratch makes them larger than 4 GiB", size)
	}
	all := larges(size)
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp(*scratch, "large-")
			check(t, err)
			defer os.RemoveAll(dir)
			c.try(t, dir, size)
		})
	}
	t.Logf("%d large sections", len(all))
}

func (c *large) try(t *testing.T, dir string, size int) {
	o := options("bp128")
	o.Memory, o.MergePolicy = 256<<20, writer.NoMerges
	o.Schema.Fields[0].Stored = c.text != nil
	w, err := writer.Open(ctx, dir, o)
	check(t, err)
	check(t, w.AddInverted(ctx, writer.Inverted{Docs: c.allDocs(), Lists: c.allLists()}), w.Commit(ctx))
	c.examine(t, dir, size, false)
	t.Log("made and verified")
	check(t, w.Add(ctx, writer.Text([]byte("last"), []byte("one two"))), w.Delete(ctx, c.id(1)), w.Commit(ctx))
	_, err = w.Merge(ctx, writer.MergeOptions{MaxSegments: 1, Purge: true})
	check(t, err, w.Commit(ctx), w.Close())
	c.examine(t, dir, size, true)
	t.Log("merged and verified")
	c.mend(t, dir)
}

func (c *large) allDocs() iter.Seq2[writer.InvertedDoc, error] {
	lengths := make([]uint32, c.docs)
	for list := range c.terms {
		for doc := range c.docs {
			lengths[doc] += c.freq(list, doc)
		}
	}
	return func(yield func(writer.InvertedDoc, error) bool) {
		for doc := range c.docs {
			d := writer.InvertedDoc{ID: c.id(doc), Len: lengths[doc]}
			if c.text != nil {
				d.Text = c.text(doc)
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

func (c *large) allLists() iter.Seq2[writer.InvertedList, error] {
	return func(yield func(writer.InvertedList, error) bool) {
		var l writer.InvertedList
		for list := range c.terms {
			l.Term, l.Postings = c.term(list), l.Slice(0, 0)
			for doc := range c.docs {
				if f := c.freq(list, doc); f > 0 {
					l.Postings = l.AppendPosting(uint32(doc), f)
				}
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}

// examine verifies the index to level 3 and reads both ends of it. If merged, its second
// document is gone, and another one has come at its end.
func (c *large) examine(t *testing.T, dir string, size int, merged bool) {
	now := func(doc int) (at uint32, ok bool) {
		switch {
		case !merged || doc == 0:
			return uint32(doc), true
		case doc == 1:
			return 0, false
		}
		return uint32(doc - 1), true
	}
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	check(t, err)
	defer x.Close()
	s, err := x.Snapshot()
	check(t, err)
	defer s.Close()
	if len(s.Segments()) != 1 || s.Stats().Docs != uint64(c.docs) {
		t.Fatalf("%d segments of %d documents", len(s.Segments()), s.Stats().Docs)
	}
	seg := s.Segments()[0]
	if sec, _ := seg.Header().Section(c.section); sec.Length < int64(size) {
		t.Fatalf("section %v has %d bytes, want %d", c.section, sec.Length, size)
	}
	check(t, checks.Segment(ctx, seg.Views(), checks.Options{Level: checks.Postings}))
	for doc := range c.docs {
		at, ok := now(doc)
		if !ok || doc > 5 && doc < c.docs-5 && doc%(c.docs/10+1) > 0 {
			continue
		}
		id, err := s.AppendID(nil, at)
		check(t, err)
		if !bytes.Equal(id, c.id(doc)) {
			t.Fatalf("document %d has another id", doc)
		}
		if found, ok, err := s.FindID(id); err != nil || !ok || found != at {
			t.Fatalf("document %d is found at %d: %v, %v", doc, found, ok, err)
		}
		if c.text != nil {
			text, err := s.AppendStored(nil, at)
			if check(t, err); !bytes.Equal(text, c.text(doc)) {
				t.Fatalf("document %d has another text", doc)
			}
		}
	}
	searcher, err := search.NewSearcher(s, search.Options{})
	check(t, err)
	defer searcher.Close()
	for _, list := range []int{0, 1, c.terms / 2, c.terms - 1} {
		cursor, err := seg.Cursor(c.term(list))
		check(t, err)
		held := false
		for doc := range c.docs {
			at, ok := now(doc)
			f := c.freq(list, doc)
			if held = held || ok && f > 0; !ok || f == 0 || doc > 5 && doc < c.docs-5 && doc%(c.docs/10+1) > 0 {
				continue
			}
			if cursor.NextGEQ(at); cursor.Doc() != at || cursor.Freq() != f {
				t.Fatalf("list %d: document %d with frequency %d, want %d with %d", list, cursor.Doc(), cursor.Freq(), at, f)
			}
		}
		check(t, cursor.Err())
		cursor.Close()
		var hits [2][]search.Hit
		for i, m := range []query.Mode{query.ModeAnd, query.ModeOr} {
			res, err := searcher.Search(ctx, search.Query{RawTerms: [][]byte{c.term(list)}, Mode: m})
			check(t, err)
			hits[i] = res.Hits
		}
		if !slices.Equal(hits[0], hits[1]) || held != (len(hits[0]) > 0) {
			t.Fatalf("list %d: %v by AND, %v by OR", list, hits[0], hits[1])
		}
	}
}

// mend flips a bit near the end of the large section, and expects all of the segment back.
func (c *large) mend(t *testing.T, dir string) {
	d, err := indexdir.OpenFS(store.Dir(dir))
	check(t, err)
	defer d.Close()
	commit, err := d.Latest()
	check(t, err)
	defer commit.Release()
	info := &commit.Segments[0]
	name := indexdir.SegmentName(info.File)
	sec := func() format.Section {
		data, err := d.OpenFile(name)
		check(t, err)
		defer data.Close()
		s, err := segment.Open(name, data)
		check(t, err)
		sec, _ := s.Header().Section(c.section)
		return sec
	}()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
	check(t, err)
	var b [1]byte
	_, err = f.ReadAt(b[:], sec.Offset+sec.Length-20000)
	check(t, err)
	b[0] ^= 4
	_, err = f.WriteAt(b[:], sec.Offset+sec.Length-20000)
	check(t, err, f.Close())

	data, err := d.OpenFile(name)
	check(t, err)
	defer data.Close()
	analyzer, of := commit.Analyzer()
	m, err := salvage.Mend(name, data, salvage.Known{ID: info.ID, Postings: info.Postings, Tokens: info.Tokens,
		Analyzer: analyzer, AnalyzerOptions: of})
	check(t, err)
	s, err := segment.Open(name, m.Data)
	check(t, err)
	plain, err := segment.Open(name, m.Data)
	check(t, err)
	plain.Raw().SkipPageChecks()
	src := salvage.New(s, plain, func(uint32) bool { return false })
	docs, postings := uint32(0), uint64(0)
	for range src.Docs() {
		docs++
	}
	for l := range src.Lists() {
		postings += uint64(len(l.Docs))
	}
	if docs != info.Docs || postings != info.Postings || len(src.Losses()) > 0 {
		err = fmt.Errorf("%d of %d documents, %d of %d postings, lost: %v", docs, info.Docs, postings, info.Postings, src.Losses())
	}
	check(t, err)
}

// TestLongestText stores the longest text that a segment can hold, reads and merges it; one
// byte more is refused.
func TestLongestText(t *testing.T) {
	if *scratch == "" {
		t.Skip("it takes 5 GB of memory: -scratch")
	}
	dir, err := os.MkdirTemp(*scratch, "long-")
	check(t, err)
	defer os.RemoveAll(dir)
	w, err := writer.Open(ctx, dir, options(""))
	check(t, err)
	text := bytes.Repeat([]byte("all of it, "), segment.MaxText/11+1)
	add := func(id string, n int) error {
		return w.AddInverted(ctx, writer.Inverted{
			Docs: func(yield func(writer.InvertedDoc, error) bool) {
				yield(writer.InvertedDoc{ID: []byte(id), Len: 1, Text: text[:n]}, nil)
			},
			Lists: func(yield func(writer.InvertedList, error) bool) {
				yield(writer.InvertedList{Term: []byte("all"), Postings: format.Postings{Docs: []uint32{0}, Freqs: []uint32{1}}}, nil)
			}})
	}
	if err := add("longer", segment.MaxText+1); err == nil {
		t.Fatal("a text too long is stored")
	}
	check(t, add("long", segment.MaxText), w.Commit(ctx), add("short", 1), w.Commit(ctx))
	_, err = w.Merge(ctx, writer.MergeOptions{})
	check(t, err, w.Commit(ctx), w.Close())
	docs, err := contents(store.Dir(dir))
	if check(t, err); docs["long"] != string(text[:segment.MaxText]) || docs["short"] != "a" || len(docs) != 2 {
		t.Fatalf("%d documents, one of %d bytes", len(docs), len(docs["long"]))
	}
	t.Logf("1 text of %d bytes", segment.MaxText)
}
