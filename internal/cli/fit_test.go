package cli

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFit makes a table narrower: heads are broken first, then text is shortened, and
// numbers remain whole.
func TestFit(t *testing.T) {
	tab := NewTable("term", ">skipped by bound", ">n")
	tab.Row("supercalifragilistic", 12, 1234567)
	tab.Row("日本語日本語日本語", 1, 2)
	for width, want := range map[int]string{
		60: "term|skipped by bound|n", 40: "term|skipped\nby\nbound|n", 31: "term|skipped\nby\nbound|n",
	} {
		heads, rows, short := tab.fit(width)
		got := ""
		for _, h := range heads {
			got += "|" + h.(string)
		}
		if !strings.HasPrefix(strings.TrimPrefix(got, "|"), want) {
			t.Errorf("%d columns: heads %q", width, got)
		}
		if short != (width == 31) || rows[0][2] != "1,234,567" {
			t.Errorf("%d columns: %v, %q", width, short, rows)
		}
	}
}

// TestLines checks that pieces fit, lose nothing but spaces, and break words only where
// they must.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := "a" + rapid.StringOfN(rapid.SampledFrom([]rune("ab   日é")), 0, 80, -1).Draw(t, "line")
		width := rapid.IntRange(2, 20).Draw(t, "width")
		pieces := Lines(line, width)
		for _, p := range pieces {
			if textWidth(p) > width {
				t.Fatalf("%q has more than %d columns", p, width)
			}
		}
		all := strings.ReplaceAll(line, " ", "")
		if got := strings.ReplaceAll(strings.Join(pieces, ""), " ", ""); got != all {
			t.Fatalf("%q became %q", line, pieces)
		}
		fits := true
		for word := range strings.FieldsSeq(line) {
			fits = fits && textWidth(word) <= width
		}
		if fits && strings.Join(strings.Fields(strings.Join(pieces, " ")), " ") != strings.Join(strings.Fields(line), " ") {
			t.Fatalf("%q lost a space: %q", line, pieces)
		}
	})
}

// TestFolder checks that lines are folded where they end, with their indentation, and
// are as they are where there is no terminal.
func TestFolder(t *testing.T) {
	for width, want := range map[int]string{0: "  one two three\nfour", 9: "  one two\n  three\nfour"} {
		var b bytes.Buffer
		f := &Folder{w: &b, width: width}
		for _, part := range []string{"  one ", "two ", "three\nfo", "ur"} {
			if n, err := f.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := f.Flush(); err != nil || b.String() != want {
			t.Errorf("%d columns: %q, %v", width, &b, err)
		}
	}
}
