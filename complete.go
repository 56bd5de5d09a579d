package pinion

import (
	"context"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Complete asks for words that complete a text that is being typed.
type Complete struct {
	// Field is an indexed field. In one of text, the last word of Text, up to its end, is completed, and only documents count that
	// have the words before it; in one of keywords, all of Text is. Of a field whose analyzer stems, a field with its values
	// (schema.Field.Of) whose analyzer does not has the words.
	Field string
	// Text is what has been typed.
	Text string
	// Filter, unless nil, restricts the documents that count, such as to those of a tenant.
	Filter query.Node
	// By, unless "", is a column of numbers or times: words whose documents have the greatest values in it come first. Otherwise those
	// do that most documents have.
	By string
	// Exact leaves out words with a slip in what has been typed.
	Exact bool
	// Limit is the maximum number of completions; 0 means query.DefaultK.
	Limit int
}

// Completion is a word that completes a text.
type Completion struct {
	Text  string // the text with the word in the place of its beginning
	Word  string // as the field's analyzer has it
	Docs  int    // documents that have it, of those that count
	Value any    // the greatest of Complete.By, nil if there is none
	// Slip reports whether the word begins not as was typed, but as one edit makes of it: a character inserted, left out or replaced, or
	// two swapped. There are such words where four characters or more have been typed, the first of which is right, and they come last.
	Slip bool
}

// Complete returns words that complete a text, as its type says. The error is the context's, or matches ErrInvalid, ErrClosed,
// analysis.ErrUnknown or format.ErrCorrupt.
func (v *View) Complete(ctx context.Context, c Complete) ([]Completion, error) {
	s, err := v.searcher()
	if err != nil {
		return nil, err
	}
	found, err := search.Completions(orBackground(ctx), s, search.Completing{Field: c.Field, Text: c.Text, Filter: c.Filter, By: c.By, Exact: c.Exact, K: c.Limit})
	all := make([]Completion, len(found))
	for i, x := range found {
		all[i] = Completion{Text: x.Text, Word: string(x.Term), Docs: int(x.DF), Value: x.Value.Any(), Slip: x.Slip}
	}
	return all, err
}

// Complete returns words that complete a text, as View.Complete does.
func (x *Index) Complete(ctx context.Context, c Complete) ([]Completion, error) {
	return complete(ctx, x.View, c)
}

// Complete returns words that complete a text, as View.Complete does.
func (x *Reader) Complete(ctx context.Context, c Complete) ([]Completion, error) {
	return complete(ctx, x.View, c)
}

func complete(ctx context.Context, view viewer, c Complete) (found []Completion, err error) {
	err = view(ctx, func(v *View) error {
		found, err = v.Complete(ctx, c)
		return err
	})
	return found, err
}

// Correction is a text that may have been meant by another.
type Correction struct {
	Text string
	Docs int // documents that have all of its words
}

// Correct returns up to ten texts that may have been meant by a text, by what its words occur with in a field: words that few documents have,
// as query.Match.Typos says, are replaced by those that Similar returns, where more documents have these and the other words. The text of
// most documents comes first; there are none if none has more than the one that was typed. Of a field that stems, the words are
// those that Complete finds. The error is one of Complete.
func (v *View) Correct(ctx context.Context, field, text string) ([]Correction, error) {
	s, err := v.searcher()
	if err != nil {
		return nil, err
	}
	found, err := search.Corrections(orBackground(ctx), s, field, text, 0)
	all := make([]Correction, len(found))
	for i, x := range found {
		all[i] = Correction{x.Text, int(x.Docs)}
	}
	return all, err
}

// Correct returns texts that may have been meant by a text, as View.Correct does.
func (x *Index) Correct(ctx context.Context, field, text string) ([]Correction, error) {
	return correct(ctx, x.View, field, text)
}

// Correct returns texts that may have been meant by a text, as View.Correct does.
func (x *Reader) Correct(ctx context.Context, field, text string) ([]Correction, error) {
	return correct(ctx, x.View, field, text)
}

func correct(ctx context.Context, view viewer, field, text string) (found []Correction, err error) {
	err = view(ctx, func(v *View) error {
		found, err = v.Correct(ctx, field, text)
		return err
	})
	return found, err
}
