package segment

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/registry"
)

// memFile is an io.WriterAt in memory.
type memFile struct{ b []byte }

func (m *memFile) WriteAt(p []byte, off int64) (int, error) {
	if end := int(off) + len(p); end > len(m.b) {
		m.b = append(m.b, make([]byte, end-len(m.b))...)
	}
	return copy(m.b[off:], p), nil
}

// posting and model are the tests' own idea of a segment.
type posting struct{ doc, tf uint32 }

type model struct {
	lists map[string][]posting
	ids   []string
	texts []string
	lens  []uint32
}

func (m *model) terms() []string {
	var t []string
	for k := range m.lists {
		t = append(t, k)
	}
	sort.Strings(t)
	return t
}

// addList adds a list and counts its tokens.
func (m *model) addList(term string, ps []posting) {
	m.lists[term] = ps
	for _, p := range ps {
		m.lens[p.doc] += p.tf
	}
}

type buildWith struct {
	docs, freqs codec.Codec
	stored      bool
	docsFirst   bool
	temp        func() (io.ReadWriteSeeker, error)
	choose      Chooser
	tail        int64
}

func defaultBuild() buildWith {
	return buildWith{docs: codecNamed("bp128"), freqs: codecNamed("bp128")}
}

func codecNamed(name string) codec.Codec {
	c, ok := registry.ByName(name)
	if !ok {
		panic(name)
	}
	return c
}

func split(ps []posting) (docs, freqs []uint32) {
	for _, p := range ps {
		docs, freqs = append(docs, p.doc), append(freqs, p.tf)
	}
	return docs, freqs
}

type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func (m *model) options(w buildWith) BuilderOptions {
	o := BuilderOptions{Docs: uint32(len(m.ids)), Lengths: Lengths(m.lens), Analyzer: "simple", AnalyzerOptions: "x=1",
		Stored: w.stored, DocsCodec: w.docs, FreqsCodec: w.freqs, Temp: w.temp, Choose: w.choose, TailMemory: w.tail}
	return o
}

