package sim

import (
	"bytes"
	"fmt"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/reader"
)

// observation is all content of a snapshot.
type observation struct {
	docs []oracle.Doc
	live []map[string]*document // by author, then id
}

// observe reads every document of s.
func (w *world) observe(s *reader.Snapshot) (*observation, error) {
	o := &observation{live: make([]map[string]*document, len(w.authors))}
	for i := range o.live {
		o.live[i] = map[string]*document{}
	}
	versions, err := w.versions(s)
	if err != nil {
		return nil, err
	}
	for doc := range uint32(s.Stats().Docs) {
		d, deleted, err := w.identify(s, doc, versions[doc])
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", doc, err)
		}
		o.docs = append(o.docs, oracle.Doc{Terms: d.terms, Deleted: deleted})
		if deleted {
			continue
		}
		live := o.live[d.id[0]-'a']
		if live[d.id] != nil {
			return nil, fmt.Errorf("document %d: id %s is live twice", doc, d.id)
		}
		live[d.id] = d
	}
	return o, nil
}

// versions returns the last word of each document: each is a term of its own.
func (w *world) versions(s *reader.Snapshot) (map[uint32]string, error) {
	words := map[uint32]string{}
	for _, seg := range s.Segments() {
		terms := seg.Terms(nil)
		for terms.Next() {
			if !bytes.Contains(terms.Term(), []byte(".")) {
				continue
			}
			for p, err := range seg.Postings(terms.Term()) { // of deleted documents, too
				if err != nil {
					return nil, err
				}
				words[seg.Base()+p.Doc] = string(terms.Term())
			}
		}
		if err := terms.Err(); err != nil {
			return nil, err
		}
	}
	return words, nil
}

// identify returns the version of a document that docID doc holds, whose last word is version.
func (w *world) identify(s *reader.Snapshot, doc uint32, version string) (d *document, deleted bool, err error) {
	id, err := s.AppendID(nil, doc)
	if err != nil {
		return nil, false, err
	}
	text, err := s.AppendStored(nil, doc)
	if err != nil {
		return nil, false, err
	}
	length, err := s.DocLen(doc)
	if err != nil {
		return nil, false, err
	}
	if deleted, err = s.Deleted(doc); err != nil {
		return nil, false, err
	}
	n := int(id[0]) - 'a'
	if n < 0 || n >= len(w.authors) {
		return nil, false, fmt.Errorf("no author gave the id %q", id)
	}
	d = w.authors[n].version(version)
	want := ""
	if d != nil && w.stored {
		want = d.text
	}
	if d == nil || d.id != string(id) || want != string(text) || len(d.terms) != int(length) {
		return nil, false, fmt.Errorf("id %q, %d tokens, text %q, last term %q; written was %+v", id, length, text, version, d)
	}
	found, ok, err := s.FindID(id)
	if err != nil || !deleted && (!ok || found != doc) || deleted && ok && found == doc {
		return nil, false, fmt.Errorf("id %q, deleted %v, is found at %d, %v, %v", id, deleted, found, ok, err)
	}
	return d, deleted, nil
}

func (a *author) version(word string) *document {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.versions[word]
}

// bounds are, for each author, how many changes of its log a snapshot may hold.
type bounds struct{ lo, hi []int }

// acknowledged returns the bounds of what every later snapshot holds.
func (w *world) acknowledged() bounds {
	b := bounds{make([]int, len(w.authors)), make([]int, len(w.authors))}
	for i, a := range w.authors {
		b.lo[i], b.hi[i] = a.acknowledged()
	}
	return b
}

// match returns how many changes of each author o holds.
func (w *world) match(o *observation, b bounds) ([]int, error) {
	n := make([]int, len(w.authors))
	for i, a := range w.authors {
		var err error
		if n[i], err = a.find(o.live[i], b.lo[i], b.hi[i]); err != nil {
			return nil, err
		}
	}
	return n, nil
}
