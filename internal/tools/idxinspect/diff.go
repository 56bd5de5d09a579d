package idxinspect

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Diff is what `idxinspect diff` prints.
type Diff struct {
	A           string       `json:"a"`
	B           string       `json:"b"`
	Same        bool         `json:"same"`
	Differences []Difference `json:"differences"`
	More        int          `json:"more"`
	limit       int
	fields      []string                         // the names of those of both; "" without a schema
	name        func(doc uint32) (string, error) // of a document of both
}

// Difference is something that the two indexes hold differently.
type Difference struct {
	What string `json:"what"`
	A    string `json:"a"`
	B    string `json:"b"`
}

func diffCommand() *cobra.Command {
	var limit int
	by := cli.NewChoice("KEY", "docid", "id")
	cmd := command("diff INDEX INDEX", "Compare what two indexes hold",
		`It compares documents, lengths, terms and postings as a query sees them: without
deleted documents, and regardless of segments, blocks and codecs. It compares
stored text where both have it. Of indexes with a schema it compares the fields,
and what is in those that both have, by their names. The exit code is 1 if there
is a difference.

With --by id a document is compared with the one of the same external id,
wherever that is; postings are compared where both indexes have the document.`,
		`  idxinspect diff kjv.idx merged.idx
  idxinspect diff --by id yesterday.idx today.idx`,
		[]string{"INDEX", "INDEX"}, func(_ *cobra.Command, args []string) (report, error) {
			d := &Diff{A: args[0], B: args[1], Differences: []Difference{}, limit: limit}
			err := inspect.With(args[0], func(a *inspect.Index) error {
				return inspect.With(args[1], func(b *inspect.Index) error { return d.compare(a, b, by.Value == "id") })
			})
			if err != nil {
				return nil, err
			}
			d.Same = len(d.Differences) == 0
			if !d.Same {
				err = fmt.Errorf("the indexes differ")
			}
			return d, err
		})
	cli.Int(cmd.Flags(), &limit, "limit", 20, 0, cli.Any, "show at most `N` differences, 0 for all")
	cmd.Flags().Var(by, "by", "compare the documents of the same: "+by.Words())
	return cmd
}

// note records a difference, if a and b are different.
func (d *Diff) note(what, a, b string) {
	if a != b {
		d.record(what, a, b)
	}
}

// record records a difference that a and b show.
func (d *Diff) record(what, a, b string) {
	if d.limit > 0 && len(d.Differences) == d.limit {
		d.More++
		return
	}
	d.Differences = append(d.Differences, Difference{what, a, b})
}

func (d *Diff) compare(a, b *inspect.Index, byID bool) error {
	name, options := a.Analyzer()
	name2, options2 := b.Analyzer()
	d.note("analyzer", name+" "+options, name2+" "+options2)
	va, vb := newLiveView(a), newLiveView(b)
	d.schemas(va, vb)
	d.note("documents", cli.Count(va.docs), cli.Count(vb.docs))
	if byID {
		return d.byID(va, vb)
	}
	d.name = func(doc uint32) (string, error) { return fmt.Sprintf("document %d", doc), nil }
	if err := d.documents(va, vb); err != nil {
		return err
	}
	if va.docs != vb.docs {
		return nil // docIDs would all differ
	}
	return d.terms(va, vb)
}

// schemas compares the fields of two indexes, and has both views show those that both have.
func (d *Diff) schemas(a, b *liveView) {
	fa, fb := a.x.Fields(), b.x.Fields()
	scores := a.x.Manifest != nil && b.x.Manifest != nil // files do not have what scores depend on
	if len(fa) == 0 && len(fb) == 0 {
		d.fields, a.fields, b.fields = []string{""}, []uint32{0}, []uint32{0}
		return
	}
	for i := range fa {
		f, what := &fa[i], "field "+cli.Printable(fa[i].Name)
		k := slices.IndexFunc(fb, func(g schema.Field) bool { return g.Name == f.Name })
		if k < 0 {
			d.note(what, describeField(f, scores), "-")
			continue
		}
		d.note(what, describeField(f, scores), describeField(&fb[k], scores))
		d.fields, a.fields, b.fields = append(d.fields, f.Name), append(a.fields, f.ID), append(b.fields, fb[k].ID)
	}
	for i := range fb {
		if !slices.Contains(d.fields, fb[i].Name) {
			d.note("field "+cli.Printable(fb[i].Name), "-", describeField(&fb[i], scores))
		}
	}
	if len(fa) == 0 || len(fb) == 0 { // their texts are not comparable
		a.stored = false
	}
}

