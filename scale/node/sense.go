package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// What a node says is checked before it is merged: an answer that no node can give of the commit makes no sense, and another node is asked
// in place of it. That is what an error matching errWire tells link.ask.

// nonsense returns an error matching errWire.
func nonsense(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errWire, fmt.Sprintf(format, args...))
}

// check returns an error unless c may be of s.
func (c *counted) check(s *Shard) error {
	for i, t := range c.statistics.Terms {
		switch {
		case t.DF > uint64(s.Docs):
			return nonsense("%d of %d documents have a word", t.DF, s.Docs)
		case i > 0 && !before(c.statistics.Terms[i-1], t):
			return nonsense("words out of order")
		}
	}
	if c.found && c.doc >= s.Docs {
		return nonsense("document %d of %d", c.doc, s.Docs)
	}
	return nil
}

func before(a, b query.TermFrequency) bool {
	return a.Field < b.Field || a.Field == b.Field && a.Term < b.Term
}

// check returns an error unless all may be what is nearest for a query in s.
func (all neighbors) check(s *Shard, n query.Node) error {
	ks := appendKs(nil, n)
	for _, own := range all {
		i := slices.Index(ks, own.K)
		if i < 0 {
			return nonsense("the nearest %d, which is not asked", own.K)
		}
		ks = slices.Delete(ks, i, i+1)
		if len(own.Docs) > own.K {
			return nonsense("%d documents are the nearest %d", len(own.Docs), own.K)
		}
		for i, d := range own.Docs {
			switch {
			case d.Doc >= s.Docs:
				return nonsense("document %d of %d", d.Doc, s.Docs)
			case d.Near != d.Near:
				return nonsense("a document is as near as NaN")
			case i > 0 && d.Doc <= own.Docs[i-1].Doc:
				return nonsense("neighbors out of order")
			}
		}
	}
	return nil
}

// appendKs appends the K of each query.Nearest of a request, which filters have none of.
func appendKs(ks []int, n query.Node) []int {
	if x, ok := n.(query.Nearest); ok {
		return append(ks, x.K)
	}
	for x := range query.Within(n) {
		ks = appendKs(ks, x)
	}
	return ks
}

// checkPage returns an error unless p may be the answer of a shard to s, or to what q.docs says.
func (q *question) checkPage(shard int, s *pinion.Request, p *page) error {
	most, docs := s.Limit+s.Offset, q.v.Shards[shard].Docs
	if q.docs != nil {
		most = len(q.docs[shard])
	}
	switch {
	case len(p.Hits) > most:
		return nonsense("%d hits, where %d are asked", len(p.Hits), most)
	case p.Total > uint64(docs):
		return nonsense("%d of %d documents match", p.Total, docs)
	case p.Ordered && len(p.PartPage.Values) != len(p.Hits):
		return nonsense("an order of %d hits of %d", len(p.PartPage.Values), len(p.Hits))
	}
	for i := range p.Hits {
		h := &p.Hits[i]
		if h.Doc >= docs || h.Score != h.Score {
			return nonsense("document %d of %d with the score %v", h.Doc, docs, h.Score)
		}
		if slices.ContainsFunc(h.Values, func(v schema.Value) bool { return v.Field >= len(q.v.Schema.Fields) }) {
			return nonsense("a value of a field that is not there")
		}
	}
	return nil
}

// checkFound is checkPage for the hits of a search, and what they are sorted and counted by.
func (q *question) checkFound(shard int, s *pinion.Request, p *page) error {
	if s.Collapse != "" && len(p.Groups) != len(p.Hits) {
		return nonsense("%d hits have %d values to collapse by", len(p.Hits), len(p.Groups))
	}
	if f, ok := q.v.Schema.Field(s.Collapse); ok {
		for _, v := range p.Groups {
			if v.Field = q.v.Schema.Number(f.Name); v.Kind != 0 && q.v.Schema.CheckValue(v) != nil {
				return nonsense("the value %v to collapse by in the field %q", v, f.Name)
			}
		}
	}
	if s.Fuse != nil { // one list, or what all of them match
		all := s.Lists()
		s = &all[len(all)-1]
	}
	if err := q.checkPage(shard, s, p); err != nil {
		return err
	}
	for i := range p.Hits {
		h := &p.Hits[i]
		if len(h.Sort) != len(s.Sort) {
			return nonsense("a hit with %d values to sort it by, not %d", len(h.Sort), len(s.Sort))
		}
		for k, by := range s.Sort {
			if by.Score && (h.Sort[k].Kind != schema.Float || h.Sort[k].Float() != float64(h.Score)) {
				return nonsense("a hit that scores %v, sorted by the score %v", h.Score, h.Sort[k])
			}
		}
		if i == 0 || len(s.Sort) > 0 {
			continue
		}
		if last := &p.Hits[i-1]; last.Score < h.Score || last.Score == h.Score && !p.Ordered && last.Doc >= h.Doc {
			return nonsense("hits out of order")
		}
	}
	if len(p.Facets) != len(s.Facets) {
		return nonsense("%d facets, not %d", len(p.Facets), len(s.Facets))
	}
	for i := range s.Facets {
		if err := checkCounts(q.v.Schema, &s.Facets[i], &p.Facets[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkCounts checks counts of a facet, and what is within them.
func checkCounts(s *schema.Schema, f *pinion.Facet, c *pinion.FacetCounts) error {
	own := 0 // figures beside the counts
	if f.Field == "" {
		own = len(f.Stats)
	}
	switch {
	case len(c.Stats) != own:
		return nonsense("%d figures, not %d", len(c.Stats), own)
	case len(f.Ranges) > 0 && len(c.Counts) != len(f.Ranges):
		return nonsense("%d counts of %d ranges", len(c.Counts), len(f.Ranges))
	}
	field, _ := s.Field(f.Field)
	for i := range c.Counts {
		n := &c.Counts[i]
		if len(f.Ranges) == 0 && (field == nil || kindOf(n.Value) != field.Kind) {
			return nonsense("a count of %v in the field %q", n.Value, f.Field)
		}
		if len(n.Stats) != len(f.Stats) || len(n.Facets) != len(f.Facets) {
			return nonsense("%d figures and %d facets within a count, not %d and %d", len(n.Stats), len(n.Facets), len(f.Stats), len(f.Facets))
		}
		for j := range f.Facets {
			if err := checkCounts(s, &f.Facets[j], &n.Facets[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// kindOf returns the kind of fields that count a value, 0 if none does.
func kindOf(counted any) schema.Kind {
	switch counted.(type) {
	case string:
		return schema.Keyword
	case int64:
		return schema.Integer
	case float64:
		return schema.Float
	case time.Time:
		return schema.Time
	}
	return 0
}

// checkShown is checkPage for what the documents that are asked for show.
func (q *question) checkShown(shard int, s *pinion.Request, p *page) error {
	if err := q.checkPage(shard, s, p); err != nil {
		return err
	}
	if len(p.Hits) != len(q.docs[shard]) {
		return nonsense("%d of %d documents are shown", len(p.Hits), len(q.docs[shard]))
	}
	for i, doc := range q.docs[shard] {
		if p.Hits[i].Doc != doc {
			return nonsense("document %d in place of %d", p.Hits[i].Doc, doc)
		}
	}
	return nil
}
