package httpapi

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Like is searched for in place of Query and Text: what is similar to documents, a text, or both, as pinion.Like has it.
type Like struct {
	IDs    []Text            `json:"ids,omitempty"`    // of documents, which are not among the hits
	Text   string            `json:"text,omitempty"`   // a text as documents have it
	Fields []string          `json:"fields,omitempty"` // those whose words count, which are stored; by default all of text
	Terms  int               `json:"terms,omitempty"`  // how many words are searched for; 0 means pinion.DefaultLikeTerms
	Words  map[string][]Text `json:"words,omitzero"`   // in place of text, fields and terms: the words of each field, as its analyzer makes them
}

// Pinion returns l as package pinion has it.
func (l *Like) Pinion() pinion.Like {
	return pinion.Like{IDs: stringsOf(l.IDs), Text: l.Text, Fields: l.Fields, Terms: l.Terms}
}

func stringsOf(all []Text) (s []string) {
	for _, t := range all {
		s = append(s, string(t))
	}
	return s
}

// Known reports whether l, which may be nil, says itself which words it searches for. Others are looked up in the index, for With.
func (l *Like) Known() bool { return l == nil || l.Words != nil }

// With returns l with the words of what pinion.View.Like has found for it, or a node of pinion.LikeTerms.Nodes: what Request.Search takes.
func (l *Like) With(n query.Bool) *Like {
	to := &Like{IDs: l.IDs, Words: map[string][]Text{}}
	for _, n := range n.Should {
		if t, ok := n.(query.Term); ok {
			to.Words[t.Field] = append(to.Words[t.Field], Text(t.Text))
		}
	}
	return to
}

// node returns l, whose words are known, for an index with a schema.
func (l *Like) node(s *schema.Schema) (n query.Bool, err error) {
	switch {
	case !l.Known():
		return n, invalid("like", "which words it stands for is not known here")
	case l.Text != "" || len(l.Fields) > 0 || l.Terms != 0:
		return n, invalid("like.words", "they are in place of text, fields and terms")
	case len(l.IDs) > pinion.MaxLike:
		return n, invalid("like.ids", "%d documents, more than %d", len(l.IDs), pinion.MaxLike)
	}
	var terms []query.Term
	for _, name := range slices.Sorted(maps.Keys(l.Words)) {
		if f, ok := s.Field(name); !ok || f.Kind != schema.Text && f.Kind != schema.Keyword {
			return n, invalid("like.words", "there is no field %q of text or keywords", name)
		}
		for _, w := range l.Words[name] {
			terms = append(terms, query.Term{Field: name, Text: string(w)})
		}
	}
	return pinion.LikeNode(stringsOf(l.IDs), terms), nil
}

// found returns l with its words.
func (l *Like) found(ctx context.Context, v *pinion.View) (*Like, error) {
	if l.Known() {
		return l, nil
	}
	n, err := v.Like(ctx, l.Pinion())
	if err == nil {
		return l.With(n), nil
	}
	if !errors.Is(err, pinion.ErrNotFound) {
		return nil, l.Blame(err)
	}
	for _, id := range l.IDs { // say which one it is
		count, err := v.Count(ctx, query.IDs{string(id)})
		if err != nil {
			return nil, err
		}
		if count == 0 {
			return nil, l.Missing(string(id))
		}
	}
	return nil, err
}

// Blame returns an error of pinion.View.Like or LikeOf as one of l.
func (l *Like) Blame(err error) error {
	if errors.Is(err, pinion.ErrInvalid) && !errors.Is(err, pinion.ErrClosed) {
		return blame("like", err)
	}
	return err
}

// Missing returns the error of a document that is not there.
func (l *Like) Missing(id string) error { return invalid("like.ids", "there is no document %.80q", id) }

// similar returns r with the words of its Like.
func (r *Request) similar(ctx context.Context, v *pinion.View) (*Request, error) {
	if r.Like.Known() {
		return r, nil
	}
	own := *r
	var err error
	own.Like, err = r.Like.found(ctx, v)
	return &own, err
}

// Request returns the request whose hits r counts.
func (r *CountRequest) Request() *Request {
	return &Request{Query: r.Query, Strict: r.Strict, Text: r.Text, Like: r.Like, Vector: r.Vector, Nearest: r.Nearest, Fuse: r.Fuse, Filter: r.Filter, Synonyms: r.Synonyms, Typos: r.Typos, Partial: r.Partial}
}
