package segment

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
)

// join is the model of two segments' documents one after the other.
func join(a, b *model) *model {
	m := &model{lists: map[string][]posting{}}
	m.ids = append(append(m.ids, a.ids...), b.ids...)
	m.texts = append(append(m.texts, a.texts...), b.texts...)
	m.lens = append(append(m.lens, a.lens...), b.lens...)
	for t, ps := range a.lists {
		m.lists[t] = append(m.lists[t], ps...)
	}
	for t, ps := range b.lists {
		for _, p := range ps {
			m.lists[t] = append(m.lists[t], posting{p.doc + uint32(len(a.ids)), p.tf})
		}
	}
	return m
}

// merge is the simplest merge of segments whose documents keep their order.
func merge(t failer, m *model, w buildWith, segs ...*Segment) ([]byte, *ListEncoder) {
	t.Helper()
	f := new(memFile)
	o := m.options(w)
	o.IDHashes = mergedHashes(t, segs)
	b, err := NewBuilder(format.NewFileWriter(f, format.KindSegment, format.ID{9}), o)
	if err != nil {
		t.Fatal(err)
	}
	e := b.NewListEncoder()
	var l List
	var buf []byte
	for _, term := range m.terms() {
		e.Reset()
		base := uint32(0)
		for _, s := range segs {
			entry, ok, err := s.Lookup([]byte(term))
			if err == nil && ok {
				if err = s.InitList(&l, entry); err == nil {
					err = e.AppendList(&l, base)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			base += s.Meta().Docs
		}
		enc, grown, err := e.Finish(buf[:0])
		if err != nil {
			t.Fatal(err)
		}
		buf = grown
		if err := b.Append([]byte(term), enc); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range segs {
		if err := b.CopyDocs(s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	return f.b, e
}

func mergedHashes(t failer, segs []*Segment) iter.Seq[[]uint64] {
	var all []uint64
	base := uint64(0)
	for _, s := range segs {
		h, err := s.IDHashes()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range h {
			all = append(all, v+base)
		}
		base += uint64(s.Meta().Docs)
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return slices.Chunk(all, 100)
}

func TestMergeEqualsModel(t *testing.T) {
	codecs := []string{"bp128", "vbyte128"}
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		draw := func(prefix string) (*model, buildWith) {
			m := randomModel(r, rapid.SampledFrom([]int{1, 300, 2500, 10000}).Draw(t, "docs"), rapid.IntRange(0, 40).Draw(t, "terms"))
			for i := range m.ids {
				m.ids[i] = prefix + m.ids[i]
			}
			c := codecNamed(rapid.SampledFrom(codecs).Draw(t, "codec"))
			return m, buildWith{docs: c, freqs: c, stored: true}
		}
		a, wa := draw("a")
		b, wb := draw("b")
		m := join(a, b)
		got, _ := merge(t, m, wa, mustOpen(t, a.build(t, wa)), mustOpen(t, b.build(t, wb)))
		s := mustOpen(t, got)
		m.check(t, s, true)
		if err := s.Verify(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	})
}

func listOf(n, step int) (ps []posting) {
	for i := range n {
		ps = append(ps, posting{uint32(i * step), uint32(1 + i%3)})
	}
	return ps
}

func oneList(ps []posting, docs int, prefix string) *model {
	m := &model{lists: map[string][]posting{}, lens: make([]uint32, docs)}
	for i := range docs {
		m.ids = append(m.ids, fmt.Sprint(prefix, i))
		m.texts = append(m.texts, "")
	}
	m.addList("t", ps)
	return m
}

// Whole blocks are copied where the first list ends at a block boundary.
func TestMergeCopiesBlocks(t *testing.T) {
	for _, c := range []struct{ a, b, copied, encoded int }{
		{256, 384, 2 + 2, 128},      // the docIDs of b's first block again
		{256, 400, 2 + 2, 128 + 16}, // and b's last, short one
		{300, 384, 2, 44 + 384},     // a ends within a block
		{128, 100, 1, 100},          // b is compact
		{100, 256, 0, 356},          // a is compact
		{1280, 1280, 10 + 9, 128},   // with linear regression
		{8192, 8192, 64 + 63, 128},  // and hash buckets
	} {
		a, b := oneList(listOf(c.a, 3), 30000, "a"), oneList(listOf(c.b, 3), 30000, "b")
		m := join(a, b)
		w := defaultBuild()
		got, e := merge(t, m, w, mustOpen(t, a.build(t, w)), mustOpen(t, b.build(t, w)))
		if int(e.CopiedBlocks()) != c.copied || int(e.EncodedPostings()) != c.encoded {
			t.Errorf("%d and %d postings: %d blocks copied, %d postings encoded; want %d, %d", c.a, c.b, e.CopiedBlocks(), e.EncodedPostings(), c.copied, c.encoded)
		}
		s := mustOpen(t, got)
		m.check(t, s, false)
		if err := s.Verify(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		// But for the k-th impacts, the copy is what encoding anew gives.
		whole := mustOpen(t, m.build(t, w))
		x, y := extentWithoutKth(t, s), extentWithoutKth(t, whole)
		if !bytes.Equal(x, y) {
			t.Errorf("%d and %d postings: merged list differs from the built one", c.a, c.b)
		}
	}
}

func extentWithoutKth(t *testing.T, s *Segment) []byte {
	e, _, err := s.Lookup([]byte("t"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.List(e)
	if err != nil {
		t.Fatal(err)
	}
	b := bytes.Clone(l.Extent())
	clear(b[:8])
	for _, p := range l.Layout() {
		if p.Name == "kth-impacts" {
			clear(b[p.Offset : p.Offset+p.Length])
		}
	}
	return b
}

func TestMergeRefusesDamagedExtent(t *testing.T) {
	a := oneList(listOf(256, 3), 3000, "a")
	b := Aligned(a.build(t, defaultBuild()))
	sec, _ := mustOpen(t, b).Header().Section(format.SectionPostings)
	b[sec.Offset+200] ^= 1
	s := mustOpen(t, b)
	entry, _, _ := s.Lookup([]byte("t"))
	l, err := s.List(entry)
	if err != nil {
		t.Fatal(err)
	}
	o := a.options(defaultBuild())
	if err := newListEncoder(&o, format.NewImpactModel(1)).AppendList(l, 0); !isIndexError(err) {
		t.Fatal(err)
	}
}

func TestEncoderRefuses(t *testing.T) {
	o := oneList(listOf(1, 1), 1000, "").options(defaultBuild())
	e := newListEncoder(&o, format.NewImpactModel(1))
	long := func(change func(docs, freqs []uint32)) (docs, freqs []uint32) {
		docs, freqs = split(listOf(300, 2))
		change(docs, freqs)
		return docs, freqs
	}
	for name, c := range map[string]struct{ docs, freqs []uint32 }{
		"nothing":      {nil, nil},
		"lengths":      {[]uint32{1, 2}, []uint32{1}},
		"order":        {[]uint32{2, 1}, []uint32{1, 1}},
		"twice":        {[]uint32{2, 2}, []uint32{1, 1}},
		"zero":         {[]uint32{2, 3}, []uint32{1, 0}},
		"beyond":       {[]uint32{2, 1000}, []uint32{1, 1}},
		"single zero":  {[]uint32{2}, []uint32{0}},
		"beyond alone": {[]uint32{1000}, []uint32{1}},
	} {
		if _, _, err := e.Encode(nil, c.docs, c.freqs); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, change := range map[string]func(docs, freqs []uint32){
		"long order":     func(d, _ []uint32) { d[200] = d[199] },
		"long last":      func(d, _ []uint32) { d[299] = 1000 },
		"long zero":      func(_, f []uint32) { f[250] = 0 },
		"block boundary": func(d, _ []uint32) { d[128] = d[127] },
	} {
		docs, freqs := long(change)
		if _, _, err := e.Encode(nil, docs, freqs); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	// A list given up leaves nothing behind.
	docs, freqs := long(func(_, _ []uint32) {})
	want, _, err := newListEncoder(&o, format.NewImpactModel(1)).Encode(nil, docs, freqs)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := e.Encode(nil, docs, freqs); err != nil || !bytes.Equal(got.Bytes, want.Bytes) {
		t.Errorf("encoding after a failure differs, %v", err)
	}
}

// wholeCodec hides that a codec can encode block by block.
type wholeCodec struct{ codec.Codec }

func TestWholeListCodec(t *testing.T) {
	docs, freqs := split(listOf(1500, 2))
	o := oneList(listOf(1, 1), 4000, "").options(defaultBuild())
	want, _, err := newListEncoder(&o, format.NewImpactModel(1)).Encode(nil, docs, freqs)
	if err != nil {
		t.Fatal(err)
	}
	o.DocsCodec = wholeCodec{o.DocsCodec}
	got, _, err := newListEncoder(&o, format.NewImpactModel(1)).Encode(nil, docs, freqs)
	if err != nil || !bytes.Equal(got.Bytes, want.Bytes) {
		t.Fatalf("encoded as a whole a list differs, %v", err)
	}
}

// byLength chooses bp128 for docIDs of short lists, else vbyte128.
type byLength struct{}

func (byLength) Docs(docs []uint32) (codec.BlockCodec, error) {
	if len(docs) < 1000 {
		return codecNamed("bp128").(codec.BlockCodec), nil
	}
	return codecNamed("vbyte128").(codec.BlockCodec), nil
}

func (byLength) Freqs([]uint32) (codec.BlockCodec, error) {
	return codecNamed("bp128").(codec.BlockCodec), nil
}

func TestChooser(t *testing.T) {
	m := oneList(listOf(300, 3), 30000, "a")
	m.addList("long", listOf(1280, 2))
	m.addList("small", listOf(100, 2))
	w := buildWith{docs: codecNamed("vbyte128"), freqs: codecNamed("vbyte128"), choose: byLength{}}
	s := mustOpen(t, m.build(t, w))
	m.check(t, s, false)
	both := join(m, m)
	for i := range both.ids {
		both.ids[i] = fmt.Sprint(i)
	}
	other := &model{ids: both.ids[:30000], texts: m.texts, lens: m.lens, lists: m.lists}
	third := &model{ids: both.ids[30000:], texts: m.texts, lens: m.lens, lists: m.lists}
	got, e := merge(t, both, w, mustOpen(t, other.build(t, w)), mustOpen(t, third.build(t, w)))
	merged := mustOpen(t, got)
	both.check(t, merged, false)
	if e.CopiedBlocks() != 2+10+9 {
		t.Errorf("%d blocks copied", e.CopiedBlocks())
	}
	for _, s := range []*Segment{s, merged} {
		for term, want := range map[string]codec.ID{"t": codec.BP128, "long": codec.VByte128} {
			entry, _, _ := s.Lookup([]byte(term))
			l, err := s.List(entry)
			if err != nil || l.DocsCodec.ID() != want || l.FreqsCodec.ID() != codec.BP128 {
				t.Errorf("%s is in %v and %v, %v", term, l.DocsCodec.ID(), l.FreqsCodec.ID(), err)
			}
		}
		if err := s.Verify(context.Background(), nil); err != nil {
			t.Error(err)
		}
	}
}
