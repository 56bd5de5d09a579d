package sim

import (
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// valuesApart is how far apart the values of a field are, beside words that follow one another.
const valuesApart = 99

// places returns where the words of a field's values are.
func places(f *schema.Field, values []any) (all []int) {
	at := -1
	for i, v := range values {
		if i > 0 {
			at += valuesApart
		}
		for range terms(f, []any{v}) {
			at++
			all = append(all, at)
		}
	}
	return all
}

// phrase draws a Phrase or Near: of words that a document has one after the other, or others. In a field without positions
// it has one.
func (d *treeDrawer) phrase() (query.Node, *oracle.Node) {
	f, boost := d.field(), d.boost()
	most := 1
	if f.Positions {
		most += d.IntN(4)
	}
	var words []string
	if len(d.docs) > 0 {
		if all := d.docs[d.IntN(len(d.docs))].Terms[f.Name]; len(all) > 0 {
			from := d.IntN(len(all))
			words = slices.Clone(all[from:min(len(all), from+most)])
		}
	}
	if len(words) == 0 || d.IntN(6) == 0 && len(words) < most {
		words = append(words, d.word(d.Rand, f))
	}
	if d.IntN(5) == 0 {
		d.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	}
	s := &oracle.Sequence{}
	for i, w := range words {
		s.Words, s.Offsets = append(s.Words, []string{w}), append(s.Offsets, i)
	}
	text, list := "", words
	if whole := strings.Join(words, " "); d.IntN(2) == 0 && slices.Equal(terms(f, []any{whole}), words) {
		text, list = whole, nil
	}
	if d.IntN(3) == 0 {
		n := query.Near{Field: f.Name, Text: text, Terms: list, Distance: max(0, d.IntN(8)-3), Ordered: d.IntN(2) == 0, Boost: boost}
		s.Width, s.Ordered = n.Distance+len(words)-1, n.Ordered
		clear(s.Offsets)
		return n, d.sequence(f, s, boost)
	}
	n := query.Phrase{Field: f.Name, Text: text, Terms: list, Slop: max(0, d.IntN(9)-4), Boost: boost}
	if s.Width = n.Slop; d.IntN(4) == 0 && len(list) > 0 {
		last := len(words) - 1
		prefix := words[last][:min(len(words[last]), 2)]
		begin := slices.DeleteFunc(slices.Clone(d.words()[f.Name]), func(t string) bool { return !strings.HasPrefix(t, prefix) })
		if last > 0 || len(begin) <= query.MaxScored {
			n.Prefix, n.Terms = true, append(slices.Clone(words[:last]), prefix)
			s.Words[last] = begin
		}
	}
	if n.Prefix && f.HasImpacts() && len(s.Words[0]) > 0 { // which have no positions
		has := func(doc uint32) bool {
			return slices.ContainsFunc(d.docs[doc].Terms[f.Name], func(t string) bool { return slices.Contains(s.Words[0], t) })
		}
		return n, &oracle.Node{Kind: oracle.Const, Must: []*oracle.Node{{Kind: oracle.Set, Has: has}}, Score: boost}
	}
	return n, d.sequence(f, s, boost)
}

// sequence returns what a phrase is for the oracle.
func (d *treeDrawer) sequence(f *schema.Field, s *oracle.Sequence, boost float64) *oracle.Node {
	last := s.Words[len(s.Words)-1]
	switch {
	case len(last) == 0:
		return &oracle.Node{Kind: oracle.Nothing}
	case len(s.Words) > 1:
		return &oracle.Node{Kind: oracle.Phrase, Field: f.Name, Sequence: s, Boost: boost}
	case len(last) == 1:
		return &oracle.Node{Field: f.Name, Term: last[0], Boost: boost}
	}
	o := &oracle.Node{Kind: oracle.Bool}
	d.blends++
	for _, w := range last {
		o.Should = append(o.Should, &oracle.Node{Field: f.Name, Term: w, Boost: boost, Blend: d.blends})
	}
	return o
}
