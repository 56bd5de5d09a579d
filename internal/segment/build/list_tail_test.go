package build_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// tempFile is a temporary file in memory whose writes can be made to fail.
type tempFile struct {
	b      []byte
	broken bool
}

func (f *tempFile) WriteAt(p []byte, off int64) (int, error) {
	if f.broken {
		return 0, errDisk
	}
	f.b = append(f.b[:off], p...)
	return len(p), nil
}

func (f *tempFile) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, f.b[min(int(off), len(f.b)):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *tempFile) Close() error { return nil }

// inMemory returns a Spool of files in memory.
func inMemory() *build.Spool {
	return build.NewSpool(func() (build.TempFile, error) { return new(tempFile), nil })
}

// longModel has lists with and without regression and buckets that end inside a block and
// at the end of one.
func longModel() *segtest.Model {
	r := rand.New(rand.NewPCG(5, 5))
	m := segtest.Random(r, 150_000, 3)
	for i, share := range []float64{1, 0.9, 0.3, 0.05} {
		var even, bursts []segtest.Posting
		on := true
		for d := range uint32(len(m.IDs)) {
			if r.Float64() < share {
				even = append(even, segtest.P(d, 1+uint32(r.ExpFloat64()*2)))
			}
			if r.IntN(2000) == 0 {
				on = !on
			}
			if on && r.Float64() < share {
				bursts = append(bursts, segtest.P(d, 1))
			}
		}
		m.Lists[fmt.Sprintf("even%d", i)] = even[:len(even)&^127]
		m.Lists[fmt.Sprintf("bursts%d", i)] = bursts
	}
	return m
}

// A list whose payload goes to files has the same bytes as one held in memory.
func TestLongListsInFiles(t *testing.T) {
	longtest.Once(t)
	m := longModel()
	for _, name := range []string{"bp128", "vbyte1024", "lrc", "bp256", "newpfd", "ef"}[:longtest.Count(3, 6)] {
		w := segtest.With{Docs: segtest.Codec(name), Freqs: segtest.Codec(name)}
		want := m.Build(t, w)
		files := 0
		for _, w.Tail = range []int64{1, 3000, 40_000} {
			files = 0
			w.Spool = build.NewSpool(func() (build.TempFile, error) { files++; return new(tempFile), nil })
			if got := m.Build(t, w); !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes in memory: segments differ", name, w.Tail)
			}
			if used := files > 1; used != (name != "lrc") {
				t.Errorf("%s, %d bytes in memory: %d files", name, w.Tail, files)
			}
			if files > 10 {
				t.Errorf("%s: %d files: they are not used again", name, files)
			}
		}
	}
}

// Copied blocks go to files too, and memory stays bounded.
func TestLongCopiesInFiles(t *testing.T) {
	longtest.Once(t)
	m := longModel()
	s := segtest.Open(t, m.Build(t, segtest.Default()))
	o := m.Options(segtest.Default())
	o.Docs *= 2
	o.Lengths = append(o.Lengths, o.Lengths...)
	o.ForeignLengths = true // the model's lengths are not sums of frequencies
	merged := func(limit int64) []byte {
		o.TailMemory, o.Spool = limit, inMemory()
		e := build.NewEncoder(o, 80)
		var out bytes.Buffer
		for _, term := range m.Terms() {
			entry, _, err := s.Lists().Lookup([]byte(term))
			var l segment.List
			if err == nil {
				err = s.Lists().Init(&l, entry)
			}
			e.Reset()
			for _, base := range []uint32{0, uint32(len(m.IDs))} {
				if err == nil {
					err = e.AppendList(&l, base)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if room := e.Held(); limit == 1 && room > 1<<18 {
				t.Fatalf("%s: %d bytes held", term, room)
			}
			x, _, err := e.Finish(nil)
			if err != nil {
				t.Fatal(err)
			}
			out.Write(x.Bytes)
			if err := x.Tail.CopyTo(&out); err != nil {
				t.Fatal(err)
			}
			x.Tail.Release()
		}
		return out.Bytes()
	}
	if !bytes.Equal(merged(1), merged(1<<30)) {
		t.Error("extents differ")
	}
}

func TestTailErrors(t *testing.T) {
	longtest.Once(t)
	m := longModel()
	p := segtest.Split(m.Lists["even0"])
	o := m.Options(segtest.Default())
	want, _, err := build.NewEncoder(o, 80).Encode(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	o.TailMemory = 1000
	var file *tempFile
	var create func() (build.TempFile, error)
	o.Spool = build.NewSpool(func() (build.TempFile, error) { return create() })
	e := build.NewEncoder(o, 80)
	create = func() (build.TempFile, error) { return nil, errDisk }
	if _, _, err := e.Encode(nil, p); !errors.Is(err, errDisk) {
		t.Errorf("without files: %v", err)
	}
	create = func() (build.TempFile, error) { file = &tempFile{broken: true}; return file, nil }
	if _, _, err := e.Encode(nil, p); !errors.Is(err, errDisk) {
		t.Errorf("with broken files: %v", err)
	}
	// The abandoned list leaves nothing behind except a file that is reused.
	file.broken = false
	create = func() (build.TempFile, error) { file = new(tempFile); return file, nil }
	e.Reset()
	x, _, err := e.Encode(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	got := bytes.NewBuffer(x.Bytes)
	if err := x.Tail.CopyTo(got); err != nil || !bytes.Equal(got.Bytes(), want.Bytes) {
		t.Errorf("encoding after a failure differs, %v", err)
	}
	file.b = file.b[:len(file.b)-1]
	if err := x.Tail.CopyTo(io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that ends early: %v", err)
	}
}
