package site

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// normalized returns what a browser makes of the value of a field when it sends a form.
func normalized(value string) string {
	value = strings.ToValidUTF8(strings.ReplaceAll(value, "\x00", "\ufffd"), "\ufffd")
	value = strings.ReplaceAll(strings.ReplaceAll(value, "\r\n", "\n"), "\r", "\n")
	return strings.ReplaceAll(value, "\n", "\r\n")
}

// FuzzAsked reads what is asked for again from its link, and filters and order from the form, whatever they consist of.
func FuzzAsked(f *testing.F) {
	for _, text := range []string{"a", "b & 1", "a\nb", "a\rb", "\xff", "\x00", "is.x=1&from=10", "+", "%2B", "", "ü", `"><script>`, "a;b", "-"} {
		f.Add("rose", "brand", text)
		f.Add(text, text, "x")
	}
	f.Fuzz(func(t *testing.T, q, field, value string) {
		want := asked{q: strings.ToValidUTF8(q, ""), picks: []pair{{field, value}}, sort: "-" + field, more: []string{field}, from: 20}
		read := func(text string) asked {
			query, ok := strings.CutPrefix(text, "./?")
			if !ok {
				t.Fatalf("the link is %q", text)
			}
			v, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			a, err := readAsked(v)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			return a
		}
		if got := read(want.link()); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", want.link(), got, want)
		}
		if got := read(want.with(pair{"other", value}).without(pair{field, value}).link()); len(got.picks) != 1 || got.picks[0].field != "other" && field != "other" || got.from != 0 {
			t.Errorf("%+v: another filter", got)
		}
		sent := url.Values{}
		for _, k := range want.kept() {
			sent.Add(normalized(k.Name), normalized(k.Value))
		}
		got, err := readAsked(sent)
		if err != nil || !reflect.DeepEqual(got.picks, want.picks) || got.sort != want.sort || got.from != 0 {
			t.Errorf("the form sends %q: %+v, %v, want %+v", sent, got, err, want)
		}
	})
}

// Pages are those around the one that is asked for, up to the last that is shown.
func TestPages(t *testing.T) {
	for _, tt := range []struct {
		from       int
		total      uint64
		prev, next bool
		numbers    string
		limit      int
	}{
		{0, 11, false, true, "[1] 2", 0}, {10, 11, true, false, "1 [2]", 0}, {0, 500, false, true, "[1] 2 3 4", 0},
		{200, 500, true, true, "20 [21] 22", 0}, {490, 500, true, false, "47 48 49 [50]", 0}, {990, 5000, true, false, "97 98 99 [100]", lastHit},
	} {
		p := pagesOf(asked{from: tt.from}, tt.total)
		var numbers []string
		for _, n := range p.Numbers {
			if n.Current {
				n.Text = "[" + n.Text + "]"
			}
			numbers = append(numbers, n.Text)
		}
		if got := strings.Join(numbers, " "); got != tt.numbers || (p.Prev != "") != tt.prev || (p.Next != "") != tt.next || p.Limit != tt.limit {
			t.Errorf("from %d of %d: %q, %+v", tt.from, tt.total, got, p)
		}
	}
	if p := pagesOf(asked{}, 10); p != nil {
		t.Errorf("of one page: %+v", p)
	}
}

// A query is taken apart, and together again.
func TestWords(t *testing.T) {
	x := shownOf(drawnSchema)
	for q, want := range map[string]string{
		`red shoes`:            "red shoes",
		`+red -shoes !x (a b)`: "red !shoes !x a b",
		`"red shoes"~2 ro* a?`: "red shoes @ro* a?",
		`title:"red" tag:x`:    "red #x",
		`a AND NOT b OR c`:     "a @ @ !b @ c",
		`10:30 c++ “a”`:        "10:30 c++ a",
	} {
		var got []string
		for _, w := range x.words(q) {
			text := w.core
			switch {
			case w.other:
				text = "@" + text
			case w.excluded:
				text = "!" + text
			case !w.isWord():
				text = "#" + text
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %q, want %q", q, text, want)
		}
	}
	for _, text := range []string{"a", "+a", `"a`, `title:(a`, `"x"~2`, "ro*", "", ":", "title:", "((", "a^2"} {
		if w := x.wordOf(text); w.lead+w.core+w.tail != text {
			t.Errorf("%q: %+v", text, w)
		}
	}
}

// Edits are counted as people slip.
func TestEdits(t *testing.T) {
	for pair, want := range map[[2]string]int{{"", ""}: 0, {"a", ""}: 1, {"red", "rde"}: 1, {"shephred", "shepherd"}: 1, {"shoes", "shose"}: 1, {"grün", "grun"}: 1, {"kitten", "sitting"}: 3} {
		if got := edits(pair[0], pair[1]); got != want || got != edits(pair[1], pair[0]) {
			t.Errorf("%q: %d, want %d", pair, got, want)
		}
	}
}
