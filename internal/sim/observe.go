package sim

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// observation is all content of a snapshot.
type observation struct {
	schema  *schema.Schema
	docs    []oracle.Doc
	records []oracle.Record        // instead of docs, if there is a schema
	values  oracle.Values          // what they have in columns
	order   []oracle.SortKey       // what they are in the order of; one or none
	ids     []string               // of these documents
	live    []map[string]*document // by author, then id
}

// orderOf returns what the documents of s are in the order of.
func orderOf(s *reader.Snapshot) []oracle.SortKey {
	if field, desc, ok := s.Order(); ok {
		return []oracle.SortKey{{Field: field.Name, Desc: desc}}
	}
	return nil
}

// observe reads every document of s. If rebuilt, its schema was made of the segments alone, so that fields
// that the index has dropped may be back, in some of the segments.
func (w *world) observe(s *reader.Snapshot, rebuilt bool) (*observation, error) {
	o := &observation{schema: schemaOf(s), live: make([]map[string]*document, len(w.authors))}
	o.order = orderOf(s)
	for i := range o.live {
		o.live[i] = map[string]*document{}
	}
	versions, err := w.versions(s)
	if err != nil {
		return nil, err
	}
	vectors, err := vectorsOf(s)
	if err != nil {
		return nil, err
	}
	for doc := range uint32(s.Stats().Docs) {
		d, deleted, err := w.identify(s, doc, versions[doc])
		if err == nil && o.schema != nil {
			d, err = w.stateOf(s, o.schema, doc, d, rebuilt)
			if err == nil {
				err = w.checkDense(o.schema, vectors, doc, d, rebuilt)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", doc, err)
		}
		o.add(d, deleted)
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

// schemaOf returns the schema of s, nil if it is implicit: worlds have documents of one text, or of fields with names.
func schemaOf(s interface{ Schema() *schema.Schema }) *schema.Schema {
	if is := s.Schema(); !is.IsImplicit() {
		return is
	}
	return nil
}

// add adds a document.
func (o *observation) add(d *document, deleted bool) {
	o.ids = append(o.ids, d.id)
	if o.schema == nil {
		o.docs = append(o.docs, oracle.Doc{Terms: d.terms, Deleted: deleted})
		return
	}
	if o.values == nil {
		o.values = oracle.Values{}
	}
	r := oracle.Record{Terms: map[string][]string{}, Places: map[string][]int{}, Deleted: deleted}
	for i := range o.schema.Fields {
		f := &o.schema.Fields[i]
		if words := terms(f, d.values[f.ID]); len(words) > 0 {
			r.Terms[f.Name] = words
			if f.HasImpacts() {
				r.Weights = weigh(r.Weights, f, d.values[f.ID])
			}
			if f.Positions {
				r.Places[f.Name] = places(f, d.values[f.ID])
			}
		}
		if f.Kind == schema.Vector {
			addVectors(&r, f, d.values[f.ID])
		}
		if f.Column {
			o.values[f.Name] = append(o.values[f.Name], inColumn(d.values[f.ID]))
		}
	}
	o.records = append(o.records, r)
}

// versions returns the term of each document that no other one has: its last word, or what it has in a field
// for that.
func (w *world) versions(s *reader.Snapshot) (map[uint32]string, error) {
	words, of := map[uint32]string{}, versionField(schemaOf(s))
	name := of.Name
	if of.Indexing() == schema.IndexNone {
		return words, inColumnOf(s, name, words)
	}
	for _, seg := range s.Segments() {
		f, ok := seg.Field(name)
		if !ok {
			return nil, fmt.Errorf("a segment has no field %q", name)
		}
		terms := f.Terms(nil)
		for terms.Next() {
			if !bytes.Contains(terms.Term(), []byte(".")) {
				continue
			}
			for p, err := range f.Postings(terms.Term()) { // of deleted documents, too
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

// inColumnOf adds the keyword that each document has in the column of a field, where it has one.
func inColumnOf(s *reader.Snapshot, name string, words map[uint32]string) error {
	f, ok := s.Field(name)
	if !ok {
		return fmt.Errorf("no field %q", name)
	}
	for _, seg := range s.Segments() {
		for doc := seg.Base(); doc < seg.Base()+seg.Docs(); doc++ {
			values, err := f.AppendValues(nil, doc)
			if err != nil {
				return err
			}
			if len(values) == 1 {
				words[doc] = string(values[0].Bytes())
			}
		}
	}
	return nil
}

// identify returns the version of a document that docID doc holds, whose last word is version.
func (w *world) identify(s *reader.Snapshot, doc uint32, version string) (d *document, deleted bool, err error) {
	id, err := s.AppendID(nil, doc)
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
	if d == nil || d.id != string(id) {
		return nil, false, fmt.Errorf("id %q, version %q; written was %+v", id, version, d)
	}
	if d.doc == nil {
		if err := w.checkText(s, doc, d); err != nil {
			return nil, false, fmt.Errorf("version %s: %w", version, err)
		}
	}
	found, ok, err := s.FindID(id)
	if err != nil || !deleted && (!ok || found != doc) || deleted && ok && found == doc {
		return nil, false, fmt.Errorf("id %q, deleted %v, is found at %d, %v, %v", id, deleted, found, ok, err)
	}
	return d, deleted, nil
}

// checkText checks the text and the length of a document without fields.
func (w *world) checkText(s *reader.Snapshot, doc uint32, d *document) error {
	text, err := s.AppendStored(nil, doc)
	if err != nil {
		return err
	}
	length, err := s.DocLen(doc)
	if err != nil {
		return err
	}
	want := ""
	if w.stored {
		want = d.text
	}
	if want != string(text) || len(d.terms) != int(length) {
		return fmt.Errorf("%d tokens, text %q; written was %+v", length, text, d)
	}
	return nil
}

// checkValues checks the stored values, the columns and the lengths of a document with fields.
func (w *world) checkValues(s *reader.Snapshot, is *schema.Schema, doc uint32, d *document, rebuilt bool) error {
	stored, err := values(s, is, doc)
	if err != nil {
		return err
	}
	for i := range is.Fields {
		f := &is.Fields[i]
		_, kept := w.schema.ByID(f.ID)
		if rebuilt && !kept && len(stored[f.ID]) == 0 {
			continue // a segment may have lost it
		}
		var want []any
		if f.Stored {
			want = d.values[f.ID]
		}
		if !slices.Equal(stored[f.ID], want) {
			return fmt.Errorf("version %v: the values of field %+v are %q, not %q", d.values, f, stored[f.ID], want)
		}
		if kept || !rebuilt {
			if err := checkColumn(s, f, doc, d); err != nil {
				return err
			}
		}
		if rebuilt {
			continue
		}
		in, ok := s.Field(f.Name)
		if !ok {
			return fmt.Errorf("no field %q", f.Name)
		}
		got, err := in.DocLen(doc)
		n := 0
		if f.HasLengths() {
			n = len(terms(f, d.values[f.ID]))
		}
		least := n
		if f.Lengths == schema.LengthsByte && n >= 32 {
			least -= n / 16
		}
		if err != nil || int(got) > n || int(got) < least {
			return fmt.Errorf("version %v: in field %+v it has %d tokens, not %d, %v", d.values, f, got, n, err)
		}
	}
	return nil
}

// checkColumn checks what a document has in the column of a field, if there is one: a set.
func checkColumn(s *reader.Snapshot, f *schema.Field, doc uint32, d *document) error {
	if !f.Column {
		return nil
	}
	in, ok := s.Field(f.Name)
	if !ok {
		return fmt.Errorf("no field %q", f.Name)
	}
	values, err := in.AppendValues(nil, doc)
	if err != nil {
		return err
	}
	var got []any
	for _, v := range values {
		got = append(got, plain(v))
	}
	want := inColumn(d.values[f.ID])
	slices.SortFunc(want, compareValues)
	if want = slices.Compact(want); !slices.Equal(inColumn(got), want) || len(got) != len(want) {
		return fmt.Errorf("version %v: the column of field %+v has %v, not %v", d.values, f, got, want)
	}
	return nil
}

// values returns the stored values of a document by the fields' ids.
func values(s *reader.Snapshot, is *schema.Schema, doc uint32) (map[uint32][]any, error) {
	b, err := s.AppendStored(nil, doc)
	all := map[uint32][]any{}
	for len(b) > 0 && err == nil {
		var v record.Stored
		if v, b, err = record.Next(b); err != nil {
			break
		}
		f, ok := is.ByID(v.ID)
		if !ok {
			continue
		}
		var x schema.Value
		if x, err = v.Value(0, f.Kind); err == nil {
			all[v.ID] = append(all[v.ID], plain(x))
		}
	}
	return all, err
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
		if n[i], err = a.find(o.schema, o.live[i], b.lo[i], b.hi[i]); err != nil {
			return nil, err
		}
	}
	return n, nil
}
