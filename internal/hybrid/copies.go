package hybrid

import (
	"context"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// copies are queries as a GPU gets them, with terms of their own: a GPU that hangs, or whose answers
// nobody waits for any more, may read them when their callers change theirs. The answers lie beside
// them.
type copies struct {
	arena   search.Arena
	queries []search.Query
	terms   [][]byte
	bytes   []byte
}

// reset forgets the queries and keeps their memory, which no GPU may use any more.
func (c *copies) reset() {
	c.queries, c.terms, c.bytes = c.queries[:0], c.terms[:0], c.bytes[:0]
}

// add adds a copy of q without its trace.
func (c *copies) add(q *search.Query) {
	from := len(c.terms)
	for _, t := range q.RawTerms {
		at := len(c.bytes)
		c.bytes = append(c.bytes, t...)
		c.terms = append(c.terms, c.bytes[at:len(c.bytes):len(c.bytes)])
	}
	own := *q
	own.RawTerms, own.Node, own.Trace = c.terms[from:len(c.terms):len(c.terms)], query.Clone(q.Node), false
	if q.Static != nil {
		static := *q.Static
		own.Static = &static
	}
	if q.After != nil {
		after := *q.After
		own.After = &after
	}
	own.Frequencies = search.CloneFrequencies(q.Frequencies)
	c.queries = append(c.queries, own)
}

// answer lets the GPU answer the queries. The results are valid until the next answer.
func (c *copies) answer(gpu search.Executor) ([]search.Result, error) {
	return c.arena.Execute(context.Background(), gpu, c.queries)
}
