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
// Sets of synonyms are the Server's: the name of one is an error here.
func (r *Request) Search(s *schema.Schema) (pinion.Request, error) {
	to, err := searched(s, r)
	if err != nil {
		return pinion.Request{}, err
	}
	k := cmp.Or(r.K, query.DefaultK)
	switch {
	case r.Synonyms != "":
		return pinion.Request{}, noSet(r.Synonyms)
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
	to.Limit, to.Offset, to.Total, to.Collapse, to.Fields, to.Nearest, to.K1, to.B, to.Scorer = k, r.Offset, r.Total, r.Collapse, r.Fields, r.NearestVectors, k1, b, r.Scorer
	to.Typos = r.Typos
	for _, f := range []func(*schema.Schema, *pinion.Request) error{r.rescore, r.sort, r.facets, r.columns, r.group, r.after, r.shown} {
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
	case r.Like != nil && (r.Query != "" || r.Text != ""):
		return nil, invalid("like", "either it, q or text says what is searched for")
	case r.Like != nil:
		n, err := r.Like.node(s)
		if err != nil {
			return nil, err
		}
		to, err := r.beside(s, n)
		if both, ok := to.(query.Bool); ok && len(r.Like.IDs) > 0 { // what is beside it does not find the documents either
			both.MustNot = n.MustNot
			to = both
		}
		return to, err
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

func (r *Request) sort(s *schema.Schema, to *pinion.Request) (err error) {
	to.Sort, err = sortBy(s, "sort", r.Sort)
	return err
}

// sortScore is the name that stands for scores. Fields have none that begins with an underscore.
const sortScore = "_score"

// sortBy returns what the names of fields in a key say to sort by.
func sortBy(s *schema.Schema, key string, names []string) (all []pinion.Sort, err error) {
	if len(names) > query.MaxSort {
		return nil, invalid(key, "%d fields, more than %d", len(names), query.MaxSort)
	}
	for i, name := range names {
		if name == sortScore {
			all = append(all, pinion.Sort{Score: true})
			continue
		}
		by := pinion.Sort{Field: name}
		if s.Number(name) < 0 {
			by.Field, by.Desc = strings.CutPrefix(name, "-")
		}
		if _, err := column(s, fmt.Sprintf("%s[%d]", key, i), by.Field); err != nil {
			return nil, err
		}
		all = append(all, by)
	}
	return all, nil
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
	f, err := column(s, "static.field", r.Static.Field)
	if err != nil {
		return err
	}
	to.Static, err = r.Static.static(f)
	return err
}

// static returns x for a field.
func (x *Static) static(f *schema.Field) (*pinion.Static, error) {
	if !(x.Boost >= 0 && x.Boost <= query.MaxBoost) {
		return nil, invalid("static.weight", "%v is not above 0 and up to %v", x.Boost, float64(query.MaxBoost))
	}
	to := &pinion.Static{Field: x.Field, Boost: x.Boost, Saturation: x.Saturation, Logarithm: x.Logarithm, Multiply: x.Multiply}
	times := kind.Durations(uint8(f.Kind))
	var err error
	switch {
	case x.Decay == "":
	case times:
		if to.DecayOver, err = time.ParseDuration(x.Decay); err != nil || to.DecayOver <= 0 {
			return nil, invalid("static.decay", "%q is no time as 90s or 24h", x.Decay)
		}
	default:
		if to.Decay, err = strconv.ParseFloat(x.Decay, 64); err != nil || !(to.Decay > 0) {
			return nil, invalid("static.decay", "%q is no number above 0", x.Decay)
		}
	}
	switch {
	case x.From == "":
	case x.Decay == "":
		return nil, invalid("static.from", "it goes with decay")
	case times:
		to.From = x.From
	case f.Kind == schema.Integer:
		if to.From, err = strconv.ParseInt(x.From, 10, 64); err != nil {
			return nil, invalid("static.from", "%q is no integer", x.From)
		}
	default:
		if to.From, err = strconv.ParseFloat(x.From, 64); err != nil {
			return nil, invalid("static.from", "%q is no number", x.From)
		}
	}
	return to, nil
}

// after takes After, whose values must be of the kinds that hits are sorted by.
func (r *Request) after(s *schema.Schema, to *pinion.Request) error {
	a, offset, err := parseCursor(r.After)
	switch {
	case err != nil:
		return invalid("after", "%v", err)
	case offset > math.MaxInt32-to.Limit:
		return invalid("after", "%d hits after %d", to.Limit, offset)
	case offset > 0:
		to.Offset = offset
		return nil
	case a == nil:
		return nil
	}
	if len(a.Sort) != len(to.Sort) {
		return invalid("after", "it is of an answer that is sorted in another way")
	}
	for i := range a.Sort {
		if to.Sort[i].Score {
			if a.Sort[i].Kind != schema.Float {
				return invalid("after", "it is of an answer that is sorted in another way")
			}
			continue
		}
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
