package bleve

import (
	"errors"
	"fmt"
	"reflect"

	bq "github.com/blevesearch/bleve/v2/search/query"

	"github.com/pinion-index/pinion/query"
)

// ErrUnsupported is matched by the errors for queries that have no equivalent: they name the query, the field and the reason.
var ErrUnsupported = fmt.Errorf("bleve query: %w", errors.ErrUnsupported)

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

// Query returns the node that a query of bleve's becomes. It has the matches that the query has in an index with the
// same terms. The error for what Pinion cannot search for matches ErrUnsupported; a query that bleve refuses is an
// error too.
//
// As in bleve, the boosts of conjunctions, disjunctions and Booleans mean nothing, a clause of a Boolean that cannot
// match because its text has no words is as good as absent, and so is what must match if should is there alone. Unlike
// there, prefixes, patterns and fuzzy words are folded as the words of their field are.
func (t *Translation) Query(q bq.Query) (query.Node, error) {
	if v, ok := q.(bq.ValidatableQuery); ok {
		if err := v.Validate(); err != nil {
			return nil, fmt.Errorf("bleve query: %w", err)
		}
	}
	c, err := t.translate(q, false)
	if err != nil {
		return nil, err
	}
	return c.node, nil
}

// clause is what a query becomes.
type clause struct {
	node   query.Node
	filter query.Node // instead of node, for use where scores do not matter; else nil
	absent bool       // bleve leaves it out of a Boolean
}

// nothing is matched by no document.
var nothing = query.Bool{Must: []query.Node{query.All{}}, Filter: []query.Node{query.Or{}}}

// absent is what bleve leaves out of a Boolean.
var absent = clause{node: nothing, absent: true}

func leaf(n query.Node) clause { return clause{node: n} }

// passing is matched by the documents that pass f, all with the same score.
func passing(f query.Node, boost float64) clause {
	return clause{node: query.Bool{Must: []query.Node{query.All{Score: boost}}, Filter: []query.Node{f}}, filter: f}
}

// boost returns a boost as nodes have it.
func boost(q bq.BoostableQuery) float64 {
	if b := q.Boost(); b != 0 {
		return b
	}
	return query.Zero
}

// private returns an unexported flag of a query, which its methods do not tell.
func private(q bq.Query, name string) bool {
	v := reflect.ValueOf(q).Elem().FieldByName(name)
	return v.Kind() == reflect.Bool && v.Bool()
}

// translate returns what q becomes. Lenient says that parts without words are left out, as those of a query's text are.
func (t *Translation) translate(q bq.Query, lenient bool) (clause, error) {
	switch q := q.(type) {
	case *bq.BooleanQuery:
		return t.boolean(q, lenient || private(q, "queryStringMode"))
	case *bq.ConjunctionQuery:
		return t.conjunction(q, lenient || private(q, "queryStringMode"))
	case *bq.DisjunctionQuery:
		return t.disjunction(q, lenient || private(q, "queryStringMode"))
	case *bq.QueryStringQuery:
		parsed, err := q.Parse()
		if err != nil {
			return clause{}, fmt.Errorf("bleve query: %w", err)
		}
		return t.translate(parsed, true)
	case *bq.MatchAllQuery:
		return leaf(query.All{Score: boost(q)}), nil
	case *bq.MatchNoneQuery:
		return absent, nil
	case *bq.DocIDQuery:
		return passing(query.IDs(q.IDs), boost(q)), nil
	case *bq.MatchQuery:
		return t.match(q)
	case *bq.MatchPhraseQuery:
		return t.matchPhrase(q)
	case *bq.PhraseQuery:
		if q.FieldVal == "" { // unlike others, not that by default
			return leaf(nothing), nil
		}
		places := make([][]string, len(q.Terms))
		for i, term := range q.Terms {
			places[i] = []string{term}
		}
		return t.phrase(q.FieldVal, places, q.Fuzziness != 0 || private(q, "autoFuzzy"), boost(q))
	case *bq.MultiPhraseQuery:
		if q.FieldVal == "" {
			return leaf(nothing), nil
		}
		return t.phrase(q.FieldVal, q.Terms, q.Fuzziness != 0 || private(q, "autoFuzzy"), boost(q))
	}
	return t.leaf(q)
}

