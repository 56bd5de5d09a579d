package pinion

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Like says what documents are to be similar to: other documents, a text, or both.
type Like struct {
	// IDs are those of documents of the index, up to MaxLike. They are not among the similar ones.
	IDs []string
	// Text is a text as documents have it.
	Text string
	// Fields are those whose words count, of text or keywords; without, all of text are. For IDs they must be stored, or of keywords with
	// a column: the words of a document are not kept.
	Fields []string
	// Terms is how many words are searched for at most, up to query.MaxScored; 0 means DefaultLikeTerms.
	Terms int
}

const (
	// DefaultLikeTerms is the default of Like.Terms.
	DefaultLikeTerms = 25
	// MaxLike is how many documents Like.IDs may name.
	MaxLike = 1000
)

// Like returns a node that documents match which are similar to others: which have one of the terms that weigh most in what l names, and
// are none of l.IDs. A term weighs how often that has it, times the logarithm that BM25 has of how rare it is in the field; of equal
// weights the first by bytes counts. Terms that no document but those of IDs has are left out; without others, nothing matches.
//
// The node is a Bool of a query.Term for each term in Should, the heaviest first, without boosts, and query.IDs in MustNot: it goes wherever
// nodes go, and the caller may change it, such as its AtLeast. The error matches ErrNotFound if a document is not there, ErrInvalid for
// a field that is not stored, or has no words, or is one of Search.
func (v *View) Like(ctx context.Context, l Like) (query.Bool, error) {
	ctx = orBackground(ctx)
	p, err := v.open()
	if err != nil {
		return query.Bool{}, err
	}
	s, err := v.searcher()
	if err != nil {
		return query.Bool{}, err
	}
	t, err := l.terms(s.Parser())
	if err != nil {
		return query.Bool{}, err
	}
	if err := p.addLike(ctx, t); err != nil {
		return query.Bool{}, err
	}
	frequencies, err := search.LikeFrequencies(ctx, s, t.all)
	if err != nil {
		return query.Bool{}, err
	}
	return t.node(search.CollectionOf(p.snapshot), frequencies), nil
}

// Like returns a node that documents match which are similar to others, as View.Like does, of the newest state.
func (x *Index) Like(ctx context.Context, l Like) (query.Bool, error) { return like(ctx, x.View, l) }

// Like returns a node that documents match which are similar to others, as View.Like does, of the newest commit.
func (x *Reader) Like(ctx context.Context, l Like) (query.Bool, error) { return like(ctx, x.View, l) }

func like(ctx context.Context, view viewer, l Like) (n query.Bool, err error) {
	err = view(ctx, func(v *View) error {
		n, err = v.Like(ctx, l)
		return err
	})
	return n, err
}

// addLike adds the documents of t.
func (s *pager) addLike(ctx context.Context, t *LikeTerms) error {
	if len(t.of.IDs) == 0 {
		return nil
	}
	snapshot := s.snapshot.WithContext(ctx)
	hits := make([]search.Hit, len(t.of.IDs))
	for i, id := range t.of.IDs {
		doc, ok, err := snapshot.FindID([]byte(id))
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("index %s: %w: %.80q", snapshot.Directory(), ErrNotFound, id)
		}
		hits[i].Doc = doc
	}
	st := s.take()
	defer s.give(st)
	page, err := s.show(ctx, snapshot, st, hits, &Request{Limit: len(hits) + 1, Fields: t.fields})
	if err != nil {
		return err
	}
	for i := range page.Hits {
		if err := t.Add(Doc{Values: page.Hits[i].Values}); err != nil {
			return err
		}
	}
	return nil
}

// LikeTerms are the terms of what a Like names, for those who bring its documents and their frequencies: what searches a collection in
// parts. Documents are added, the frequencies of Nodes in all parts summed, and Node is what is searched for. It is for one goroutine.
type LikeTerms struct {
	of     Like
	fields []string // that are shown
	schema *schema.Schema
	all    *search.Like
}

