package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"pgregory.net/rapid"
)

type memFile struct {
	b    []byte
	fail int // writes left before failures begin; -1: never
}

var errDisk = errors.New("disk full")

func (m *memFile) WriteAt(p []byte, off int64) (int, error) {
	if m.fail == 0 {
		return 0, errDisk
	}
	m.fail--
	if end := int(off) + len(p); end > len(m.b) {
		m.b = append(m.b, make([]byte, end-len(m.b))...)
	}
	return copy(m.b[off:], p), nil
}

func parse(b []byte) (*Header, error) {
	return ParseFile("x.pin", b)
}

func write(t interface{ Fatal(...any) }, sections map[SectionID][]byte, order []SectionID) []byte {
	f := &memFile{fail: -1}
	w := NewFileWriter(f, KindManifest, ID{7})
	w.Reserve(len(order) + 1)
	for _, id := range order {
		w.Begin(id, SectionRequired)
		w.Write(sections[id])
		if err := w.End(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return f.b
}

func TestContainerRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := map[SectionID][]byte{}
		var order []SectionID
		for _, id := range rapid.Permutation([]SectionID{1, 2, 3, 4, 5}).Draw(t, "order") {
			if rapid.Bool().Draw(t, "present") {
				n := rapid.SampledFrom([]int{0, 1, 4031, 4032, 4033, 4096, 10000}).Draw(t, "length")
				content[id] = bytes.Repeat([]byte{byte(id)}, n)
				order = append(order, id)
			}
		}
		b := write(t, content, order)
		h, err := parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if h.Kind != KindManifest || h.ID != (ID{7}) || h.Version != Current() || h.FileLen != int64(len(b)) || len(h.Sections) != len(order) {
			t.Fatalf("header %+v", h)
		}
		for i, id := range order {
			s, ok := h.Section(id)
			if !ok || h.Sections[i] != s || s.Offset%SectionAlign != 0 || s.PaddedLength() > s.Length+127 {
				t.Fatalf("section %v", s)
			}
			padded := b[s.Offset : s.Offset+s.PaddedLength()]
			if !bytes.Equal(padded[:s.Length], content[id]) || s.Checksum != xxhash.Sum64(padded) {
				t.Fatalf("content of section %v", s)
			}
			pad := padded[s.Length:]
			if len(pad) < ReadablePadding || len(bytes.Trim(pad, "\x00")) != 0 {
				t.Fatalf("padding of section %v", s)
			}
		}
		if _, ok := h.Section(99); ok {
			t.Fatal("a section that is not there")
		}
	})
}

func good(t *testing.T) []byte {
	return write(t, map[SectionID][]byte{1: []byte("meta"), 2: bytes.Repeat([]byte("t"), 5000)}, []SectionID{1, 2})
}

func TestEveryFlippedByteOfHeaderAndFooter(t *testing.T) {
	b := good(t)
	for i := range b {
		if i >= int(binary.LittleEndian.Uint64(b[72:])) && i < len(b)-FooterSize {
			continue
		}
		for _, bit := range []byte{1, 128} {
			b[i] ^= bit
			_, err := parse(b)
			want := ErrCorrupt
			switch {
			case i < 8:
				want = ErrNotAnIndex
			case i < 10:
				want = ErrTooNew
			}
			if !errors.Is(err, want) {
				t.Fatalf("byte %d: %v", i, err)
			}
			b[i] ^= bit
		}
	}
	for n := range b {
		want := ErrCorrupt
		if n < HeaderSize {
			want = ErrNotAnIndex
		}
		if _, err := parse(b[:n]); !errors.Is(err, want) {
			t.Fatalf("cut to %d: %v", n, err)
		}
	}
}

// seal makes the checksums of a changed front and footer right.
func seal(b []byte) {
	le := binary.LittleEndian
	if front := le.Uint64(b[72:]); front <= uint64(len(b)) && front >= HeaderSize {
		le.PutUint64(b[40:], xxhash.Sum64(b[HeaderSize:front]))
	}
	le.PutUint64(b[56:], xxhash.Sum64(b[:56]))
	f := b[len(b)-FooterSize:]
	copy(f[8:32], b[8:32])
	copy(f[40:48], b[56:64])
	le.PutUint64(f[56:], xxhash.Sum64(f[:56]))
}

