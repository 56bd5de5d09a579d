package compat

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

var update = flag.Bool("update", false, "rewrite the golden index of the current version and its answers")

// goldens returns the golden indexes: one tar.gz for each version.
func goldens(t *testing.T) []string {
	t.Helper()
	present := filepath.Join("testdata", "index-"+format.Current().String()+".tar.gz")
	if *update {
		dir := t.TempDir()
		buildGolden(t, dir, true)
		if err := os.WriteFile(present, pack(t, dir), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(present); err != nil {
		t.Fatalf("no golden of the current version: %v", err)
	}
	names, err := filepath.Glob(filepath.Join("testdata", "index-*.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// pack archives the files of an index.
func pack(t *testing.T, dir string) []byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.pin"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	w := tar.NewWriter(z)
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err == nil {
			err = w.WriteHeader(&tar.Header{Name: filepath.Base(name), Mode: 0o644, Size: int64(len(b)), ModTime: time.Unix(0, 0)})
		}
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// unpack restores an archived index to a directory of its own.
func unpack(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(h.Name)), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// compare reports the first difference. It compares only the lengths of lists with
// unknown postings.
func (c *contents) compare(want *contents) error {
	if len(c.segments) != len(want.segments) {
		return fmt.Errorf("%d segments, want %d", len(c.segments), len(want.segments))
	}
	for i := range c.segments {
		got, want := &c.segments[i], &want.segments[i]
		if got.stored != want.stored {
			return fmt.Errorf("segment %d: texts are stored: %t", i, got.stored)
		}
		if len(got.docs) != len(want.docs) || len(got.lists) != len(want.lists) {
			return fmt.Errorf("segment %d: %d documents and %d terms, want %d and %d", i, len(got.docs), len(got.lists), len(want.docs), len(want.lists))
		}
		for j, d := range got.docs {
			w := want.docs[j]
			if !want.stored {
				w.text = ""
			}
			if d != w {
				return fmt.Errorf("segment %d: document %+v, want %+v", i, d, w)
			}
		}
		for name, w := range want.columns {
			if !slices.EqualFunc(got.columns[name], w, slices.Equal[[]string]) {
				return fmt.Errorf("segment %d: column %q is %q, want %q", i, name, got.columns[name], w)
			}
		}
		for term, l := range got.lists {
			w := want.lists[term]
			if len(l) != len(w) {
				return fmt.Errorf("segment %d: %d postings of %s, want %d", i, len(l), term, len(w))
			}
			for j := range l {
				if l[j] != w[j] && l[j] != unknown {
					return fmt.Errorf("segment %d: posting %+v of %s, want %+v", i, l[j], term, w[j])
				}
			}
		}
	}
	return nil
}

// A reader written from FORMAT.md alone finds what was indexed.
func TestSpecification(t *testing.T) {
	for _, name := range goldens(t) {
		got, err := readIndex(unpack(t, name))
		if err == nil {
			err = got.compare(goldenContents(goldenStored(name)))
		}
		if err == nil && got.flags != 7 {
			err = fmt.Errorf("not all parts of extents were seen: flags %d", got.flags)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The same for an index written today, which may be newer than the golden, with one
	// file of its manifest and with the other.
	with, without := t.TempDir(), t.TempDir()
	buildGolden(t, with, true)
	buildGolden(t, without, false)
	if got, err := readIndex(without); err != nil {
		t.Errorf("written today, without texts: %v", err)
	} else if err := got.compare(goldenContents(0)); err != nil {
		t.Errorf("written today, without texts: %v", err)
	}
	for _, remove := range []string{"none-*", "manifest-*", "mirror-*"} {
		var away []string
		names, _ := filepath.Glob(filepath.Join(with, remove))
		for _, name := range names {
			away = append(away, name)
			os.Rename(name, name+".away")
		}
		got, err := readIndex(with)
		if err == nil {
			err = got.compare(goldenContents(lastPart() + 1))
		}
		if err != nil {
			t.Errorf("written today, without %s: %v", remove, err)
		}
		for _, name := range away {
			os.Rename(name+".away", name)
		}
	}
}

// The engine reads the goldens of all versions, in every codec, and answers as it
// always did, to the bit.
func TestGolden(t *testing.T) {
	answersFile := filepath.Join("testdata", "answers.txt")
	for _, name := range goldens(t) {
		index, err := reader.Open(t.Context(), reader.Dir(unpack(t, name)), reader.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer index.Close()
		snapshot, err := index.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer snapshot.Close()
		if err := snapshot.Verify(context.Background()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := engineContents(snapshot)
		if err == nil {
			err = got.compare(goldenContents(goldenStored(name)))
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		answers := answer(t, snapshot)
		if *update {
			if err := os.WriteFile(answersFile, []byte(answers), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(answersFile)
		if err != nil {
			t.Fatal(err)
		}
		if answers != string(want) {
			t.Errorf("%s: answers are\n%s\nwant\n%s", name, answers, want)
		}
	}
}

// engineContents reads everything through the engine.
func engineContents(snapshot *reader.Snapshot) (*contents, error) {
	c := &contents{}
	cursor := reader.NewCursor()
	defer cursor.Close()
	for _, seg := range snapshot.Segments() {
		s := segmentContents{lists: map[string][]posting{}, stored: seg.Meta().Stored, docs: make([]document, seg.Docs())}
		for i := range s.docs {
			doc := seg.Base() + uint32(i)
			id, err := snapshot.AppendID(nil, doc)
			if err != nil {
				return nil, err
			}
			tokens, err := snapshot.DocLen(doc)
			if err != nil {
				return nil, err
			}
			text, err := snapshot.AppendStored(nil, doc)
			if err != nil {
				return nil, err
			}
			deleted, err := snapshot.Deleted(doc)
			if err != nil {
				return nil, err
			}
			s.docs[i] = document{string(id), string(text), int(tokens), deleted}
			if found, ok, err := snapshot.FindID(id); err != nil || ok && found != doc && !deleted {
				return nil, fmt.Errorf("document %s is %d, found at %d, %v", id, doc, found, err)
			}
		}
		terms := seg.Terms(nil)
		for terms.Next() {
			if err := cursor.Init(seg, terms.Entry()); err != nil {
				return nil, err
			}
			var l []posting
			for doc := cursor.Doc(); doc != reader.NoDoc; doc = cursor.Next() {
				l = append(l, posting{int(doc), int(cursor.Freq())})
			}
			if err := cursor.Err(); err != nil {
				return nil, err
			}
			s.lists[string(terms.Term())] = l
		}
		if err := terms.Err(); err != nil {
			return nil, err
		}
		c.segments = append(c.segments, s)
	}
	return c, nil
}

// answer answers some queries in all modes and returns ids and the bits of scores.
func answer(t *testing.T, snapshot *reader.Snapshot) string {
	t.Helper()
	searcher, err := search.NewSearcher(snapshot, search.Options{Params: query.Params{K1: 0.9, B: 0.4}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { searcher.Close() })
	var out strings.Builder
	for _, text := range []string{"all", "some scattered", "few7 all", "rare60 rare120 scattered", "übrig some few0", "absent", "few3 few4", "all all some"} {
		for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
			q := search.Query{K: 5, Mode: mode}
			for _, term := range strings.Fields(text) {
				q.RawTerms = append(q.RawTerms, []byte(term))
			}
			r, err := searcher.Search(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s (%s):", text, mode)
			for _, h := range r.Hits {
				id, err := snapshot.AppendID(nil, h.Doc)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, " %s %08x", id, math.Float32bits(h.Score))
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}
