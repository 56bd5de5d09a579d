package segment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
)

// Streams in temporary files give the same segment as streams in memory.
func TestTemporaryFiles(t *testing.T) {
	m := randomModel(rand.New(rand.NewPCG(2, 2)), 60_000, 20)
	for i := range m.ids {
		m.ids[i] += strings.Repeat("x", i%20)
	}
	w := defaultBuild()
	w.stored = true
	want := m.build(t, w)
	files, dir := 0, t.TempDir()
	w.temp = func() (io.ReadWriteSeeker, error) {
		f, err := os.CreateTemp(dir, "spool")
		if err == nil {
			files++
			t.Cleanup(func() { f.Close() })
		}
		return f, err
	}
	if got := m.build(t, w); !bytes.Equal(got, want) {
		t.Fatal("segments differ")
	}
	if files == 0 {
		t.Fatal("no temporary files used")
	}
}

// The order of documents and lists decides only the order of sections.
func TestDocumentsFirst(t *testing.T) {
	m := smallModel()
	w := buildWith{docs: codecNamed("bp128"), freqs: codecNamed("bp128"), stored: true, docsFirst: true}
	m.check(t, mustOpen(t, m.build(t, w)), true)
}

func TestEmptySegments(t *testing.T) {
	for _, m := range []*model{
		{lists: map[string][]posting{}},
		{lists: map[string][]posting{}, ids: []string{"a", "b"}, texts: []string{"", ""}, lens: []uint32{0, 0}},
	} {
		for _, stored := range []bool{false, true} {
			w := defaultBuild()
			w.stored = stored
			s := mustOpen(t, m.build(t, w))
			m.check(t, s, stored)
			if err := s.Verify(t.Context(), nil); err != nil {
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
	m := &model{lists: map[string][]posting{}, lens: make([]uint32, 60)}
	for i := range m.lens {
		m.ids = append(m.ids, fmt.Sprint(i))
		text := ""
		switch i {
		case 3:
			text = strings.Repeat("the same again ", 100_000) // over the limit of compressed blocks
		case 5, 40:
			text = string(noise) // does not compress
		case 7, 8, 9, 10:
			text = strings.Repeat("medium ", 1500)
		}
		m.texts = append(m.texts, text)
	}
	w := defaultBuild()
	w.stored = true
	s := mustOpen(t, m.build(t, w))
	m.check(t, s, true)
	if err := s.Verify(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

func TestBuilderRefuses(t *testing.T) {
	good := (&model{lens: make([]uint32, 2), ids: []string{"a", "b"}}).options(defaultBuild())
	begin := func(o BuilderOptions) *Builder {
		b, err := NewBuilder(format.NewFileWriter(new(memFile), format.KindSegment, format.ID{}), o)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, change := range map[string]func(*BuilderOptions){
		"no lengths":  func(o *BuilderOptions) { o.Lengths = nil },
		"few lengths": func(o *BuilderOptions) { o.Docs++ },
		"no codec":    func(o *BuilderOptions) { o.FreqsCodec = nil },
		"analyzer":    func(o *BuilderOptions) { o.Analyzer = strings.Repeat("x", maxAnalyzer+1) },
	} {
		o := good
		change(&o)
		if _, err := NewBuilder(format.NewFileWriter(new(memFile), format.KindSegment, format.ID{}), o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	one := []uint32{1}
	for name, f := range map[string]func(*Builder) error{
		"empty term": func(b *Builder) error { return b.AddList(nil, one, one) },
		"long term":  func(b *Builder) error { return b.AddList(make([]byte, MaxTerm+1), one, one) },
		"term twice": func(b *Builder) error { b.AddList([]byte("a"), one, one); return b.AddList([]byte("a"), one, one) },
		"term order": func(b *Builder) error { b.AddList([]byte("b"), one, one); return b.AddList([]byte("a"), one, one) },
		"shorter":    func(b *Builder) error { b.AddList([]byte("ab"), one, one); return b.AddList([]byte("a"), one, one) },
		"empty id":   func(b *Builder) error { return b.AddDoc(nil, nil) },
		"long id":    func(b *Builder) error { return b.AddDoc(make([]byte, MaxID+1), nil) },
		"more docs": func(b *Builder) error {
			b.AddDoc([]byte("a"), nil)
			b.AddDoc([]byte("b"), nil)
			return b.AddDoc([]byte("c"), nil)
		},
		"few docs": func(b *Builder) error { b.AddDoc([]byte("a"), nil); _, err := b.Finish(); return err },
		"in turns": func(b *Builder) error {
			b.AddDoc([]byte("a"), nil)
			b.AddList([]byte("a"), one, one)
			return b.AddDoc([]byte("b"), nil)
		},
	} {
		if err := f(begin(good)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	wrong := good
	wrong.IDHashes = func(yield func([]uint64) bool) { yield([]uint64{7 << 32}) }
	b := begin(wrong)
	b.AddDoc([]byte("a"), nil)
	b.AddDoc([]byte("b"), nil)
	if _, err := b.Finish(); err == nil {
		t.Error("id hashes of another number of documents: accepted")
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
	m := smallModel()
	for n := 0; ; n++ {
		b, err := NewBuilder(format.NewFileWriter(&failingFile{n}, format.KindSegment, format.ID{}), m.options(defaultBuild()))
		for _, term := range m.terms() {
			docs, freqs := split(m.lists[term])
			if err == nil {
				err = b.AddList([]byte(term), docs, freqs)
			}
		}
		for _, id := range m.ids {
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
	m := randomModel(rand.New(rand.NewPCG(2, 2)), 60_000, 3)
	o := m.options(defaultBuild())
	o.Temp = func() (io.ReadWriteSeeker, error) { return nil, errDisk }
	b, err := NewBuilder(format.NewFileWriter(new(memFile), format.KindSegment, format.ID{}), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range m.ids {
		if err := b.AddDoc([]byte(id+strings.Repeat("x", i%20)), nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Finish(); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
}
