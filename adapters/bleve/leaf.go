package bleve

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	bq "github.com/blevesearch/bleve/v2/search/query"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// leaf translates what is of one field, and not text to cut.
func (t *Translation) leaf(q bq.Query) (clause, error) {
	fielded, ok := q.(bq.FieldableQuery)
	if !ok {
		return clause{}, unsupported("%T", q)
	}
	source := fielded.Field()
	fields, composite, err := t.fields(source)
	if err != nil {
		return clause{}, err
	}
	var n query.Node
	switch q := q.(type) {
	case *bq.TermQuery:
		n = t.term(fields, q.Term, boost(q))
	case *bq.BoolFieldQuery:
		fields = slices.DeleteFunc(fields, func(i int) bool { return t.Fields[i].Type != Boolean })
		n = t.term(fields, map[bool]string{true: "T", false: "F"}[q.Bool], boost(q))
	case *bq.PrefixQuery:
		n, err = t.expand(fields, "prefix", func(field string) query.Node {
			return query.Prefix{Field: field, Text: q.Prefix, Boost: boost(q)}
		})
	case *bq.WildcardQuery:
		// A backslash is a character like others.
		pattern := strings.ReplaceAll(q.Wildcard, `\`, `\\`)
		n, err = t.expand(fields, "wildcard", func(field string) query.Node {
			return query.Wildcard{Field: field, Pattern: pattern, Boost: boost(q)}
		})
	case *bq.RegexpQuery:
		n, err = t.expand(fields, "regexp", func(field string) query.Node {
			return query.Regexp{Field: field, Pattern: strings.TrimPrefix(q.Regexp, "^"), Boost: boost(q)}
		})
		if err == nil {
			err = checkRegexp(q.Regexp)
		}
	case *bq.FuzzyQuery:
		n, err = t.fuzzy(fields, q.Term, fuzziness(q.Fuzziness, private(q, "autoFuzzy"))(q.Term), q.Prefix, boost(q))
	case *bq.NumericRangeQuery:
		return t.ranges(fields, Number, boost(q), numbers(q))
	case *bq.DateRangeQuery:
		return t.times(fields, q.Start.Time, q.End.Time, q.InclusiveStart, q.InclusiveEnd, boost(q))
	case *bq.DateRangeStringQuery:
		return t.timeStrings(fields, q)
	case *bq.TermRangeQuery:
		return t.termRange(fields, composite, q)
	default:
		return clause{}, unsupported("%T", q)
	}
	return leaf(n), err
}

// expand is matched by the documents that match a node in one of the fields of text.
func (t *Translation) expand(fields []int, what string, in func(field string) query.Node) (query.Node, error) {
	var nodes []clause
	for _, i := range fields {
		switch f := &t.Fields[i]; f.Type {
		case Text:
			nodes = append(nodes, leaf(in(f.Name)))
		case Boolean:
			if len(fields) == 1 {
				return nil, unsupported("%s in field %s of type boolean", what, f.Source)
			}
		}
	}
	switch len(nodes) {
	case 0:
		return nothing, nil
	case 1:
		return nodes[0].node, nil
	}
	return some(nodes, 1), nil
}

// fuzziness returns how many edits a term may have.
func fuzziness(n int, auto bool) func(term string) int {
	return func(term string) int {
		switch {
		case !auto:
			return n
		case len(term) > 5:
			return 2
		case len(term) > 2:
			return 1
		}
		return 0
	}
}

// fuzzy is matched by the documents with terms that edits make of one. Prefix counts bytes, up to the end of a character.
func (t *Translation) fuzzy(fields []int, term string, edits, prefix int, boost float64) (query.Node, error) {
	switch {
	case edits == 0:
		return t.term(fields, term, boost), nil
	case edits < 0 || edits > 2:
		return nil, fmt.Errorf("bleve query: fuzziness %d of %.40q; 0, 1 and 2 are possible", edits, term)
	}
	fixed := utf8.RuneCountInString(term)
	for i := range term {
		if i >= prefix {
			fixed = utf8.RuneCountInString(term[:i])
			break
		}
	}
	return t.expand(fields, "fuzzy", func(field string) query.Node {
		return query.Fuzzy{Field: field, Text: term, Edits: edits, FixedPrefix: fixed, Boost: boost}
	})
}

// checkRegexp refuses what Regexp of package query does not have.
func checkRegexp(pattern string) error {
	for _, not := range []string{`(?`, `\b`, `\B`, `\A`, `\z`, `\p`, `\P`, `\Q`, `\x`, `*?`, `+?`, `??`, `[[:`} {
		if strings.Contains(pattern, not) {
			return unsupported("regexp %.40q: no %s", pattern, not)
		}
	}
	if rest := strings.TrimPrefix(pattern, "^"); strings.ContainsAny(rest, "$") {
		return unsupported("regexp %.40q: no $; it is of whole terms anyway", pattern)
	}
	return nil
}

// ranges is matched by the documents with values of a type in a range. A nil range is none.
func (t *Translation) ranges(fields []int, typ Type, boost float64, r *query.Range) (clause, error) {
	var or query.Or
	for _, i := range fields {
		if t.Fields[i].Type == typ && r != nil {
			one := *r
			one.Field = t.Fields[i].Name
			or = append(or, one)
		}
	}
	if len(or) == 1 {
		return passing(or[0], boost), nil
	}
	return passing(or, boost), nil
}

// numbers returns the range of q, or nil if no number is in it.
func numbers(q *bq.NumericRangeQuery) *query.Range {
	r := bounds(q.InclusiveMin, q.InclusiveMax)
	if q.Min != nil {
		if math.IsNaN(*q.Min) || math.IsInf(*q.Min, 1) {
			return nil
		} else if !math.IsInf(*q.Min, -1) {
			r.Min = schema.FloatValue(0, *q.Min)
		}
	}
	if q.Max != nil {
		if math.IsNaN(*q.Max) || math.IsInf(*q.Max, -1) {
			return nil
		} else if !math.IsInf(*q.Max, 1) {
			r.Max = schema.FloatValue(0, *q.Max)
		}
	}
	return r
}

// bounds returns a range that has its ends as bleve says: by default the lower one alone.
func bounds(lower, upper *bool) *query.Range {
	return &query.Range{AboveMin: lower != nil && !*lower, BelowMax: upper == nil || !*upper}
}

func (t *Translation) times(fields []int, start, end time.Time, lower, upper *bool, boost float64) (clause, error) {
	r := bounds(lower, upper)
	for _, at := range []time.Time{start, end} {
		if at.IsZero() {
			continue
		}
		if at.Before(bq.MinRFC3339CompatibleTime) || at.After(bq.MaxRFC3339CompatibleTime) {
			return clause{}, fmt.Errorf("bleve query: time %v out of range", at)
		}
	}
	if !start.IsZero() {
		r.Min = schema.TimeValue(0, start)
	}
	if !end.IsZero() {
		r.Max = schema.TimeValue(0, end)
	}
	return t.ranges(fields, DateTime, boost, r)
}

func (t *Translation) timeStrings(fields []int, q *bq.DateRangeStringQuery) (clause, error) {
	name := q.DateTimeParser
	if name == "" {
		name = bq.QueryDateTimeParser
	}
	parser := t.mapping.DateTimeParserNamed(name)
	if parser == nil {
		return clause{}, fmt.Errorf("bleve query: no parser of dates %s", name)
	}
	var at [2]time.Time
	for i, s := range []string{q.Start, q.End} {
		if s == "" {
			continue
		}
		var err error
		if at[i], _, err = parser.ParseDateTime(s); err != nil {
			return clause{}, fmt.Errorf("bleve query: date %.40q: %w", s, err)
		}
	}
	return t.times(fields, at[0], at[1], q.InclusiveStart, q.InclusiveEnd, boost(q))
}

// termRange is of keywords in columns.
func (t *Translation) termRange(fields []int, composite bool, q *bq.TermRangeQuery) (clause, error) {
	r := bounds(q.InclusiveMin, q.InclusiveMax)
	if q.Min != "" {
		r.Min = schema.KeywordValue(0, []byte(q.Min))
	}
	if q.Max != "" {
		r.Max = schema.KeywordValue(0, []byte(q.Max))
	}
	for _, i := range fields {
		if f := &t.Fields[i]; composite || f.Type == Boolean || f.Type == Text && !t.Schema.Fields[i].Column {
			return clause{}, unsupported("a range of terms in field %s: it takes the analyzer keyword and docvalues", f.Source)
		}
	}
	return t.ranges(fields, Text, boost(q), r)
}
