package fuzz

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/exchange"
	"github.com/pinion-index/pinion/internal/fuzzing"
)

// drain reads a source to its end and checks the guarantees of every importer.
func drain(t *testing.T, s exchange.Source) {
	for last := int64(0); ; {
		d, err := s.Next()
		if err == io.EOF {
			return
		}
		if err == nil {
			if len(d.ID) == 0 || len(d.ID) > exchange.MaxID {
				t.Fatalf("id of %d bytes", len(d.ID))
			}
			continue
		}
		var e *exchange.Error
		if !errors.As(err, &e) {
			t.Fatalf("not an *Error: %v", err)
		}
		if !e.Recoverable {
			return
		}
		if e.Line < last {
			t.Fatalf("line %d after line %d", e.Line, last)
		}
		last = e.Line
	}
}

func FuzzJSONL(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte(`{"id":"a","contents":"one \u00e9 \ud83d\ude00"}` + "\n" + `{"contents":"x","id":"b"}`))
	f.Add([]byte(`{"id":1}` + "\n\n" + `{"id":"a","x":{}}` + "\n" + `{"id":"a`))
	f.Fuzz(func(t *testing.T, b []byte) { drain(t, exchange.NewJSONL("f", bytes.NewReader(b))) })
}

func FuzzTSV(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte("a\tone\n\nb\ttwo\tthree\r\nc\n"))
	f.Fuzz(func(t *testing.T, b []byte) { drain(t, exchange.NewTSV("f", bytes.NewReader(b))) })
}

func FuzzTREC(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte("<DOC>\n<DOCNO> a </DOCNO>\n<TEXT>one <b>two</b> &amp; <!-- x --></TEXT>\n</DOC>"))
	f.Add([]byte("x <doc><docno>1</docno></doc><DOC><TEXT></DOC><DOC>"))
	f.Fuzz(func(t *testing.T, b []byte) { drain(t, exchange.NewTREC("f", bytes.NewReader(b))) })
}

// drainInverted reads a collection of posting lists and checks its guarantees.
func drainInverted(t *testing.T, in exchange.InvertedSource) {
	defer in.Close()
	for d, err := range in.Inverted().Docs {
		if err != nil || len(d.ID) == 0 {
			t.Fatal("an empty id")
		}
	}
	var term []byte
	for l, err := range in.Inverted().Lists {
		if err != nil {
			return
		}
		if bytes.Compare(l.Term, term) <= 0 || len(l.Docs) == 0 || len(l.Docs) != len(l.Freqs) {
			t.Fatalf("list of %q behind %q with %d and %d values", l.Term, term, len(l.Docs), len(l.Freqs))
		}
		term = append(term[:0], l.Term...)
		prev := -1
		for i, d := range l.Docs {
			if int(d) <= prev || int(d) >= in.Docs() || l.Freqs[i] == 0 {
				t.Fatalf("posting %d: docID %d, frequency %d", i, d, l.Freqs[i])
			}
			prev = int(d)
		}
	}
}

func FuzzCIFF(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte("\x06\x08\x01\x10\x01\x18\x02\x0b\x0a\x01a\x10\x01\x18\x01\x22\x02\x10\x01\x03\x12\x01X\x05\x08\x01\x12\x01Y"))
	f.Add([]byte("\x06\x08\x01\x10\x02\x18\x01" + "\x0b\x0a\x01b\x10\x01\x18\x01\x22\x02\x10\x01" +
		"\x0b\x0a\x01a\x10\x01\x18\x01\x22\x02\x10\x01" + "\x03\x12\x01X"))
	path := filepath.Join(f.TempDir(), "x.ciff")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if in, err := exchange.OpenCIFF(path); err == nil {
			drainInverted(t, in)
		}
	})
}

func FuzzDS2I(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte("\x01\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00"),
		[]byte("\x01\x00\x00\x00\x03\x00\x00\x00"), []byte("\x02\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00"), []byte("term\n"))
	base := filepath.Join(f.TempDir(), "x")
	f.Fuzz(func(t *testing.T, docs, freqs, sizes, terms []byte) {
		for ext, b := range map[string][]byte{".docs": docs, ".freqs": freqs, ".sizes": sizes, ".terms": terms} {
			err := os.Remove(base + ext)
			if len(b) > 0 || ext != ".terms" {
				err = os.WriteFile(base+ext, b, 0o666)
			}
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		if in, err := exchange.OpenDS2I(base); err == nil {
			drainInverted(t, in)
		}
	})
}
