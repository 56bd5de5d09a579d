package build_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// join is the model of two segments' documents, those of a first.
func join(a, b *segtest.Model) *segtest.Model {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}}
	m.IDs = append(append(m.IDs, a.IDs...), b.IDs...)
	m.Texts = append(append(m.Texts, a.Texts...), b.Texts...)
	m.Lens = append(append(m.Lens, a.Lens...), b.Lens...)
	for t, ps := range a.Lists {
		m.Lists[t] = append(m.Lists[t], ps...)
	}
	for t, ps := range b.Lists {
		for _, p := range ps {
			m.Lists[t] = append(m.Lists[t], segtest.P(p.Doc+uint32(len(a.IDs)), p.TF))
		}
	}
	return m
}

// merge is the simplest merge of segments: documents keep their order.
func merge(t segtest.TB, m *segtest.Model, w segtest.With, segs ...*segment.Segment) ([]byte, *build.ListEncoder) {
	t.Helper()
	f := new(segtest.MemFile)
	o := m.Options(w)
	b, err := build.New(format.NewFileWriter(f, format.KindSegment, format.ID{9}), o)
	if err != nil {
		t.Fatal(err)
	}
	e := b.NewListEncoder()
	var l segment.List
	var buf []byte
	for _, term := range m.Terms() {
		e.Reset()
		base := uint32(0)
		for _, s := range segs {
			entry, ok, err := s.Lists().Lookup([]byte(term))
			if err == nil && ok {
				if err = s.Lists().Init(&l, entry); err == nil {
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
	return f.B, e
}

func TestMergeEqualsModel(t *testing.T) {
	codecs := []string{"bp128", "vbyte128"}
	longtest.Checks(t, 20)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		draw := func(prefix string) (*segtest.Model, segtest.With) {
			m := segtest.Random(r, rapid.SampledFrom([]int{1, 300, 2500, 10000}).Draw(t, "docs"), rapid.IntRange(0, 40).Draw(t, "terms"))
			for i := range m.IDs {
				m.IDs[i] = prefix + m.IDs[i]
			}
			c := segtest.Codec(rapid.SampledFrom(codecs).Draw(t, "codec"))
			return m, segtest.With{Docs: c, Freqs: c, Stored: true}
		}
		a, wa := draw("a")
		b, wb := draw("b")
		m := join(a, b)
		got, _ := merge(t, m, wa, segtest.Open(t, a.Build(t, wa)), segtest.Open(t, b.Build(t, wb)))
		s := segtest.Open(t, got)
		m.Check(t, s, true)
		if err := check.Segment(context.Background(), s, check.Options{}); err != nil {
			t.Fatal(err)
		}
	})
}

func listOf(n, step int) (ps []segtest.Posting) {
	for i := range n {
		ps = append(ps, segtest.P(uint32(i*step), uint32(1+i%3)))
	}
	return ps
}

func oneList(ps []segtest.Posting, docs int, prefix string) *segtest.Model {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, docs)}
	for i := range docs {
		m.IDs = append(m.IDs, fmt.Sprint(prefix, i))
		m.Texts = append(m.Texts, "")
	}
	m.AddList("t", ps)
	return m
}

// Whole blocks are copied if the first list ends at a block boundary.
func TestMergeCopiesBlocks(t *testing.T) {
	longtest.Once(t)
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
		w := segtest.Default()
		got, e := merge(t, m, w, segtest.Open(t, a.Build(t, w)), segtest.Open(t, b.Build(t, w)))
		if int(e.CopiedBlocks()) != c.copied || int(e.EncodedPostings()) != c.encoded {
			t.Errorf("%d and %d postings: %d blocks copied, %d postings encoded; want %d, %d", c.a, c.b, e.CopiedBlocks(), e.EncodedPostings(), c.copied, c.encoded)
		}
		s := segtest.Open(t, got)
		m.Check(t, s, false)
		if err := check.Segment(context.Background(), s, check.Options{}); err != nil {
			t.Fatal(err)
		}
		// Except for the k-th impacts, copying gives the same bytes as encoding.
		whole := segtest.Open(t, m.Build(t, w))
		x, y := extentWithoutKth(t, s), extentWithoutKth(t, whole)
		if !bytes.Equal(x, y) {
			t.Errorf("%d and %d postings: merged list differs from the built one", c.a, c.b)
		}
	}
}

