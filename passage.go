package pinion

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// passages finds the best passage of texts.
type passages struct {
	counts   []int // by term
	from, to []int // by mark: where it begins and ends, in characters
	ends     []int // the marks that fit in a passage, by where they end
	merged   []mark
}

// passage is a part of a text, and the words of the query in it, which do not overlap.
type passage struct {
	from, to int
	marks    []mark
}

// window is what must be in the passage of a text, and what its words weigh, each once.
type window struct {
	lo, hi int
	weight float32
}

// repeated is what a word counts that the passage has already, by its weight.
const repeated = 1.0 / 16

// nearly is by how much of itself a weight must be above another to be more: sums are rounded.
const nearly = 1e-5

// passage returns the text of a document that has the best passage of at most length characters, of those in the field with a
// name or, if that is "", of all that the query searches, and that passage. There is none if there is no text.
func (st *scratch) passage(d *document, name string, length int) (of candidate, p passage, err error) {
	if st.texts, err = d.candidates(st.texts[:0], name, &st.words); err != nil {
		return of, p, err
	}
	defer clear(st.texts)
	w := &st.words
	var best window
	st.marks = st.marks[:0]
	for i, c := range st.texts {
		f := &w.fields[c.field]
		if i > 0 && (f.most <= best.weight*(1+nearly) || len(f.terms) == 0) {
			continue
		}
		if err := d.ctx.Err(); err != nil {
			return of, p, err
		}
		marks, err := w.marksOf(d, &c)
		if err != nil {
			return of, p, err
		}
		x := st.parts.heaviest(c.text, marks, f.terms, length)
		if i == 0 || x.weight > best.weight*(1+nearly) {
			of, best = c, x
			st.marks, w.marks = w.marks, st.marks
		}
	}
	return of, st.parts.around(of.text, st.marks, best, length), nil
}

// marksOf is find in a text of a document, wherever in it the words are, if the index can tell.
func (w *words) marksOf(d *document, c *candidate) ([]mark, error) {
	if c.alone && w.counts(c.field, c.text) {
		if marks, ok, err := w.findCounted(c.field, d, c.text); ok || err != nil {
			return marks, err
		}
	}
	return w.find(c.field, c.text), nil
}

// around returns the passage of at most length characters around a window, with more behind it than before. It begins and
// ends between words if there are spaces. The marks are valid until the next call.
func (p *passages) around(text []byte, marks []mark, w window, length int) passage {
	out := passage{to: len(text)}
	if !within(text, length) {
		out.from, out.to = widen(text, w.lo, w.hi, length)
	}
	out.marks = p.join(marks, out.from, out.to)
	return out
}

