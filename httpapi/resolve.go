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

	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/search"
)

// Search returns r for an index with a schema, as reader.Snapshot.Schema returns it. Its page has the hits that Offset
// leaves out too. The error is an *Error, which names the key that is wrong. What only the index can tell, such as
// whether a text is stored, is left to it.
func (r *Request) Search(s *schema.Schema) (search.Request, error) {
	n, err := node(s, r.Query, r.Text, r.Vector, r.Filter)
	if err != nil {
		return search.Request{}, err
	}
	k := cmp.Or(r.K, query.DefaultK)
	switch {
	case r.K < 0:
		return search.Request{}, invalid("k", "%d hits", r.K)
	case r.Offset < 0 || r.Offset > math.MaxInt32 || k > math.MaxInt32:
		return search.Request{}, invalid("offset", "%d hits after %d", k, r.Offset)
	case r.Offset > 0 && r.After != "":
		return search.Request{}, invalid("offset", "a page begins either at an offset or after another page")
	case len(r.Fields) > 0 && r.Values:
		return search.Request{}, invalid("values", "all values are shown, or those of fields")
	}
	to := search.Request{Query: n, K: k + r.Offset, Total: r.Total, Collapse: r.Collapse, Fields: r.Fields}
	for _, f := range []func(*schema.Schema, *search.Request) error{r.sort, r.facets, r.columns, r.after, r.shown} {
		if err := f(s, &to); err != nil {
			return search.Request{}, err
		}
	}
	return to, nil
}

// node returns what is searched for.
func node(s *schema.Schema, text, words string, v *Vector, restriction string) (n query.Node, err error) {
	switch {
	case text != "" && words != "":
		return nil, invalid("text", "either q or text says what is searched for")
	case text != "":
		if n, err = query.ParseText(s, text); err != nil {
			return nil, blame("q", err)
		}
	case words != "":
		n = query.Match{Text: words}
	case v == nil:
		return nil, invalid("q", "it is missing: * stands for all documents")
	}
	if v != nil {
		d, err := v.dot(s)
		if err != nil {
			return nil, err
		}
		if n == nil {
			n = d
		} else {
			n = query.Bool{Should: []query.Node{n, d}}
		}
	}
	if restriction == "" {
		return n, nil
	}
	f, err := filter.Parse(s, restriction)
	if err != nil {
		return nil, blame("filter", err)
	}
	return query.Bool{Must: []query.Node{n}, Filter: []query.Filter{f}}, nil
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
		if err := d.Add([]byte(term), v.Terms[term]); err != nil {
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

func (r *Request) sort(s *schema.Schema, to *search.Request) error {
	if len(r.Sort) > query.MaxSort {
		return invalid("sort", "%d fields, more than %d", len(r.Sort), query.MaxSort)
	}
	for i, name := range r.Sort {
		by := query.SortBy{Field: name}
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

func (r *Request) facets(s *schema.Schema, to *search.Request) error {
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
func (f *Facet) facet(s *schema.Schema, key string) (to query.Facet, err error) {
	if _, err := column(s, key+".field", f.Field); err != nil {
		return to, err
	}
	if f.K < 0 {
		return to, invalid(key+".k", "%d values", f.K)
	}
	to = query.Facet{Field: f.Field, K: f.K}
	if len(f.Ranges) > query.MaxRanges {
		return to, invalid(key+".ranges", "%d ranges, more than %d", len(f.Ranges), query.MaxRanges)
	}
	for i, text := range f.Ranges {
		r, err := filter.ParseRange(s, f.Field, text)
		if err != nil {
			return to, blame(fmt.Sprintf("%s.ranges[%d]", key, i), err)
		}
		to.Ranges = append(to.Ranges, r)
	}
	if f.Every == "" {
		return to, nil
	}
	if to.Every, err = strconv.ParseInt(f.Every, 10, 64); err != nil {
		d, err := time.ParseDuration(f.Every)
		if err != nil {
			return to, invalid(key+".every", "%q is neither a whole number nor a time as 90s or 24h", f.Every)
		}
		to.Every = int64(d)
	}
	if to.Every < 1 {
		return to, invalid(key+".every", "the width %s is not above 0", f.Every)
	}
	return to, nil
}

// columns takes Collapse and Static.
func (r *Request) columns(s *schema.Schema, to *search.Request) error {
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
	if w := r.Static.Weight; !(w >= 0 && w <= query.MaxBoost) {
		return invalid("static.weight", "%v is not above 0 and up to %v", w, float64(query.MaxBoost))
	}
	to.Static = &query.Static{Field: r.Static.Field, Weight: r.Static.Weight}
	return nil
}

// after takes After, whose values must be of the kinds that hits are sorted by.
func (r *Request) after(s *schema.Schema, to *search.Request) error {
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
func (r *Request) shown(s *schema.Schema, to *search.Request) error {
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
		for i := range s.Fields {
			if f := &s.Fields[i]; f.Stored || f.Column {
				to.Fields = append(to.Fields, f.Name)
			}
		}
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
	} else if p.Field != "" && (f.Kind != schema.KindText || !f.Stored) {
		return invalid("passages.field", "the field %q is no text that is stored", p.Field)
	}
	to.Snippet = &search.Snippet{Field: p.Field, Length: p.Length}
	return nil
}
