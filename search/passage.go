package search

import (
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// passages finds the best passage of texts.
type passages struct {
	counts []int // by term
	merged []mark
}

// passage is a part of a text, and the words of the query in it, which do not overlap.
type passage struct {
	from, to int
	marks    []mark
}

// repeated is what a word counts that the passage has already, by its weight.
const repeated = 1.0 / 16

// best returns the passage of at most length characters in which the words weigh most, the first
// of several, or the beginning of the text. It begins and ends between words. terms has the
// weights. The marks are valid until the next call.
func (p *passages) best(text []byte, marks []mark, terms []term, length int) passage {
	size := len(text)
	if len(text) > length { // characters have about as many bytes everywhere in a text
		size = max(int(int64(length)*int64(len(text))/int64(max(characters(text), 1))), 1)
	}
	first, last := p.heaviest(marks, terms, size)
	out := passage{to: len(text)}
	if size < len(text) {
		lo, hi := 0, 0 // what must be in the passage
		if first < len(marks) {
			lo, hi = marks[first].start, marks[last].end
		}
		out.from, out.to = around(text, lo, hi, size)
	}
	out.to = out.from + atMost(text[out.from:out.to], length)
	out.marks = p.join(marks, out.from, out.to)
	return out
}

// characters returns how many characters a text has: bytes that do not continue one.
func characters(text []byte) (n int) {
	n = len(text)
	for ; len(text) >= 8; text = text[8:] {
		x := binary.LittleEndian.Uint64(text)
		n -= bits.OnesCount64(x &^ (x << 1) & 0x8080808080808080)
	}
	for _, b := range text {
		if !utf8.RuneStart(b) {
			n--
		}
	}
	return n
}

// join returns the marks from from to to, with those joined that overlap.
func (p *passages) join(marks []mark, from, to int) []mark {
	p.merged = p.merged[:0]
	for _, m := range marks {
		if m.start < from || m.end > to {
			continue
		}
		if n := len(p.merged); n > 0 && m.start < p.merged[n-1].end {
			p.merged[n-1].end = max(p.merged[n-1].end, m.end)
			continue
		}
		p.merged = append(p.merged, m)
	}
	return p.merged
}

// heaviest returns the first and the last of the marks within size bytes that weigh most, or
// the number of marks if there are none.
func (p *passages) heaviest(marks []mark, terms []term, size int) (first, last int) {
	p.counts = append(p.counts[:0], make([]int, len(terms))...)
	first, last = len(marks), len(marks)
	best, sum, next := float32(0), float32(0), 0
	for i, m := range marks {
		for ; next < len(marks) && (next == i || marks[next].end-m.start <= size); next++ {
			t := marks[next].term
			sum += p.share(terms, t)
			p.counts[t]++
		}
		if sum > best*(1+1e-5) {
			best, first, last = sum, i, next-1
		}
		p.counts[m.term]--
		sum -= p.share(terms, m.term)
	}
	return first, last
}

// share is what one more occurrence of a term adds to the weight of a passage.
func (p *passages) share(terms []term, t int) float32 {
	if p.counts[t] > 0 {
		return terms[t].weight * repeated
	}
	return terms[t].weight
}

// around returns a range of about size bytes with those from lo to hi, with more behind them
// than before. It begins and ends between words if there are spaces.
func around(text []byte, lo, hi, size int) (from, to int) {
	from = max(lo-max(size-(hi-lo), 0)/3, 0)
	to = min(from+size, len(text))
	from = max(min(from, to-size), 0)
	near := min(size/6, 48)
	if from > 0 {
		from = wordStart(text, from, min(lo, from+near))
	}
	if to < len(text) {
		to = wordEnd(text, to, max(hi, to-near, from))
	}
	return from, to
}

// wordStart returns where the first word at or behind from begins, if that is not behind most,
// and otherwise from at the beginning of a character.
func wordStart(text []byte, from, most int) int {
	from = runeStart(text, from)
	if r, _ := utf8.DecodeLastRune(text[:from]); unicode.IsSpace(r) {
		return from
	}
	for i := from; i < most; {
		r, n := utf8.DecodeRune(text[i:])
		if i += n; unicode.IsSpace(r) && i <= most {
			return i
		}
	}
	for from > 0 { // not before a combining character
		r, _ := utf8.DecodeRune(text[from:])
		if !unicode.Is(unicode.M, r) {
			break
		}
		_, n := utf8.DecodeLastRune(text[:from])
		from -= n
	}
	return from
}

// wordEnd returns where the last word at or before to ends, if that is not before least, and
// otherwise to at the beginning of a character.
func wordEnd(text []byte, to, least int) int {
	to = runeStart(text, to)
	if r, _ := utf8.DecodeRune(text[to:]); unicode.IsSpace(r) {
		return to
	}
	for i := to; i > least; {
		r, n := utf8.DecodeLastRune(text[:i])
		if i -= n; unicode.IsSpace(r) && i >= least {
			return i
		}
	}
	for i := to; i > least; { // not before a combining character
		if r, _ := utf8.DecodeRune(text[i:]); !unicode.Is(unicode.M, r) {
			return i
		}
		_, n := utf8.DecodeLastRune(text[:i])
		i -= n
	}
	return to
}

// runeStart returns the last index up to i at which a character of text begins, or i if none
// is near, as in bytes that are no UTF-8.
func runeStart(text []byte, i int) int {
	for j := i; j > 0 && j > i-utf8.UTFMax; j-- {
		if j == len(text) || utf8.RuneStart(text[j]) {
			return j
		}
	}
	return i
}

// atMost returns the number of bytes of the first n characters of text.
func atMost(text []byte, n int) int {
	if len(text) <= n {
		return len(text)
	}
	i := 0
	for ; n > 0 && i < len(text); n-- {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, size := utf8.DecodeRune(text[i:])
		i += size
	}
	return i
}