// describeField returns what a schema says of a field, but its name and its id.
func describeField(f *schema.Field, scores bool) string {
	analyzer, options := f.Analysis()
	words := []string{f.Kind.String(), record.IndexedName(f)}
	if analyzer != "" {
		words = append(words, fmt.Sprintf("%s(%s)", analyzer, options))
	}
	if f.HasLengths() {
		words = append(words, f.Lengths.String()+" lengths")
	}
	if f.Stored {
		words = append(words, "stored")
	}
	if f.Column {
		words = append(words, "column")
	}
	if f.Unit != schema.UnitNanosecond {
		words = append(words, f.Unit.String())
	}
	if scores {
		words = append(words, fmt.Sprintf("k1 %s, b %s, weight %v", inspect.Parameter(f.K1), inspect.Parameter(f.B), f.Factor()))
	}
	return strings.Join(words, ", ")
}

func (d *Diff) documents(a, b *liveView) error {
	var x, y liveDoc
	for n := range max(a.docs, b.docs) {
		okA, err := a.next(&x)
		if err != nil {
			return err
		}
		okB, err := b.next(&y)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("document %d", n)
		switch {
		case !okA:
			d.note(what, "-", cli.Quote(string(y.id)))
		case !okB:
			d.note(what, cli.Quote(string(x.id)), "-")
		default:
			d.note(what, cli.Quote(string(x.id)), cli.Quote(string(y.id)))
			d.document(what, a, b, &x, &y)
		}
	}
	return nil
}

// terms compares the lists of each field that both have.
func (d *Diff) terms(a, b *liveView) error {
	for i, name := range d.fields {
		a.enter(i)
		b.enter(i)
		if err := d.lists(name, a, b); err != nil {
			return err
		}
	}
	return nil
}

// lists compares the lists of the field that the views have entered.
func (d *Diff) lists(field string, a, b *liveView) error {
	okA, okB := a.nextTerm(), b.nextTerm()
	for okA || okB {
		c := 0
		switch {
		case !okB:
			c = -1
		case !okA:
			c = 1
		default:
			c = bytes.Compare(a.walk.Term(), b.walk.Term())
		}
		switch {
		case c < 0:
			d.note("term "+inField(field, string(a.walk.Term())), cli.Count(len(a.postings)), "-")
			okA = a.nextTerm()
		case c > 0:
			d.note("term "+inField(field, string(b.walk.Term())), "-", cli.Count(len(b.postings)))
			okB = b.nextTerm()
		default:
			if err := d.list(inField(field, string(a.walk.Term())), a, b); err != nil {
				return err
			}
			okA, okB = a.nextTerm(), b.nextTerm()
		}
	}
	if a.err != nil {
		return a.err
	}
	return b.err
}

// list compares the postings of one term up to the first difference, and their positions if both
// have some.
func (d *Diff) list(term string, a, b *liveView) error {
	for i := range max(len(a.postings), len(b.postings)) {
		what := fmt.Sprintf("term %s: posting %d", term, i)
		if i < len(a.postings) && i < len(b.postings) && a.postings[i].same(b.postings[i]) {
			k := otherPlace(a, b, i)
			if k < 0 {
				continue
			}
			name, err := d.name(a.postings[i].doc)
			d.record(what, a.placeOf(name, i, k), b.placeOf(name, i, k))
			return err
		}
		x, err := d.posting(a.postings, i)
		if err != nil {
			return err
		}
		y, err := d.posting(b.postings, i)
		d.note(what, x, y)
		return err
	}
	return nil
}

// posting describes posting i of a list.
func (d *Diff) posting(l []livePosting, i int) (string, error) {
	if i >= len(l) {
		return "-", nil
	}
	name, err := d.name(l[i].doc)
	return fmt.Sprintf("%s, tf %d", name, l[i].tf), err
}

func (d *Diff) Text(w io.Writer) {
	if len(d.Differences) == 0 {
		fmt.Fprintln(w, "the indexes hold the same")
		return
	}
	t := cli.NewTable("", d.A, d.B)
	for _, e := range d.Differences {
		t.Row(e.What, e.A, e.B)
	}
	t.WriteTo(w)
	if d.More > 0 {
		fmt.Fprintf(w, "... %s more: see --limit\n", cli.Count(d.More))
	}
}

// liveView walks an index without its deleted documents, renumbered without gaps.
type liveView struct {
	x        *inspect.Index
	fields   []uint32 // the ids of those that are compared
	docs     int
	stored   bool // every segment has text
	at       int  // segment of the next document
	local    uint32
	renumber [][]uint32 // of segments with deletes: new docID by local docID
	base     []uint32   // new docID of each segment's first live document
	walk     *inspect.Walk
	texts    []*segment.Texts // of the segments read so far
	postings []livePosting
	placed   bool                              // the field has positions
	places   []uint32                          // the positions of all postings
	renamed  func([]livePosting) []livePosting // unless nil: changes postings
	err      error
}

type livePosting struct {
	doc, tf uint32
	at      int // in places
}

