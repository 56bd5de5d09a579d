package exchange

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/txtar"
)

// form is a public form of input, as testdata/forms.txtar has it.
type form struct {
	name, path string
	read       func(t *testing.T, path string) (found, error) // nil: documents, by options
	options    DocumentOptions
	want       found
}

// found is what an input holds.
type found struct {
	n, words int    // documents, queries or judgments; their words
	first    string // id of the first
	ignored  string // names of the fields that are not read
	skipped  int    // files that are not read
}

var forms = []form{
	{name: "Anserini", path: "anserini.jsonl", want: found{n: 2, words: 5, first: "a1"}},
	{name: "Pyserini", path: "pyserini.jsonl", want: found{n: 2, words: 3, first: "p1", ignored: "title"}},
	{name: "BEIR", path: "beir.jsonl", want: found{n: 2, words: 5, first: "4983", ignored: "metadata"}},
	{name: "MS MARCO v2 passages", path: "msmarco-passages-v2.jsonl", want: found{n: 2, words: 4, first: "msmarco_passage_00_0", ignored: "docid spans"}},
	{name: "MS MARCO v2 documents", path: "msmarco-docs-v2.jsonl", want: found{n: 2, words: 7, first: "msmarco_doc_00_0", ignored: "url"}},
	{name: "MS MARCO v2.1 segments", path: "msmarco-segments-v2.1.jsonl", want: found{n: 1, words: 4, first: "msmarco_v2.1_doc_00_0#0_0", ignored: "end_char start_char url"}},
	{name: "MS MARCO passages", path: "collection.tsv", want: found{n: 2, words: 5, first: "0"}},
	{name: "MS MARCO documents", path: "msmarco-docs.tsv", want: found{n: 2, words: 14, first: "D1"}},
	{name: "MS MARCO documents, without the addresses", path: "msmarco-docs.tsv",
		options: DocumentOptions{Fields: Fields{ID: "1", Contents: []string{"3", "4"}}}, want: found{n: 2, words: 6, first: "D1"}},
	{name: "TSV of Windows", path: "windows.tsv", want: found{n: 2, words: 3, first: "w1"}},
	{name: "Tevatron", path: "tevatron.jsonl", want: found{n: 1, words: 3, first: "7"}},
	{name: "ir_datasets", path: "irdatasets.jsonl", want: found{n: 1, words: 3, first: "x7"}},
	{name: "WikiExtractor", path: "wikiextractor.jsonl", want: found{n: 1, words: 4, first: "12", ignored: "revid url"}},
	{name: "C4", path: "c4.json", options: DocumentOptions{AutoID: true}, want: found{n: 2, words: 3, first: "c4.json:1", ignored: "timestamp url"}},
	{name: "numbers as ids", path: "numbers.ndjson", want: found{n: 2, words: 3, first: "1"}},
	{name: "CSV", path: "books.csv", want: found{n: 2, words: 5, first: "b1", ignored: "price"}},
	{name: "CORD-19", path: "cord.csv", options: DocumentOptions{Fields: Fields{ID: "cord_uid", Contents: []string{"title", "abstract"}}},
		want: found{n: 2, words: 6, first: "ug7v899j", ignored: "doi sha"}},
	{name: "log", path: "access.log", want: found{n: 2, words: 14, first: "access.log:1"}},
	{name: "lines", path: "lines.txt", want: found{n: 3, words: 6, first: "lines.txt:1"}},
	{name: "TREC news, Financial Times", path: "ft.trec", want: found{n: 1, words: 17, first: "FT911-1"}},
	{name: "TREC news, Los Angeles Times", path: "latimes.trec", want: found{n: 1, words: 5, first: "LA010189-0001"}},
	{name: "TREC news, Wall Street Journal", path: "wsj.trec", want: found{n: 1, words: 7, first: "WSJ870324-0001"}},
	{name: "TREC news, Federal Register", path: "fr94.trec", want: found{n: 1, words: 3, first: "FR940104-0-00001"}},
	{name: "Gigaword, AQUAINT-2", path: "gigaword.sgml", want: found{n: 1, words: 4, first: "XXX_ENG_19940701.0001"}},
	{name: "TREC web, GOV2", path: "gov2.trec", want: found{n: 1, words: 4, first: "GX000-00-0000000"}},
	{name: "TREC web, WT10g", path: "wt10g.trec", want: found{n: 2, words: 5, first: "WTX001-B01-1"}},
	{name: "TREC web, Blog06", path: "blog06.trec", want: found{n: 1, words: 2, first: "BLOG06-20051206-000-0000000000"}},
	{name: "TREC web, ClueWeb09", path: "clueweb09.trec", want: found{n: 2, words: 5, first: "clueweb09-en0000-00-00000"}},
	{name: "folder of JSONL", path: "shards", want: found{n: 3, words: 4, first: "s1"}},
	{name: "folder of TREC news", path: "news", want: found{n: 3, words: 3, first: "FBIS3-1"}},
	{name: "folder of texts", path: "newsgroups", want: found{n: 2, words: 9, first: "sci.space/59848"}},
	{name: "folder of texts, whatever they look like", path: "shards", options: DocumentOptions{Format: FormatTextDir},
		want: found{n: 2, words: 13, first: "part-00000.jsonl"}},
	{name: "folder of all kinds", path: "mixed", want: found{n: 7, words: 8, first: "c1", skipped: 2}},
	{name: "gzip", path: "packed.jsonl.gz", want: found{n: 2, words: 5, first: "a1"}},
	{name: "gzip of several members", path: "members.jsonl.gz", want: found{n: 4, words: 10, first: "a1"}},
	{name: "zstd", path: "packed.jsonl.zst", want: found{n: 2, words: 5, first: "a1"}},
	{name: "bzip2", path: "packed.jsonl.bz2", want: found{n: 2, words: 3, first: "b1"}},
	{name: "CSV in gzip", path: "books.csv.gz", want: found{n: 2, words: 5, first: "b1", ignored: "price"}},
	{name: "CIFF", path: "small.ciff", read: readPostings, want: found{n: 2, words: 4, first: "d0"}},
	{name: "CIFF in gzip", path: "small.ciff.gz", read: readPostings, want: found{n: 2, words: 4, first: "d0"}},
	{name: "ds2i", path: "plain/coll", read: readPostings, want: found{n: 2, words: 4, first: "0"}},
	{name: "ds2i with names", path: "named/coll", read: readPostings, want: found{n: 2, words: 4, first: "doc one"}},
}

