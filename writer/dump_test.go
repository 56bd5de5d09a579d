package writer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// A shownDoc is everything that an index holds about one live document.
type shownDoc struct {
	id, text string
	len      uint32
	terms    map[string]uint32
}

func (d shownDoc) equal(e shownDoc) bool {
	return d.id == e.id && d.text == e.text && d.len == e.len && maps.Equal(d.terms, e.terms)
}

// show makes a shownDoc of a document in the plainest way: terms are separated by
// white space.
func show(id, text string, stored bool) shownDoc {
	d := shownDoc{id: id, terms: map[string]uint32{}}
	for _, term := range strings.Fields(text) {
		d.terms[term]++
		d.len++
	}
	if stored {
		d.text = text
	}
	return d
}

// dump reads back the newest commit of a file system: its live documents, in order.
// It verifies every segment.
func dump(t testing.TB, fs store.ReadFS) []shownDoc {
	t.Helper()
	dir, err := indexdir.OpenFS(fs)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	c, err := dir.Latest()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	return dumpCommit(t, c)
}

// dumpCommit is dump of one commit or publication.
func dumpCommit(t testing.TB, c *indexdir.Commit) []shownDoc {
	t.Helper()
	out := []shownDoc{}
	for i := range c.Segments {
		s, data, err := c.OpenSegment(i)
		if err != nil {
			t.Fatal(err)
		}
		deletes, err := c.Deletes(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Segment(context.Background(), s, check.Options{}); err != nil {
			t.Fatal(err)
		}
		if deletes != nil {
			if err := c.CheckDeletes(i, s, deletes.Words()); err != nil {
				t.Fatal(err)
			}
		}
		for doc, d := range dumpSegment(t, s) {
			if deletes == nil || !deletes.Contains(uint32(doc)) {
				out = append(out, d)
			}
		}
		data.Close()
	}
	return out
}

func dumpSegment(t testing.TB, s *segment.Segment) []shownDoc {
	t.Helper()
	docs := make([]shownDoc, s.Meta().Docs)
	for i := range docs {
		id, err := s.Documents().AppendID(nil, uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		dl, err := s.Documents().Length(uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		docs[i] = shownDoc{id: string(id), len: dl, terms: map[string]uint32{}}
		if s.Meta().Stored {
			text, err := s.Documents().AppendStored(nil, uint32(i))
			if err != nil {
				t.Fatal(err)
			}
			docs[i].text = string(text)
		}
	}
	it := s.Lists().Terms()
	for it.Next() {
		l, err := s.Lists().List(it.Entry())
		if err != nil {
			t.Fatal(err)
		}
		var rows segment.Rows
		for rows.Reset(l); rows.Next(); {
			for i, doc := range rows.Docs {
				docs[doc].terms[string(it.Term())] = rows.Freqs[i]
			}
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	return docs
}

// model is the expected index: the live documents in order.
type model struct {
	stored bool
	docs   []shownDoc
}

func (m *model) delete(id string) {
	m.docs = slices.DeleteFunc(slices.Clone(m.docs), func(d shownDoc) bool { return d.id == id })
}

func (m *model) add(id, text string) {
	m.delete(id)
	m.docs = append(m.docs, show(id, text, m.stored))
}

func (m *model) clone() model { return model{m.stored, slices.Clone(m.docs)} }

// diff describes how got differs from the model, "" if it does not.
func (m *model) diff(got []shownDoc) string {
	for i := range max(len(got), len(m.docs)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("document %d %q is missing", i, m.docs[i].id)
		case i >= len(m.docs):
			return fmt.Sprintf("document %d %q should not be there", i, got[i].id)
		case !got[i].equal(m.docs[i]):
			return fmt.Sprintf("document %d is\n%+v, not\n%+v", i, got[i], m.docs[i])
		}
	}
	return ""
}

func (m *model) check(t testing.TB, fs store.ReadFS) {
	t.Helper()
	if d := m.diff(dump(t, fs)); d != "" {
		t.Fatal(d)
	}
}

func doc(id, text string) Doc { return Text([]byte(id), []byte(text)) }
