package build_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// Streams in temporary files give the same segment as streams in memory.
func TestTemporaryFiles(t *testing.T) {
	longtest.Once(t)
	m := segtest.Random(rand.New(rand.NewPCG(2, 2)), 60_000, 20)
	for i := range m.IDs {
		m.IDs[i] += strings.Repeat("x", i%20)
	}
	w := segtest.Default()
	w.Stored = true
	want := m.Build(t, w)
	files, dir := 0, t.TempDir()
	w.Spool = build.NewSpool(func() (build.TempFile, error) {
		files++
		return os.CreateTemp(dir, "spool")
	})
	t.Cleanup(func() { w.Spool.Close() })
	if got := m.Build(t, w); !bytes.Equal(got, want) {
		t.Fatal("segments differ")
	}
	if files == 0 {
		t.Fatal("no temporary files used")
	}
}

// The order of documents and lists decides only the order of sections.
func TestDocumentsFirst(t *testing.T) {
	m := segtest.Small()
	w := segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("bp128"), Stored: true, DocsFirst: true}
	m.Check(t, segtest.Open(t, m.Build(t, w)), true)
}

func TestEmptySegments(t *testing.T) {
	for _, m := range []*segtest.Model{
		{Lists: map[string][]segtest.Posting{}},
		{Lists: map[string][]segtest.Posting{}, IDs: []string{"a", "b"}, Texts: []string{"", ""}, Lens: []uint32{0, 0}},
	} {
		for _, stored := range []bool{false, true} {
			w := segtest.Default()
			w.Stored = stored
			s := segtest.Open(t, m.Build(t, w))
			m.Check(t, s, stored)
			if err := check.Segment(t.Context(), s, check.Options{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestStoredTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	noise := make([]byte, 40_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 60)}
	for i := range m.Lens {
		m.IDs = append(m.IDs, fmt.Sprint(i))
		text := ""
		switch i {
		case 3:
			text = strings.Repeat("the same again ", 100_000) // over the limit of compressed blocks
		case 5, 40:
			text = string(noise) // does not compress
		case 7, 8, 9, 10:
			text = strings.Repeat("medium ", 1500)
		}
		m.Texts = append(m.Texts, text)
	}
	w := segtest.Default()
	w.Stored = true
	s := segtest.Open(t, m.Build(t, w))
	m.Check(t, s, true)
	if err := check.Segment(t.Context(), s, check.Options{}); err != nil {
		t.Fatal(err)
	}
}

func TestBuilderRefuses(t *testing.T) {
	good := (&segtest.Model{Lens: make([]uint32, 2), IDs: []string{"a", "b"}}).Options(segtest.Default())
	begin := func(o build.Options) *build.Builder {
		b, err := build.New(format.NewFileWriter(new(segtest.MemFile), format.KindSegment, format.ID{}), o)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, change := range map[string]func(*build.Options){
		"no lengths":  func(o *build.Options) { o.Lengths = nil },
		"few lengths": func(o *build.Options) { o.Docs++ },
		"no codec":    func(o *build.Options) { o.FreqsCodec = nil },
		"analyzer":    func(o *build.Options) { o.Analyzer = strings.Repeat("x", layout.MaxAnalyzer+1) },
	} {
		o := good
		change(&o)
		if _, err := build.New(format.NewFileWriter(new(segtest.MemFile), format.KindSegment, format.ID{}), o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	one := format.Postings{Docs: []uint32{1}, Freqs: []uint32{1}}
	for name, f := range map[string]func(*build.Builder) error{
		"empty term": func(b *build.Builder) error { return b.AddList(nil, one) },
		"long term":  func(b *build.Builder) error { return b.AddList(make([]byte, segment.MaxTerm+1), one) },
		"term twice": func(b *build.Builder) error {
			b.AddList([]byte("a"), one)
			return b.AddList([]byte("a"), one)
		},
		"bytes not shared": func(b *build.Builder) error {
			b.AddList([]byte("ax"), one)
			return b.AppendShared([]byte("bz-----------------")[:2], 1, build.EncodedList{Kind: segment.KindSingleton, DF: 1, Bytes: []byte{0}})
		},
		"term order": func(b *build.Builder) error {
			b.AddList([]byte("b"), one)
			return b.AddList([]byte("a"), one)
		},
		"shorter": func(b *build.Builder) error {
			b.AddList([]byte("ab"), one)
			return b.AddList([]byte("a"), one)
		},
		"empty id": func(b *build.Builder) error { return b.AddDoc(nil, nil) },
		"long id":  func(b *build.Builder) error { return b.AddDoc(make([]byte, segment.MaxID+1), nil) },
		"more docs": func(b *build.Builder) error {
			b.AddDoc([]byte("a"), nil)
			b.AddDoc([]byte("b"), nil)
			return b.AddDoc([]byte("c"), nil)
		},
		"few docs": func(b *build.Builder) error { b.AddDoc([]byte("a"), nil); _, err := b.Finish(); return err },
		"in turns": func(b *build.Builder) error {
			b.AddDoc([]byte("a"), nil)
			b.AddList([]byte("a"), one)
			return b.AddDoc([]byte("b"), nil)
		},
	} {
		if err := f(begin(good)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// failingFile fails its n-th write.
type failingFile struct{ n int }

var errDisk = errors.New("disk full")

func (f *failingFile) WriteAt(p []byte, _ int64) (int, error) {
	if f.n--; f.n < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestBuilderReportsWriteErrors(t *testing.T) {
	longtest.Once(t)
	m := segtest.Random(rand.New(rand.NewPCG(2, 2)), 20_000, 30) // larger sections than format.FileWriter gathers
	for n := 0; ; n++ {
		b, err := build.New(format.NewFileWriter(&failingFile{n}, format.KindSegment, format.ID{}), m.Options(segtest.Default()))
		for _, term := range m.Terms() {
			p := segtest.Split(m.Lists[term])
			if err == nil {
				err = b.AddList([]byte(term), p)
			}
		}
		for _, id := range m.IDs {
			if err == nil {
				err = b.AddDoc([]byte(id), nil)
			}
		}
		if err == nil {
			_, err = b.Finish()
		}
		if err == nil {
			if n < 10 {
				t.Fatalf("only %d writes", n)
			}
			return
		}
		if !errors.Is(err, errDisk) {
			t.Fatalf("write %d failed: %v", n, err)
		}
	}
}

func TestTempErrors(t *testing.T) {
	m := segtest.Random(rand.New(rand.NewPCG(2, 2)), 60_000, 3)
	o := m.Options(segtest.Default())
	o.Spool = build.NewSpool(func() (build.TempFile, error) { return nil, errDisk })
	b, err := build.New(format.NewFileWriter(new(segtest.MemFile), format.KindSegment, format.ID{}), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range m.IDs {
		if err := b.AddDoc([]byte(id+strings.Repeat("x", i%20)), nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Finish(); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
}
