package phrase_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/engine/phrase"
	"github.com/pinion-index/pinion/internal/longtest"
)

// naive counts matches by the words of FORMAT.md: it tries all choices of positions, from the left.
func naive(words [][]int, offsets []uint32, lists map[int][]uint32, width int64, ordered bool) (n int) {
	share := func(i, j int) bool {
		group := map[int]bool{i: true}
		for range words {
			for a := range words {
				for b := range words {
					if group[a] && slices.ContainsFunc(words[a], func(w int) bool { return slices.Contains(words[b], w) }) {
						group[b] = true
					}
				}
			}
		}
		return group[j]
	}
	used := make([]map[uint32]bool, len(words))
	for i := range used {
		used[i] = map[uint32]bool{}
	}
	for {
		taken := make([]uint32, len(words))
		var try func(i int) bool
		try = func(i int) bool {
			if i == len(words) {
				least, greatest := int64(1<<62), int64(-1<<62)
				for j, p := range taken {
					least, greatest = min(least, int64(p)-int64(offsets[j])), max(greatest, int64(p)-int64(offsets[j]))
				}
				return greatest-least <= width
			}
			var all []uint32
			for _, w := range words[i] {
				all = append(all, lists[w]...)
			}
			slices.Sort(all)
			for _, p := range slices.Compact(all) {
				ok := !used[i][p]
				for j := range i {
					if ordered && taken[j] >= p || share(i, j) && taken[j] == p {
						ok = false
					}
				}
				if taken[i] = p; ok && try(i+1) {
					return true
				}
			}
			return false
		}
		if !try(0) {
			return n
		}
		n++
		for i, p := range taken {
			for j := range used {
				if share(i, j) {
					used[j][p] = true
				}
			}
		}
	}
}

// slots returns the positions of each slot.
func slots(words [][]int, lists map[int][]uint32) (all [][]uint32) {
	for _, alternatives := range words {
		var s []uint32
		for _, w := range alternatives {
			s = append(s, lists[w]...)
		}
		slices.Sort(s)
		all = append(all, slices.Compact(s))
	}
	return all
}

// exactly counts the matches of an exact phrase by the starts that its slots have.
func exactly(s *phrase.Shape, lists [][]uint32) int {
	order := len(s.Slots) - 1
	starts := phrase.Starts(nil, lists[order], s.Slots[order].Offset)
	for i := range order {
		starts = phrase.Keep(starts, lists[i], s.Slots[i].Offset)
	}
	return new(phrase.Counter).Apart(s, starts)
}

// Counter counts as trying all choices does.
func TestCount(t *testing.T) {
	var c phrase.Counter // keeps its memory
	rapid.Check(t, func(t *rapid.T) {
		lists := map[int][]uint32{}
		for w := range 4 {
			lists[w] = slices.Sorted(slices.Values(rapid.SliceOfNDistinct(rapid.Uint32Range(0, 14), 0, 7, rapid.ID).Draw(t, "list")))
		}
		offset := uint32(0)
		var words [][]int
		var offsets []uint32
		near := rapid.Bool().Draw(t, "near")
		for i := range rapid.IntRange(1, 4).Draw(t, "slots") {
			if i > 0 && !near {
				offset += rapid.Uint32Range(1, 2).Draw(t, "gap")
			}
			offsets = append(offsets, offset)
			words = append(words, slices.Sorted(slices.Values(rapid.SliceOfNDistinct(rapid.IntRange(0, 3), 1, 2, rapid.ID).Draw(t, "words"))))
		}
		width, ordered := rapid.Int64Range(0, 5).Draw(t, "width"), near && rapid.Bool().Draw(t, "ordered")
		s := phrase.NewShape(offsets, words, width, ordered)
		all := slots(words, lists)
		want := naive(words, offsets, lists, width, ordered)
		if got := c.Count(&s, all, 1<<30); got != want {
			t.Fatalf("%d matches of %v in %v, want %d", got, words, all, want)
		}
		if got := c.Count(&s, all, 1); got != min(want, 1) {
			t.Fatalf("%d matches of at most one", got)
		}
		n := 0
		c.Each(&s, all, func(positions []int64) {
			n++
			for i, p := range positions {
				if !slices.Contains(all[i], uint32(p)) {
					t.Fatalf("a match at %v of %v in %v", positions, words, all)
				}
			}
		})
		if n != want {
			t.Fatalf("each of %d matches, want %d", n, want)
		}
		if s.Exact() && !near {
			if got := exactly(&s, all); got != want {
				t.Fatalf("%d exact matches of %v in %v, want %d", got, words, all, want)
			}
		}
	})
}

