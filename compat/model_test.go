// Package compat reads golden indexes of all format versions, both with the engine
// and with a reader of its own that follows format/FORMAT.md and uses no package of
// the engine.
package compat

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// contents is what an index holds, and what golden indexes of all versions must
// hold.
type contents struct {
	segments []segmentContents
	flags    byte // flags of all extents that this package's reader has read
}

type segmentContents struct {
	docs     []document
	lists    map[string][]posting
	stored   bool                     // the texts of docs are
	columns  map[string][][]string    // the values of each document, by field
	vectors  map[string][][][]float32 // the vectors of each document, by field
	clusters []uint64                 // the versions of those of fields of vectors

	emptyKeyword bool // in one of columns

	positions map[string][][]int // of each posting, by term
}

type document struct {
	id, text string
	tokens   int
	deleted  bool
}

type posting struct{ doc, tf int }

// add adds a document, cut like by the whitespace analyzer.
func (s *segmentContents) add(id, text string) {
	words := strings.Fields(text)
	for _, w := range words {
		l := s.lists[w]
		if n := len(l); n > 0 && l[n-1].doc == len(s.docs) {
			l[n-1].tf++
			continue
		}
		s.lists[w] = append(l, posting{len(s.docs), 1})
	}
	s.docs = append(s.docs, document{id: id, text: text, tokens: len(words)})
}

// remove deletes the live document id, if there is one.
func (c *contents) remove(id string) {
	for i := range c.segments {
		for j := range c.segments[i].docs {
			if d := &c.segments[i].docs[j]; d.id == id {
				d.deleted = true
			}
		}
	}
}

// goldenDocs returns the documents of a part of the golden index. The first part is
// large enough for every part of an extent; then there is a small one for each
// codec. The last part replaces documents of others.
func goldenDocs(part int) (ids, texts []string) {
	n := 300
	if part == 0 {
		n = 8300
	}
	for i := range n {
		id := fmt.Sprintf("p%d-%d", part, i)
		if part == lastPart() && i%100 == 50 {
			id = fmt.Sprintf("p0-%d", i*7)
		}
		words := strings.Repeat("all ", 1+i%3)
		if i%997 == 3 {
			words = strings.Repeat("all ", 300)
		}
		if i%5 < 2 {
			words += "some "
		}
		if i*i%11 == 4 {
			words += strings.Repeat("scattered ", 1+i%9)
		}
		words += fmt.Sprintf("few%d ", i%40)
		if i%60 == 0 {
			words += fmt.Sprintf("rare%d übrig", i)
		}
		ids, texts = append(ids, id), append(texts, words)
	}
	return ids, texts
}

func lastPart() int { return len(registry.All()) }

// goldenDeletes are the ids deleted at the end.
var goldenDeletes = []string{"p0-0", "p0-1", "p0-8299", "p3-17", "absent"}

// goldenContents is what the golden index must hold. The one of version 0.2 stores the texts
// of two segments; writers store all of an index since, or none.
func goldenContents(stored int) *contents {
	c := &contents{}
	for part := range lastPart() + 1 {
		ids, texts := goldenDocs(part)
		s := segmentContents{lists: map[string][]posting{}, stored: part < stored}
		for i, id := range ids {
			c.remove(id)
			s.add(id, texts[i])
		}
		c.segments = append(c.segments, s)
	}
	for _, id := range goldenDeletes {
		c.remove(id)
	}
	return c
}

// goldenStored is how many segments of a golden index store texts.
func goldenStored(path string) int {
	if filepath.Base(path) == "index-0.2.tar.gz" {
		return 2
	}
	return lastPart() + 1
}

// buildGolden writes the golden index to dir with the current version.
func buildGolden(t *testing.T, dir string, stored bool) {
	t.Helper()
	ctx := context.Background()
	for part := range lastPart() + 1 {
		o := writer.Options{Schema: schema.Implicit("whitespace", "", stored), MergePolicy: writer.NoMerges}
		if part == 0 {
			o.FreqsCodec = "vbyte128"
		} else {
			o.DocsCodec = registry.All()[part-1].ID().String()
			o.FreqsCodec = o.DocsCodec
		}
		w, err := writer.Open(ctx, dir, o)
		if err != nil {
			t.Fatal(err)
		}
		ids, texts := goldenDocs(part)
		for i, id := range ids {
			if err := w.Add(ctx, writer.Text([]byte(id), []byte(texts[i]))); err != nil {
				t.Fatal(err)
			}
		}
		if part == lastPart() {
			if err := w.Flush(ctx); err != nil {
				t.Fatal(err)
			}
			for _, id := range goldenDeletes {
				if err := w.Delete(ctx, []byte(id)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
