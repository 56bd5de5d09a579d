package exchange

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/writer"
)

// TestLossyIDs reads ids that no two of which may become the same: what is no UTF-8 is a
// bad document in every format, and what is, is taken byte by byte.
func TestLossyIDs(t *testing.T) {
	for _, test := range []struct {
		name string
		f    Format
		in   string
		docs []doc
		errs []string
	}{
		{"half a pair", FormatJSONL, `{"id":"\ud800","contents":"one"}` + "\n" + `{"id":"\ud801","contents":"two"}` + "\n" +
			`{"id":"a\udc00","contents":"x"}` + "\n" + `{"id":"` + "\ufffd" + `","contents":"three \ud800"}` + "\n" +
			`{"id":"\ud83d\ude00","contents":"pair"}`,
			[]doc{{"\ufffd", "three \ufffd"}, {"😀", "pair"}}, []string{
				`f:1: field "id" is "\ud800", which has half a surrogate pair: it is no text`,
				`f:2: field "id" is "\ud801", which has half a surrogate pair: it is no text`,
				`f:3: field "id" is "a\udc00", which has half a surrogate pair: it is no text`}},
		{"numbers", FormatJSONL, `{"id":1,"contents":"a"}` + "\n" + `{"contents":"b","id":1.0}` + "\n" +
			`{"id":12345678901234567890123,"contents":"c"}` + "\n" + `{"id":true,"contents":"d"}`,
			[]doc{{"1", "a"}, {"1.0", "b"}, {"12345678901234567890123", "c"}}, []string{`f:4: field "id" is not a string or a number`}},
		{"tsv", FormatTSV, "\xff\tone\n\xfe\ttwo\na\x00\tthree\n", []doc{{"a\x00", "three"}},
			[]string{`f:1: the id "\xff" is not valid UTF-8`, `f:2: the id "\xfe" is not valid UTF-8`}},
		{"csv", FormatCSV, "id,text\n\xff,one\nb,two\n", []doc{{"b", "two"}}, []string{`f:2: the id "\xff" is not valid UTF-8`}},
		{"trec", FormatTREC, "<DOC><DOCNO>\xff</DOCNO></DOC>\n<DOC><DOCNO>a&amp;b</DOCNO></DOC>", []doc{{"a&amp;b", ""}},
			[]string{`f:1: the id "\xff" is not valid UTF-8`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "f"), []byte(test.in))
			s, err := OpenDocuments(path, DocumentOptions{Format: test.f})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			docs, errs := readAll(s)
			compareDocs(t, docs, test.docs)
			for i := range errs {
				errs[i] = strings.Replace(errs[i], path, "f", 1)
			}
			compareErrors(t, errs, test.errs)
		})
	}
	in := writer.Inverted{
		Docs:  func(yield func(writer.InvertedDoc, error) bool) { yield(writer.InvertedDoc{ID: []byte("\xff")}, nil) },
		Lists: func(func(writer.InvertedList, error) bool) {},
	}
	var out bytes.Buffer
	if err := WriteCIFF(&out, in, 0, ""); err == nil || !strings.Contains(err.Error(), `the id "\xff" is not valid UTF-8`) {
		t.Errorf("CIFF out: %v", err)
	}
	d := ciffDoc{id: []byte("\xff")}.append(nil)
	if err := new(ciffDoc).decode(d[1:]); err == nil {
		t.Error("CIFF in: an id that is not UTF-8 is accepted")
	}
}

// TestLines reads a list in each form that inputs have.
func TestLines(t *testing.T) {
	want := []string{"a", "b c", "d"}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain": "a\nb c\nd\n", "windows": "\ufeffa\r\nb c\r\n\r\nd\r\n", "no end": "a\n\n\nb c\nd",
		"packed": string(gzipped([]byte("\ufeffa\nb c\nd\n"))), "wide": "\xff\xfea\x00\n\x00b\x00 \x00c\x00\n\x00d\x00",
	} {
		var got []string
		for line, err := range Lines(write(t, filepath.Join(dir, name), []byte(text)), 3) {
			if err != nil {
				t.Fatal(name, err)
			}
			got = append(got, string(line))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for text, want := range map[string]string{
		"abc\nabcd\n": ":2: the line is longer than 3 bytes", strings.Repeat("x", 1<<20): ":1: the line is longer than 3 bytes",
		"\xff\xfe\x00\x00a\x00\x00\x00": "text in UTF-32", "\xfd7zXZ\x00": "compressed with xz",
	} {
		var last error
		for line, err := range Lines(write(t, filepath.Join(dir, "bad"), []byte(text)), 3) {
			if last = err; err != nil && line != nil {
				t.Errorf("%.20q: a line with an error", text)
			}
		}
		if last == nil || !strings.Contains(last.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, last, want)
		}
	}
	for _, err := range Lines(filepath.Join(dir, "absent"), 3) {
		if err == nil {
			t.Error("an absent file has lines")
		}
	}
}
