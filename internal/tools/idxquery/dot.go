package idxquery

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// parseDot reads --dot: FIELD, or FIELD:SCALE.
func (f *flags) parseDot() error {
	f.dots.Field = f.dot
	i := strings.LastIndexByte(f.dot, ':')
	if i < 0 {
		return nil
	}
	scale, err := strconv.ParseFloat(f.dot[i+1:], 64)
	if err != nil || !(scale > 0 && scale <= query.MaxBoost) {
		return cli.Usage("--dot %s: the scale %s is no number above 0 and up to %.0f", cli.Quote(f.dot), cli.Quote(f.dot[i+1:]), float64(query.MaxBoost))
	}
	f.dots.Field, f.dots.Boost = f.dot[:i], scale
	return nil
}

// checkDot returns what is wrong with --dot beside other flags, and reads it.
func (f *flags) checkDot() error {
	switch {
	case f.dot == "":
		return nil
	case f.typos:
		return cli.Usage("--typos is of words, which queries of --dot have not")
	case f.syntax || f.field != "" || f.mode.Value != query.ModeOr.String():
		return cli.Usage("--dot excludes --syntax, --field and --mode: a document matches that has any term of the vector")
	case f.algo.Value != search.Auto.String():
		return cli.Usage("--dot takes --algo auto")
	case f.preload != "":
		return cli.Usage("--dot takes no --preload")
	}
	return f.parseDot()
}

// dotField returns an error unless the field of --dot is one of impacts.
func (f *flags) dotField(s *schema.Schema) error {
	if f.dot == "" {
		return nil
	}
	if x, ok := s.Field(f.dots.Field); ok && x.HasImpacts() {
		return nil
	}
	names := []string{"none"}
	if s.HasImpacts() {
		names = nil
		for i := range s.Fields {
			if s.Fields[i].HasImpacts() {
				names = append(names, cli.Quote(s.Fields[i].Name))
			}
		}
	}
	return cli.Usage("--dot: %s is no field of kind impacts; the index has %s", cli.Quote(f.dots.Field), strings.Join(names, ", "))
}

// shownField returns the field whose text is printed: of vectors, which have no words of a text, the first that is stored.
func (f *flags) shownField(s *schema.Schema, text string) string {
	if f.dot == "" && (f.nearest == "" || text != "") || s == nil {
		return ""
	}
	i := slices.IndexFunc(s.Fields, func(x schema.Field) bool { return x.Stored && x.Kind == schema.Text })
	if i < 0 {
		return ""
	}
	return s.Fields[i].Name
}

// vector returns the query of a text for exchange.AppendVector.
func (f *flags) vector(text string) (query.Dot, error) {
	terms, err := exchange.AppendVector(nil, []byte(text))
	if err != nil {
		return query.Dot{}, cli.Usage("%w", err)
	}
	return f.weigh(terms)
}

// weigh returns the query of the terms of a vector.
func (f *flags) weigh(terms []exchange.WeightedTerm) (query.Dot, error) {
	d := f.dots
	d.Terms = make([]query.WeightedTerm, 0, len(terms))
	for _, t := range terms {
		if err := d.Add(string(t.Term), t.Weight); err != nil {
			return d, err
		}
	}
	return d, d.Check()
}

// weighable returns why the terms of a vector make no query.
func (f *flags) weighable(terms []exchange.WeightedTerm) error {
	_, err := f.weigh(terms)
	return err
}