func extentWithoutKth(t *testing.T, s *segment.Segment) []byte {
	e, _, err := s.Lists().Lookup([]byte("t"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Lists().List(e)
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
	b := segment.Aligned(a.Build(t, segtest.Default()))
	sec, _ := segtest.Open(t, b).Header().Section(format.SectionPostings)
	b[sec.Offset+200] ^= 1
	s := segtest.Open(t, b)
	s.Raw().SkipPageChecks()
	entry, _, _ := s.Lists().Lookup([]byte("t"))
	l, err := s.Lists().List(entry)
	if err != nil {
		t.Fatal(err)
	}
	o := a.Options(segtest.Default())
	if err := build.NewEncoder(o, 1).AppendList(l, 0); !segtest.IsIndexError(err) {
		t.Fatal(err)
	}
}

// A merge copies no block with unused bits set, though every decoder passes over them.
func TestMergeRefusesLooseBlocks(t *testing.T) {
	for _, name := range []string{"newpfd", "parapfor", "seglrc"} {
		var ps []segtest.Posting
		for i, doc := uint32(0), uint32(0); i < 256; i, doc = i+1, doc+1+i%3 {
			if i%40 == 5 {
				doc += 100
			}
			ps = append(ps, segtest.P(doc, 1+i%40/39*50))
		}
		with := segtest.With{Docs: segtest.Codec(name), Freqs: segtest.Codec(name)}
		a := oneList(ps, 3000, "a")
		s := segtest.Open(t, segment.Aligned(a.Build(t, with)))
		s.Raw().SkipPageChecks()
		entry, _, _ := s.Lists().Lookup([]byte("t"))
		l, err := s.Lists().List(entry)
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for i := range 8 * len(l.Docs.Payload) {
			flip := func() {
				l.Docs.Payload[i/8] ^= 1 << (i % 8)
				binary.LittleEndian.PutUint64(l.Extent(), xxhash.Sum64(l.Extent()[8:]))
			}
			flip()
			p := format.MakePostings(256)
			if _, err := l.DecodePostings(p, 0, 2); err == nil && slices.EqualFunc(p.Docs, ps, func(d uint32, p segtest.Posting) bool { return d == p.Doc }) &&
				(l.CheckBlock(0, p.Slice(0, 128)) != nil || l.CheckBlock(1, p.Slice(128, 256)) != nil) {
				refused++
				if err := build.NewEncoder(a.Options(with), 1).AppendList(l, 0); !segtest.IsIndexError(err) || !strings.Contains(err.Error(), "unused bits") {
					t.Errorf("%s, bit %d: %v", name, i, err)
				}
			}
			flip()
		}
		if refused == 0 {
			t.Errorf("%s: no unused bits", name)
		}
	}
}

// A merge refuses k-th impacts that fewer postings reach than they say, whether blocks are
// copied or encoded.
func TestMergeRefusesKth(t *testing.T) {
	a := oneList(listOf(1300, 3), 4000, "a")
	o := a.Options(segtest.Default())
	other := o
	other.DocsCodec, other.FreqsCodec = segtest.Codec("vbyte128"), segtest.Codec("vbyte128")
	for _, change := range []func(kth []byte){
		func([]byte) {},
		func(kth []byte) { kth[0] = 4 },            // no frequency is above 3
		func(kth []byte) { kth[2], kth[3] = 3, 0 }, // no document is so short
		func(kth []byte) { kth[4] = 3 },            // a third has that frequency
	} {
		s := segtest.Open(t, segment.Aligned(a.Build(t, segtest.Default())))
		s.Raw().SkipPageChecks()
		entry, _, _ := s.Lists().Lookup([]byte("t"))
		l, err := s.Lists().List(entry)
		if err != nil {
			t.Fatal(err)
		}
		sound := true
		for _, p := range l.Layout() {
			if p.Name == "kth-impacts" {
				before := bytes.Clone(l.Extent())
				change(l.Extent()[p.Offset : p.Offset+p.Length])
				sound = bytes.Equal(before, l.Extent())
			}
		}
		binary.LittleEndian.PutUint64(l.Extent(), xxhash.Sum64(l.Extent()[8:]))
		if l, err = s.Lists().List(entry); err != nil {
			t.Fatal(err)
		}
		for _, o := range []build.Options{o, other} {
			err := build.NewEncoder(o, 1).AppendList(l, 0)
			if sound && err != nil || !sound && !segtest.IsIndexError(err) {
				t.Errorf("k-th impacts %v, sound: %v: %v", l.Kth, sound, err)
			}
		}
	}
}

func TestEncoderRefuses(t *testing.T) {
	o := oneList(listOf(1, 1), 1000, "").Options(segtest.Default())
	e := build.NewEncoder(o, 1)
	long := func(change func(p format.Postings)) format.Postings {
		p := segtest.Split(listOf(300, 2))
		change(p)
		return p
	}
	for name, p := range map[string]format.Postings{
		"nothing":      {},
		"lengths":      {Docs: []uint32{1, 2}, Freqs: []uint32{1}},
		"order":        {Docs: []uint32{2, 1}, Freqs: []uint32{1, 1}},
		"twice":        {Docs: []uint32{2, 2}, Freqs: []uint32{1, 1}},
		"zero":         {Docs: []uint32{2, 3}, Freqs: []uint32{1, 0}},
		"beyond":       {Docs: []uint32{2, 1000}, Freqs: []uint32{1, 1}},
		"single zero":  {Docs: []uint32{2}, Freqs: []uint32{0}},
		"beyond alone": {Docs: []uint32{1000}, Freqs: []uint32{1}},
	} {
		if _, _, err := e.Encode(nil, p); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, change := range map[string]func(p format.Postings){
		"long order":     func(p format.Postings) { p.Docs[200] = p.Docs[199] },
		"long last":      func(p format.Postings) { p.Docs[299] = 1000 },
		"long zero":      func(p format.Postings) { p.Freqs[250] = 0 },
		"block boundary": func(p format.Postings) { p.Docs[128] = p.Docs[127] },
	} {
		if _, _, err := e.Encode(nil, long(change)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	// An abandoned list leaves nothing behind.
	p := long(func(format.Postings) {})
	want, _, err := build.NewEncoder(o, 1).Encode(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := e.Encode(nil, p); err != nil || !bytes.Equal(got.Bytes, want.Bytes) {
		t.Errorf("encoding after a failure differs, %v", err)
	}
}

// wholeCodec hides that a codec can encode block by block.
type wholeCodec struct{ codec.Codec }

func TestWholeListCodec(t *testing.T) {
	p := segtest.Split(listOf(1500, 2))
	o := oneList(listOf(1, 1), 4000, "").Options(segtest.Default())
	want, _, err := build.NewEncoder(o, 1).Encode(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	o.DocsCodec = wholeCodec{o.DocsCodec}
	got, _, err := build.NewEncoder(o, 1).Encode(nil, p)
	if err != nil || !bytes.Equal(got.Bytes, want.Bytes) {
		t.Fatalf("encoded as a whole a list differs, %v", err)
	}
}

// byLength chooses bp128 for the docIDs of short lists and vbyte128 for others.
type byLength struct{}

func (byLength) Docs(docs []uint32) (codec.BlockCodec, error) {
	if len(docs) < 1000 {
		return segtest.Codec("bp128").(codec.BlockCodec), nil
	}
	return segtest.Codec("vbyte128").(codec.BlockCodec), nil
}

func (byLength) Freqs([]uint32) (codec.BlockCodec, error) {
	return segtest.Codec("bp128").(codec.BlockCodec), nil
}

func (byLength) Keeps(docs, freqs codec.Codec) bool { return true }

func TestPolicy(t *testing.T) {
	m := oneList(listOf(300, 3), 30000, "a")
	m.AddList("long", listOf(1280, 2))
	m.AddList("small", listOf(100, 2))
	w := segtest.With{Docs: segtest.Codec("vbyte128"), Freqs: segtest.Codec("vbyte128"), Choose: byLength{}}
	s := segtest.Open(t, m.Build(t, w))
	m.Check(t, s, false)
	both := join(m, m)
	for i := range both.IDs {
		both.IDs[i] = fmt.Sprint(i)
	}
	other := &segtest.Model{IDs: both.IDs[:30000], Texts: m.Texts, Lens: m.Lens, Lists: m.Lists}
	third := &segtest.Model{IDs: both.IDs[30000:], Texts: m.Texts, Lens: m.Lens, Lists: m.Lists}
	got, e := merge(t, both, w, segtest.Open(t, other.Build(t, w)), segtest.Open(t, third.Build(t, w)))
	merged := segtest.Open(t, got)
	both.Check(t, merged, false)
	if e.CopiedBlocks() != 2+10+9 {
		t.Errorf("%d blocks copied", e.CopiedBlocks())
	}
	for _, s := range []*segment.Segment{s, merged} {
		for term, want := range map[string]codec.ID{"t": codec.BP128, "long": codec.VByte128} {
			entry, _, _ := s.Lists().Lookup([]byte(term))
			l, err := s.Lists().List(entry)
			if err != nil || codec.ID(l.DocsCodec) != want || codec.ID(l.FreqsCodec) != codec.BP128 {
				t.Errorf("%s is in %v and %v, %v", term, codec.ID(l.DocsCodec), codec.ID(l.FreqsCodec), err)
			}
		}
		if err := check.Segment(context.Background(), s, check.Options{}); err != nil {
			t.Error(err)
		}
	}
}
