package gitea

import (
	"bytes"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/analysis"
)

// nameLines is how many lines are shown of a file whose name matches.
const nameLines = 7

// beginning returns the end of the first lines of a text.
func beginning(text []byte) int {
	end := -1
	for range nameLines {
		n := bytes.IndexByte(text[end+1:], '\n')
		if n < 0 {
			return len(text)
		}
		end += 1 + n
	}
	return end
}

// wanted are the words of a keyword, by number, that each of its terms stands for. A part of an identifier stands for
// itself, and the whole for all its parts.
type wanted struct {
	of    map[string][]int
	words int
}

// wantedOf returns what is looked for in a text that a keyword matches.
func wantedOf(all []analysis.Word) (w wanted) {
	w.of = make(map[string][]int)
	for _, id := range all {
		var parts []int
		for _, p := range id.Parts {
			term := p.Whole
			if term == nil {
				term = p.Term
			}
			if _, ok := w.of[string(term)]; !ok {
				w.of[string(term)] = []int{w.words}
				w.words++
			}
			parts = append(parts, w.of[string(term)][0])
		}
		if whole := string(id.Whole); whole != "" && len(parts) > 1 {
			w.of[whole] = parts
		}
	}
	return w
}

// shortest returns the shortest part of a text that has all that is wanted, the first of several, or the first mark if
// there is none. The marks are where the terms of the query are, in order; there is one at least.
func (w *wanted) shortest(text []byte, marks []pinion.Span) (start, end int) {
	start, end = marks[0].Start, marks[0].End
	words := func(m pinion.Span) []int {
		return w.of[string(ofCode.(analysis.Folder).AppendFolded(nil, text[m.Start:m.End]))]
	}
	have, missing, first, found := make([]int, w.words), w.words, 0, false
	for _, m := range marks {
		for _, n := range words(m) {
			if have[n]++; have[n] == 1 {
				missing--
			}
		}
		for ; missing == 0 && first < len(marks); first++ {
			if from := marks[first].Start; !found || m.End-from < end-start {
				start, end, found = from, m.End, true
			}
			for _, n := range words(marks[first]) {
				if have[n]--; have[n] == 0 {
					missing++
				}
			}
		}
	}
	return start, end
}
