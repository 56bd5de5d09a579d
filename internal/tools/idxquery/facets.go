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

// typed is how a facet was typed.
type typed struct {
	ranges []string
	within []typed
}

// facetOf reads a facet: FIELD, FIELD:N, FIELD:every=WIDTH or FIELD:RANGE,RANGE..., with {PART;PART...} behind it; or without a
// field, stats FIELD.
func facetOf(s *schema.Schema, text string) (f search.Facet, t typed, err error) {
	head, parts, some := strings.Cut(text, "{")
	if parts, ok := strings.CutSuffix(parts, "}"); some && ok && s.Number(text) < 0 {
		t, err = setFacet(s, &f, strings.TrimSpace(head))
		for _, part := range cutParts(parts) {
			if err == nil {
				err = setPart(s, &f, &t, part)
			}
		}
	} else if of, ok := strings.CutPrefix(text, "stats "); ok && s.Number(text) < 0 {
		err = setStat(s, &f, of)
	} else {
		t, err = setFacet(s, &f, text)
	}
	if err != nil {
		return f, t, cli.Usage("--facet %s: %w", cli.Quote(text), err)
	}
	return f, t, nil
}

// cutParts cuts what is within braces at semicolons, but for those in braces within.
func cutParts(text string) (parts []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ';' && depth == 0:
			parts, from = append(parts, text[from:i]), i+1
		}
	}
	return append(parts, text[from:])
}

// setPart reads what is within the braces of a facet: stats, ignore own, or a facet.
func setPart(s *schema.Schema, f *search.Facet, t *typed, part string) error {
	part = strings.TrimSpace(part)
	if of, ok := strings.CutPrefix(part, "stats "); ok {
		return setStat(s, f, of)
	}
	if part == "ignore own" {
		f.IgnoreOwn = true
		return nil
	}
	own, typed, err := facetOf(s, part)
	f.Facets, t.within = append(f.Facets, own), append(t.within, typed)
	return err
}

// setStat reads figures: FIELD, with distinct and percentiles such as p99.9 behind it.
func setStat(s *schema.Schema, f *search.Facet, text string) error {
	words := strings.Fields(text)
	if len(words) == 0 {
		return fmt.Errorf("stats of no field")
	}
	x := search.Stat{Field: words[0]}
	for _, w := range words[1:] {
		p, ok := strings.CutPrefix(w, "p")
		switch n, err := strconv.ParseFloat(p, 64); {
		case w == "distinct":
			x.Distinct = true
		case !ok || err != nil:
			return fmt.Errorf("%s is neither distinct nor a percentile such as p50", cli.Quote(w))
		default:
			x.Percentiles = append(x.Percentiles, n)
		}
	}
	f.Stats = append(f.Stats, x)
	return nil
}

// setFacet reads a facet without braces.
func setFacet(s *schema.Schema, f *search.Facet, text string) (t typed, err error) {
	name, what, some := strings.Cut(text, ":")
	f.Field = name
	every, buckets := strings.CutPrefix(what, "every=")
	switch n, notNumber := strconv.Atoi(what); {
	case !some:
	case buckets:
		return t, setWidth(s, f, every)
	case notNumber == nil:
		if f.Limit = n; n < 1 {
			return t, fmt.Errorf("%d keywords", n)
		}
	default:
		for _, r := range strings.Split(what, ",") {
			r = strings.TrimSpace(r)
			x, err := query.ParseRange(s, name, r)
			if err != nil {
				return t, fmt.Errorf("%s is neither a number of keywords, nor every=WIDTH, nor ranges such as <10,10..50: %w", cli.Quote(r), err)
			}
			f.Ranges, t.ranges = append(f.Ranges, x), append(t.ranges, r)
		}
	}
	return t, nil
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
	Missing uint64       `json:"missing"`         // documents without a value
	Stats   []Stats      `json:"stats,omitempty"` // of a facet without a field
}

// FacetCount is how many documents have a value, one in a range, or one in the bucket that begins at a value.
type FacetCount struct {
	Value  any     `json:"value,omitempty"`
	Range  string  `json:"range,omitempty"`
	Count  uint64  `json:"count"`
	Stats  []Stats `json:"stats,omitempty"`
	Facets []Facet `json:"facets,omitempty"`
}