// TestForms reads every public form of input.
func TestForms(t *testing.T) {
	t.Chdir(extractForms(t))
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			read := f.read
			if read == nil {
				read = func(t *testing.T, path string) (found, error) { return readDocuments(path, f.options) }
			}
			got, err := read(t, f.path)
			if err != nil {
				t.Fatal(err)
			}
			if got != f.want {
				t.Errorf("%+v, want %+v", got, f.want)
			}
		})
	}
}

// extractForms writes the files of testdata/forms.txtar, and compressed ones, to a
// folder.
func extractForms(t *testing.T) string {
	t.Helper()
	a, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string][]byte{}
	for _, f := range a.Files {
		name, isHex := strings.CutSuffix(f.Name, ".hex")
		if isHex {
			if f.Data, err = hex.DecodeString(string(bytes.ReplaceAll(f.Data, []byte("\n"), nil))); err != nil {
				t.Fatal(name, err)
			}
		}
		files[name] = f.Data
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := files["anserini.jsonl"]
	files["packed.jsonl.gz"] = gzipped(lines)
	files["members.jsonl.gz"] = append(gzipped(lines), gzipped(lines)...)
	files["packed.jsonl.zst"] = z.EncodeAll(lines, nil)
	files["books.csv.gz"] = gzipped(files["books.csv"])
	files["small.ciff.gz"] = gzipped(files["small.ciff"])
	for name, b := range files {
		write(t, filepath.Join(dir, name), b)
	}
	return dir
}

// words counts the runs of letters and digits.
func words(text string) int {
	return len(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

func readDocuments(path string, o DocumentOptions) (f found, err error) {
	s, err := OpenDocuments(path, o)
	if err != nil {
		return f, err
	}
	defer s.Close()
	for {
		d, err := s.Next()
		switch {
		case err == io.EOF:
			var names []string
			for name := range s.Ignored() {
				names = append(names, name)
			}
			slices.Sort(names)
			f.ignored = strings.Join(names, " ")
			return f, nil
		case err == nil:
			if f.n++; f.n == 1 {
				f.first = string(d.ID)
			}
			f.words += words(string(d.Contents))
		case errors.Is(err, ErrForeign):
			f.skipped++
		default:
			return f, err
		}
	}
}

func readPostings(t *testing.T, path string) (f found, err error) {
	in, _, err := OpenInverted(path, FormatAuto)
	if err != nil {
		return f, err
	}
	defer in.Close()
	for d, err := range in.Inverted().Docs {
		if err != nil {
			return f, err
		}
		if f.n++; f.n == 1 {
			f.first = string(d.ID)
		}
	}
	for l, err := range in.Inverted().Lists {
		if err != nil {
			return f, err
		}
		for _, tf := range l.Freqs {
			f.words += int(tf)
		}
	}
	return f, nil
}

// TestForeign names files of kinds that are not read, alone and in a folder.
func TestForeign(t *testing.T) {
	tar := make([]byte, 512)
	copy(tar, "name.txt")
	copy(tar[257:], "ustar\x00")
	for magic, want := range map[string]string{
		"PAR1\x15\x04": "Parquet", "SQLite format 3\x00": "SQLite", "WARC/1.0\r\n": "WARC", "\xfd7zXZ\x00": "xz -dc",
		"\x04\x22\x4d\x18": "lz4 -dc", "PK\x03\x04": "unzip", "%PDF-1.7": "pdftotext", "\xff\xfe\x00\x00a\x00": "iconv", string(tar): "tar -x",
		string(gzipped(tar)): "tar -x", string(gzipped([]byte("WARC/1.0\r\n"))): "WARC",
	} {
		dir := t.TempDir()
		path := write(t, filepath.Join(dir, "f.jsonl"), []byte(magic))
		_, err := Detect(path)
		for _, f := range []Format{FormatAuto, FormatJSONL, FormatLines} {
			_, oerr := OpenDocuments(path, DocumentOptions{Format: f})
			for _, err := range []error{err, oerr} {
				if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
					t.Errorf("%.10q as %s: %v, want %q", magic, f, err, want)
				}
			}
		}
		got, err := readDocuments(dir, DocumentOptions{})
		if err != nil || got.skipped != 1 || got.n != 0 {
			t.Errorf("%.10q in a folder: %+v %v", magic, got, err)
		}
	}
	if got, err := readDocuments(t.TempDir(), DocumentOptions{}); err != nil || got.n != 0 {
		t.Errorf("an empty folder: %+v %v", got, err)
	}
	if _, err := OpenDocuments(filepath.Join(t.TempDir(), "x"), DocumentOptions{}); !os.IsNotExist(err) {
		t.Errorf("an absent file: %v", err)
	}
}
