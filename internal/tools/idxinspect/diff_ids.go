package idxinspect

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/cli"
)

// byID compares documents by their external ids, wherever they are in each index, and the
// postings of those that both have.
func (d *Diff) byID(a, b *liveView) error {
	to := make([]uint32, a.docs) // documents of b by those of a
	in := make([]bool, b.docs)   // documents of b that a has
	var x, y liveDoc
	for n := range to {
		to[n] = gone
		if _, err := a.next(&x); err != nil {
			return err
		}
		seg, local, ok, err := b.find(x.id)
		if err != nil {
			return err
		}
		what := "document " + cli.Quote(string(x.id))
		if !ok {
			d.note(what, "there", "-")
			continue
		}
		if err := b.loadAt(seg, local, &y); err != nil {
			return err
		}
		to[n] = b.number(seg, local)
		in[to[n]] = true
		d.document(what, a, b, &x, &y)
	}
	for n := range in {
		if _, err := b.next(&y); err != nil {
			return err
		}
		if !in[n] {
			d.note("document "+cli.Quote(string(y.id)), "-", "there")
		}
	}
	a.renamed = func(l []livePosting) []livePosting {
		l = slices.DeleteFunc(l, func(p livePosting) bool { return to[p.doc] == gone })
		for i := range l {
			l[i].doc = to[l[i].doc]
		}
		slices.SortFunc(l, func(p, q livePosting) int { return cmp.Compare(p.doc, q.doc) })
		return l
	}
	b.renamed = func(l []livePosting) []livePosting {
		return slices.DeleteFunc(l, func(p livePosting) bool { return !in[p.doc] })
	}
	d.name = func(doc uint32) (string, error) {
		seg, local := b.place(doc)
		err := b.loadAt(seg, local, &y)
		return "document " + cli.Quote(string(y.id)), err
	}
	return d.terms(a, b)
}

// document compares two documents.
func (d *Diff) document(what string, a, b *liveView, x, y *liveDoc) {
	for i, name := range d.fields {
		tokens := ": tokens"
		if name != "" {
			tokens = ": " + cli.Printable(name) + tokens
		}
		d.note(what+tokens, cli.Count(x.lengths[i]), cli.Count(y.lengths[i]))
	}
	if a.stored && b.stored && !bytes.Equal(x.text, y.text) {
		a, b := unlike(x.text, y.text)
		d.record(what+": text", a, b)
	}
}

// unlike returns quoted parts of two different texts that look different: their beginnings
// if these do, else what is there from the first difference on.
func unlike(a, b []byte) (string, string) {
	const runes = 30
	if x, y := cli.Snippet(a, runes), cli.Snippet(b, runes); x != y {
		return strconv.Quote(x), strconv.Quote(y)
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	for back := 1; back < utf8.UTFMax && at > 0 && (at < len(a) && !utf8.RuneStart(a[at]) || at < len(b) && !utf8.RuneStart(b[at])); back++ {
		at--
	}
	from := func(text []byte) string { return fmt.Sprintf("…%.*q", runes, text[at:]) }
	return from(a), from(b)
}

// find returns the place of the live document with an external id.
func (v *liveView) find(id []byte) (seg int, local uint32, ok bool, err error) {
	for i, g := range v.x.Segs {
		doc, ok, err := g.Documents().FindID(id)
		if err != nil {
			return 0, 0, false, err
		}
		if ok && !g.Deleted(doc) {
			return i, doc, true, nil
		}
	}
	return 0, 0, false, nil
}

// number returns the number of a live document.
func (v *liveView) number(seg int, local uint32) uint32 {
	if m := v.renumber[seg]; m != nil {
		return m[local]
	}
	return v.base[seg] + local
}

// place is the inverse of number.
func (v *liveView) place(doc uint32) (seg int, local uint32) {
	seg = sort.Search(len(v.base), func(i int) bool { return v.base[i] > doc }) - 1
	if m := v.renumber[seg]; m != nil {
		return seg, uint32(slices.Index(m, doc))
	}
	return seg, doc - v.base[seg]
}