// Stats are figures of values in a field.
type Stats struct {
	Field       string    `json:"field"`
	Count       uint64    `json:"count"`
	Min         any       `json:"min,omitempty"`
	Max         any       `json:"max,omitempty"`
	Sum         *float64  `json:"sum,omitempty"` // of times in seconds since 1970
	Mean        *float64  `json:"mean,omitempty"`
	Percentiles []float64 `json:"percentiles,omitempty"`
	Error       float64   `json:"error,omitempty"` // how far percentiles may be off, relative to what they are
	Distinct    *uint64   `json:"distinct,omitempty"`
	asked       *search.Stat
}

// addColumns adds what columns say of a reply to what is printed for it.
func (s *session) addColumns(a *Answer, r *reply) {
	for i := range r.facets {
		a.Facets = append(a.Facets, printed(&r.query.Facets[i], &s.asked.typed[i], &r.facets[i]))
	}
}

// printed returns counts as they are printed.
func printed(f *search.Facet, t *typed, of *search.FacetCounts) Facet {
	x := Facet{Field: f.Field, Counts: []FacetCount{}, Missing: of.Missing, Stats: printedStats(f.Stats, of.Stats)}
	for j := range of.Counts {
		c := &of.Counts[j]
		n := FacetCount{Count: c.Count, Stats: printedStats(f.Stats, c.Stats)}
		if len(t.ranges) > 0 {
			n.Range = t.ranges[j]
		} else {
			n.Value = plain(c.Value)
		}
		for k := range c.Facets {
			n.Facets = append(n.Facets, printed(&f.Facets[k], &t.within[k], &c.Facets[k]))
		}
		x.Counts = append(x.Counts, n)
	}
	return x
}

func printedStats(asked []search.Stat, all []search.Figures) (to []Stats) {
	for i := range all {
		s := &all[i]
		x := Stats{Field: asked[i].Field, Count: s.Count, Min: plain(s.Min), Max: plain(s.Max), Percentiles: s.Percentiles, asked: &asked[i]}
		if x.Min != nil {
			x.Sum, x.Mean = &s.Sum, &s.Mean
		}
		if len(s.Percentiles) > 0 {
			x.Error = search.PercentileError
		}
		if asked[i].Distinct {
			x.Distinct = &s.Distinct
		}
		to = append(to, x)
	}
	return to
}

// String returns figures in a line.
func (s *Stats) String() string {
	text := fmt.Sprintf("%s: %s values", s.Field, cli.Count(s.Count))
	if s.Count == 1 {
		text = s.Field + ": 1 value"
	}
	if s.Mean != nil {
		text += fmt.Sprintf(", from %s to %s, mean %.6g, sum %.6g", shown(s.Min), shown(s.Max), *s.Mean, *s.Sum)
	}
	for i, p := range s.Percentiles {
		text += fmt.Sprintf(", p%v %.6g", s.asked.Percentiles[i], p)
	}
	if s.Distinct != nil {
		text += fmt.Sprintf(", %s distinct", cli.Count(*s.Distinct))
	}
	return text
}

func lineOf(all []Stats) string {
	var lines []string
	for i := range all {
		lines = append(lines, all[i].String())
	}
	return strings.Join(lines, "; ")
}

// writeFacets prints facets.
func writeFacets(w, out io.Writer, facets []Facet) {
	for i := range facets {
		f := &facets[i]
		fmt.Fprintln(w)
		if f.Field == "" {
			fmt.Fprintln(w, lineOf(f.Stats))
			continue
		}
		heads := []string{f.Field, ">documents"}
		figures := len(f.Counts) > 0 && (len(f.Counts[0].Stats) > 0 || len(f.Counts[0].Facets) > 0)
		if figures {
			heads = append(heads, "figures")
		}
		t := cli.NewTable(heads...)
		f.rows(t, "", figures)
		t.Limit(out)
		t.WriteTo(w)
	}
}

// rows adds the rows of a facet to a table, those of facets within it behind an indent and the name of their field.
func (f *Facet) rows(t *cli.Table, indent string, figures bool) {
	row := func(name string, n uint64, all []Stats) {
		if figures {
			t.Row(indent+name, cli.Count(n), lineOf(all))
		} else {
			t.Row(indent+name, cli.Count(n))
		}
	}
	for _, c := range f.Counts {
		row(cmp.Or(c.Range, shown(c.Value)), c.Count, c.Stats)
		for k := range c.Facets {
			c.Facets[k].rows(t, "  "+c.Facets[k].Field+" ", figures)
		}
	}
	if f.Missing > 0 {
		row("(none)", f.Missing, nil)
	}
}
