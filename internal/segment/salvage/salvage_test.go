package salvage_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

type posting struct{ doc, tf uint32 }

// content is what a segment holds, by docID and term.
type content struct {
	ids   []string
	lens  []uint32
	texts []string
	lists map[string][]posting
}

// read reads an undamaged segment through its ordinary views.
func read(t *testing.T, s *segment.Segment) *content {
	t.Helper()
	c := &content{lists: map[string][]posting{}}
	for doc := range s.Meta().Docs {
		id, err := s.Documents().AppendID(nil, doc)
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.Documents().Length(doc)
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.Documents().AppendStored(nil, doc)
		if err != nil {
			t.Fatal(err)
		}
		c.ids, c.lens, c.texts = append(c.ids, string(id)), append(c.lens, n), append(c.texts, string(text))
	}
	it := s.Lists().Terms()
	var rows segment.Rows
	for it.Next() {
		l, err := s.Lists().List(it.Entry())
		if err != nil {
			t.Fatal(err)
		}
		var all []posting
		for rows.Reset(l); rows.Next(); {
			for i, doc := range rows.Docs {
				all = append(all, posting{doc, rows.Freqs[i]})
			}
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
		c.lists[string(it.Term())] = all
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	return c
}

func open(t *testing.T, b segment.Bytes) *segment.Segment {
	t.Helper()
	s, err := segment.Open("test.pin", b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDamagedPages damages one or several pages at a time. What is read must be right, and
// what is not read must be recorded as lost.
func TestDamagedPages(t *testing.T) {
	b := segment.Aligned(segtest.Small().Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true}))
	good := segment.Aligned(bytes.Clone(b))
	want := read(t, open(t, good))
	r := rand.New(rand.NewPCG(3, 4))
	for round, sections := 0, open(t, good).Header().Sections; round < 6*len(sections); round++ {
		copy(b, good)
		pages := 0
		for range 1 + round/(3*len(sections)) { // one page, then two
			sec := sections[(round+pages*5)%len(sections)]
			if sec.ID == format.SectionMeta {
				continue
			}
			page := sec.Offset + r.Int64N(sec.PaddedLength())&^(format.PageSize-1)
			n := min(format.PageSize, sec.End()-page)
			for range 8 {
				b[page+r.Int64N(n)] ^= byte(1 + r.IntN(255))
			}
			pages++
		}
		compare(t, b, want, pages == 0)
	}
}

func compare(t *testing.T, b segment.Bytes, want *content, whole bool) {
	t.Helper()
	plain := open(t, b)
	plain.Raw().SkipPageChecks()
	deleted := func(doc uint32) bool { return doc%97 == 5 }
	src := salvage.New(open(t, b), plain, deleted)
	number := map[string]uint32{}
	for doc, id := range want.ids {
		number[id] = uint32(doc)
	}
	lost := map[string]uint64{}
	var docs []uint32 // docID in want of every document that was read
	var lens []uint32
	for d := range src.Docs() {
		doc, ok := number[string(d.ID)]
		if !ok || deleted(doc) || len(docs) > 0 && doc <= docs[len(docs)-1] {
			t.Fatalf("document %q after %d documents", d.ID, len(docs))
		}
		if d.Text != nil && string(d.Text) != want.texts[doc] {
			t.Fatalf("text of document %q: %q, want %q", d.ID, d.Text, want.texts[doc])
		}
		docs, lens = append(docs, doc), append(lens, d.Len)
	}
	total, read := 0, 0
	for term := range want.lists {
		for _, p := range want.lists[term] {
			if _, ok := slices.BinarySearch(docs, p.doc); ok {
				total++
			}
		}
	}
	last := ""
	for l := range src.Lists() {
		if term := string(l.Term); term <= last {
			t.Fatalf("term %q after %q", term, last)
		}
		last = string(l.Term)
		all := want.lists[last]
		read += len(l.Docs)
		for i, doc := range l.Docs {
			at, ok := slices.BinarySearchFunc(all, docs[doc], func(p posting, doc uint32) int { return int(p.doc) - int(doc) })
			if !ok || all[at].tf != l.Freqs[i] {
				t.Fatalf("term %q: document %d with frequency %d", l.Term, docs[doc], l.Freqs[i])
			}
		}
	}
	for _, loss := range src.Losses() {
		lost[loss.What] += loss.Count
	}
	live := 0
	for doc := range want.ids {
		if !deleted(uint32(doc)) {
			live++
		}
	}
	if missing := live - len(docs); missing < 0 || uint64(missing) > lost["documents"] {
		t.Fatalf("%d of %d documents, %d lost", len(docs), live, lost["documents"])
	}
	for i, doc := range docs {
		if lens[i] != want.lens[doc] && lost["lengths"] == 0 {
			t.Fatalf("length of document %d: %d, want %d", doc, lens[i], want.lens[doc])
		}
	}
	if total != read && lost["postings"] == 0 && lost["terms"] == 0 {
		t.Fatalf("%d of %d postings, none lost", read, total)
	}
	if whole && len(src.Losses()) > 0 {
		t.Fatalf("an undamaged segment: %v", src.Losses())
	}
}