// within reports whether a text has at most length characters. Bytes that are no UTF-8 are one each.
func within(text []byte, length int) bool {
	return len(text) <= length || len(text)/utf8.UTFMax <= length && utf8.RuneCount(text) <= length
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

// heaviest returns the marks within length characters that weigh most, the first of several. If none is so short, it is the
// beginning of the heaviest, and if there are none, the beginning of the text.
func (p *passages) heaviest(text []byte, marks []mark, terms []term, length int) (w window) {
	p.counts = append(p.counts[:0], make([]int, len(terms))...)
	if len(text) <= length {
		return window{weight: p.distinct(marks, terms, len(text))}
	}
	p.measure(text, marks, length)
	first, best, sum, next := -1, float32(0), float32(0), 0
	for i, m := range marks {
		for ; next < len(p.ends) && p.to[p.ends[next]] <= p.from[i]+length; next++ {
			t := marks[p.ends[next]].term
			sum += p.share(terms, t)
			p.counts[t]++
		}
		if sum > best*(1+nearly) {
			first, best, w = i, sum, window{lo: m.start, hi: marks[p.ends[next-1]].end}
		}
		if p.to[i]-p.from[i] <= length {
			p.counts[m.term]--
			sum -= p.share(terms, m.term)
		}
	}
	if first >= 0 {
		w.weight = p.distinct(marks[first:], terms, w.hi)
		return w
	}
	for _, m := range marks {
		if x := terms[m.term].weight; x > w.weight {
			w = window{m.start, advance(text, m.start, length), x}
		}
	}
	return w
}

// measure finds out where marks are, in characters. What is between two may be counted as more if it is more than length.
func (p *passages) measure(text []byte, marks []mark, length int) {
	p.from, p.to, p.ends = p.from[:0], p.to[:0], p.ends[:0]
	count := func(text []byte) int {
		if len(text)/utf8.UTFMax > length {
			return len(text)
		}
		return utf8.RuneCount(text)
	}
	at, sorted := 0, true
	for i, m := range marks {
		if i > 0 {
			at += count(text[marks[i-1].start:m.start])
		}
		size := count(text[m.start:m.end])
		p.from, p.to = append(p.from, at), append(p.to, at+size)
		if size <= length {
			n := len(p.ends)
			sorted = sorted && (n == 0 || p.to[p.ends[n-1]] <= at+size)
			p.ends = append(p.ends, i)
		}
	}
	if !sorted {
		slices.SortStableFunc(p.ends, func(a, b int) int { return cmp.Compare(p.to[a], p.to[b]) })
	}
}

// distinct returns what the terms of marks weigh that end at hi or before, each once. It leaves counts of no use.
func (p *passages) distinct(marks []mark, terms []term, hi int) (sum float32) {
	clear(p.counts)
	for _, m := range marks {
		if m.start >= hi {
			break
		}
		if m.end <= hi && p.counts[m.term] == 0 {
			p.counts[m.term]++
			sum += terms[m.term].weight
		}
	}
	return sum
}

// share is what one more occurrence of a term adds to the weight of a passage.
func (p *passages) share(terms []term, t int) float32 {
	if p.counts[t] > 0 {
		return terms[t].weight * repeated
	}
	return terms[t].weight
}

// widen returns a range of at most length characters with the bytes from lo to hi, which have no more, with more behind
// them than before. It begins and ends between words if there are spaces, and not within a character with its accents.
func widen(text []byte, lo, hi, length int) (from, to int) {
	spare := max(length-utf8.RuneCount(text[lo:hi]), 0)
	before, from := retreat(text, lo, spare/3)
	behind, to := spare-before, 0
	if to = advance(text, hi, behind); to == len(text) {
		_, from = retreat(text, from, behind-utf8.RuneCount(text[hi:]))
	}
	near := min(length/6, 48)
	if from > 0 {
		from = wordStart(text, from, min(lo, advance(text, from, near)), lo)
	}
	if to < len(text) {
		_, least := retreat(text, to, near)
		to = wordEnd(text, to, max(hi, least, from), max(hi, from))
	}
	return from, to
}

// advance returns where the n-th character behind i ends, or len(text).
func advance(text []byte, i, n int) int {
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

// retreat returns where the n-th character before i begins, or 0, and how many there were.
func retreat(text []byte, i, n int) (had, at int) {
	for ; had < n && i > 0; had++ {
		_, size := utf8.DecodeLastRune(text[:i])
		i -= size
	}
	return had, i
}

// wordStart returns where the first word at or behind from begins, if that is not behind most, and otherwise where the first
// character does that is not behind last.
func wordStart(text []byte, from, most, last int) int {
	if r, _ := utf8.DecodeLastRune(text[:from]); unicode.IsSpace(r) {
		return from
	}
	for i := from; i < most; {
		r, n := utf8.DecodeRune(text[i:])
		if i += n; unicode.IsSpace(r) && i <= most {
			return i
		}
	}
	for from < last && joined(text, from) {
		from = advance(text, from, 1)
	}
	return from
}

// wordEnd returns where the last word at or before to ends, if that is not before least, and otherwise where the last
// character does, if that is behind first.
func wordEnd(text []byte, to, least, first int) int {
	if r, _ := utf8.DecodeRune(text[to:]); unicode.IsSpace(r) {
		return to
	}
	for i := to; i > least; {
		r, n := utf8.DecodeLastRune(text[:i])
		if i -= n; unicode.IsSpace(r) && i >= least {
			return i
		}
	}
	for i := to; i > first; _, i = retreat(text, i, 1) {
		if !joined(text, i) {
			return i
		}
	}
	return to
}

// joined reports whether what stands before i and what stands at i, both within text, are seen as one character: accents,
// emoji of several parts, flags.
func joined(text []byte, i int) bool {
	const joiner = '\u200d'
	r, _ := utf8.DecodeRune(text[i:])
	before, _ := utf8.DecodeLastRune(text[:i])
	switch {
	case unicode.Is(unicode.M, r), r == joiner, before == joiner, isEmojiModifier(r):
		return true
	case !isRegional(r):
		return false
	}
	n := 0
	for ; isRegional(before); n++ { // two are a flag
		_, i = retreat(text, i, 1)
		before, _ = utf8.DecodeLastRune(text[:i])
	}
	return n%2 == 1
}

func isEmojiModifier(r rune) bool { return 0x1F3FB <= r && r <= 0x1F3FF }
func isRegional(r rune) bool      { return 0x1F1E6 <= r && r <= 0x1F1FF }

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
