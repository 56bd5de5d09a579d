package httpapi

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Search returns r for an index with a schema, as reader.Snapshot.Schema returns it. The error is an *Error, which names the key
// that is wrong. What only the index can tell, such as whether a text is stored, is left to it.
func (r *Request) Search(s *schema.Schema) (pinion.Request, error) {
	to, err := searched(s, r)
	if err != nil {
		return pinion.Request{}, err
	}
	k := cmp.Or(r.K, query.DefaultK)
	switch {
	case r.K < 0:
		return pinion.Request{}, invalid("k", "%d hits", r.K)
	case r.Offset < 0 || r.Offset > math.MaxInt32 || k > math.MaxInt32:
		return pinion.Request{}, invalid("offset", "%d hits after %d", k, r.Offset)
	case r.Offset > 0 && r.After != "":
		return pinion.Request{}, invalid("offset", "a page begins either at an offset or after another page")
	case len(r.Fields) > 0 && r.Values:
		return pinion.Request{}, invalid("values", "all values are shown, or those of fields")
	}
	k1, b := given(r.K1), given(r.B)
	for _, p := range []struct {
		key string
		query.Params
	}{{"k1", query.Params{K1: k1}}, {"b", query.Params{B: b}}, {"scorer", query.Params{Scorer: r.Scorer}}} {
		if err := p.Check(); err != nil {
			return pinion.Request{}, blame(p.key, err)
		}
	}
	to.Limit, to.Offset, to.Total, to.Collapse, to.Fields, to.K1, to.B, to.Scorer = k, r.Offset, r.Total, r.Collapse, r.Fields, k1, b, r.Scorer
	for _, f := range []func(*schema.Schema, *pinion.Request) error{r.rescore, r.sort, r.facets, r.columns, r.after, r.shown} {
		if err := f(s, &to); err != nil {
			return pinion.Request{}, err
		}
	}
	return to, nil
}

// given returns a parameter as pinion.Request has it.
func given(p *float64) float64 {
	switch {
	case p == nil:
		return 0
	case *p == 0:
		return query.Zero
	}
	return *p
}

// searched returns what is searched for.
func searched(s *schema.Schema, r *Request) (to pinion.Request, err error) {
	if r.Fuse != nil {
		err = r.fuse(s, &to)
	} else {
		to.Query, err = node(s, r)
	}
	if err != nil {
		return to, err
	}
	if r.Filter != "" {
		if to.Filter, err = query.ParseFilter(s, r.Filter); err != nil {
			return to, blame("filter", err)
		}
	}
	return to, nil
}

// node returns what scores.
func node(s *schema.Schema, r *Request) (n query.Node, err error) {
	switch {
	case r.Query != "" && r.Text != "":
		return nil, invalid("text", "either q or text says what is searched for")
	case r.Query != "" && r.Strict:
		if n, err = query.Parse(s, r.Query); err != nil {
			return nil, blame("q", err)
		}
	case r.Query != "":
		n = query.ParseLenient(s, r.Query).Node
	case r.Text != "":
		n = query.Match{Text: r.Text}
	case r.Vector == nil && r.Nearest == nil:
		return nil, invalid("q", "it is missing: * stands for all documents")
	}
	return r.beside(s, n)
}

