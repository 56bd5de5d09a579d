package serve

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/schema"
)

// overview is what the index consists of.
type overview struct {
	*inspect.Summary
	Files    []inspect.File
	Fields   []fieldSum
	Damage   string // why figures of fields are missing
	Sections []share
}

// share is a part of the bytes of a whole.
type share struct {
	Name        string
	Bytes       int64
	Start, Size float64 // in percent of the whole
	Link        string
	Color       int
}

// fieldSum are the figures of a field.
type fieldSum struct {
	inspect.FieldSummary
	Of   *schema.Field
	Link string // empty without terms
}

// Indexed returns what of the field is indexed.
func (f fieldSum) Indexed() string { return record.IndexedName(f.Of) }

func (s *shown) overview(*http.Request) (any, error) {
	sum, err := inspect.Summarize(s.main.Index)
	o := overview{Summary: sum, Files: s.main.Files}
	if err != nil {
		o.Damage = err.Error()
	}
	fields := s.main.Index.Fields()
	for i, f := range sum.Fields {
		row := fieldSum{FieldSummary: f, Of: &fields[i]}
		if f.Terms > 0 {
			row.Link = link("terms", "field", f.Name)
		}
		o.Fields = append(o.Fields, row)
	}
	for _, z := range inspect.SectionSizes(s.main.Segments()) {
		o.Sections = append(o.Sections, share{Name: z.Name, Bytes: z.Bytes})
	}
	slices.SortFunc(o.Sections, func(a, b share) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name)) })
	placeShares(o.Sections)
	return o, nil
}

// placeShares places parts beside each other.
func placeShares(parts []share) {
	whole, at := int64(0), 0.0
	for _, p := range parts {
		whole += p.Bytes
	}
	for i := range parts {
		parts[i].Start, parts[i].Color = at, i
		parts[i].Size = 100 * float64(parts[i].Bytes) / float64(max(whole, 1))
		at += parts[i].Size
	}
}
