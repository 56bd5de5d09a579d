package search

import (
	"bytes"
	"slices"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/filter"
)

// part is a node as it is built.
type part struct {
	op                        algorithm.Op
	word                      engine.Word // of OpWord
	more                      []float64   // of a term: the boosts of further occurrences
	constant                  bool        // OpConst that stands for a term: of a field of impacts, the boosts are the score
	must, should, not, filter []part      // OpBest has should, OpConst has must
	atLeast                   int
	tie, score                float32
	set                       *docset.Global   // of OpSet, or
	columns                   *filter.Compiled // what passes it
	andOr                     bool             // must, or else at least one
	phrase                    sequential       // of OpPhrase
	weights                   []uint32         // of OpBest: of a Dot
	near                      *algorithm.Near  // of OpNear and OpSimilar
	similar                   []part           // of OpBool: there is nothing else in it, and nothing matches
	alternatives              bool             // as in algorithm.Expr
}

// sequential is a phrase, which emits itself.
type sequential interface {
	emit(b *builder) algorithm.Sequence
}

// word is word, but of a field of impacts a constant, whose score is the boost: BM25 has no use for a weight.
func (b *builder) word(w engine.Word) part {
	if b.p.Fields[w.Field].Impacts {
		return part{op: algorithm.OpConst, must: []part{word(w)}, constant: true}
	}
	return word(w)
}

func word(w engine.Word) part { return part{op: algorithm.OpWord, word: w} }

// term returns the word of a part that stands for a term, or nil.
func (x *part) term() *engine.Word {
	switch {
	case x.op == algorithm.OpWord:
		return &x.word
	case x.constant:
		return &x.must[0].word
	}
	return nil
}

// boosts returns the sum of the boosts of a term.
func (x *part) boosts() float64 {
	sum := x.term().Boost
	for _, more := range x.more {
		sum += more
	}
	return sum
}

// disjunction returns the alternatives of a part that is nothing but a disjunction, or nil.
func disjunction(x *part) []part {
	if x.op == algorithm.OpBool && x.atLeast == 1 && len(x.must)+len(x.not)+len(x.filter) == 0 {
		return x.should
	}
	return nil
}

// conjunction returns the parts of a part that is nothing but a conjunction, or nil.
func conjunction(x *part) []part {
	if x.op == algorithm.OpBool && !x.andOr && len(x.should)+len(x.not)+len(x.filter) == 0 {
		return x.must
	}
	return nil
}

// simplified returns a Bool whose parts are built, or what says the same more simply.
func (x *part) simplified() (part, bool, error) {
	must, should, others := len(x.must), len(x.should), len(x.not)+len(x.filter)
	if x.atLeast == 0 && must+len(x.filter) == 0 {
		x.atLeast = 1
	}
	switch {
	case must+should+others == 0:
		return part{}, false, nil
	case x.atLeast > should:
		return part{op: algorithm.OpNone}, true, nil
	case must == 1 && should+others == 0:
		return x.must[0], true, nil
	case should == 1 && must+others == 0:
		return x.should[0], true, nil
	}
	return *x, true, nil
}

// few is how many terms at most are compared each with all others to find equal ones.
const few = 16

// merge makes equal terms one.
func merge(all []part) []part {
	if len(all) < 2 {
		return all
	}
	type key struct {
		field int
		bytes string
		blend int32
	}
	var at map[key]int // of many
	if len(all) > few {
		at = make(map[key]int, len(all))
	}
	kept := all[:0]
	for _, x := range all {
		if w := x.term(); w != nil {
			i := -1
			if at == nil {
				i = slices.IndexFunc(kept, func(o part) bool {
					own := o.term()
					return own != nil && own.Field == w.Field && own.Blend == w.Blend && bytes.Equal(own.Bytes, w.Bytes)
				})
			} else if k := (key{w.Field, string(w.Bytes), w.Blend}); true {
				if n, ok := at[k]; ok {
					i = n
				} else {
					at[k] = len(kept)
				}
			}
			if i >= 0 {
				kept[i].more = append(append(kept[i].more, w.Boost), x.more...)
				continue
			}
		}
		kept = append(kept, x)
	}
	return kept
}