func TestHeaderContradictions(t *testing.T) {
	le := binary.LittleEndian
	for name, c := range map[string]struct {
		change func(b []byte)
		want   error
	}{
		"newer minor":              {func(b []byte) { b[10] = byte(Current().Minor) + 1 }, ErrTooNew},
		"much newer minor":         {func(b []byte) { b[11]++ }, ErrTooNew},
		"older minor":              {func(b []byte) { b[10] = 1 }, ErrTooOld},
		"newer major":              {func(b []byte) { b[8]++ }, ErrTooNew},
		"flags":                    {func(b []byte) { b[52] = 1 }, ErrCorrupt},
		"file length":              {func(b []byte) { le.PutUint64(b[32:], uint64(len(b)+1)) }, ErrCorrupt},
		"too many sections":        {func(b []byte) { le.PutUint32(b[48:], 127) }, ErrCorrupt},
		"sections in the table":    {func(b []byte) { le.PutUint32(b[48:], 4) }, ErrCorrupt},
		"one section less":         {func(b []byte) { le.PutUint32(b[48:], 1) }, ErrCorrupt},
		"offset":                   {func(b []byte) { le.PutUint64(b[96+8:], 8192) }, ErrCorrupt},
		"offset of the first":      {func(b []byte) { le.PutUint64(b[64+8:], 256) }, ErrCorrupt},
		"an odd offset":            {func(b []byte) { le.PutUint64(b[64+8:], 200) }, ErrCorrupt},
		"offset behind a page":     {func(b []byte) { le.PutUint64(b[64+8:], 4160) }, ErrCorrupt},
		"negative length":          {func(b []byte) { le.PutUint64(b[64+16:], 1<<63) }, ErrCorrupt},
		"huge length":              {func(b []byte) { le.PutUint64(b[64+16:], 1<<62) }, ErrCorrupt},
		"twice":                    {func(b []byte) { b[96] = 1 }, ErrCorrupt},
		"unknown required section": {func(b []byte) { b[96] = 77 }, ErrTooNew},
		"unknown optional section": {func(b []byte) { b[96], b[100] = 77, 0 }, nil},
		"flags of a section":       {func(b []byte) { b[64+4] = 3 }, ErrCorrupt},
		"reserved section":         {func(b []byte) { b[96], b[100] = byte(SectionTopDocs), 0 }, ErrTooNew},
		"behind the table":         {func(b []byte) { b[128+31] = 1 }, ErrCorrupt},
		"footer's reserved word":   {func(b []byte) { b[len(b)-16] = 1 }, ErrCorrupt},
	} {
		b := good(t)
		c.change(b)
		seal(b)
		if _, err := parse(b); !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A footer of another file.
	a, b := good(t), good(t)
	a[16] = 99
	seal(a)
	copy(b[len(b)-FooterSize:], a[len(a)-FooterSize:])
	if _, err := parse(b); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "x.pin") {
		t.Errorf("footer of another file: %v", err)
	}
}