// same reports whether p and q are of the same document, with the same frequency.
func (p livePosting) same(q livePosting) bool { return p.doc == q.doc && p.tf == q.tf }

type liveDoc struct {
	id, text []byte
	lengths  []uint32 // in the fields of the view
}

const gone = ^uint32(0)

func newLiveView(x *inspect.Index) *liveView {
	v := &liveView{x: x, stored: true, texts: make([]*segment.Texts, len(x.Segs))}
	for _, g := range x.Segs {
		v.stored = v.stored && g.Meta().Stored
		v.base = append(v.base, uint32(v.docs))
		if g.Deletes == nil {
			v.renumber = append(v.renumber, nil)
			v.docs += int(g.Meta().Docs)
			continue
		}
		m := make([]uint32, g.Meta().Docs)
		for doc := range m {
			m[doc] = gone
			if !g.Deletes.Has(uint32(doc)) {
				m[doc] = uint32(v.docs)
				v.docs++
			}
		}
		v.renumber = append(v.renumber, m)
	}
	return v
}

// next gives the next document.
func (v *liveView) next(d *liveDoc) (bool, error) {
	for ; v.at < len(v.x.Segs); v.at, v.local = v.at+1, 0 {
		g := v.x.Segs[v.at]
		for ; v.local < g.Meta().Docs; v.local++ {
			if g.Deleted(v.local) {
				continue
			}
			v.local++
			return true, v.loadAt(v.at, v.local-1, d)
		}
	}
	return false, nil
}

// loadAt gives the document at a place.
func (v *liveView) loadAt(seg int, doc uint32, d *liveDoc) (err error) {
	g := v.x.Segs[seg]
	if d.id, err = g.Documents().AppendID(d.id[:0], doc); err != nil {
		return err
	}
	d.lengths = d.lengths[:0]
	for _, id := range v.fields {
		n, err := inspect.LengthIn(g.Segment, id, doc)
		if err != nil {
			return err
		}
		d.lengths = append(d.lengths, n)
	}
	if v.texts[seg] == nil {
		if v.texts[seg], err = g.Documents().Texts(); err != nil {
			return err
		}
	}
	if d.text, err = v.texts[seg].At(doc); err == nil && g.Meta().Fields > 0 {
		d.text, err = v.byField(g, doc, d.text)
	}
	return err
}

// byField returns the values of a document as lines, by the names of their fields: in which order
// those of different fields were added makes no difference.
func (v *liveView) byField(g *inspect.Segment, doc uint32, stored []byte) (text []byte, err error) {
	values, err := inspect.Values(g.Segment, v.x.Manifest, doc, stored)
	slices.SortStableFunc(values, func(a, b inspect.FieldValue) int { return strings.Compare(a.Field.Name, b.Field.Name) })
	for _, x := range values {
		text = fmt.Appendf(text, "%s: %v\n", x.Field.Name, x.Value)
	}
	return text, err
}

// enter begins the terms of field i of fields.
func (v *liveView) enter(i int) {
	v.x.Field = v.fields[i]
	v.walk = inspect.NewFieldWalk(v.x.Segments(), v.x.Field, "", "")
	v.placed = slices.ContainsFunc(v.x.Segs, func(g *inspect.Segment) bool {
		f, ok := g.FieldByID(v.x.Field)
		return ok && g.Field(f).HasPositions()
	})
}

// nextTerm moves to the next term with a posting that is not deleted.
func (v *liveView) nextTerm() bool {
	var l segment.List
	for v.err == nil && v.walk.Next() {
		v.postings, v.places = v.postings[:0], v.places[:0]
		for _, i := range v.walk.At() {
			if v.err = v.x.Segs[i].Lists().Init(&l, v.walk.Entry(i)); v.err == nil {
				v.err = v.take(i, &l)
			}
			if v.err != nil {
				return false
			}
		}
		if v.renamed != nil {
			v.postings = v.renamed(v.postings)
		}
		if len(v.postings) > 0 {
			return true
		}
	}
	if v.err == nil {
		v.err = v.walk.Err()
	}
	return false
}

// take appends the live postings of l, a list of segment i.
func (v *liveView) take(i int, l *segment.List) error {
	p, err := v.placesOf(l)
	if err != nil {
		return err
	}
	var rows segment.Rows
	for rows.Reset(l); rows.Next(); {
		for j, doc := range rows.Docs {
			at := len(v.places)
			if v.places, err = p.append(v.places, rows.Block+j/l.BlockLen, rows.Freqs[j]); err != nil {
				return err
			}
			if m := v.renumber[i]; m != nil {
				doc = m[doc]
			} else {
				doc += v.base[i]
			}
			if doc != gone {
				v.postings = append(v.postings, livePosting{doc, rows.Freqs[j], at})
			}
		}
	}
	return rows.Err()
}
