package pinion

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Doc is a document to add.
type Doc struct {
	ID     []byte
	Values []schema.Value
}

// Request asks for a page of hits.
type Request struct {
	Query query.Query
}

// Page is the answer to a Request.
type Page struct {
	Hits []Hit
}

// Hit is one hit.
type Hit struct {
	Doc   uint32
	ID    []byte
	Score float32
	Text  []byte
}

func (v *View) search(ctx context.Context, r Request) (p Page, err error) {
	s, err := v.Searcher()
	if err != nil {
		return p, err
	}
	res, err := s.Search(ctx, r.Query)
	if err != nil {
		return p, err
	}
	for _, h := range res.Hits {
		id, err := v.s.snapshot.AppendID(nil, h.Doc)
		if err != nil {
			return p, err
		}
		text, err := v.s.snapshot.AppendStored(nil, h.Doc)
		if err != nil {
			return p, err
		}
		p.Hits = append(p.Hits, Hit{h.Doc, id, h.Score, text})
	}
	return p, nil
}

func (c *cache) key(r *Request) (string, bool) {
	q := &r.Query
	if c == nil || q.Filter != nil || q.Trace {
		return "", false
	}
	return fmt.Sprintf("%q %q %d %d %d", q.Text, q.RawTerms, q.K, q.Mode, q.Algorithm), true
}

func size(p *Page) (n int) {
	for i := range p.Hits {
		h := &p.Hits[i]
		n += 64 + len(h.ID) + len(h.Text)
	}
	return n
}
