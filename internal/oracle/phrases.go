package oracle

import (
	"math"
	"slices"
)

// Sequence is what a node of kind Phrase searches for, as format/FORMAT.md, section 8.2, has it.
type Sequence struct {
	Words   [][]string // of each slot: the alternatives
	Offsets []int      // of the slots
	Width   int        // most that positions, less offsets, may differ
	Ordered bool       // positions ascend from slot to slot
}

// positions returns where a document of tokens has the words of each slot, ascending. places are those of the tokens, nil
// if they count from 0.
func (s *Sequence) positions(tokens []string, places []int) [][]int {
	all := make([][]int, len(s.Words))
	for i, t := range tokens {
		p := i
		if places != nil {
			p = places[i]
		}
		for j, words := range s.Words {
			if slices.Contains(words, t) && !slices.Contains(all[j], p) {
				all[j] = append(all[j], p)
			}
		}
	}
	for _, positions := range all {
		slices.Sort(positions)
	}
	return all
}

// groups returns a number for each slot that is equal for slots that share words, directly or not.
func (s *Sequence) groups() []int {
	groups := make([]int, len(s.Words))
	for i := range groups {
		groups[i] = i
	}
	for range groups {
		for i, a := range s.Words {
			for j, b := range s.Words {
				if slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) }) {
					groups[i] = min(groups[i], groups[j])
					groups[j] = groups[i]
				}
			}
		}
	}
	return groups
}

// Count returns how often a document of tokens has the phrase: it tries choices of positions, from the left, and uses up
// those of the first that is a match. places are as in Record.
func (s *Sequence) Count(tokens []string, places []int) (n int) {
	positions := s.positions(tokens, places)
	if slices.ContainsFunc(positions, func(p []int) bool { return len(p) == 0 }) {
		return 0
	}
	groups := s.groups()
	type use struct{ group, position int }
	used := map[use]bool{}
	chosen := make([]int, len(positions))
	var choose func(i, least, greatest int) bool
	choose = func(i, least, greatest int) bool {
		if i == len(positions) {
			return true
		}
		for _, p := range positions[i] {
			lo, hi := min(least, p-s.Offsets[i]), max(greatest, p-s.Offsets[i])
			ok := !used[use{groups[i], p}] && (i == 0 || hi-lo <= s.Width)
			for j := range i {
				ok = ok && (chosen[j] < p || !s.Ordered && (chosen[j] != p || groups[j] != groups[i]))
			}
			if chosen[i] = p; ok && choose(i+1, lo, hi) {
				return true
			}
		}
		return false
	}
	for choose(0, math.MaxInt, math.MinInt) {
		n++
		for i, p := range chosen {
			used[use{groups[i], p}] = true
		}
	}
	return n
}

// countPhrase counts a phrase in all documents, and its words.
func (t *Trees) countPhrase(n *Node) {
	n.tfs, n.dfs = make([]int, len(t.docs)), map[string]int{}
	for d := range t.docs {
		if !t.docs[d].Deleted {
			n.tfs[d] = n.Sequence.Count(t.docs[d].Terms[n.Field], t.docs[d].Places[n.Field])
		}
	}
	for _, words := range n.Sequence.Words {
		for _, w := range words {
			n.dfs[w] = 0
			if l := t.lists[[2]string{n.Field, w}]; l != nil {
				n.dfs[w] = l.df
			}
		}
	}
	n.df = math.MaxInt
	for w, df := range n.dfs {
		if df < n.df || df == n.df && w < n.Term {
			n.df, n.Term = df, w // its place is that of its rarest word
		}
	}
}

// weighPhrase sets the weight of a phrase: its idf is the sum of those of its slots, each that of its most frequent word.
func (t *Trees) weighPhrase(n *Node) {
	f, st := n.field, n.index
	idf, exact := 0.0, 0.0
	for _, words := range n.Sequence.Words {
		df := 0
		for _, w := range words {
			df = max(df, n.dfs[w])
		}
		idf = float64(idf + f.idf(ln, st.n, df))
		exact += f.idf(math.Log, st.n, df)
	}
	boost := 0.0
	for _, b := range n.boosts {
		boost += b
	}
	n.weight = float32(f.weigh(idf) * float32(f.Weight*boost))
	n.exact = exact * f.factor() * f.Weight * boost
}
