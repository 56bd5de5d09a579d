package bleve

import (
	"slices"

	bq "github.com/blevesearch/bleve/v2/search/query"

	"github.com/pinion-index/pinion/query"
)

// maxPhrases bounds the phrases that one with several terms at a place becomes.
const maxPhrases = 64

// fields returns the numbers of the fields that a query of a field searches, and why there are none if the
// mapping has it and the schema does not. The composite field is all that are part of it.
func (t *Translation) fields(source string) (numbers []int, composite bool, err error) {
	if source == "" {
		source = t.mapping.DefaultSearchField()
	}
	if source == "_all" {
		if !t.composite {
			return nil, true, nil
		}
		for i := range t.Fields {
			if t.Fields[i].Composite {
				numbers = append(numbers, i)
			}
		}
		return numbers, true, nil
	}
	for _, i := range t.bySource[source] {
		if t.Fields[i].Indexed {
			numbers = append(numbers, i)
		}
	}
	if why := t.lost[source]; why != "" && len(numbers) == 0 {
		return nil, false, unsupported("field %s: %s", source, why)
	}
	return numbers, false, nil
}

// term is matched by the documents with a term in one of the fields. Numbers and times have none that text could name.
func (t *Translation) term(fields []int, term string, boost float64) query.Node {
	var nodes []clause
	for _, i := range fields {
		switch f := &t.Fields[i]; f.Type {
		case Text:
			nodes = append(nodes, leaf(query.Term{Field: f.Name, Text: term, Boost: boost}))
		case Boolean:
			if value := map[string]string{"T": "true", "F": "false"}[term]; value != "" {
				nodes = append(nodes, leaf(query.Term{Field: f.Name, Text: value, Boost: boost}))
			}
		}
	}
	switch len(nodes) {
	case 0:
		return nothing
	case 1:
		return nodes[0].node
	}
	return some(nodes, 1)
}

// cut returns the terms of a text in a field, cut by an analyzer or that of the field.
func (t *Translation) cut(source, analyzer, text string) ([]token, error) {
	if source == "" {
		source = t.mapping.DefaultSearchField()
	}
	if analyzer == "" {
		analyzer = t.mapping.AnalyzerNameForPath(source)
	}
	for _, i := range t.bySource[source] { // a dynamic field has none that the mapping tells
		if t.Fields[i].Type == Text && t.Fields[i].Analyzer == analyzer {
			return t.Fields[i].cut.terms(text)
		}
	}
	c := t.analyzer(analyzer)
	return c.terms(text)
}

func (t *Translation) match(q *bq.MatchQuery) (clause, error) {
	fields, _, err := t.fields(q.FieldVal)
	if err != nil {
		return clause{}, err
	}
	tokens, err := t.cut(q.FieldVal, q.Analyzer, q.Match)
	if err != nil || len(tokens) == 0 {
		return absent, err
	}
	edits := fuzziness(q.Fuzziness, private(q, "autoFuzzy"))
	clauses := make([]clause, len(tokens))
	for i, x := range tokens {
		n, err := t.fuzzy(fields, x.term, edits(x.term), q.Prefix, boost(q))
		if err != nil {
			return clause{}, err
		}
		clauses[i] = leaf(n)
	}
	switch q.Operator {
	case bq.MatchQueryOperatorOr:
		return leaf(some(clauses, 1)), nil
	case bq.MatchQueryOperatorAnd:
		return leaf(all(clauses)), nil
	}
	return clause{}, unsupported("operator %d of match %.40q", q.Operator, q.Match)
}

func (t *Translation) matchPhrase(q *bq.MatchPhraseQuery) (clause, error) {
	tokens, err := t.cut(q.FieldVal, q.Analyzer, q.MatchPhrase)
	if err != nil || len(tokens) == 0 {
		return absent, err
	}
	first := tokens[0].position
	places := make([][]string, tokens[len(tokens)-1].position-first+1)
	for _, x := range tokens {
		places[x.position-first] = append(places[x.position-first], x.term)
	}
	fuzzy := q.Fuzziness != 0 || private(q, "autoFuzzy")
	if slices.ContainsFunc(places, func(p []string) bool { return len(p) == 0 }) {
		return t.gapped(q, fuzzy)
	}
	return t.phrase(q.FieldVal, places, fuzzy, boost(q))
}

// gapped is a phrase with words that the analyzer leaves out. The fields cut it, so that any word may stand where one is left
// out, or the very word where the field has it.
func (t *Translation) gapped(q *bq.MatchPhraseQuery, fuzzy bool) (clause, error) {
	fields, composite, err := t.phraseFields(q.FieldVal, fuzzy)
	if err != nil {
		return clause{}, err
	}
	var nodes []clause
	for _, i := range fields {
		if f := &t.Fields[i]; f.Type == Text && !f.keyword() && t.positions(i) {
			nodes = append(nodes, leaf(query.Phrase{Field: f.Name, Text: q.MatchPhrase, Boost: boost(q)}))
		}
	}
	return t.either(nodes, fields, q.FieldVal, composite)
}

// positions says whether phrases can be found in field i.
func (t *Translation) positions(i int) bool { return t.Schema.Fields[i].Positions }

func (t *Translation) phraseFields(source string, fuzzy bool) (fields []int, composite bool, err error) {
	fields, composite, err = t.fields(source)
	if err == nil && fuzzy {
		err = unsupported("a fuzzy phrase in field %q", source)
	}
	return fields, composite, err
}

// either is matched by the documents that match one of nodes: phrases in fields. There are none if the only field has no positions.
func (t *Translation) either(nodes []clause, fields []int, source string, composite bool) (clause, error) {
	switch {
	case len(nodes) == 1:
		return nodes[0], nil
	case len(nodes) > 0:
		return leaf(some(nodes, 1)), nil
	case !composite && len(fields) > 0:
		if t.Fields[fields[0]].Type == Text {
			return clause{}, unsupported("a phrase in field %q, which has no positions", source)
		}
	}
	return leaf(nothing), nil
}

// phrase is matched by the documents that have terms one after the other, one of each place.
func (t *Translation) phrase(source string, places [][]string, fuzzy bool, boost float64) (clause, error) {
	fields, composite, err := t.phraseFields(source, fuzzy)
	if err != nil {
		return clause{}, err
	}
	count := 1
	for _, p := range places {
		if count *= len(p); count == 0 || slices.Contains(p, "") {
			return clause{}, unsupported("a phrase with a place for any term, in field %q", source)
		}
		if count > maxPhrases {
			return clause{}, unsupported("a phrase that stands for more than %d, in field %q", maxPhrases, source)
		}
	}
	var nodes []clause
	for _, i := range fields {
		f := &t.Fields[i]
		switch {
		case f.Type != Text || !f.keyword() && !t.positions(i): // bleve finds none there
		case len(places) == 1:
			for _, term := range places[0] {
				nodes = append(nodes, leaf(query.Term{Field: f.Name, Text: term, Boost: boost}))
			}
		case f.keyword(): // has one place
			nodes = append(nodes, leaf(nothing))
		default:
			for _, terms := range product(places) {
				nodes = append(nodes, leaf(query.Phrase{Field: f.Name, Terms: terms, Boost: boost}))
			}
		}
	}
	return t.either(nodes, fields, source, composite)
}

// product returns all ways to take one term of each place.
func product(places [][]string) [][]string {
	ways := [][]string{nil}
	for _, p := range places {
		var longer [][]string
		for _, w := range ways {
			for _, term := range p {
				longer = append(longer, append(slices.Clone(w), term))
			}
		}
		ways = longer
	}
	return ways
}
