package search

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/internal/engine/expand"
	"github.com/pinion-index/pinion/query"
)

// words returns the terms that n, which scores each, stands for: for each field those in bytewise order. It returns nil if
// there are too many, and n is a constant, for which e is ready then.
func (e *expanding) words(n expansion, fields []int) (in [][][]byte, err error) {
	f, closest := n.(fuzzy)
	if e.whole != nil {
		if e.whole.Cut {
			e.b.limited(query.Limited{Name: e.label, Constant: !closest})
		}
		if e.whole.Cut && !closest {
			e.allow(query.MaxConstant)
			return nil, nil
		}
		for _, i := range fields {
			in = append(in, termsIn(e.whole, e.b.p.Fields[i].Name))
		}
		return in, nil
	}
	var all []closeTerm
	cut := false
	if closest {
		all, cut, err = e.closest(f, fields)
	} else {
		all, cut, err = e.each(n, fields)
	}
	if err != nil {
		return nil, err
	}
	if cut {
		e.b.limited(query.Limited{Name: e.label, Constant: !closest})
	}
	if x := e.asked(); x != nil {
		x.Cut = cut
		for _, t := range all {
			x.Terms = append(x.Terms, query.FieldTerm{Field: e.b.p.Fields[t.field].Name, Term: string(t.Bytes), Far: t.far})
		}
		sort.Slice(x.Terms, func(i, j int) bool { return compareTerms(&x.Terms[i], &x.Terms[j]) < 0 })
		x.Limit()
	}
	if cut && !closest {
		e.allow(query.MaxConstant)
		return nil, nil
	}
	in = make([][][]byte, len(fields))
	for _, t := range all {
		i := slices.Index(fields, t.field)
		in[i] = append(in[i], t.Bytes)
	}
	for i := range in {
		slices.SortFunc(in[i], bytes.Compare)
	}
	return in, nil
}

// each returns the terms of n in fields, as long as there are no more than are left; otherwise some, and cut is true.
func (e *expanding) each(n expansion, fields []int) (all []closeTerm, cut bool, err error) {
	for _, i := range fields {
		terms, more, err := e.findSome(n, i)
		if err != nil {
			return nil, false, err
		}
		e.left -= len(terms)
		for _, t := range terms {
			all = append(all, closeTerm{t, i, 0})
		}
		if more {
			return all, true, nil
		}
	}
	return all, false, nil
}

// closeTerm is a term of a field, and how far it is from a word.
type closeTerm struct {
	expand.Term
	field int
	far   uint32
}

// compare puts the closest term first. Which terms are closest depends on them alone, so that it is the same whatever is
// merged, deleted or elsewhere.
func (t *closeTerm) compare(o *closeTerm, name func(field int) string) int {
	return cmp.Or(cmp.Compare(t.far, o.far), bytes.Compare(t.Bytes, o.Bytes), cmp.Compare(name(t.field), name(o.field)))
}

// closest returns the closest terms of n in fields, as many as may score each, and whether there are others.
func (e *expanding) closest(n fuzzy, fields []int) (all []closeTerm, cut bool, err error) {
	name := func(i int) string { return e.b.p.Fields[i].Name }
	for _, i := range fields {
		f := e.b.p.Fields[i]
		if f.Err != nil {
			return nil, false, f.Err
		}
		of, err := selections(f, n)
		if err != nil {
			return nil, false, e.invalid(f, err)
		}
		far, err := n.far(f.Fold(n.Text))
		if err != nil {
			return nil, false, e.invalid(f, err)
		}
		mark := 0 // bytes that the terms of parts begin with
		for k := range of {
			if k > 0 {
				mark = len(f.Compound().Mark())
			}
			terms, some, err := expand.Closest(e.context(), e.b.w.Snapshot, f.Name, &of[k], query.MaxScored, func(term []byte) uint32 { return far(term[mark:]) })
			if err != nil {
				return nil, false, e.blame(f, err)
			}
			cut = cut || some
			for _, t := range terms {
				all = append(all, closeTerm{t.Term, i, t.Far})
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].compare(&all[j], name) < 0 })
	if len(all) > query.MaxScored {
		all, cut = all[:query.MaxScored], true
	}
	return all, cut, nil
}

// far returns what says how far a term that n stands for is from its text: by edits, then by how many characters at the
// beginning are the same. The least number is the closest.
func (n fuzzy) far(text string) (func(term []byte) uint32, error) {
	one, err := automata.Fuzzy(text, 1, n.FixedPrefix)
	if err != nil {
		return nil, err
	}
	return func(term []byte) uint32 {
		edits := uint32(2)
		switch {
		case string(term) == text:
			edits = 0
		case n.editsOf(text) < 2 || one.Matches(term):
			edits = 1
		}
		same := uint32(0) // at most automata.MaxFuzzy
		for a, b := []byte(text), term; len(a) > 0 && len(b) > 0; same++ {
			x, size := utf8.DecodeRune(a)
			if y, m := utf8.DecodeRune(b); x != y || size != m {
				break
			}
			a, b = a[size:], b[size:]
		}
		return edits<<8 | (automata.MaxFuzzy - same)
	}, nil
}

func compareTerms(a, b *query.FieldTerm) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Term, b.Term))
}