// A small file takes two writes, whatever the number of its sections, and small writes become
// large ones.
func TestFileWriterGathers(t *testing.T) {
	for _, c := range []struct{ sections, pieces, most int }{{3, 2, 2}, {8, 15, 2}, {1, 10 * gather / 100, 12}} {
		f := &memFile{fail: -1}
		w := NewFileWriter(f, KindSegment, ID{1})
		var want []byte
		for i := range c.sections {
			w.Begin(SectionID(i+1), 0)
			for j := range c.pieces {
				p := bytes.Repeat([]byte{byte(i + j)}, 100)
				want = append(want, p...)
				w.Write(p)
			}
			w.End()
		}
		h, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if writes := -1 - f.fail; writes > c.most {
			t.Errorf("%d sections of %d pieces: %d writes", c.sections, c.pieces, writes)
		}
		var got []byte
		for _, s := range h.Sections[:c.sections] {
			got = append(got, f.b[s.Offset:s.Offset+s.Length]...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d sections of %d pieces: other content", c.sections, c.pieces)
		}
	}
}

func TestFileWriterSticksToItsError(t *testing.T) {
	for n := 0; ; n++ {
		f := &memFile{fail: n}
		w := NewFileWriter(f, KindSegment, ID{})
		w.Begin(1, 0)
		w.Write([]byte("x"))
		w.Write(make([]byte, 2*gather)) // not gathered
		w.End()
		w.Begin(2, 0)
		w.End()
		_, err := w.Finish()
		if err == nil {
			if n < 4 {
				t.Fatalf("only %d writes", n)
			}
			break
		}
		if !errors.Is(err, errDisk) || !errors.Is(w.End(), errDisk) {
			t.Fatalf("write %d failed: %v", n, err)
		}
		if _, err := parse(f.b); !errors.Is(err, ErrNotAnIndex) {
			t.Fatalf("a file cut short at write %d: %v", n, err)
		}
	}
	for name, use := range map[string]func(*FileWriter){
		"write outside": func(w *FileWriter) { w.Write([]byte("x")) },
		"end of none":   func(w *FileWriter) { w.End() },
		"begin twice":   func(w *FileWriter) { w.Begin(1, 0); w.Begin(2, 0) },
		"left open":     func(w *FileWriter) { w.Begin(1, 0) },
		"too many": func(w *FileWriter) {
			for i := range MaxSections + 1 {
				w.Begin(SectionID(i), 0)
				w.End()
			}
		},
	} {
		w := NewFileWriter(&memFile{fail: -1}, KindSegment, ID{})
		use(w)
		if _, err := w.Finish(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestErrorsAreLocated(t *testing.T) {
	err := Locate(Locate(Corrupt("bad %d", 7), Place{Section: "terms", Block: 3}), Place{File: "f.pin", Section: "other", List: "word", Block: 9})
	if got, want := err.Error(), `corrupt index: file f.pin, section terms, list "word", block 3: bad 7`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !errors.Is(err, ErrCorrupt) || errors.Is(err, ErrTooNew) {
		t.Error("kind")
	}
	if Locate(errDisk, Place{File: "f"}) != errDisk {
		t.Error("a foreign error changed")
	}
	wrapped := &Error{Kind: ErrCorrupt, Block: NoBlock, Offset: 12, Err: errDisk}
	if !errors.Is(wrapped, errDisk) || !errors.Is(wrapped, ErrCorrupt) || wrapped.Error() != "corrupt index, offset 12: disk full" {
		t.Errorf("%v", wrapped)
	}
}

// A file may get its version while it is written, unless none is written in that version.
func TestSetVersion(t *testing.T) {
	for v, ok := range map[Version]bool{
		Current(): true, {0, 3}: true, {0, 5}: true, {0, 2}: false, {0, Current().Minor + 1}: false, {1, 4}: false,
	} {
		b := &memFile{fail: -1}
		w := NewFileWriter(b, KindSegment, ID{1})
		w.Begin(SectionMeta, SectionRequired)
		w.Write([]byte("meta"))
		w.SetVersion(v)
		w.End()
		h, err := w.Finish()
		if (err == nil) != ok || ok && h.Version != v {
			t.Errorf("%v: %v", v, err)
		}
		if ok {
			if h, err = parse(b.b); err != nil || h.Version != v {
				t.Errorf("%v is read as %+v: %v", v, h, err)
			}
		}
	}
}

func TestVersions(t *testing.T) {
	if err := Current().Check(); err != nil {
		t.Error(err)
	}
	for v, want := range map[Version]error{
		{0, 1}: ErrTooOld, {0, 2}: nil, {0, 3}: nil, {0, 4}: nil, {0, 5}: nil, {0, 6}: nil, {0, 7}: nil, {0, 8}: nil, {0, 9}: ErrTooNew, {0, 65_535}: ErrTooNew, {1, 0}: ErrTooNew, {1, 3}: ErrTooNew,
	} {
		if err := v.Check(); !errors.Is(err, want) || err != nil && !strings.Contains(err.Error(), v.String()+", this build reads 0.2 to 0.8") {
			t.Errorf("%v: %v", v, err)
		}
	}
}