// LikeOf returns a function that returns the terms of a Like in indexes with a schema, those of its text. The error matches ErrInvalid.
func LikeOf(s *schema.Schema) func(Like) (*LikeTerms, error) {
	p := search.NewParserFor(s)
	return func(l Like) (*LikeTerms, error) { return l.terms(p) }
}

// terms returns the terms of l.Text.
func (l Like) terms(p *search.Parser) (*LikeTerms, error) {
	t := &LikeTerms{of: l, schema: p.Schema}
	if t.of.Terms = cmp.Or(l.Terms, DefaultLikeTerms); t.of.Terms < 1 || t.of.Terms > query.MaxScored {
		return nil, fmt.Errorf("%w: Like: %d terms, not up to %d", ErrInvalid, l.Terms, query.MaxScored)
	}
	t.of.IDs = nil
	for _, id := range l.IDs {
		if !slices.Contains(t.of.IDs, id) {
			t.of.IDs = append(t.of.IDs, id)
		}
	}
	switch {
	case len(l.IDs) > MaxLike:
		return nil, fmt.Errorf("%w: Like: %d documents, more than %d", ErrInvalid, len(l.IDs), MaxLike)
	case len(l.IDs) == 0 && l.Text == "":
		return nil, fmt.Errorf("%w: Like: neither a document nor a text", ErrInvalid)
	}
	var err error
	if t.all, err = p.NewLike(l.Fields); err != nil {
		return nil, fmt.Errorf("Like: %w", err)
	}
	if len(l.IDs) > 0 {
		if t.fields, err = t.all.Shown(); err != nil {
			return nil, fmt.Errorf("Like: %w", err)
		}
	}
	if l.Text == "" {
		return t, nil
	}
	return t, t.all.AddText(l.Text)
}

// IDs returns the ids of the documents that are to be added, each once.
func (t *LikeTerms) IDs() []string { return slices.Clone(t.of.IDs) }

// Fields returns the names of the fields that the documents must bring.
func (t *LikeTerms) Fields() []string { return slices.Clone(t.fields) }

// Add adds a document. The error matches ErrInvalid for values that do not fit the schema.
func (t *LikeTerms) Add(d Doc) error {
	w, err := d.written(t.schema)
	if err != nil {
		return err
	}
	return t.all.AddDoc(w.Values)
}

// likeNodes is how many terms a node of Nodes has at most.
const likeNodes = 4096

// Nodes yields nodes of all terms, for View.Frequencies, whose sum Node takes.
func (t *LikeTerms) Nodes() iter.Seq[query.Bool] {
	return func(yield func(query.Bool) bool) {
		for some := range slices.Chunk(t.all.All(), likeNodes) {
			if !yield(query.Bool{Should: nodesOf(some)}) {
				return
			}
		}
	}
}

// Node returns what View.Like does, for the statistics of a collection.
func (t *LikeTerms) Node(of query.Collection, f query.Frequencies) query.Bool {
	return t.node(of, t.all.Given(&f))
}

func (t *LikeTerms) node(of query.Collection, frequencies []uint64) query.Bool {
	return LikeNode(t.of.IDs, t.all.Best(t.of.Terms, of, frequencies))
}

// LikeNode returns what View.Like does, for the terms that weigh most.
func LikeNode(ids []string, terms []query.Term) query.Bool {
	n := query.Bool{Should: nodesOf(terms)}
	switch {
	case len(ids) > 0:
		n.MustNot = []query.Node{query.IDs(ids)}
	case len(terms) == 0:
		n.MustNot = []query.Node{query.All{}} // a Bool of nothing would be as good as absent
	}
	return n
}

func nodesOf(terms []query.Term) []query.Node {
	all := make([]query.Node, len(terms))
	for i, t := range terms {
		all[i] = t
	}
	return all
}
