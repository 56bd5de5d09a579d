// Package segtest is shared by the tests of package segment and the packages below it. It
// models a segment in plain slices, drawn at random or small and fixed, that builds the file
// and compares it with what is read.
package segtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/segment"
)

// MemFile is an io.WriterAt in memory.
type MemFile struct{ B []byte }

// WriteAt grows the file as needed.
func (m *MemFile) WriteAt(p []byte, off int64) (int, error) {
	if end := int(off) + len(p); end > len(m.B) {
		m.B = append(m.B, make([]byte, end-len(m.B))...)
	}
	return copy(m.B[off:], p), nil
}

// Posting is a posting.
type Posting struct{ Doc, TF uint32 }

// P returns a posting.
func P(doc, tf uint32) Posting { return Posting{doc, tf} }

// Pairs returns the postings of alternating docIDs and frequencies.
func Pairs(v ...uint32) (ps []Posting) {
	for i := 0; i < len(v); i += 2 {
		ps = append(ps, Posting{v[i], v[i+1]})
	}
	return ps
}

// Model is a segment: the documents' ids, texts and lengths, and the lists by term.
type Model struct {
	Lists map[string][]Posting
	IDs   []string
	Texts []string
	Lens  []uint32
}

// Terms returns the terms in order.
func (m *Model) Terms() []string {
	var t []string
	for k := range m.Lists {
		t = append(t, k)
	}
	sort.Strings(t)
	return t
}

// AddList adds a list and counts its tokens.
func (m *Model) AddList(term string, ps []Posting) {
	m.Lists[term] = ps
	for _, p := range ps {
		m.Lens[p.Doc] += p.TF
	}
}

// With is how a Model is built.
type With struct {
	Docs, Freqs codec.Codec
	Stored      bool
	DocsFirst   bool
	Spool       *build.Spool
	Choose      choose.Policy
	Tail        int64
	More        func(*build.Options) // sets other options, unless nil
}

// Default is bp128 for everything.
func Default() With {
	return With{Docs: Codec("bp128"), Freqs: Codec("bp128")}
}

// Codec returns the codec with that name.
func Codec(name string) codec.Codec {
	c, ok := registry.ByName(name)
	if !ok {
		panic(name)
	}
	return c
}

// Split returns ps as docIDs and frequencies.
func Split(ps []Posting) (p format.Postings) {
	for _, x := range ps {
		p = p.AppendPosting(x.Doc, x.TF)
	}
	return p
}

// TB is the common part of testing.TB and rapid.T.
type TB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Options returns the options that build m.
func (m *Model) Options(w With) build.Options {
	o := build.Options{Docs: uint32(len(m.IDs)), Lengths: []segment.LengthTable{segment.NewLengthTable(m.Lens)},
		Analyzer: "simple", AnalyzerOptions: "x=1", Stored: w.Stored, DocsCodec: w.Docs, FreqsCodec: w.Freqs,
		Spool: w.Spool, Choose: w.Choose, TailMemory: w.Tail}
	if w.More != nil {
		w.More(&o)
	}
	return o
}

