package invert

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/schema"
)

// Large is one document that is too large for a batch. It is inverted a piece at a time, so that few of its tokens are held
// at once: what a piece has of each term is an entry of a sorted run of bytes. The runs, merged, are the lists of a segment of
// this document alone.
type Large struct {
	Bare bool // it has no terms

	v       *Inverter
	piece   Batch
	size    int        // bytes of text in piece
	runs    [][][]byte // by the rank of the field
	columns [][]int64  // values of each field with a column: numbers, and of keywords the empty one
	tokens  uint64

	id     []byte
	values []schema.Value
}

// pieceBytes is how long a piece is by default, if it can be divided from what follows.
const pieceBytes = 64 << 10

// Large inverts a document with values, which it refers to.
func (v *Inverter) Large(ctx context.Context, id []byte, values []schema.Value) (*Large, error) {
	x := v.fields
	l := &Large{v: v, id: id, values: values, runs: make([][][]byte, len(x.fields)), columns: make([][]int64, x.columns)}
	l.begin()
	x.begin(&l.piece)
	var content, scratch []byte
	for i := range values {
		number := values[i].Field
		f := &x.fields[number]
		switch {
		case f.Kind == schema.Text:
			for _, number := range append([]int{number}, f.copies...) {
				if err := l.text(ctx, number, values[i].Bytes()); err != nil {
					return nil, err
				}
			}
			continue
		case f.vector >= 0:
			continue // Write encodes it
		case f.Kind == schema.Keyword:
			content = values[i].Bytes()
		default:
			scratch = appendContent(scratch[:0], &values[i])
			content = scratch
		}
		for rest := content; ; {
			part := rest
			if f.Kind == schema.Impacts {
				part = rest[:cutImpacts(rest, l.most())]
			}
			n, err := v.value(&l.piece, 0, number, part)
			if err != nil {
				return nil, err
			}
			l.tokens += uint64(n)
			l.add(len(part) + valueHead)
			if rest = rest[len(part):]; len(rest) == 0 {
				break
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	l.end()
	return l, nil
}

// text inverts a text in the field of a number.
func (l *Large) text(ctx context.Context, number int, text []byte) error {
	v := l.v
	x := v.fields
	f := &x.fields[number]
	if f.Indexing() == schema.IndexNone {
		return ctx.Err()
	}
	x.at[number] += valueGap
	return l.pieces(ctx, text, analysis.Divides(f.analyzer), x.tokenizers[number], &x.at[number], func() error {
		n, err := v.text(&l.piece, 0, number)
		l.tokens += uint64(n)
		return err
	})
}

// most returns how long a piece is.
func (l *Large) most() int { return cmp.Or(l.v.Piece, pieceBytes) }

// begin makes the inverter empty.
func (l *Large) begin() {
	v := l.v
	v.table.reset(maxInverterSlots)
	v.postings = v.postings[:0]
	v.places.reset()
}

// end ends the last piece.
func (l *Large) end() {
	l.spill()
	l.Bare = l.tokens == 0
	l.v, l.piece = nil, Batch{lens: l.piece.lens} // the rest of their memory is of no use any more
}

// pieces calls invert with the tokens of one piece of text after the other in l.v.tokens. at is the place of the last token.
func (l *Large) pieces(ctx context.Context, text []byte, divides bool, t analysis.Tokenizer, at *int64, invert func() error) error {
	for {
		n := len(text)
		if divides && n > l.most() {
			n = analysis.Divide(text, l.most())
		}
		tokens := &l.v.tokens
		tokens.Reset()
		t.Tokenize(tokens, text[:n])
		if err := invert(); err != nil {
			return err
		}
		if text = text[n:]; len(text) == 0 {
			l.add(n)
			return ctx.Err()
		}
		if more := tokens.Increments(); len(more) > tokens.Len() { // dropped behind the last
			*at += int64(more[tokens.Len()]) - 1
		}
		l.add(n)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// add ends the piece if, with n bytes more, it is long.
func (l *Large) add(n int) {
	if l.size += n; l.size >= l.most() {
		l.spill()
	}
}

// spill makes runs of the piece, and begins the next one.
func (l *Large) spill() {
	v, b := l.v, &l.piece
	v.docEnds = append(v.docEnds[:0], uint32(len(v.postings)))
	v.sort(b)
	l.addRuns()
	for i := range b.columns {
		keys := b.columns[i].keys
		if v.fields.keywords(i) { // others are terms
			keys = slices.DeleteFunc(keys, func(k int64) bool { return k != emptyKeyword })
		}
		l.columns[i] = append(l.columns[i], keys...)
		b.columns[i].reset()
	}
	b.terms, b.bytes = b.terms[:0], b.bytes[:0]
	l.begin()
	l.size = 0
}

// pieceTerm is a term of a piece, to be sorted.
type pieceTerm struct {
	rank   uint32
	prefix uint64
	term   uint32 // in Batch.terms
	at     uint32 // of its posting, if it has one
	gaps   uint32 // where those of it begin
}

// addRuns adds a run for each field that the piece has terms of. An entry is the length of the prefix that the term shares
// with the one before, the length of the rest and the rest, then the frequency and the gaps, all numbers as uvarints.
func (l *Large) addRuns() {
	v, b := l.v, &l.piece
	all := make([]pieceTerm, len(b.terms))
	at, gaps := uint32(0), uint32(0)
	for i := range b.terms {
		t := &b.terms[i]
		rank := t.n >> fieldShift
		all[i] = pieceTerm{rank, prefixOf(b.term(i)), uint32(i), at, gaps}
		if at += t.df; t.df > 0 && l.keepsPlaces(rank) {
			gaps += uint32(v.sorted[at-1])
		}
	}
	slices.SortFunc(all, func(x, y pieceTerm) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.prefix, y.prefix), bytes.Compare(b.term(int(x.term)), b.term(int(y.term))))
	})
	var run, last []byte
	for i, t := range all {
		if i > 0 && all[i-1].rank != t.rank {
			l.runs[all[i-1].rank] = append(l.runs[all[i-1].rank], bytes.Clone(run))
			run, last = run[:0], nil
		}
		term, tf := b.term(int(t.term)), uint32(0)
		if b.terms[t.term].df > 0 {
			tf = uint32(v.sorted[t.at])
		}
		shared := commonPrefix(last, term)
		run = binary.AppendUvarint(run, uint64(shared))
		run = binary.AppendUvarint(run, uint64(len(term)-shared))
		run = append(run, term[shared:]...)
		run = binary.AppendUvarint(run, uint64(tf))
		if l.keepsPlaces(t.rank) {
			for _, g := range v.places.sorted[t.gaps:][:tf] {
				run = binary.AppendUvarint(run, uint64(g))
			}
		}
		last = term
	}
	if n := len(all); n > 0 {
		l.runs[all[n-1].rank] = append(l.runs[all[n-1].rank], bytes.Clone(run))
	}
}

func (l *Large) keepsPlaces(rank uint32) bool { return l.v.fields.keepsPlaces(rank) }

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
