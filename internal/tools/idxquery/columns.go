package idxquery

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// asked is what queries ask of columns, beside what they search for.
type asked struct {
	sort   []search.SortBy
	facets []search.Facet
	ranges [][]string // of each facet, as they were typed
	static *search.Static
}

// columnFlags are the flags that say what queries ask of columns.
type columnFlags struct {
	sort, facets     []string
	collapse, static string
}

// columns reports whether a flag asks for something of columns.
func (f *flags) columns() bool { return f.reorders() || f.static != "" }

// reorders reports whether a flag asks for more of columns than static scores.
func (f *flags) reorders() bool { return len(f.sort)+len(f.facets) > 0 || f.collapse != "" }

// checkColumns returns what is wrong with flags for columns beside other flags.
func (f *flags) checkColumns() error {
	switch {
	case f.static != "" && f.device.Value == "gpu":
		return cli.Usage("--static takes --device cpu or hybrid: a GPU does not read columns")
	case f.static != "" && f.count:
		return cli.Usage("--count takes no --static, which changes no count")
	case f.static != "" && len(f.sort) > 0:
		return cli.Usage("--static takes no --sort: hits that are sorted have no scores")
	case !f.reorders():
		return nil
	case f.mode.Value == query.ModeAndOr.String():
		return cli.Usage("--sort, --facet and --collapse take --mode or or and: the matches of and-or depend on how many are wanted")
	case f.device.Value == "gpu":
		return cli.Usage("--sort, --facet and --collapse take --device cpu or hybrid: a GPU does not read columns")
	case f.run != "":
		return cli.Usage("--run takes neither --sort nor --facet nor --collapse")
	case f.count:
		return cli.Usage("--count takes neither --sort nor --facet nor --collapse")
	}
	return nil
}

// askedOf reads --sort, --facet and --static for a schema.
func (f *flags) askedOf(s *schema.Schema) (a asked, err error) {
	for _, name := range f.sort {
		by := search.SortBy{Field: name}
		if s.Number(name) < 0 {
			by.Field, by.Desc = strings.CutPrefix(name, "-")
		}
		a.sort = append(a.sort, by)
	}
	for _, text := range f.facets {
		x, ranges, err := facetOf(s, text)
		if err != nil {
			return a, err
		}
		a.facets, a.ranges = append(a.facets, x), append(a.ranges, ranges)
	}
	if f.static != "" {
		if a.static, err = staticOf(s, f.static); err != nil {
			return a, err
		}
	}
	return a, nil
}

// staticOf reads static scores: FIELD or FIELD:BOOST.
func staticOf(s *schema.Schema, text string) (*search.Static, error) {
	if s.Number(text) >= 0 {
		return &search.Static{Field: text}, nil
	}
	name, weight, some := strings.Cut(text, ":")
	x := &search.Static{Field: name}
	if !some {
		return x, nil
	}
	var err error
	if x.Boost, err = strconv.ParseFloat(weight, 64); err != nil || !(x.Boost > 0 && x.Boost <= query.MaxBoost) {
		return nil, cli.Usage("--static %s: the weight %s is no number above 0 and up to %.0f", cli.Quote(text), cli.Quote(weight), float64(query.MaxBoost))
	}
	return x, nil
}

// facetOf reads a facet: FIELD, FIELD:N, FIELD:every=WIDTH or FIELD:RANGE,RANGE...
func facetOf(s *schema.Schema, text string) (f search.Facet, ranges []string, err error) {
	name, what, some := strings.Cut(text, ":")
	f.Field = name
	every, buckets := strings.CutPrefix(what, "every=")
	switch n, notNumber := strconv.Atoi(what); {
	case !some:
	case buckets:
		err = setWidth(s, &f, every)
	case notNumber == nil:
		if f.Limit = n; n < 1 {
			err = fmt.Errorf("%d keywords", n)
		}
	default:
		for _, r := range strings.Split(what, ",") {
			r = strings.TrimSpace(r)
			var x query.Range
			if x, err = query.ParseRange(s, name, r); err != nil {
				err = fmt.Errorf("%s is neither a number of keywords, nor every=WIDTH, nor ranges such as <10,10..50: %w", cli.Quote(r), err)
				break
			}
			f.Ranges, ranges = append(f.Ranges, x), append(ranges, r)
		}
	}
	if err != nil {
		return f, nil, cli.Usage("--facet %s: %w", cli.Quote(text), err)
	}
	return f, ranges, nil
}

// setWidth reads the width of a facet's buckets: a number, or a duration where the field is of times.
func setWidth(s *schema.Schema, f *search.Facet, text string) (err error) {
	if field, ok := s.Field(f.Field); ok && kind.Durations(uint8(field.Kind)) {
		if f.Every, err = time.ParseDuration(text); err != nil {
			return fmt.Errorf("the width %s is no time as 90s or 24h", cli.Quote(text))
		}
	} else if f.Width, err = strconv.ParseFloat(text, 64); err != nil {
		return fmt.Errorf("the width %s is no number", cli.Quote(text))
	}
	if !(f.Every > 0 || f.Width > 0) {
		return fmt.Errorf("the width %s is not above 0", text)
	}
	return nil
}

// Facet is a facet of an Answer.
type Facet struct {
	Field   string       `json:"field"`
	Counts  []FacetCount `json:"counts"`
	Missing uint64       `json:"missing"` // documents without a value
}

// FacetCount is how many documents have a value, one in a range, or one in the bucket that begins at a value.
type FacetCount struct {
	Value any    `json:"value,omitempty"`
	Range string `json:"range,omitempty"`
	Count uint64 `json:"count"`
}

// addColumns adds what columns say of a reply to what is printed for it.
func (s *session) addColumns(a *Answer, r *reply) {
	for i, f := range r.facets {
		x := Facet{Field: r.query.Facets[i].Field, Counts: []FacetCount{}, Missing: f.Missing}
		for j, c := range f.Counts {
			n := FacetCount{Count: c.Count}
			if ranges := s.asked.ranges[i]; len(ranges) > 0 {
				n.Range = ranges[j]
			} else {
				n.Value = plain(c.Value)
			}
			x.Counts = append(x.Counts, n)
		}
		a.Facets = append(a.Facets, x)
	}
}

// plain returns a value as JSON has it, nil for none.
func plain(v schema.Value) any {
	n := kind.Of(uint8(v.Kind))
	switch {
	case v.Kind == 0:
		return nil
	case n != nil && !n.Quoted:
		return v.Any()
	}
	return v.String()
}

// shown returns what plain returns as a table shows it.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case string:
		return cli.Quote(v)
	}
	return fmt.Sprint(v)
}

// writeFacets prints facets.
func writeFacets(w, out io.Writer, facets []Facet) {
	for _, f := range facets {
		fmt.Fprintln(w)
		t := cli.NewTable(f.Field, ">documents")
		for _, c := range f.Counts {
			t.Row(cmp.Or(c.Range, shown(c.Value)), cli.Count(c.Count))
		}
		if f.Missing > 0 {
			t.Row("(none)", cli.Count(f.Missing))
		}
		t.Limit(out)
		t.WriteTo(w)
	}
}