// Build returns the segment file of m.
func (m *Model) Build(t TB, w With) []byte {
	t.Helper()
	f := new(MemFile)
	b, err := build.New(format.NewFileWriter(f, format.KindSegment, format.ID{1, 2, 3}), m.Options(w))
	if err != nil {
		t.Fatal(err)
	}
	addDocs := func() {
		for i, id := range m.IDs {
			var text []byte
			if w.Stored {
				text = []byte(m.Texts[i])
			}
			if err := b.AddDoc([]byte(id), text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if w.DocsFirst {
		addDocs()
	}
	for _, term := range m.Terms() {
		if err := b.AddList([]byte(term), Split(m.Lists[term])); err != nil {
			t.Fatal(err)
		}
	}
	if !w.DocsFirst {
		addDocs()
	}
	if _, err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	return f.B
}

// Open opens a segment in memory.
func Open(t TB, b []byte) *segment.Segment {
	t.Helper()
	s, err := segment.Open("test.pin", segment.Aligned(b))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// PostingsOf reads a list through its view.
func PostingsOf(t TB, l *segment.List) []Posting {
	t.Helper()
	var ps []Posting
	docs, freqs := make([]uint32, l.BlockLen), make([]uint32, l.BlockLen)
	for b := range l.Blocks {
		n, err := l.DecodeDocs(docs, b, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n2, err := l.DecodeFreqs(freqs, b, 1); err != nil || n2 != n {
			t.Fatalf("%d frequencies for %d docIDs, %v", n2, n, err)
		}
		if docs[n-1] != l.Last(b) {
			t.Fatalf("block %d ends on %d, Last says %d", b, docs[n-1], l.Last(b))
		}
		for i := range n {
			ps = append(ps, P(docs[i], freqs[i]))
		}
	}
	return ps
}

// Check compares every view of s with m.
func (m *Model) Check(t TB, s *segment.Segment, stored bool) {
	t.Helper()
	terms := m.Terms()
	it := s.Lists().Terms()
	var l segment.List
	for i, term := range terms {
		if !it.Next() || string(it.Term()) != term || it.Entry().Ordinal != uint64(i) {
			t.Fatalf("term %d is %q (%d), want %q, %v", i, it.Term(), it.Entry().Ordinal, term, it.Err())
		}
		e, ok, err := s.Lists().Lookup([]byte(term))
		if err != nil || !ok || e != it.Entry() {
			t.Fatalf("lookup %q: %v %v %v, iterator has %v", term, e, ok, err, it.Entry())
		}
		if err := s.Lists().Init(&l, e); err != nil {
			t.Fatal(err)
		}
		got := PostingsOf(t, &l)
		if fmt.Sprint(got) != fmt.Sprint(m.Lists[term]) {
			t.Fatalf("list %q is %v, want %v", term, got, m.Lists[term])
		}
		m.checkBounds(t, &l, m.Lists[term])
	}
	if it.Next() || it.Err() != nil {
		t.Fatalf("more terms, or %v", it.Err())
	}
	for i, id := range m.IDs {
		got, err := s.Documents().AppendID(nil, uint32(i))
		if err != nil || string(got) != id {
			t.Fatalf("id %d is %q, want %q, %v", i, got, id, err)
		}
		doc, ok, err := s.Documents().FindID([]byte(id))
		if err != nil || !ok || doc != uint32(i) {
			t.Fatalf("id %q is document %d %v %v, want %d", id, doc, ok, err, i)
		}
		if dl, err := s.Documents().Length(uint32(i)); err != nil || dl != m.Lens[i] {
			t.Fatalf("length of %d is %d, want %d, %v", i, dl, m.Lens[i], err)
		}
		text, err := s.Documents().AppendStored(nil, uint32(i))
		if err != nil || stored && string(text) != m.Texts[i] || !stored && text != nil {
			t.Fatalf("text of %d: %q, %v", i, text, err)
		}
	}
	if _, ok, err := s.Documents().FindID([]byte("no such id")); ok || err != nil {
		t.Fatalf("found an id that is not there: %v", err)
	}
}

// checkBounds checks all bounds that a list gives for its postings.
func (m *Model) checkBounds(t TB, l *segment.List, ps []Posting) {
	t.Helper()
	if l.First != ps[0].Doc || l.N != len(ps) {
		t.Fatalf("first %d of %d, want %d of %d", l.First, l.N, ps[0].Doc, len(ps))
	}
	probe := func(target uint32) {
		want := sort.Search(len(ps), func(i int) bool { return ps[i].Doc >= target })
		if lo, hi := l.Range(target); want < lo || want > hi {
			t.Fatalf("Range(%d) = %d, %d, want %d", target, lo, hi, want)
		}
		if lo, hi := l.Bucket(target); want < lo || want > hi {
			t.Fatalf("Bucket(%d) = %d, %d, want %d", target, lo, hi, want)
		}
	}
	for i, p := range ps {
		probe(p.Doc)
		probe(p.Doc + 1)
		if p.Doc > 0 {
			probe(p.Doc - 1)
		}
		if l.Kind != segment.KindExtent {
			continue
		}
		if dl := m.Lens[p.Doc]; !dominated(l.Quads[i/l.BlockLen], p.TF, dl) || !dominated(l.Quad, p.TF, dl) {
			t.Fatalf("posting %d (tf %d, length %d) is not under its quad %x", i, p.TF, dl, l.Quads[i/l.BlockLen])
		}
	}
	probe(0)
	probe(uint32(len(m.Lens)) - 1)
	for i, k := range []int{10, 100, 1000} {
		tf, dl, ok := l.Kth[i].Pair()
		if l.Kind != segment.KindExtent || !ok {
			continue
		}
		n := 0
		for _, p := range ps {
			if p.TF >= tf && m.Lens[p.Doc] <= dl {
				n++
			}
		}
		if n < k {
			t.Fatalf("%d postings reach the pair (%d, %d) for k = %d", n, tf, dl, k)
		}
	}
}

func dominated(q format.Quad, tf, dl uint32) bool {
	for i := range 4 {
		c := uint16(q >> (16 * i))
		if t, l := slowDecode(int(c&255)), slowDecode(int(c>>8)); (t >= uint64(tf) || c&255 == 255) && l <= uint64(dl) {
			return true
		}
	}
	return false
}

// slowDecode is the formula of the specification.
func slowDecode(c int) uint64 {
	if c < 32 {
		return uint64(c)
	}
	return uint64(16+(c-32)%16) << ((c-32)/16 + 1)
}

// Random draws a segment with lists of all kinds.
func Random(r *rand.Rand, docs, terms int) *Model {
	m := &Model{Lists: map[string][]Posting{}, Lens: make([]uint32, docs)}
	for i := range docs {
		m.IDs = append(m.IDs, fmt.Sprintf("doc-%c-%d", 'a'+rune(r.IntN(26)), i))
		m.Texts = append(m.Texts, string(bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(300))))
	}
	alphabet := "ab\x00\xffcdefgh"
	for range terms {
		n := 1 + r.IntN(12)
		term := make([]byte, n)
		for i := range term {
			term[i] = alphabet[r.IntN(min(len(alphabet), 2+r.IntN(8)))]
		}
		if _, ok := m.Lists[string(term)]; ok {
			continue
		}
		m.AddList(string(term), RandomList(r, docs))
	}
	return m
}

// RandomList draws a list of any kind.
func RandomList(r *rand.Rand, docs int) []Posting {
	want := 1
	switch r.IntN(4) {
	case 1:
		want = 2 + r.IntN(126)
	case 2:
		want = 128 + r.IntN(900)
	case 3:
		want = 1 + r.IntN(docs)
	}
	want = min(want, docs)
	lo := r.IntN(docs - want + 1)
	width := want + r.IntN(docs-lo-want+1)
	maxTF := []int{1, 2, 5, 40, 100000}[r.IntN(5)]
	var ps []Posting
	for d, left := lo, want; left > 0; d++ {
		if r.IntN(lo+width-d) < left {
			ps = append(ps, P(uint32(d), uint32(1+r.IntN(maxTF))))
			left--
		}
	}
	return ps
}

// Small has lists and parts of every kind in few bytes.
func Small() *Model {
	r := rand.New(rand.NewPCG(5, 6))
	m := &Model{Lists: map[string][]Posting{}, Lens: make([]uint32, 9000)}
	for i := range m.Lens {
		m.IDs = append(m.IDs, string(binary.AppendUvarint(nil, uint64(i+1))))
		m.Texts = append(m.Texts, "")
		if i%100 == 0 {
			m.Texts[i] = "some text that is stored, some text that is stored"
		}
	}
	dense := func(n, step int) (ps []Posting) {
		for i := range n {
			ps = append(ps, P(uint32(i*step), uint32(1+r.IntN(3)*r.IntN(2))))
		}
		return ps
	}
	m.AddList("extent", dense(200, 40))
	m.AddList("hash", dense(8500, 1))
	m.AddList("once", Pairs(17, 1))
	m.AddList("oncemore", Pairs(18, 70))
	m.AddList("regression", dense(1100, 8))
	m.AddList("small", dense(20, 300))
	m.AddList("tiny", Pairs(1, 1, 8999, 2))
	for i := range 40 {
		m.AddList("z"+string(rune('A'+i)), Pairs(uint32(i), 1))
	}
	return m
}
