package hybrid

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query"
)

// copies are queries as a GPU gets them, with terms of their own: a GPU that hangs, or whose answers
// nobody waits for any more, may read them when their callers change theirs. The answers lie beside
// them.
type copies struct {
	arena   query.Arena
	queries []query.Query
	terms   [][]byte
	bytes   []byte
	filters map[*roaring.Bitmap]*roaring.Bitmap // copies of those of the queries
}

// reset forgets the queries and keeps their memory, which no GPU may use any more.
func (c *copies) reset() {
	c.queries, c.terms, c.bytes = c.queries[:0], c.terms[:0], c.bytes[:0]
	clear(c.filters)
}

// add adds a copy of q without its trace.
func (c *copies) add(q *query.Query) {
	from := len(c.terms)
	for _, t := range q.RawTerms {
		at := len(c.bytes)
		c.bytes = append(c.bytes, t...)
		c.terms = append(c.terms, c.bytes[at:len(c.bytes):len(c.bytes)])
	}
	own := *q
	own.RawTerms, own.Node, own.Trace = c.terms[from:len(c.terms):len(c.terms)], query.CloneNode(trusted.Caller{}, q.Node), false
	if q.Static != nil {
		static := *q.Static
		own.Static = &static
	}
	own.Filter, own.Frequencies = c.filter(q.Filter), q.Frequencies.Clone(trusted.Caller{})
	c.queries = append(c.queries, own)
}

// filter returns a copy of a bitmap, the same for the same.
func (c *copies) filter(b *roaring.Bitmap) *roaring.Bitmap {
	if b == nil {
		return nil
	}
	own := c.filters[b]
	if own == nil {
		if own = b.Clone(); c.filters == nil {
			c.filters = map[*roaring.Bitmap]*roaring.Bitmap{}
		}
		c.filters[b] = own
	}
	return own
}

// answer lets the GPU answer the queries. The results are valid until the next answer.
func (c *copies) answer(gpu query.Executor) ([]query.Result, error) {
	return c.arena.Execute(context.Background(), gpu, c.queries)
}
