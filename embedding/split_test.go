package embedding_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/embedding"
)

func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

// TestSplitKeeps holds that parts have all of a text in its order, are no longer than they may be, and repeat no more than they may.
func TestSplitKeeps(t *testing.T) {
	pieces := []string{"a", "word", "Sentence.", "end!", "é", "語。", " ", " ", " ", "\n", "\n\n", "\r\n\r\n", "# Head\n", "\n## Two\n", "#no", "```\n", "   \t", "\u0301", strings.Repeat("x", 30), strings.Repeat(" ", 50)}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "text"), "")
		s := embedding.Splitter{Length: rapid.IntRange(1, 60).Draw(t, "length"), Overlap: rapid.IntRange(0, 30).Draw(t, "overlap"), Markdown: rapid.Bool().Draw(t, "markdown")}
		parts := s.Split(text)
		at := 0 // in text: everything before it that is no white space was in a part
		for i, p := range parts {
			if n := utf8.RuneCountInString(p); n > s.Length || n == 0 || p != strings.TrimSpace(p) {
				t.Fatalf("part %d of %d characters: %q", i, n, p)
			}
			// A part is somewhere in text: as far back as an overlap reaches, or further, over white space, and not beyond what is left.
			from := strings.Index(text[at:], p)
			ok := from >= 0 && strings.TrimSpace(text[at:at+from]) == ""
			for begin, size := at, 1; !ok && size > 0 && utf8.RuneCountInString(bare(text[begin:at])) <= min(s.Overlap, s.Length/4); begin -= size {
				ok = strings.HasPrefix(text[begin:], p) && len(p) > at-begin
				from = begin - at
				_, size = utf8.DecodeLastRuneInString(text[:begin])
			}
			if !ok {
				t.Fatalf("part %d, %q, does not follow what was before it, %q", i, p, text[:at])
			}
			at += from + len(p)
		}
		if rest := bare(text[at:]); rest != "" {
			t.Fatalf("no part has %q", rest)
		}
		if s.Overlap == 0 && bare(strings.Join(parts, "")) != bare(text) {
			t.Fatalf("%q of %q", parts, text)
		}
	})
}

func TestSplit(t *testing.T) {
	para := strings.Repeat("Many words stand here. ", 4)
	for _, c := range []struct {
		s    embedding.Splitter
		text string
		want []string
	}{
		{embedding.Splitter{}, "", nil},
		{embedding.Splitter{}, " \n\t ", nil},
		{embedding.Splitter{}, "  one\n\ntwo ", []string{"one\n\ntwo"}},
		{embedding.Splitter{Length: 5}, "abcdefghijkl", []string{"abcde", "fghij", "kl"}},
		{embedding.Splitter{Length: 12}, "one two three four", []string{"one two", "three four"}},
		{embedding.Splitter{Length: 20}, "One is. Two is too long for it.", []string{"One is.", "Two is too long for", "it."}},
		{embedding.Splitter{Length: 20}, "first one\n\nsecond one is here", []string{"first one", "second one is here"}},
		{embedding.Splitter{Length: 20}, "a\n\nsecond one. is here", []string{"a\n\nsecond one.", "is here"}}, // the paragraph is too short to stand alone
		{embedding.Splitter{Length: 20, Overlap: 5}, "one two three four five six", []string{"one two three four", "four five six"}},
		{embedding.Splitter{Length: 20, Overlap: 100}, "one two three four five six", []string{"one two three four", "four five six"}},
		{embedding.Splitter{Length: -1}, "ab", []string{"a", "b"}},
		{embedding.Splitter{Markdown: true}, "# A\n\n## B\ntext\n### C\nmore\n", []string{"# A\n\n## B\ntext", "### C\nmore"}},
		{embedding.Splitter{Markdown: true}, "before\n# A\n```sh\n# a comment\n```\nbehind\n#tag\n####### no\n# B", []string{"before", "# A\n```sh\n# a comment\n```\nbehind\n#tag\n####### no", "# B"}},
		{embedding.Splitter{Markdown: true}, "````md\n```\n# a\n```\n# b\n````\n# C\nc", []string{"````md\n```\n# a\n```\n# b\n````", "# C\nc"}},
		{embedding.Splitter{Markdown: true}, "~~~ `x`\n# a\n~~~ b\n# c\n~~~~\n# D\nd", []string{"~~~ `x`\n# a\n~~~ b\n# c\n~~~~", "# D\nd"}},
		{embedding.Splitter{Markdown: true}, "```go run``` starts it\n# B\nb", []string{"```go run``` starts it", "# B\nb"}},
		{embedding.Splitter{}, "a\n# B\nc", []string{"a\n# B\nc"}},
		{embedding.Splitter{Length: 100}, para + "\n\n" + para, []string{strings.TrimSpace(para), strings.TrimSpace(para)}},
		{embedding.Splitter{Length: 8}, "語語語。語語語語。語", []string{"語語語。", "語語語語。語"}},
	} {
		if got := c.s.Split(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%+v, %q: %q, want %q", c.s, c.text, got, c.want)
		}
	}
}

func ExampleSplitter() {
	s := embedding.Splitter{Length: 30, Markdown: true}
	for _, part := range s.Split("# Whales\n\nThey live in the sea. Some are larger than ships.\n\n# Ships\n\nThey float.\n") {
		fmt.Printf("%q\n", part)
	}
	// Output:
	// "# Whales"
	// "They live in the sea."
	// "Some are larger than ships."
	// "# Ships\n\nThey float."
}