// The cases of the rule that a person would ask for. The first ones are those of Lucene's tests of phrases and of
// spans that are near each other, whose answers these are where no word repeats.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		phrase string // words; . leaves a position out, | parts alternatives
		slop   int64
		near   string
		text   string
		want   int
	}{
		{"one two", 0, "", "one two three", 1},
		{"one three", 0, "", "one two three", 0},
		{"one three", 1, "", "one two three", 1},
		{"two one", 1, "", "one two three", 0},
		{"two one", 2, "", "one two three", 1}, // two moves are two positions
		{"three one", 2, "", "one two three", 0},
		{"three one", 3, "", "one two three", 1},
		{"five three one", 5, "", "one two three four five", 0},
		{"five three one", 6, "", "one two three four five", 1},
		{"one three five", 1, "", "one two three four five", 0},
		{"one three five", 2, "", "one two three four five", 1},
		{"one two three", 1, "", "one x two three", 1},
		{"one two three", 1, "", "one x two x three", 0},
		{"one two three", 2, "", "one x two x three", 1},
		{"one . three", 0, "", "one two three", 1},
		{"one . three", 0, "", "one three", 0},
		{"one two|zwei", 0, "", "one zwei x one two", 2},
		{"one two", 0, "", "one two one two two", 2},
		{"one two", 5, "", "one one two two", 2},
		{"one two", 1, "", "two one two", 1},
		{"to be or not to be", 0, "", "to be or not to be", 1},
		{"a a", 0, "", "a a a a a", 2},
		{"a b a", 0, "", "a b a b a", 1},
		{"a b a", 0, "", "a b a a b a", 2},
		{"a a", 3, "", "a", 0},
		{"a b", 0, "unordered", "b a", 1},
		{"a b", 0, "unordered", "b x a", 0},
		{"a b", 1, "unordered", "b x a", 1},
		{"a b c", 1, "unordered", "c b x a", 1},
		{"a b", 0, "ordered", "b a b", 1},
		{"a b", 0, "ordered", "b a", 0},
		{"a b c", 2, "ordered", "a x b x c", 1},
		{"a b c", 1, "ordered", "a x b x c", 0},
		{"a b c", 9, "ordered", "a c b", 0},
		{"a a", 1, "unordered", "a x a", 1},
		{"a|b a", 0, "unordered", "a b", 1},
		{"a|b a|c c|d", 1, "unordered", "a d x a", 1},
		{"a|b a", 2, "", "a b", 1},
		{"a|b a", 1, "", "a b", 0},
	} {
		lists, number := map[int][]uint32{}, map[string]int{}
		of := func(w string) int {
			if _, ok := number[w]; !ok {
				number[w] = len(number)
			}
			return number[w]
		}
		for i, w := range strings.Fields(c.text) {
			lists[of(w)] = append(lists[of(w)], uint32(i))
		}
		var words [][]int
		var offsets []uint32
		for i, w := range strings.Fields(c.phrase) {
			if w == "." {
				continue
			}
			var alternatives []int
			for a := range strings.SplitSeq(w, "|") {
				alternatives = append(alternatives, of(a))
			}
			words = append(words, alternatives)
			if c.near != "" {
				i = 0
			}
			offsets = append(offsets, uint32(i))
		}
		width := c.slop
		if c.near != "" {
			width += int64(len(words) - 1)
		}
		s := phrase.NewShape(offsets, words, width, c.near == "ordered")
		name := fmt.Sprintf("%s~%d %s in %s", c.phrase, c.slop, c.near, c.text)
		if got := new(phrase.Counter).Count(&s, slots(words, lists), 100); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		if got := naive(words, offsets, lists, width, c.near == "ordered"); got != c.want {
			t.Errorf("%s, by trying: %d, want %d", name, got, c.want)
		}
	}
}

// Counting ends soon in long documents, also where slots share some of their words and no match is near.
func TestManyPositions(t *testing.T) {
	longtest.Once(t)
	var all, odd []uint32
	for i := range uint32(100_000) {
		all = append(all, i)
		if i%2 == 1 {
			odd = append(odd, i)
		}
	}
	for _, c := range []struct {
		words [][]int
		lists [][]uint32
		width int64
		want  int
	}{
		{[][]int{{0, 1}, {0}}, [][]uint32{all, odd}, 3, 50_000},
		{[][]int{{0, 1}, {0}}, [][]uint32{all, all[99_999:]}, 50_000, 1},
		{[][]int{{0, 1}, {0}}, [][]uint32{all[:1], all[:1]}, 1 << 31, 0},
		{[][]int{{0, 1}, {0, 2}, {0}, {0}}, [][]uint32{all, all, all[7:8], all[7:8]}, 1 << 31, 0},
		{[][]int{{0}, {0}, {0}}, [][]uint32{all, all, all}, 10, 33_333},
	} {
		offsets := make([]uint32, len(c.words))
		s := phrase.NewShape(offsets, c.words, c.width, false)
		if got := new(phrase.Counter).Count(&s, c.lists, 1<<30); got != c.want {
			t.Errorf("%d matches of %v within %d, want %d", got, c.words, c.width, c.want)
		}
	}
}
