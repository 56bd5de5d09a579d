package search

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// boosts are those of the words of a Match by the fields it searches.
type boosts struct {
	all float64
	own []float64 // nil: all for each
}

// of returns the boost in field i of those that are searched.
func (x *boosts) of(i int) float64 {
	if x.own == nil {
		return x.all
	}
	return x.own[i]
}

// of returns the fields that a Match searches, and the boost of its words.
func (b *builder) of(m *query.Match, around float64) (fields []int, boost boosts, err error) {
	if m.Mode > query.ModeAndOr {
		return nil, boost, b.errorf("%v", m.Mode)
	}
	if boost.all, err = b.boostOf(m.Boost, around, m.Field, m.Text); err != nil {
		return nil, boost, err
	}
	if len(m.Fields) > 0 {
		fields, boost.own, err = b.named(m, boost.all)
	} else {
		fields, err = b.searched(m.Field)
	}
	if err == nil && len(fields) > 1 && m.Mode == query.ModeAndOr {
		err = unsupported("mode %v over the fields %s", m.Mode, b.p.Names(fields))
	} else if err == nil && m.Mode == query.ModeAndOr && len(b.p.compounds(fields)) > 0 {
		err = unsupported("mode %v where words have parts", m.Mode)
	}
	return fields, boost, err
}

// named returns the fields that Match.Fields names, ascending, and the boosts of words in them: where it has a boost of its own,
// the engine's, which is that of the schema, is divided out.
func (b *builder) named(m *query.Match, boost float64) (numbers []int, own []float64, err error) {
	if m.Field != "" {
		return nil, nil, b.errorf("a Match of both the field %q and Fields", m.Field)
	}
	type field struct {
		number int
		boost  float64
	}
	all := make([]field, len(m.Fields))
	for i, text := range m.Fields {
		name, by := fields.Weight(text, func(name string) bool {
			_, err := b.p.Number(name)
			return err == nil
		})
		x := &all[i]
		if x.number, err = b.p.Number(name); err != nil {
			return nil, nil, b.at(err)
		}
		if slices.ContainsFunc(all[:i], func(o field) bool { return o.number == x.number }) {
			return nil, nil, b.errorf("the field %q is twice in Fields", name)
		}
		if x.boost = boost; by == "" {
			continue
		}
		number, err := strconv.ParseFloat(by, 64)
		if err != nil || number == 0 {
			return nil, nil, b.errorf("%q in Fields: what follows ^ is no number above 0", text)
		}
		if number, err = b.boostOf(number, 1, name, m.Text); err != nil {
			return nil, nil, err
		}
		if f, ok := b.p.Schema.Field(name); ok {
			number /= f.Factor()
		}
		if x.boost, err = b.boostOf(number, boost, name, m.Text); err != nil {
			return nil, nil, err
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].number < all[j].number })
	for _, x := range all {
		numbers, own = append(numbers, x.number), append(own, x.boost)
	}
	return numbers, own, nil
}

// Searches reports whether a Match searches a field of an index whose fields have names.
func Searches(m *query.Match, f *schema.Field) bool {
	if len(m.Fields) > 0 {
		return slices.ContainsFunc(m.Fields, func(text string) bool {
			at := strings.LastIndexByte(text, '^')
			return text == f.Name || at >= 0 && text[:at] == f.Name
		})
	}
	return f.Name == m.Field || m.Field == "" && f.ByDefault()
}
