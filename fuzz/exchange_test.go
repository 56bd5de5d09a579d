package fuzz

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/schema"
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

// FuzzFields reads JSON lines, CSV and TSV into fields. Values are as the schema has them.
func FuzzFields(x *testing.F) {
	f := fuzzing.New(x)
	f.Add(uint8(0), []byte(`{"id":"a","a":"one \u00e9 \ud83d","b":{"c":["x",1,true,null]},"d":1}`+"\n"+`{"a":[{"b":1}],"id":2,"e":1.5,"f":"2026-11-26"}`))
	f.Add(uint8(0), []byte(`{"id":"a","g":{"a":1,"b": 2.5e1 , "\u0063":0},"h":{"x":0.5}}`+"\n"+`{"id":2,"g":{"a":{"b":1}}}`))
	f.Add(uint8(1), []byte("id,a,b.c,d\na,one,\"x\ny\",5\nb,,,\n"))
	f.Add(uint8(2), []byte("a\tone\t2\t3\nb\n"))
	s := &schema.Schema{Fields: []schema.Field{{Name: "a", Kind: schema.Text}, {Name: "b.c", Kind: schema.Keyword}, {Name: "d", Kind: schema.Integer, Stored: true},
		{Name: "e", Kind: schema.Float, Stored: true}, {Name: "f", Kind: schema.Time, Stored: true},
		{Name: "g", Kind: schema.Impacts}, {Name: "h", Kind: schema.Impacts, Scale: 0.01}}}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		o := exchange.DocumentOptions{Format: []exchange.Format{exchange.FormatJSONL, exchange.FormatCSV, exchange.FormatTSV}[which%3]}
		o.Fields.Unknown = []exchange.Unknown{exchange.UnknownIgnore, exchange.UnknownStore, exchange.UnknownRefuse}[which/3%3]
		if o.Format == exchange.FormatTSV {
			o.Fields.Keys = []exchange.Key{{Key: "2", Field: s.Fields[0]}, {Key: "3", Field: s.Fields[2]}}
		}
		var err error
		if o.Schema, err = o.Fields.WithSchema(s, schema.Field{}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "in")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		src, err := exchange.OpenDocuments(path, o)
		if err != nil {
			return // it is known not to be text
		}
		defer src.Close()
		for {
			id, values, err := src.NextValues()
			var bad *exchange.Error
			if err == io.EOF || errors.As(err, &bad) && !bad.Recoverable {
				return
			}
			if err != nil {
				if bad == nil {
					t.Fatalf("not an *Error: %v", err)
				}
				continue
			}
			if len(id) == 0 || len(id) > exchange.MaxID {
				t.Fatalf("id of %d bytes", len(id))
			}
			for i, v := range values {
				if err := o.Schema.CheckValue(v); err != nil {
					t.Fatal(err)
				}
				if i > 0 && v.Field < values[i-1].Field {
					t.Fatalf("field %d after %d", v.Field, values[i-1].Field)
				}
			}
		}
	})
}

// FuzzVectors reads queries that are vectors in any format. Their contents are vectors again.
func FuzzVectors(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte(`{"id":"a","vector":{"b":1,"\u0063":2.5}}` + "\n" + `{"vector":{"b":-1},"_id":2,"id":3}` + "\n" + `{"id":1,"vector":[]}`))
	f.Add([]byte("1\twhale whale\n2\t{\"whale\":3}\n3\t{\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, "in")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		accepted := -1
		src, _, err := exchange.OpenVectors(path, exchange.QueriesAuto, func(terms []exchange.WeightedTerm) error {
			accepted = len(terms)
			return nil
		})
		if err != nil {
			return // in no format
		}
		defer src.Close()
		for {
			d, err := src.Next()
			var bad *exchange.Error
			if err == io.EOF || errors.As(err, &bad) && !bad.Recoverable {
				return
			}
			if err != nil {
				continue
			}
			if terms, err := exchange.AppendVector(nil, d.Contents); err != nil || len(terms) != accepted || len(d.ID) == 0 {
				t.Fatalf("%q of %q is accepted as %d terms, and then %d, %v", d.Contents, d.ID, accepted, len(terms), err)
			}
		}
	})
}

func FuzzTSV(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte("a\tone\n\nb\ttwo\tthree\r\nc\n"))
	f.Fuzz(func(t *testing.T, b []byte) { drain(t, exchange.NewTSV("f", bytes.NewReader(b))) })
}

func FuzzCSV(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte("id,text\na,\"one, \"\"two\"\"\nthree\"\r\n\nb,four\nc\n"))
	f.Add([]byte("text,id,id\n"))
	f.Add([]byte("id,text\na,b \"c\nd,\"e\"f\ng,\"h"))
	f.Fuzz(func(t *testing.T, b []byte) { drain(t, exchange.NewCSV("f", bytes.NewReader(b))) })
}

func FuzzTREC(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte("<DOC>\n<DOCNO> a </DOCNO>\n<TEXT>one <b>two</b> &amp; <!-- x --></TEXT>\n</DOC>"))
	f.Add([]byte("<DOC id='a'><DOCHDR>x</DOCHDR><html><script>a<b</script><p class=x>one &lt; <!-- two --></DOC>"))
	f.Add([]byte("x <doc><docno>1</docno></doc><DOC><TEXT></DOC><DOC>"))
	f.Fuzz(func(t *testing.T, b []byte) { drain(t, exchange.NewTREC("f", bytes.NewReader(b))) })
}