// children translates queries.
func (t *Translation) children(queries []bq.Query, lenient bool) ([]clause, error) {
	clauses := make([]clause, 0, len(queries))
	for _, q := range queries {
		c, err := t.translate(q, lenient)
		if err != nil {
			return nil, err
		}
		if !lenient || !c.absent {
			clauses = append(clauses, c)
		}
	}
	return clauses, nil
}

func (t *Translation) conjunction(q *bq.ConjunctionQuery, lenient bool) (clause, error) {
	clauses, err := t.children(q.Conjuncts, lenient)
	if err != nil || len(clauses) == 0 {
		return absent, err
	}
	return leaf(all(clauses)), nil
}

// all is matched by the documents that match all clauses.
func all(clauses []clause) query.Node {
	var b query.Bool
	for _, c := range clauses {
		if c.filter != nil {
			b.Filter = append(b.Filter, c.filter)
		} else {
			b.Must = append(b.Must, c.node)
		}
	}
	if len(b.Must) == 0 {
		b.Must = []query.Node{query.All{}}
	}
	return b
}

func (t *Translation) disjunction(q *bq.DisjunctionQuery, lenient bool) (clause, error) {
	clauses, err := t.children(q.Disjuncts, lenient)
	if err != nil || len(clauses) == 0 {
		return absent, err
	}
	return leaf(some(clauses, int(q.Min))), nil
}

// some is matched by the documents that match so many of the clauses, or one.
func some(clauses []clause, least int) query.Node {
	b := query.Bool{AtLeast: max(1, least)}
	seen := map[string]bool{}
	for _, c := range clauses {
		n := c.node
		if term, ok := n.(query.Term); ok && least > 1 {
			// A term that comes twice counts twice in bleve, and once in a Bool.
			key := term.Field + "\x00" + term.Text
			if seen[key] {
				n = query.Bool{Must: []query.Node{query.All{}}, Filter: []query.Node{n}}
			}
			seen[key] = true
		}
		b.Should = append(b.Should, n)
	}
	if b.AtLeast > len(b.Should) {
		return nothing
	}
	return b
}

func (t *Translation) boolean(q *bq.BooleanQuery, lenient bool) (clause, error) {
	var must, should, not clause
	parts := []struct {
		q  bq.Query
		to *clause
	}{{q.Must, &must}, {q.Should, &should}, {q.MustNot, &not}}
	for _, p := range parts {
		*p.to = absent
		if p.q == nil {
			continue
		}
		var err error
		if *p.to, err = t.translate(p.q, lenient); err != nil {
			return clause{}, err
		}
	}
	var filters []query.Node
	if q.Filter != nil {
		c, err := t.translate(q.Filter, lenient)
		if err != nil {
			return clause{}, err
		}
		if c.filter == nil {
			c.filter = c.node
		}
		filters = append(filters, c.filter)
	}
	b := query.Bool{Filter: filters}
	switch {
	case !must.absent && !should.absent:
		b.Must, b.Should = []query.Node{must.node}, []query.Node{should.node}
		if least(q.Should) > 0 {
			b.AtLeast = 1
		}
	case !must.absent:
		b.Must = []query.Node{must.node}
	case !should.absent:
		b.Must = []query.Node{should.node}
	case not.absent && len(filters) == 0:
		return absent, nil
	default:
		b.Must = []query.Node{query.All{}}
	}
	if !not.absent {
		b.MustNot = []query.Node{not.node}
	}
	return leaf(b), nil
}

// least returns how many clauses of what should match must, beside what must match.
func least(should bq.Query) int {
	switch q := should.(type) {
	case *bq.DisjunctionQuery:
		return int(q.Min)
	case *bq.MatchQuery:
		if q.Operator == bq.MatchQueryOperatorOr {
			return 1
		}
	}
	return 0
}