// build makes the segment file of m.
func (m *model) build(t failer, w buildWith) []byte {
	t.Helper()
	f := new(memFile)
	b, err := NewBuilder(format.NewFileWriter(f, format.KindSegment, format.ID{1, 2, 3}), m.options(w))
	if err != nil {
		t.Fatal(err)
	}
	addDocs := func() {
		for i, id := range m.ids {
			var text []byte
			if w.stored {
				text = []byte(m.texts[i])
			}
			if err := b.AddDoc([]byte(id), text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if w.docsFirst {
		addDocs()
	}
	for _, term := range m.terms() {
		docs, freqs := split(m.lists[term])
		if err := b.AddList([]byte(term), docs, freqs); err != nil {
			t.Fatal(err)
		}
	}
	if !w.docsFirst {
		addDocs()
	}
	if _, err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	return f.b
}

func mustOpen(t failer, b []byte) *Segment {
	t.Helper()
	s, err := Open("test.pin", Aligned(b))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// postingsOf reads a list through its view.
func postingsOf(t failer, l *List) []posting {
	t.Helper()
	var ps []posting
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
			ps = append(ps, posting{docs[i], freqs[i]})
		}
	}
	return ps
}

// check compares every view of s with m.
func (m *model) check(t failer, s *Segment, stored bool) {
	t.Helper()
	terms := m.terms()
	it := s.Terms()
	var l List
	for i, term := range terms {
		if !it.Next() || string(it.Term()) != term || it.Ordinal() != uint64(i) {
			t.Fatalf("term %d is %q (%d), want %q, %v", i, it.Term(), it.Ordinal(), term, it.Err())
		}
		e, ok, err := s.Lookup([]byte(term))
		if err != nil || !ok || e != it.Entry() {
			t.Fatalf("lookup %q: %v %v %v, iterator has %v", term, e, ok, err, it.Entry())
		}
		if err := s.InitList(&l, e); err != nil {
			t.Fatal(err)
		}
		got := postingsOf(t, &l)
		if fmt.Sprint(got) != fmt.Sprint(m.lists[term]) {
			t.Fatalf("list %q is %v, want %v", term, got, m.lists[term])
		}
		m.checkBounds(t, &l, m.lists[term])
	}
	if it.Next() || it.Err() != nil {
		t.Fatalf("more terms, or %v", it.Err())
	}
	for i, id := range m.ids {
		got, err := s.ID(uint32(i), nil)
		if err != nil || string(got) != id {
			t.Fatalf("id %d is %q, want %q, %v", i, got, id, err)
		}
		doc, ok, err := s.FindID([]byte(id))
		if err != nil || !ok || doc != uint32(i) {
			t.Fatalf("id %q is document %d %v %v, want %d", id, doc, ok, err, i)
		}
		if dl, err := s.DocLen(uint32(i)); err != nil || dl != m.lens[i] {
			t.Fatalf("length of %d is %d, want %d, %v", i, dl, m.lens[i], err)
		}
		text, err := s.Stored(uint32(i), nil)
		if err != nil || stored && string(text) != m.texts[i] || !stored && text != nil {
			t.Fatalf("text of %d: %q, %v", i, text, err)
		}
	}
	if _, ok, err := s.FindID([]byte("no such id")); ok || err != nil {
		t.Fatalf("found an id that is not there: %v", err)
	}
}

// checkBounds checks everything that a list says about its postings.
func (m *model) checkBounds(t failer, l *List, ps []posting) {
	t.Helper()
	if l.First != ps[0].doc || l.N != len(ps) {
		t.Fatalf("first %d of %d, want %d of %d", l.First, l.N, ps[0].doc, len(ps))
	}
	probe := func(target uint32) {
		want := sort.Search(len(ps), func(i int) bool { return ps[i].doc >= target })
		if lo, hi := l.Range(target); want < lo || want > hi {
			t.Fatalf("Range(%d) = %d, %d, want %d", target, lo, hi, want)
		}
		if lo, hi := l.Bucket(target); want < lo || want > hi {
			t.Fatalf("Bucket(%d) = %d, %d, want %d", target, lo, hi, want)
		}
	}
	for i, p := range ps {
		probe(p.doc)
		probe(p.doc + 1)
		if p.doc > 0 {
			probe(p.doc - 1)
		}
		if l.Kind != KindExtent {
			continue
		}
		if dl := m.lens[p.doc]; !dominated(l.Quads[i/l.BlockLen], p.tf, dl) || !dominated(l.Quad, p.tf, dl) {
			t.Fatalf("posting %d (tf %d, length %d) is not under its quad %x", i, p.tf, dl, l.Quads[i/l.BlockLen])
		}
	}
	probe(0)
	probe(uint32(len(m.lens)) - 1)
	for i, k := range []int{10, 100, 1000} {
		tf, dl, ok := l.Kth[i].Pair()
		if l.Kind != KindExtent || !ok {
			continue
		}
		n := 0
		for _, p := range ps {
			if p.tf >= tf && m.lens[p.doc] <= dl {
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

// slowDecode is the specification's formula.
func slowDecode(c int) uint64 {
	if c < 32 {
		return uint64(c)
	}
	return uint64(16+(c-32)%16) << ((c-32)/16 + 1)
}

// randomModel draws a segment. Lists are of all kinds up to maxDocs postings.
func randomModel(r *rand.Rand, docs, terms int) *model {
	m := &model{lists: map[string][]posting{}, lens: make([]uint32, docs)}
	for i := range docs {
		m.ids = append(m.ids, fmt.Sprintf("doc-%c-%d", 'a'+rune(r.IntN(26)), i))
		m.texts = append(m.texts, string(bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(300))))
	}
	alphabet := "ab\x00\xffcdefgh"
	for range terms {
		n := 1 + r.IntN(12)
		term := make([]byte, n)
		for i := range term {
			term[i] = alphabet[r.IntN(min(len(alphabet), 2+r.IntN(8)))]
		}
		if _, ok := m.lists[string(term)]; ok {
			continue
		}
		m.addList(string(term), randomList(r, docs))
	}
	return m
}

func randomList(r *rand.Rand, docs int) []posting {
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
	var ps []posting
	for d, left := lo, want; left > 0; d++ {
		if r.IntN(lo+width-d) < left {
			ps = append(ps, posting{uint32(d), uint32(1 + r.IntN(maxTF))})
			left--
		}
	}
	return ps
}

func TestViewsEqualModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		docs := rapid.SampledFrom([]int{1, 2, 17, 130, 1000, 5000, 20000}).Draw(t, "docs")
		m := randomModel(r, docs, rapid.IntRange(0, 120).Draw(t, "terms"))
		w := buildWith{
			docs:   codecNamed(rapid.SampledFrom([]string{"bp128", "vbyte128"}).Draw(t, "docs codec")),
			freqs:  codecNamed(rapid.SampledFrom([]string{"bp128", "vbyte128"}).Draw(t, "freqs codec")),
			stored: rapid.Bool().Draw(t, "stored"), docsFirst: rapid.Bool().Draw(t, "docs first"),
		}
		s := mustOpen(t, m.build(t, w))
		m.check(t, s, w.stored)
		if err := s.Verify(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	})
}