// beside returns a node, which may be nil, with what is searched for beside it.
func (r *Request) beside(s *schema.Schema, n query.Node) (query.Node, error) {
	var all []query.Node
	if n != nil {
		all = append(all, n)
	}
	add := func(n query.Node, err error) error {
		all = append(all, n)
		return err
	}
	if r.Vector != nil {
		d, err := r.Vector.dot(s)
		if add(d, err) != nil {
			return nil, err
		}
	}
	if r.Nearest != nil {
		if err := add(r.Nearest.nearest(s)); err != nil {
			return nil, err
		}
	}
	if r.Similarity != nil {
		if err := add(r.Similarity.similarity(s)); err != nil {
			return nil, err
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return query.Bool{Should: all}, nil
}

// dot returns v for an index with a schema.
func (v *Vector) dot(s *schema.Schema) (d query.Dot, err error) {
	if f, ok := s.Field(v.Field); !ok || !f.HasImpacts() {
		return d, invalid("vector.field", "there is no field %q of impacts", v.Field)
	}
	if !(v.Scale >= 0 && v.Scale <= query.MaxBoost) {
		return d, invalid("vector.scale", "%v is not above 0 and up to %v", v.Scale, float64(query.MaxBoost))
	}
	d = query.Dot{Field: v.Field, Boost: v.Scale}
	for _, term := range slices.Sorted(maps.Keys(v.Terms)) {
		if err := d.Add(term, v.Terms[term]); err != nil {
			return d, blame("vector.terms", err)
		}
	}
	if err := d.Check(); err != nil {
		return d, blame("vector.terms", err)
	}
	return d, nil
}

// column returns a field, which must have a column; key is that of the request that names it.
func column(s *schema.Schema, key, name string) (*schema.Field, error) {
	f, ok := s.Field(name)
	switch {
	case !ok:
		return nil, invalid(key, "there is no field %q", name)
	case !f.Column:
		return nil, invalid(key, "the field %q has no column", name)
	}
	return f, nil
}

func (r *Request) sort(s *schema.Schema, to *pinion.Request) error {
	if len(r.Sort) > query.MaxSort {
		return invalid("sort", "%d fields, more than %d", len(r.Sort), query.MaxSort)
	}
	for i, name := range r.Sort {
		by := pinion.Sort{Field: name}
		if s.Number(name) < 0 {
			by.Field, by.Desc = strings.CutPrefix(name, "-")
		}
		if _, err := column(s, fmt.Sprintf("sort[%d]", i), by.Field); err != nil {
			return err
		}
		to.Sort = append(to.Sort, by)
	}
	return nil
}

func (r *Request) facets(s *schema.Schema, to *pinion.Request) error {
	if len(r.Facets) > query.MaxFacets {
		return invalid("facets", "%d facets, more than %d", len(r.Facets), query.MaxFacets)
	}
	for i := range r.Facets {
		f, err := r.Facets[i].facet(s, fmt.Sprintf("facets[%d]", i))
		if err != nil {
			return err
		}
		to.Facets = append(to.Facets, f)
	}
	return nil
}

// facet returns f for an index with a schema; key is its own in the request.
func (f *Facet) facet(s *schema.Schema, key string) (to pinion.Facet, err error) {
	field, err := column(s, key+".field", f.Field)
	if err != nil {
		return to, err
	}
	if f.K < 0 {
		return to, invalid(key+".k", "%d values", f.K)
	}
	to = pinion.Facet{Field: f.Field, Limit: f.K}
	if len(f.Ranges) > query.MaxRanges {
		return to, invalid(key+".ranges", "%d ranges, more than %d", len(f.Ranges), query.MaxRanges)
	}
	for i, text := range f.Ranges {
		r, err := query.ParseRange(s, f.Field, text)
		if err != nil {
			return to, blame(fmt.Sprintf("%s.ranges[%d]", key, i), err)
		}
		to.Ranges = append(to.Ranges, pinion.Range{Min: r.Min, Max: r.Max, AboveMin: r.AboveMin, WithMax: !r.BelowMax})
	}
	switch {
	case f.Every == "":
		return to, nil
	case kind.Durations(uint8(field.Kind)):
		if to.Every, err = time.ParseDuration(f.Every); err != nil {
			return to, invalid(key+".every", "%q is no time as 90s or 24h", f.Every)
		}
	default:
		if to.Width, err = strconv.ParseFloat(f.Every, 64); err != nil {
			return to, invalid(key+".every", "%q is no number", f.Every)
		}
	}
	if !(to.Every > 0 || to.Width > 0) {
		return to, invalid(key+".every", "the width %s is not above 0", f.Every)
	}
	return to, nil
}

// columns takes Collapse and Static.
func (r *Request) columns(s *schema.Schema, to *pinion.Request) error {
	if r.Collapse != "" {
		if _, err := column(s, "collapse", r.Collapse); err != nil {
			return err
		}
	}
	if r.Static == nil {
		return nil
	}
	if _, err := column(s, "static.field", r.Static.Field); err != nil {
		return err
	}
	if x := r.Static.Boost; !(x >= 0 && x <= query.MaxBoost) {
		return invalid("static.weight", "%v is not above 0 and up to %v", x, float64(query.MaxBoost))
	}
	to.Static = &pinion.Static{Field: r.Static.Field, Boost: r.Static.Boost}
	return nil
}

// after takes After, whose values must be of the kinds that hits are sorted by.
func (r *Request) after(s *schema.Schema, to *pinion.Request) error {
	a, err := ParseAfter(r.After)
	if err != nil {
		return invalid("after", "%v", err)
	}
	if a == nil {
		return nil
	}
	if len(a.Sort) != len(to.Sort) {
		return invalid("after", "it is of an answer that is sorted in another way")
	}
	for i := range a.Sort {
		n := s.Number(to.Sort[i].Field)
		if v := &a.Sort[i]; v.Kind != 0 && v.Kind != s.Fields[n].Kind {
			return invalid("after", "it is of an answer that is sorted in another way")
		} else if v.Kind != 0 {
			v.Field = n
		}
	}
	to.After = a
	return nil
}

// shown takes Values and Passages.
func (r *Request) shown(s *schema.Schema, to *pinion.Request) error {
	for i, name := range r.Fields {
		if f, ok := s.Field(name); !ok {
			return invalid(fmt.Sprintf("fields[%d]", i), "there is no field %q", name)
		} else if !f.Stored && !f.Column && name != "" {
			return invalid(fmt.Sprintf("fields[%d]", i), "the field %q is not stored, and has no column", name)
		}
		if slices.Contains(r.Fields[:i], name) {
			return invalid(fmt.Sprintf("fields[%d]", i), "the field %q is there twice", name)
		}
	}
	if r.Values {
		to.Fields = s.Shown()
	}
	p := r.Passages
	if p == nil {
		return nil
	}
	if p.Length < 0 {
		return invalid("passages.length", "%d characters", p.Length)
	}
	if f, ok := s.Field(p.Field); p.Field != "" && !ok {
		return invalid("passages.field", "there is no field %q", p.Field)
	} else if p.Field != "" && (f.Kind != schema.Text || !f.Stored) {
		return invalid("passages.field", "the field %q is no text that is stored", p.Field)
	}
	to.Snippet = &pinion.Snippet{Field: p.Field, Length: p.Length}
	return nil
}
