package exchange

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestTextDir(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "b.txt"), []byte("bee"))
	write(t, filepath.Join(dir, "a", "z.txt"), []byte("zed"))
	write(t, filepath.Join(dir, "a", "y.gz"), gzipped([]byte("why")))
	write(t, filepath.Join(dir, "bin"), []byte("x\x00y"))
	write(t, filepath.Join(dir, ".git", "x"), []byte("hidden"))
	write(t, filepath.Join(dir, ".x"), []byte("hidden"))
	s, err := OpenDocuments(dir, DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	docs, errs := readAll(s)
	compareDocs(t, docs, []doc{{"a/y.gz", "why"}, {"a/z.txt", "zed"}, {"b.txt", "bee"}})
	if n := s.Formats()[FormatTextDir]; n != 3 {
		t.Errorf("%d text files, want 3", n)
	}
	compareErrors(t, errs, []string{filepath.Join(dir, "bin") + ": offset 1: a NUL byte: not a text file"})
	if _, err := OpenDocuments(filepath.Join(dir, "b.txt"), DocumentOptions{Format: FormatTextDir}); err == nil {
		t.Error("a file was taken for a directory")
	}
}

// A folder stays where it is when the process changes its working directory, and errors name files as it was named.
func TestTextDirChdir(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, filepath.Join("texts", "a", "x.txt"), []byte("ex"))
	write(t, filepath.Join("texts", "y.txt"), []byte("why"))
	write(t, filepath.Join("texts", "z.bin"), []byte("x\x00y"))
	s, err := OpenDocuments("texts", DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Chdir(t.TempDir())
	docs, errs := readAll(s)
	compareDocs(t, docs, []doc{{"a/x.txt", "ex"}, {"y.txt", "why"}})
	compareErrors(t, errs, []string{filepath.Join("texts", "z.bin") + ": offset 1: a NUL byte: not a text file"})
}

// Of a collection in BEIR's form only the corpus has documents, unless a format is named.
func TestBEIRFolder(t *testing.T) {
	files := map[string]string{
		"corpus.jsonl":       `{"_id": "d1", "title": "One", "text": "two"}` + "\n",
		"queries.jsonl":      `{"_id": "q1", "text": "two"}` + "\n",
		"qrels/test.tsv":     "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
		"other/corpus.jsonl": `{"_id": "d2", "text": "three"}` + "\n",
	}
	for _, tt := range []struct {
		without       string
		format        Format
		docs, foreign int
	}{
		{"", FormatAuto, 1, 3},
		{"queries.jsonl", FormatAuto, 4, 0},
		{"corpus.jsonl", FormatAuto, 4, 0},
		{"", FormatTextDir, 4, 0},
	} {
		dir := t.TempDir()
		for name, text := range files {
			if name == tt.without {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, err := OpenDocuments(dir, DocumentOptions{Format: tt.format})
		if err != nil {
			t.Fatal(err)
		}
		docs, foreign := 0, 0
		for {
			_, err := d.Next()
			if err == io.EOF {
				break
			}
			if errors.Is(err, ErrForeign) {
				foreign++
			} else if err != nil {
				t.Fatal(err)
			} else {
				docs++
			}
		}
		if d.Close(); docs != tt.docs || foreign != tt.foreign {
			t.Errorf("%+v: %d documents, %d files passed over", tt, docs, foreign)
		}
	}
}

// TestTextDirLink opens a directory by the name of a link to it.
func TestTextDirLink(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".real", "a", "b.txt"), []byte("bee"))
	link := filepath.Join(dir, "link")
	if err := os.Symlink(".real", link); err != nil {
		t.Skip(err)
	}
	s, err := OpenDocuments(link, DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	docs, errs := readAll(s)
	compareDocs(t, docs, []doc{{"a/b.txt", "bee"}})
	compareErrors(t, errs, nil)
	if n := Size(link, FormatAuto); n != 3 {
		t.Errorf("size %d, want 3", n)
	}
}
