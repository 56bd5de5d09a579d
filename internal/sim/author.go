package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// document is one version of a document.
type document struct {
	id, text string
	terms    []string
	values   map[uint32][]any // instead of text and terms, by the field's id, if there is a schema
	doc      *writer.Doc      // the same
	first    *document        // of which it is a state after values were set; nil: it is one that was added
	states   []*document      // those of it, if it was added; guarded by author.mu
}

// change is an addition, a deletion, or a change of values in place.
type change struct {
	id  string
	doc *document      // nil for a deletion
	set *writer.Change // nil unless values are changed
}

// author is a goroutine that adds and deletes documents of its own, and the model of
// what it did. Its changes take effect in their order, so what a commit holds of them is
// that of a prefix of its log.
type author struct {
	name string

	mu       sync.Mutex
	versions map[string]*document // by the last word of the text
	base     map[string]*document // live documents before the log
	log      []change             // begun
	finished int                  // changes of the log whose calls have returned
	lo, hi   int                  // the newest acknowledged commit holds from lo to hi changes
	shown    int                  // the newest publication holds as many changes, at least
}

func newAuthor(n int) *author {
	return &author{name: string(rune('a' + n)), versions: map[string]*document{}, base: map[string]*document{}}
}

// draw draws a change and adds it to the log. ids is how many ids the author uses, s the Writer's schema.
func (a *author) draw(r *rand.Rand, ids int, s *schema.Schema) change {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := change{id: fmt.Sprintf("%s%d", a.name, r.IntN(ids))}
	if r.IntN(5) > 0 {
		version := fmt.Sprintf("%s.%d", a.name, len(a.versions))
		if s == nil {
			words := append(drawWords(r), version)
			c.doc = &document{id: c.id, text: strings.Join(words, " "), terms: words}
		} else {
			c.doc = newDocument(c.id, s, drawValues(r, s, version))
		}
		a.versions[version] = c.doc
	}
	a.log = append(a.log, c)
	return c
}

// newDocument returns a document with values of the fields of s.
func newDocument(id string, s *schema.Schema, values []schema.Value) *document {
	d := &document{id: id, values: map[uint32][]any{}, doc: &writer.Doc{ID: []byte(id), Values: values}}
	for _, v := range values {
		f := &s.Fields[v.Field]
		d.values[f.ID] = append(d.values[f.ID], kept(f, plain(v.Floor(f.Unit))))
	}
	return d
}

// drawWords returns the words of a text: few frequent ones, many rare ones.
func drawWords(r *rand.Rand) []string {
	var words []string
	for range r.IntN(1 + r.IntN(30)) {
		k := r.IntN(1 << (1 + r.IntN(8)))
		for range 1 + r.IntN(1+r.IntN(3)) {
			words = append(words, fmt.Sprintf("w%d", k))
		}
	}
	return words
}

// begin adds a change to the log.
func (a *author) begin(c change) {
	a.mu.Lock()
	a.log = append(a.log, c)
	a.mu.Unlock()
}

func (a *author) finish() {
	a.mu.Lock()
	a.finished = len(a.log)
	a.mu.Unlock()
}

// done returns how many changes have returned, and begun how many have begun.
func (a *author) done() int  { a.mu.Lock(); defer a.mu.Unlock(); return a.finished }
func (a *author) begun() int { a.mu.Lock(); defer a.mu.Unlock(); return len(a.log) }

// acknowledge records that a commit which holds between lo and hi changes succeeded.
func (a *author) acknowledge(lo, hi int) {
	a.mu.Lock()
	a.lo, a.hi = max(a.lo, lo), hi
	a.mu.Unlock()
}

// publish records that a publication holds at least lo changes.
func (a *author) publish(lo int) {
	a.mu.Lock()
	a.shown = max(a.shown, lo)
	a.mu.Unlock()
}

func (a *author) published() int { a.mu.Lock(); defer a.mu.Unlock(); return a.shown }

func (a *author) acknowledged() (lo, hi int) { a.mu.Lock(); defer a.mu.Unlock(); return a.lo, a.hi }

// find returns the length of a prefix of the log, from lo to hi, after which exactly the
// documents seen are live, as far as an index with the schema s tells.
func (a *author) find(s *schema.Schema, seen map[string]*document, lo, hi int) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	live := map[string]*document{}
	for id, d := range a.base {
		live[id] = d
	}
	wrong := map[string]bool{}
	check := func(id string) {
		if !live[id].looksAs(seen[id], s) {
			wrong[id] = true
		} else {
			delete(wrong, id)
		}
	}
	apply := func(c change) {
		c.apply(live)
	}
	for _, c := range a.log[:lo] {
		apply(c)
	}
	for id := range live {
		check(id)
	}
	for id := range seen {
		check(id)
	}
	least := len(wrong)
	for n := lo; ; n++ {
		if len(wrong) == 0 {
			return n, nil
		}
		if n == hi {
			return 0, fmt.Errorf("author %s: no prefix of %d to %d changes has the %d documents found; %d differ at the least", a.name, lo, hi, len(seen), least)
		}
		apply(a.log[n])
		check(a.log[n].id)
		least = min(least, len(wrong))
	}
}

// apply makes the change in live documents.
func (c *change) apply(live map[string]*document) {
	if live[c.id] = c.doc; c.doc == nil {
		delete(live, c.id)
	}
}

// restart makes the first n changes of the log the base and forgets the others.
func (a *author) restart(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.log[:n] {
		c.apply(a.base)
	}
	a.log, a.finished, a.lo, a.hi, a.shown = nil, 0, 0, 0, 0
}
