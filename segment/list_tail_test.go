package segment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/format"
)

// tempFile is a temporary file in memory, of which writes may fail.
type tempFile struct {
	b      []byte
	at     int
	broken bool
}

func (f *tempFile) Write(p []byte) (int, error) {
	if f.broken {
		return 0, errDisk
	}
	f.b = append(f.b[:f.at], p...)
	f.at = len(f.b)
	return len(p), nil
}

func (f *tempFile) Read(p []byte) (int, error) {
	if f.at == len(f.b) {
		return 0, io.EOF
	}
	n := copy(p, f.b[f.at:])
	f.at += n
	return n, nil
}

func (f *tempFile) Seek(off int64, _ int) (int64, error) {
	f.at = int(off)
	return off, nil
}

// longModel has lists with and without regression and buckets, that end within a
// block and at its end.
func longModel() *model {
	r := rand.New(rand.NewPCG(5, 5))
	m := randomModel(r, 150_000, 3)
	for i, share := range []float64{1, 0.9, 0.3, 0.05} {
		var even, bursts []posting
		on := true
		for d := range uint32(len(m.ids)) {
			if r.Float64() < share {
				even = append(even, posting{d, 1 + uint32(r.ExpFloat64()*2)})
			}
			if r.IntN(2000) == 0 {
				on = !on
			}
			if on && r.Float64() < share {
				bursts = append(bursts, posting{d, 1})
			}
		}
		m.lists[fmt.Sprintf("even%d", i)] = even[:len(even)&^127]
		m.lists[fmt.Sprintf("bursts%d", i)] = bursts
	}
	return m
}

// A list whose payload goes to files has the bytes of one that is held in memory.
func TestLongListsInFiles(t *testing.T) {
	m := longModel()
	for _, name := range []string{"bp128", "bp256", "vbyte1024", "newpfd", "ef", "lrc"} {
		w := buildWith{docs: codecNamed(name), freqs: codecNamed(name)}
		want := m.build(t, w)
		files := 0
		w.temp = func() (io.ReadWriteSeeker, error) { files++; return new(tempFile), nil }
		for _, w.tail = range []int64{1, 3000, 40_000} {
			files = 0
			if got := m.build(t, w); !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes in memory: segments differ", name, w.tail)
			}
			if used := files > 1; used != (name != "lrc") {
				t.Errorf("%s, %d bytes in memory: %d files", name, w.tail, files)
			}
			if files > 10 {
				t.Errorf("%s: %d files: they are not used again", name, files)
			}
		}
	}
}

// Copied blocks go to files as well, and memory stays bounded.
func TestLongCopiesInFiles(t *testing.T) {
	m := longModel()
	s := mustOpen(t, m.build(t, defaultBuild()))
	o := m.options(defaultBuild())
	o.Docs *= 2
	merged := func(limit int64) []byte {
		o.TailMemory = limit
		e := newListEncoder(&o, format.NewImpactModel(80))
		e.files.make = func() (io.ReadWriteSeeker, error) { return new(tempFile), nil }
		e.lengths = append(Lengths(m.lens), m.lens...)
		var out bytes.Buffer
		for _, term := range m.terms() {
			entry, _, err := s.Lookup([]byte(term))
			var l List
			if err == nil {
				err = s.InitList(&l, entry)
			}
			e.Reset()
			for _, base := range []uint32{0, uint32(len(m.ids))} {
				if err == nil {
					err = e.AppendList(&l, base)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if room := cap(e.docsBytes) + cap(e.freqsBytes); limit == 1 && room > 1<<18 {
				t.Fatalf("%s: %d bytes held", term, room)
			}
			x, _, err := e.Finish(nil)
			if err != nil {
				t.Fatal(err)
			}
			out.Write(x.Bytes)
			if err := x.Tail.copyTo(&out); err != nil {
				t.Fatal(err)
			}
			x.Tail.release()
		}
		return out.Bytes()
	}
	if !bytes.Equal(merged(1), merged(1<<30)) {
		t.Error("extents differ")
	}
}

func TestTailErrors(t *testing.T) {
	m := longModel()
	docs, freqs := split(m.lists["even0"])
	o := m.options(defaultBuild())
	want, _, err := newListEncoder(&o, format.NewImpactModel(80)).Encode(nil, docs, freqs)
	if err != nil {
		t.Fatal(err)
	}
	o.TailMemory = 1000
	e := newListEncoder(&o, format.NewImpactModel(80))
	e.files.make = func() (io.ReadWriteSeeker, error) { return nil, errDisk }
	if _, _, err := e.Encode(nil, docs, freqs); !errors.Is(err, errDisk) {
		t.Errorf("without files: %v", err)
	}
	e.files.make = func() (io.ReadWriteSeeker, error) { return &tempFile{broken: true}, nil }
	if _, _, err := e.Encode(nil, docs, freqs); !errors.Is(err, errDisk) {
		t.Errorf("with broken files: %v", err)
	}
	// The list given up leaves nothing behind but a file that is used again.
	file := new(tempFile)
	e.files.make = func() (io.ReadWriteSeeker, error) { file = new(tempFile); return file, nil }
	e.Reset()
	e.files.free = nil
	x, _, err := e.Encode(nil, docs, freqs)
	if err != nil {
		t.Fatal(err)
	}
	got := bytes.NewBuffer(x.Bytes)
	if err := x.Tail.copyTo(got); err != nil || !bytes.Equal(got.Bytes(), want.Bytes) {
		t.Errorf("encoding after a failure differs, %v", err)
	}
	file.b = file.b[:len(file.b)-1]
	if err := x.Tail.copyTo(io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that ends early: %v", err)
	}
}
