package exchange

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/schema"
)

// inFormats are texts in each format, in which X stands for a word.
var inFormats = map[Format]string{
	FormatCSV: "id,text\n1,X\n2,plain\n3,X\n", FormatTSV: "1\tX\n2\tplain\n3\tX\n", FormatLines: "X\nplain\nX\n",
	FormatJSONL: `{"id":"1","text":"X"}` + "\n" + `{"id":"2","text":"plain"}` + "\n" + `{"id":"3","text":"X"}` + "\n",
	FormatTREC:  "<DOC>\n<DOCNO>1</DOCNO>\n<text>X</text>\n</DOC>\n<DOC><DOCNO>2</DOCNO><text>plain</text></DOC>\n<DOC><DOCNO>3</DOCNO><text>X</text></DOC>\n",
}

// TestNotUTF8 holds that each format counts documents that are not UTF-8, and says where the first is; but JSON, where they are bad ones.
func TestNotUTF8(t *testing.T) {
	for format, text := range inFormats {
		path := write(t, filepath.Join(t.TempDir(), "in"), []byte(strings.ReplaceAll(text, "X", "M\xfcller")))
		d, err := OpenDocuments(path, DocumentOptions{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		docs, errs := readAll(d)
		n, first := d.NotUTF8()
		d.Close()
		if format == FormatJSONL {
			if len(docs) != 1 || len(errs) != 2 || n != 0 || !strings.Contains(errs[0], "byte 20 of the object is not valid UTF-8") {
				t.Errorf("%s: %q, %q, %d", format, docs, errs, n)
			}
			continue
		}
		if len(docs) != 3 || len(errs) > 0 || n != 2 || first.Line != 1 && format != FormatCSV || !strings.HasPrefix(first.Error(), path+":") || !strings.Contains(first.Error(), `document "`) {
			t.Errorf("%s: %d documents, %q, %d not UTF-8, the first %v", format, len(docs), errs, n, first)
		}
		if docs[0].contents != "M\xfcller" {
			t.Errorf("%s: %q is not kept", format, docs[0])
		}
		for _, text := range []string{text, strings.ReplaceAll(text, "X", "Müller")} {
			if n := notUTF8(t, text, DocumentOptions{Format: format}); n != 0 {
				t.Errorf("%s: %d documents of UTF-8 are not", format, n)
			}
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), []byte("plain"))
	write(t, filepath.Join(dir, "b"), []byte("caf\xe9"))
	d, err := OpenDocuments(dir, DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	readAll(d)
	if n, first := d.NotUTF8(); n != 1 || first.Error() != filepath.Join(dir, "b")+`: document "b"` {
		t.Errorf("a folder: %d, %v", n, first)
	}
}

func notUTF8(t *testing.T, text string, o DocumentOptions) uint64 {
	d, err := OpenDocuments(write(t, filepath.Join(t.TempDir(), "in"), []byte(text)), o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	readAll(d)
	n, _ := d.NotUTF8()
	return n
}

// TestNotUTF8Values looks at the values of fields.
func TestNotUTF8Values(t *testing.T) {
	f := Fields{Keys: []Key{{Key: "2", Field: schema.Field{Name: "k", Kind: schema.Keyword}}, {Key: "3", Field: schema.Field{Name: "n", Kind: schema.Integer, Stored: true}}}}
	s, err := f.WithSchema(nil, schema.Field{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := OpenDocuments(write(t, filepath.Join(t.TempDir(), "in"), []byte("a\tx\xff\t1\nb\ty\t2\n")), DocumentOptions{Format: FormatTSV, Fields: f, Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for err == nil {
		_, _, err = d.NextValues()
	}
	if n, first := d.NotUTF8(); err != io.EOF || n != 1 || first.Line != 1 {
		t.Errorf("%d, %v, %v", n, first, err)
	}
}

// TestBlocks holds that blocks of any sizes are UTF-8 if the whole is, as package utf8 finds.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "8 letters", "é", "日", "🙂", "\ufffd", "\xff", "\xe6\x97", "\x80"}), 0, 12).Draw(t, "text"), "")
		valid, v := true, validText(0)
		for rest := []byte(text); ; {
			n := min(len(rest), rapid.IntRange(1, 20).Draw(t, "size"))
			valid = v.next(rest[:n], n == len(rest)) && valid
			if rest = rest[n:]; len(rest) == 0 {
				break
			}
		}
		if valid != utf8.ValidString(text) {
			t.Fatalf("%q: %v", text, valid)
		}
	})
}

// TestEncoding reads texts in other encodings: named, and declared by a byte order mark.
func TestEncoding(t *testing.T) {
	for format, text := range inFormats {
		want, _, err := readAs(t, strings.ReplaceAll(text, "X", "Müller"), DocumentOptions{Format: format})
		if err != nil || len(want) != 3 || want[0].contents != "Müller" {
			t.Fatal(want, err)
		}
		wide := utf16.Encode([]rune("\ufeff" + strings.ReplaceAll(text, "X", "Müller")))
		var le, be []byte
		for _, u := range wide {
			le, be = append(le, byte(u), byte(u>>8)), append(be, byte(u>>8), byte(u))
		}
		for name, tt := range map[string]struct{ text, encoding string }{
			"latin":  {strings.ReplaceAll(text, "X", "M\xfcller"), "latin1"},
			"little": {string(le), ""}, "big": {string(be), "windows-1252"}, "zipped": {string(gzipped(le)), ""},
			"no mark": {string(le[2:]), "utf-16le"}, "mark of UTF-8": {"\ufeff" + strings.ReplaceAll(text, "X", "Müller"), "windows-1252"},
		} {
			got, d, err := readAs(t, tt.text, DocumentOptions{Format: format, Encoding: tt.encoding})
			if n, _ := d.NotUTF8(); err != nil || n != 0 {
				t.Errorf("%s, %s: %d not UTF-8, %v", format, name, n, err)
			}
			compareDocs(t, got, want)
		}
	}
	if _, err := OpenDocuments(t.TempDir(), DocumentOptions{Encoding: "latin-one"}); err == nil {
		t.Error("an unknown encoding is accepted")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "declared.html"), []byte("<!doctype html><meta charset=koi8-r><p>\xc4\xc1"))
	write(t, filepath.Join(dir, "not.txt"), []byte("caf\xe9"))
	d, err := OpenDocuments(dir, DocumentOptions{Encoding: "windows-1252"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	docs, _ := readAll(d)
	compareDocs(t, docs, []doc{{"declared.html", "<!doctype html><meta charset=koi8-r><p>да"}, {"not.txt", "café"}})
}

func readAs(t *testing.T, text string, o DocumentOptions) ([]doc, *Documents, error) {
	t.Helper()
	d, err := OpenDocuments(write(t, filepath.Join(t.TempDir(), "in"), []byte(text)), o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	docs, errs := readAll(d)
	if len(errs) > 0 {
		err = errors.New(errs[0])
	}
	for i := range docs {
		docs[i].id = strings.TrimPrefix(docs[i].id, d.path)
	}
	return docs, d, err
}

// TestUndecoded counts what is not in the encoding that is named or declared.
func TestUndecoded(t *testing.T) {
	docs, d, err := readAs(t, "1\tone\n2\t\x93\xfa\xff\xff\n", DocumentOptions{Format: FormatTSV, Encoding: "shift_jis"})
	n, first := d.Undecoded()
	if err != nil || n != 2 || first.Line != 2 || first.Msg != "not in shift_jis" || docs[1].contents != "日\ufffd\ufffd" {
		t.Errorf("%q, %d, %v, %v", docs, n, first, err)
	}
}

// TestEncodingOfPages decodes web pages of TREC as each declares.
func TestEncodingOfPages(t *testing.T) {
	page := func(id, header, html string) string {
		return "<DOC>\n<DOCNO>" + id + "</DOCNO>\n<DOCHDR>\nhttp://x\nHTTP/1.0 200 OK\n" + header + "\n</DOCHDR>\n" + html + "\n</DOC>\n"
	}
	text := page("1", "Content-Type: text/html; charset=ISO-8859-1", "<html>M\xfcller") +
		page("2", "content-type: text/html", "<html><meta charset=koi8-r>\xc4\xc1") +
		page("3", "content-type: text/html; charset=ISO-8859-1", "<html>Müller") + // was converted before
		page("4", "", "<html>M\xfcller") +
		page("5", "", "<html><meta charset=iso-2022-jp>\x1b$BF|\x1b(B") +
		page("6", "", "<html><meta charset=shift_jis>\x93\xfa\xff") +
		"<DOC><DOCNO>7</DOCNO><html><meta charset=latin1><body>caf\xe9</html></DOC>\n"
	docs, d, err := readAs(t, text, DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	compareDocs(t, docs, []doc{{"1", "Müller"}, {"2", "да"}, {"3", "Müller"}, {"4", "M\xfcller"}, {"5", "日"}, {"6", "日\ufffd"}, {"7", "café"}})
	if n, first := d.NotUTF8(); n != 1 || !strings.Contains(first.Msg, `"4"`) {
		t.Errorf("%d, %v", n, first)
	}
	if n, first := d.Undecoded(); n != 1 || first == nil || first.Line != int64(strings.Count(text[:strings.Index(text, "<DOCNO>6")], "\n")) {
		t.Errorf("%d, %v", n, first)
	}
}

// TestQueriesEncoding refuses queries that are not UTF-8, and reads those with a byte order mark.
func TestQueriesEncoding(t *testing.T) {
	for _, text := range []string{"1\tM\xfcller\n", "M\xfcller\n", "1:one\n2:M\xfcller\n", "<topics><topic number=\"1\"><query>M\xfcller</query></topic></topics>"} {
		s, _, err := OpenQueries(write(t, filepath.Join(t.TempDir(), "in"), []byte(text)), QueriesAuto)
		for err == nil {
			_, err = s.Next()
		}
		if !errors.Is(err, ErrNotUTF8) || !strings.Contains(err.Error(), "iconv") {
			t.Errorf("%q: %v", text, err)
		}
		s.Close()
	}
	s, _, err := OpenQueries(write(t, filepath.Join(t.TempDir(), "in"), []byte("\xff\xfe1\x00\t\x00\xfc\x00\n\x00")), QueriesAuto)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if q, err := s.Next(); err != nil || string(q.ID) != "1" || string(q.Contents) != "ü" {
		t.Errorf("%q, %v", q, err)
	}
}

// TestTransitions compares all characters, and all forms that are none, with package utf8.
func TestTransitions(t *testing.T) {
	check := func(b ...byte) {
		v := validText(0)
		if got, want := v.next(b, true), utf8.Valid(b); got != want {
			t.Fatalf("%x: %v, want %v", b, got, want)
		}
	}
	tails := []byte{0, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xff}
	for lead := range 256 {
		check(byte(lead))
		for second := range 256 {
			check(byte(lead), byte(second))
			for _, third := range tails {
				check(byte(lead), byte(second), third)
				for _, fourth := range tails {
					check(byte(lead), byte(second), third, fourth)
				}
			}
		}
	}
}

func BenchmarkValidText(b *testing.B) {
	for name, text := range map[string]string{"german": "Der Größe nach übel genommen und so weiter ", "russian": "съешь ещё этих мягких булок ", "ascii": "the quick brown fox "} {
		all := []byte(strings.Repeat(text, 1000))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(all)))
			for b.Loop() {
				v := validText(0)
				v.next(all, true)
			}
		})
		b.Run(name+"/utf8", func(b *testing.B) {
			b.SetBytes(int64(len(all)))
			for b.Loop() {
				utf8.Valid(all)
			}
		})
	}
}
