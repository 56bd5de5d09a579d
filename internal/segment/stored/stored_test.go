package stored_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

var vocabulary = func() (words []string) {
	for i := range uint32(20_000) {
		words = append(words, fmt.Sprintf("w%x ", i*2654435761))
	}
	return words
}()

// prose returns n documents of words that Zipf's law draws, some empty, some long.
func prose(seed uint64, n int) (texts []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	z := rand.NewZipf(r, 1.2, 4, uint64(len(vocabulary)-1))
	var b strings.Builder
	for i := range n {
		b.Reset()
		words := r.IntN(100)
		if i%1000 == 999 {
			words *= 400
		}
		for range words {
			b.WriteString(vocabulary[z.Uint64()])
		}
		texts = append(texts, b.String())
	}
	return texts
}

func open(t *testing.T, texts []string) *segment.Segment {
	t.Helper()
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Texts: texts, Lens: make([]uint32, len(texts))}
	for i := range texts {
		m.IDs = append(m.IDs, fmt.Sprintf("%08d", i))
	}
	w := segtest.Default()
	w.Stored = true
	return segtest.Open(t, m.Build(t, w))
}

// forms returns how many blocks of each form s has.
func forms(t *testing.T, s *segment.Segment) (n [4]int) {
	t.Helper()
	blocks, err := s.Raw().StoredBlocks()
	if err != nil {
		t.Fatal(err)
	}
	for i := range blocks {
		b, err := s.Raw().StoredBlock(i)
		if err != nil {
			t.Fatal(err)
		}
		n[b.Form]++
	}
	return n
}

// What a segment was built of leaves no trace in the next one, whose builder takes over its
// memory.
func TestBuilderAfterAnother(t *testing.T) {
	few := prose(2, 50)
	want := open(t, few)
	for _, before := range []int{600, 10, 12_000} {
		checkTexts(t, open(t, prose(3, before)), prose(3, before))
		s := open(t, few)
		checkTexts(t, s, few)
		if got, want := forms(t, s), forms(t, want); got != want {
			t.Errorf("after %d documents: blocks of each form %v, want %v", before, got, want)
		}
	}
}

// Texts come back, in blocks with dictionaries if there is enough of them.
func TestRegions(t *testing.T) {
	for _, c := range []struct {
		docs    int
		regions int
	}{{0, 0}, {10, 0}, {200, 0}, {600, 1}, {12_000, 2}} {
		texts := prose(1, c.docs)
		s := open(t, texts)
		if n := forms(t, s); n[segment.StoredDictionary] != c.regions {
			t.Errorf("%d documents: blocks of each form %v, want %d dictionaries", c.docs, n, c.regions)
		}
		checkTexts(t, s, texts)
	}
}

func checkTexts(t *testing.T, s *segment.Segment, texts []string) {
	t.Helper()
	var b []byte
	for i, want := range texts {
		var err error
		if b, err = s.Documents().AppendStored(b[:0], uint32(i)); err != nil || string(b) != want {
			t.Fatalf("document %d: %d bytes, %v; want %d", i, len(b), err, len(want))
		}
	}
}

// Text that a dictionary makes no smaller is stored as it was before there were any.
func TestNoRegions(t *testing.T) {
	noise := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(noise)
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = string(noise[i*1000 : i*1000+1000])
	}
	s := open(t, texts)
	if n := forms(t, s); n[segment.StoredDictionary] != 0 {
		t.Errorf("noise: blocks of each form %v", n)
	}
	checkTexts(t, s, texts)
}

// Merges copy whole regions and compress the rest anew: the texts stay.
func TestCopy(t *testing.T) {
	var all []string
	var sources []*segment.Segment
	for i, n := range []int{50, 10_000, 300, 10_000, 700} {
		texts := prose(uint64(i+2), n)
		sources = append(sources, open(t, texts))
		all = append(all, texts...)
	}
	o := (&segtest.Model{IDs: all, Lens: make([]uint32, len(all))}).Options(segtest.Default())
	o.Stored = true
	f := new(segtest.MemFile)
	b, err := build.New(format.NewFileWriter(f, format.KindSegment, format.ID{1}), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		if err := b.CopyDocs(s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	merged := segtest.Open(t, f.B)
	checkTexts(t, merged, all)
	in := map[string]bool{}
	for _, d := range dictionaries(t, merged) {
		in[d.block] = true
	}
	whole := 0
	for _, s := range sources {
		for _, d := range dictionaries(t, s) {
			if d.blocks < 256 {
				continue
			}
			if whole++; !in[d.block] {
				t.Errorf("a region of %d blocks was not copied", d.blocks)
			}
		}
	}
	if whole < 2 || len(in) > 5 {
		t.Errorf("%d whole regions in the sources, %d regions after the merge", whole, len(in))
	}
}

type dictionary struct {
	block  string // that has it
	blocks int    // that use it
}

func dictionaries(t *testing.T, s *segment.Segment) (ds []dictionary) {
	t.Helper()
	blocks, err := s.Raw().StoredBlocks()
	if err != nil {
		t.Fatal(err)
	}
	for i := range blocks {
		b, err := s.Raw().StoredBlock(i)
		if err != nil {
			t.Fatal(err)
		}
		if b.Form == segment.StoredDictionary {
			raw, err := s.Raw().SectionBytes(format.SectionStored, b.Offset, b.Size)
			if err != nil {
				t.Fatal(err)
			}
			ds = append(ds, dictionary{block: string(raw)})
		}
		if b.Form >= segment.StoredChunks {
			ds[len(ds)-1].blocks++
		}
	}
	return ds
}
