package pinion

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// MergedLists is the one list of a Request with Fuse or Rescore, of a collection in parts.
type MergedLists struct {
	r        *Request
	lists    []search.RankedList
	hits     []search.Hit
	rest     []search.Hit            // without Fuse: those behind Request.After, at first also the best
	values   map[uint32]schema.Value // in the order that the parts keep
	groups   map[uint32]schema.Value // by which hits are collapsed
	order    *search.HitOrder
	rescored map[uint32]float32
	counts   Page // Total and Facets
	// approximate is true if the answer of a part is approximate.
	approximate bool
}

// MergeLists makes the one list of r, which has Fuse or Rescore, from the answers of the parts of a collection, whose documents begin at bases:
// answers[i][j] is what View.SearchPart of part j says of r.Lists()[i], nil of a part that is missing. The error matches ErrInvalid if these
// are no such answers.
func MergeLists(r Request, bases []uint32, answers [][]*PartPage) (*MergedLists, error) {
	if r.Fuse == nil && r.Rescore == nil {
		return nil, fmt.Errorf("%w: lists of a request without Fuse and Rescore", query.ErrInvalid)
	}
	if r.Synonyms != nil {
		return nil, fmt.Errorf("%w: lists of a request with Synonyms, of which Request.Rewritten has none", query.ErrInvalid)
	}
	if err := r.checkRanked(); err != nil {
		return nil, err
	}
	requests := r.Lists()
	if len(answers) != len(requests) {
		return nil, fmt.Errorf("%w: answers to %d requests of %d", query.ErrInvalid, len(answers), len(requests))
	}
	m := &MergedLists{r: &r, values: map[uint32]schema.Value{}, groups: map[uint32]schema.Value{}}
	for i := range requests {
		if err := m.add(i, &requests[i], bases, answers[i]); err != nil {
			return nil, fmt.Errorf("list %d: %w", i, err)
		}
	}
	if r.Fuse == nil {
		m.hits = m.lists[0].Hits
		if r.After != nil {
			m.rest = m.lists[1].Hits
		}
		return m, nil
	}
	m.hits = r.Fuse.fusing().Fuse(m.lists)
	if err := m.order.SortTies(m.hits); err != nil || r.Collapse == "" {
		return m, err
	}
	values := make([]schema.Value, len(m.hits))
	for i, h := range m.hits {
		values[i] = m.groups[h.Doc]
	}
	m.hits = collapse(m.hits, values)
	return m, nil
}

// add adds the list of a number, or what is counted.
func (m *MergedLists) add(i int, r *Request, bases []uint32, parts []*PartPage) (err error) {
	if r.Total || len(r.Facets) > 0 {
		if m.counts, err = MergePages(*r, bases, parts); err != nil {
			return err
		}
	}
	for _, p := range parts {
		m.approximate = m.approximate || p != nil && p.Approximate
	}
	weight := 1.0
	if f := m.r.Fuse; f != nil {
		if i == len(f.Lists) {
			return nil
		}
		weight = cmp.Or(f.Lists[i].Weight, 1)
	}
	q, results, err := resultsOf(r, parts)
	if err != nil {
		return err
	}
	merged, from, err := q.Merge(bases, results)
	if err != nil {
		return err
	}
	if m.r.Collapse != "" {
		for i, at := range from {
			p := parts[at.Part]
			if len(p.Groups) != len(p.Hits) {
				return fmt.Errorf("%w: part %d: %d values to collapse %d hits by: Part.Groups asks for them", query.ErrInvalid, at.Part, len(p.Groups), len(p.Hits))
			}
			m.groups[merged.Hits[i].Doc] = p.Groups[at.Hit]
		}
	}
	m.lists = append(m.lists, search.RankedList{Hits: merged.Hits, Weight: weight})
	if merged.Order == nil {
		return nil
	}
	for i, h := range merged.Hits {
		m.values[h.Doc] = merged.Order.Values[i]
	}
	m.order = search.OrderBy(merged.Order.Desc, func(doc uint32) (schema.Value, bool) {
		v, ok := m.values[doc]
		return v, ok
	})
	return nil
}

// Best returns the hits that Rescore is to be given the scores of, by their docIDs in the collection: none of a request without Rescore.
func (m *MergedLists) Best() []Hit {
	var all []Hit
	for _, h := range m.best() {
		all = append(all, Hit{Doc: h.Doc, Score: h.Score})
	}
	return all
}

func (m *MergedLists) best() []search.Hit {
	if m.r.Rescore == nil {
		return nil
	}
	return m.hits[:min(len(m.hits), m.r.Rescore.n())]
}

// Rescore adds what the query of Request.Rescore scores: the Doc in the collection and the Score of all hits that the parts answer
// Request.Rescoring with. It is called once, before Page.
func (m *MergedLists) Rescore(scored []Hit) error {
	if m.r.Rescore == nil || m.rescored != nil {
		return fmt.Errorf("%w: lists that are not to be rescored, or are already", query.ErrInvalid)
	}
	m.rescored = make(map[uint32]float32, len(scored))
	for _, h := range scored {
		m.rescored[h.Doc] = h.Score
	}
	best := m.best()
	m.r.Rescore.add(best, m.rescored)
	among := make(map[uint32]bool, len(best))
	for _, h := range best {
		among[h.Doc] = true
	}
	m.rest = slices.DeleteFunc(m.rest, func(h search.Hit) bool { return among[h.Doc] })
	return m.order.Sort(best)
}

// Page returns the page that is asked for. after is the docID of the document of Request.After in the collection, nil if it has none. Of the
// hits only Doc, Score, Lists, Rescored and of Group the Value are set: View.Show of the parts and Request.GroupOf say the rest. Approximate leaves out the answers that Rescore was
// given the scores of: PartPage.Approximate says it of each.
func (m *MergedLists) Page(after *uint32) (Page, error) {
	if m.r.Rescore != nil && m.rescored == nil {
		return Page{}, fmt.Errorf("%w: lists that are not rescored yet", query.ErrInvalid)
	}
	hits := m.hits
	if a := m.r.After; a != nil {
		at := search.Position{Score: a.Score, Order: a.Order, Before: after == nil}
		if after != nil {
			at.Doc = *after
		}
		if !(a.Score >= 0) {
			return Page{}, fmt.Errorf("%w: After has the score %v", query.ErrInvalid, a.Score)
		}
		var err error
		if hits, err = m.order.Behind(hits, &at); err != nil {
			return Page{}, err
		}
	}
	hits = append(slices.Clip(hits), m.rest...)
	p := Page{Total: m.counts.Total, Facets: m.counts.Facets, Approximate: m.approximate}
	if hits, p.more = m.r.cut(hits); m.r.Fuse == nil {
		p.more = len(hits) == cmp.Or(m.r.Limit, query.DefaultK) && m.r.Collapse == ""
	}
	for _, h := range hits {
		shown := Hit{Doc: h.Doc, Score: h.Score, Rescored: m.rescored[h.Doc]}
		if m.r.Collapse != "" {
			shown.Group = grouped(m.r, m.groups[h.Doc])
		}
		p.Hits = append(p.Hits, shown)
	}
	if p.more && m.order != nil {
		p.order = []schema.Value{m.values[hits[len(hits)-1].Doc]}
	}
	if m.r.Fuse != nil {
		p.addShares(m.r.Fuse.fusing(), m.lists)
	}
	return p, nil
}