// FuzzForms reads documents in each format that is told by its beginning, alone and in a folder.
func FuzzForms(x *testing.F) {
	f := fuzzing.New(x)
	f.Add(uint8(0), []byte("[{\"id\":1,\"text\":\"a \\\" }\"},\n{\"id\":2,\"text\":\"b\"}]"))
	f.Add(uint8(1), []byte("{\n \"id\": 1, \"text\": \"a\"\n}\n{\"id\""))
	f.Add(uint8(2), []byte("{\"index\":{\"_id\":1}}\n{\"text\":\"a\"}\n{\"delete\":{\"_id\":2}}\n"))
	f.Add(uint8(3), []byte("<doc id=\"1\" url=\"u\" title=\"a \"b\"\">\na \"b\"\n\nc &lt; d\n</doc>\n"))
	f.Add(uint8(4), []byte("<mediawiki>\n<page><title>a</title><ns>0</ns><id>1</id><revision><text x=\"y\">{{b}} [[c|d]] &lt;ref&gt;e&lt;/ref&gt;</text></revision></page>\n</mediawiki>"))
	f.Add(uint8(0), []byte("\xff\xfe{\x00}\x00"))
	f.Add(uint8(0), []byte("<!doctype html><meta charset=iso-2022-jp>\x1b$B"))
	formats := []exchange.Format{exchange.FormatAuto, exchange.FormatJSON, exchange.FormatBulk, exchange.FormatExtracted, exchange.FormatDump}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		path := filepath.Join(dir, "in")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		o := exchange.DocumentOptions{Format: formats[int(which)%len(formats)], MaxRecord: 1 << 10, AutoID: which >= 128}
		if which&64 != 0 {
			o.Encoding = "shift_jis"
		}
		for _, in := range []string{path, dir} {
			src, err := exchange.OpenDocuments(in, o)
			if err != nil {
				continue // in no format
			}
			for n := 0; ; n++ {
				d, err := src.Next()
				if err == nil && (len(d.ID) == 0 || len(d.ID) > exchange.MaxID) {
					t.Fatalf("id of %d bytes", len(d.ID))
				}
				if err == io.EOF || err != nil && !exchange.Recoverable(err) {
					break
				}
				if n > len(b) {
					t.Fatal("more records than bytes")
				}
			}
			if n, first := src.NotUTF8(); (n > 0) != (first != nil) {
				t.Fatalf("%d documents, the first %v", n, first)
			}
			src.Close()
		}
	})
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

// rewritten is a file that is written again and again.
type rewritten struct {
	*os.File
	last   []byte
	hidden bool
}

func newRewritten(t testing.TB, path string) *rewritten {
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &rewritten{File: file}
}

// write makes b the file's content.
func (f *rewritten) write(t *testing.T, b []byte) {
	if bytes.Equal(b, f.last) {
		return
	}
	_, err := f.WriteAt(b, 0)
	if err == nil && len(b) < len(f.last) {
		err = f.Truncate(int64(len(b)))
	}
	if err != nil {
		t.Fatal(err)
	}
	f.last = append(f.last[:0], b...)
}

// hide renames the file, or makes its name what it was.
func (f *rewritten) hide(t *testing.T, hidden bool) {
	if hidden == f.hidden {
		return
	}
	from, to := f.Name(), f.Name()+".hidden"
	if f.hidden {
		from, to = to, from
	}
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
	f.hidden = hidden
}

func FuzzCIFF(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte("\x06\x08\x01\file0\x01\file8\x02\x0b\x0a\x01a\file0\x01\file8\x01\x22\x02\file0\x01\x03\file2\x01X\x05\x08\x01\file2\x01Y"))
	f.Add([]byte("\x06\x08\x01\file0\x02\file8\x01" + "\x0b\x0a\x01b\file0\x01\file8\x01\x22\x02\file0\x01" +
		"\x0b\x0a\x01a\file0\x01\file8\x01\x22\x02\file0\x01" + "\x03\file2\x01X"))
	file := newRewritten(f, filepath.Join(f.TempDir(), "x.ciff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file.write(t, b)
		if in, err := exchange.OpenCIFF(file.Name()); err == nil {
			drainInverted(t, in)
		}
	})
}

func FuzzDS2I(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte("\x01\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00"),
		[]byte("\x01\x00\x00\x00\x03\x00\x00\x00"), []byte("\x02\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00"), []byte("term\n"))
	base := filepath.Join(f.TempDir(), "x")
	var files []*rewritten
	for _, ext := range []string{".docs", ".freqs", ".sizes", ".terms"} {
		files = append(files, newRewritten(f, base+ext))
	}
	f.Fuzz(func(t *testing.T, docs, freqs, sizes, terms []byte) {
		for i, b := range [][]byte{docs, freqs, sizes, terms} {
			files[i].write(t, b)
		}
		files[3].hide(t, len(terms) == 0)
		if in, err := exchange.OpenDS2I(base); err == nil {
			drainInverted(t, in)
		}
	})
}
