// Package lists rewrites the posting lists of existing segments: it walks their
// dictionaries together, encodes the lists of each term on several goroutines, and
// appends the results in order. The caller decides what a term's lists become.
package lists

import (
	"context"
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer/internal/ordered"
)

// Options configure Rewrite.
type Options struct {
	Fields   []Field        // of the output and of the segments
	Threads  int            // goroutines that encode
	Ahead    int            // maximum number of jobs between the dictionaries and the Builder
	Progress func(n uint64) // called with the number of postings of the sources done
	First    func() error   // if not nil, called before the first list is appended, concurrently with encoding
}

// Counts are how lists came into the output.
type Counts struct {
	Copied  uint64 // blocks that were copied without decoding them
	Encoded uint64 // postings that were encoded again
	tokens  uint64 // sum of their frequencies
}

// ErrTokens is matched by the error for lists whose frequencies do not add up to the lengths
// of the documents.
var ErrTokens = errors.New("the frequencies do not add up to the lengths of documents")

// Rewrite appends to b a list for each term that segments hold in each field. It calls newTerm
// in each worker goroutine; the function that newTerm returns adds one term's list to e, made of
// its lists in the segments, or an empty list to leave the term out. The field is a number in
// Options.Fields.
func Rewrite(ctx context.Context, b *build.Builder, segments []*segment.Segment, o Options,
	newTerm func(enc *build.ListEncoder) func(e *Encoded, field int, lists []Ref) error,
) (sum Counts, err error) {
	free := make(chan *job, o.Ahead+2)
	shared, field := segment.MaxTerm, -1
	begun := o.First == nil
	first := func() error {
		if begun {
			return nil
		}
		begun = true
		return o.First()
	}
	postings := uint64(0)
	for _, s := range segments {
		postings += s.Meta().Postings
	}
	err = ordered.Run(ctx, Threads(o.Threads, postings), o.Ahead,
		func(_ context.Context, yield func(*job) bool) error { return walk(segments, o.Fields, free, yield) },
		func() func(context.Context, *job) (*job, error) {
			enc := b.NewListEncoder()
			enc.CheckLengths()
			term := newTerm(enc)
			return func(ctx context.Context, j *job) (*job, error) {
				enc.SetField(j.field)
				copied, encoded, tokens := enc.CopiedBlocks(), enc.EncodedPostings(), enc.Tokens()
				if err := j.encode(term); err != nil {
					return nil, err
				}
				j.counts = Counts{enc.CopiedBlocks() - copied, enc.EncodedPostings() - encoded, enc.Tokens() - tokens}
				return j, ctx.Err()
			}
		},
		func(j *job) error {
			if err := first(); err != nil {
				return err
			}
			if j.field != field {
				field, shared = j.field, 0
				if err := b.BeginField(field); err != nil {
					return err
				}
			}
			var err error
			if shared, err = j.appendTo(b, shared); err != nil {
				return err
			}
			sum.Copied += j.counts.Copied
			sum.Encoded += j.counts.Encoded
			sum.tokens += j.counts.tokens
			o.Progress(j.postings)
			select {
			case free <- j:
			default:
			}
			return nil
		})
	if err == nil {
		err = first()
	}
	if err == nil {
		err = compareTokens(b)
	}
	if m := b.Meta(); err == nil && !m.ForeignLengths && sum.tokens != m.Tokens {
		err = fmt.Errorf("%w: %d tokens in lists, %d in documents", ErrTokens, sum.tokens, m.Tokens)
	}
	return sum, err
}
