package pinion

import (
	"context"
	"iter"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Searcher is what can be searched: an Index, a Reader, or a View.
type Searcher interface {
	// Search returns the page that r asks for.
	Search(ctx context.Context, r Request) (Page, error)
	// Count returns how many documents match n.
	Count(ctx context.Context, n query.Node) (int, error)
	// All yields the documents that match n, in the order of the index, with all that is stored of them. It scores nothing.
	// The error ends it.
	All(ctx context.Context, n query.Node) iter.Seq2[Hit, error]
	// Suggest returns the ten most frequent terms of a field that begin with prefix, and Similar those that may have been
	// meant by a word that the field does not have.
	Suggest(ctx context.Context, field, prefix string) ([]Suggestion, error)
	Similar(ctx context.Context, field, word string) ([]Suggestion, error)
	// Len returns how many documents there are.
	Len() int
	// Schema returns a copy of the schema.
	Schema() *schema.Schema
	// Meta returns the value of a key that Batch.SetMeta has set.
	Meta(key string) (value string, ok bool)
}

// Suggestion is a term of a field, and how many documents have it.
type Suggestion struct {
	Text string
	Docs int
}

// viewer calls a function with the newest View.
type viewer func(context.Context, func(*View) error) error

// Count returns how many documents match n. It is faster than a search.
func (v *View) Count(ctx context.Context, n query.Node) (int, error) {
	s, err := v.searcher()
	if err != nil {
		return 0, err
	}
	if n, err = v.embedded(ctx, n); err != nil {
		return 0, err
	}
	count, err := s.Count(orBackground(ctx), search.Query{Node: n})
	return int(count), err
}

// Count returns how many documents match n, as Search sees them.
func (x *Index) Count(ctx context.Context, n query.Node) (int, error) { return count(ctx, x.View, n) }

// Count returns how many documents match n, as Search sees them.
func (x *Reader) Count(ctx context.Context, n query.Node) (int, error) { return count(ctx, x.View, n) }

func count(ctx context.Context, view viewer, n query.Node) (count int, err error) {
	err = view(ctx, func(v *View) error {
		count, err = v.Count(ctx, n)
		return err
	})
	return count, err
}

// Len returns how many documents there are, or 0 of a closed View.
func (v *View) Len() int {
	s := v.Snapshot()
	if s == nil {
		return 0
	}
	return int(s.Stats().Live)
}

// Len returns how many documents there are, as Search sees them, or 0 once the Index is closed.
func (x *Index) Len() int { return length(x.View) }

// Len returns how many documents there are, as Search sees them, or 0 if they cannot be read.
func (x *Reader) Len() int { return length(x.View) }

func length(view viewer) (n int) {
	if view(context.Background(), func(v *View) error { n = v.Len(); return nil }) != nil {
		return 0
	}
	return n
}

// allBatch is how many hits All reads the values of at a time.
const allBatch = 64

// All yields the documents that match n, in the order of the index, with the values of all fields that have them. Scores are 0.
// The error ends it.
func (v *View) All(ctx context.Context, n query.Node) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		s, err := v.searcher()
		if err != nil {
			yield(Hit{}, err)
			return
		}
		p, err := v.open() // as Searcher has done
		if err != nil {
			yield(Hit{}, err)
			return
		}
		n, err := v.embedded(ctx, n)
		if err != nil {
			yield(Hit{}, err)
			return
		}
		r := Request{Query: n, Fields: p.fields.schema.Shown()}
		hits := make([]search.Hit, 0, allBatch)
		show := func() (more bool) {
			page, err := p.showHits(orBackground(ctx), hits, r)
			if hits = hits[:0]; err != nil {
				yield(Hit{}, err)
				return false
			}
			for _, h := range page.Hits {
				if !yield(h, nil) {
					return false
				}
			}
			return true
		}
		for doc, err := range s.Matches(orBackground(ctx), search.Query{Node: n}) {
			if err != nil {
				yield(Hit{}, err)
				return
			}
			if hits = append(hits, search.Hit{Doc: doc}); len(hits) == allBatch && !show() {
				return
			}
		}
		show()
	}
}

// All yields the documents that match n, in the order of the index, with the values of all fields that have them. Scores are 0.
// What changes meanwhile does not matter. The error ends it.
func (x *Index) All(ctx context.Context, n query.Node) iter.Seq2[Hit, error] {
	return all(ctx, x.View, n)
}

// All yields the documents that match n, as Index.All does.
func (x *Reader) All(ctx context.Context, n query.Node) iter.Seq2[Hit, error] {
	return all(ctx, x.View, n)
}

func all(ctx context.Context, view viewer, n query.Node) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		err := view(ctx, func(v *View) error {
			for h, err := range v.All(ctx, n) {
				if !yield(h, err) || err != nil {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			yield(Hit{}, err)
		}
	}
}

// Suggest returns the ten most frequent terms of a field that begin with prefix, which is folded as the field's words are. There are
// none of a field whose analyzer stems: stems are not words.
func (v *View) Suggest(ctx context.Context, field, prefix string) ([]Suggestion, error) {
	return v.Terms(ctx, field, prefix, query.DefaultK)
}

// Terms returns up to n of the most frequent terms of a field that begin with prefix, as Suggest does; 0 means ten.
func (v *View) Terms(ctx context.Context, field, prefix string, n int) ([]Suggestion, error) {
	s, err := v.searcher()
	if err != nil {
		return nil, err
	}
	found, err := s.Suggest(orBackground(ctx), field, prefix, n)
	return suggestions(found), err
}

// Suggest returns the ten most frequent terms of a field that begin with prefix, as View.Suggest does.
func (x *Index) Suggest(ctx context.Context, field, prefix string) ([]Suggestion, error) {
	return suggest(ctx, x.View, (*View).Suggest, field, prefix)
}

// Suggest returns the ten most frequent terms of a field that begin with prefix, as View.Suggest does.
func (x *Reader) Suggest(ctx context.Context, field, prefix string) ([]Suggestion, error) {
	return suggest(ctx, x.View, (*View).Suggest, field, prefix)
}

// Similar returns up to ten terms that one edit makes of a word, or two if one makes none and the word has more than five
// characters: what may have been meant by a word that the field does not have.
func (v *View) Similar(ctx context.Context, field, word string) ([]Suggestion, error) {
	s, err := v.searcher()
	if err != nil {
		return nil, err
	}
	found, err := s.Similar(orBackground(ctx), field, word, 0)
	return suggestions(found), err
}

// Similar returns up to ten terms that may have been meant by a word, as View.Similar does.
func (x *Index) Similar(ctx context.Context, field, word string) ([]Suggestion, error) {
	return suggest(ctx, x.View, (*View).Similar, field, word)
}

// Similar returns up to ten terms that may have been meant by a word, as View.Similar does.
func (x *Reader) Similar(ctx context.Context, field, word string) ([]Suggestion, error) {
	return suggest(ctx, x.View, (*View).Similar, field, word)
}

func suggest(ctx context.Context, view viewer, ask func(v *View, ctx context.Context, field, text string) ([]Suggestion, error), field, text string) (found []Suggestion, err error) {
	err = view(ctx, func(v *View) error {
		found, err = ask(v, ctx, field, text)
		return err
	})
	return found, err
}

func suggestions(found []search.Suggestion) []Suggestion {
	all := make([]Suggestion, len(found))
	for i, s := range found {
		all[i] = Suggestion{string(s.Term), int(s.DF)}
	}
	return all
}
