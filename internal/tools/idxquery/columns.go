package idxquery

import (
	"fmt"
	"slices"
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
	typed  []typed // of each facet
	static *search.Static
}

// columnFlags are the flags that say what queries ask of columns.
type columnFlags struct {
	sort, facets     []string
	collapse, static string
	group            int // hits of each value of collapse; 0 means none
}

// columns reports whether a flag asks for something of columns.
func (f *flags) columns() bool { return f.reorders() || f.static != "" }

// reorders reports whether a flag asks for more of columns than static scores.
func (f *flags) reorders() bool { return len(f.sort)+len(f.facets) > 0 || f.collapse != "" }

// checkColumns returns what is wrong with flags for columns beside other flags.
func (f *flags) checkColumns() error {
	switch {
	case f.group > 0 && f.collapse == "":
		return cli.Usage("--group takes --collapse, which says of what field")
	case f.static != "" && f.device.Value == "gpu":
		return cli.Usage("--static takes --device cpu or hybrid: a GPU does not read columns")
	case f.static != "" && f.count:
		return cli.Usage("--count takes no --static, which changes no count")
	case f.static != "" && f.unscored():
		return cli.Usage("--static takes no --sort without _score: hits that are sorted have no scores")
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

// sortScore stands for scores in --sort. No field has the name.
const sortScore = "_score"

// unscored reports whether hits have no scores.
func (f *flags) unscored() bool { return len(f.sort) > 0 && !slices.Contains(f.sort, sortScore) }

// askedOf reads --sort, --facet and --static for a schema.
func (f *flags) askedOf(s *schema.Schema) (a asked, err error) {
	for _, name := range f.sort {
		if name == sortScore {
			a.sort = append(a.sort, search.SortBy{Score: true})
			continue
		}
		by := search.SortBy{Field: name}
		if s.Number(name) < 0 {
			by.Field, by.Desc = strings.CutPrefix(name, "-")
		}
		a.sort = append(a.sort, by)
	}
	for _, text := range f.facets {
		x, typed, err := facetOf(s, text)
		if err != nil {
			return a, err
		}
		a.facets, a.typed = append(a.facets, x), append(a.typed, typed)
	}
	if f.static != "" {
		if a.static, err = staticOf(s, f.static); err != nil {
			return a, err
		}
	}
	return a, nil
}

// staticOf reads static scores: FIELD, and behind it, with colons between, a BOOST, saturation=N, logarithm=N, decay=N or decay=DURATION,
// multiply, and at the end from=VALUE.
func staticOf(s *schema.Schema, text string) (*search.Static, error) {
	name, rest, more := text, "", false
	for s.Number(name) < 0 { // of names with colons the longest
		i := strings.LastIndexByte(name, ':')
		if i < 0 {
			name, rest, more = strings.Cut(text, ":")
			break
		}
		name, rest, more = text[:i], text[i+1:], true
	}
	x := &search.Static{Field: name}
	for option := ""; more; {
		var err error
		from, last := strings.CutPrefix(rest, "from=")
		if last {
			more = false
			x.From, err = fromOf(s, name, from)
		} else {
			option, rest, more = strings.Cut(rest, ":")
			err = staticOption(x, option)
		}
		if err != nil {
			return nil, cli.Usage("--static %s: %w", cli.Quote(text), err)
		}
	}
	return x, nil
}

// fromOf reads a value of a field that distances count from.
func fromOf(s *schema.Schema, field, text string) (any, error) {
	f, ok := s.Field(field)
	if !ok {
		return text, nil // which the search refuses
	}
	switch f.Kind {
	case schema.Integer:
		return strconv.ParseInt(text, 10, 64)
	case schema.Float:
		return strconv.ParseFloat(text, 64)
	}
	return text, nil
}

func staticOption(x *search.Static, option string) (err error) {
	key, value, some := strings.Cut(option, "=")
	to := map[string]*float64{"saturation": &x.Saturation, "logarithm": &x.Logarithm, "decay": &x.Decay}[key]
	switch {
	case option == "multiply":
		x.Multiply = true
		return nil
	case !some:
		if x.Boost, err = strconv.ParseFloat(option, 64); err != nil || !(x.Boost > 0 && x.Boost <= query.MaxBoost) {
			return fmt.Errorf("the weight %s is no number above 0 and up to %.0f", cli.Quote(option), float64(query.MaxBoost))
		}
		return nil
	case to == nil:
		return fmt.Errorf("%s is none of saturation, logarithm, decay, multiply and from", cli.Quote(key))
	}
	if *to, err = strconv.ParseFloat(value, 64); err == nil && *to > 0 {
		return nil
	}
	if *to = 0; key == "decay" {
		if x.DecayOver, err = time.ParseDuration(value); err == nil && x.DecayOver > 0 {
			return nil
		}
	}
	return fmt.Errorf("%s is no number above 0", cli.Quote(value))
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

// sortedBy returns the values that a hit with a score is sorted by, as JSON has them.
func (w *worker) sortedBy(values []schema.Value, score float32) (all []any) {
	for i, v := range values {
		if w.s.asked.sort[i].Score {
			all = append(all, score)
			continue
		}
		all = append(all, plain(v))
	}
	return all
}
