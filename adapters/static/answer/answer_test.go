package answer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/query"

	"github.com/pinion-index/pinion/adapters/static/answer"
	"github.com/pinion-index/pinion/adapters/static/internal/static"
	"github.com/pinion-index/pinion/adapters/static/words"
)

// built builds the search of pages, HTML by path, and returns a Searcher over it.
func built(t testing.TB, pages map[string]string, o static.Options) *answer.Searcher {
	t.Helper()
	site := t.TempDir()
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(site, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := static.Build(context.Background(), site, o); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(site, static.DefaultOut)
	name, err := static.IndexOf(out, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := answer.Open(os.DirFS(filepath.Join(out, name)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func search(t testing.TB, s *answer.Searcher, typed string, k int) answer.Answer {
	t.Helper()
	a, err := s.Search(typed, k)
	if err != nil {
		t.Fatalf("%q: %v", typed, err)
	}
	return a
}

func urls(a answer.Answer) string {
	var all []string
	for _, h := range a.Hits {
		all = append(all, h.URL)
	}
	return strings.Join(all, " ")
}

// lamps is a site of two hundred pages with five sections each.
func lamps() map[string]string {
	pages := map[string]string{}
	for p := range 200 {
		var b strings.Builder
		fmt.Fprintf(&b, "<html lang=en><title>Page %d of lamps</title><main>", p)
		for s := range 5 {
			fmt.Fprintf(&b, "<h2 id=s%d>Section number%d</h2><p>word%d runs to word%d and nX%dY common.term%d", s, s, p%7, s*p%11, p, p%3)
		}
		pages[fmt.Sprintf("p%03d.html", p)] = b.String()
	}
	return pages
}

// TestWords compares the words that the reader finds in a text with those that the index has.
func TestWords(t *testing.T) {
	s := built(t, map[string]string{"a.html": "<p>a"}, static.Options{})
	check := func(t interface{ Errorf(string, ...any) }, text string) {
		got, err := s.Words(text)
		var want []string
		for _, w := range words.Append(nil, text) {
			want = append(want, w.Form)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q (%+q): the reader has %q (%v), the index %q", text, text, got, err, want)
		}
	}
	for _, text := range []string{"Les élèves passent l'été", "Wałęsa žluťoučký kůň Đà Nẵng", "rela\u00adtion", "U\u0308bung", "größer ẞ", "ΟΔΟΣ οδός", "İstanbul ı",
		"RegularPages max_connections __init__ HTTPServer aB xYzW", "日本語テストー かな ｶﾅ 一 한국어 สวัสดี", "a_日本b", "½ ﬁ ² Ⅳ", "שָׁלוֹם مُحَمَّد",
		strings.Repeat("x", 65), strings.Repeat("é", 33), "\U0001d400\U00020000\U00020001", "_", "___", "a\u200db", "e\u0301\u0301"} {
		check(t, text)
	}
	letters := rapid.SampledFrom([]rune("aAbBzZ09_éßÉłŁøæŒς ΣİıŸ\u0301\u0308\u00ad\u200b日本テー한ก.-'’ﬁ²\U00020000\U0001d400क्ष"))
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.OneOf(letters, rapid.Rune())).Draw(t, "text"))
		if strings.ContainsFunc(text, newer) {
			return
		}
		check(t, text)
	})
}

// newer reports whether a character is of a part of Unicode that the two may know in other versions.
func newer(r rune) bool {
	return r > 0x2ffff || r >= 0x10000 && r < 0x20000 && r != 0x1d400 || r == 0xfffd
}

// site draws pages, and returns them with the words of each.
func site(rng *rand.Rand, n int) (pages map[string]string, has []map[string]bool) {
	pages = map[string]string{}
	for p := range n {
		own := map[string]bool{}
		word := func() string {
			w := fmt.Sprintf("%c%s", 'a'+rng.IntN(4), strings.Repeat(string(rune('k'+rng.IntN(6))), 3+rng.IntN(3)))
			own[w] = true
			return w
		}
		var b strings.Builder
		fmt.Fprintf(&b, "<html><title>%s</title><main>", word())
		for s := range 1 + rng.IntN(4) {
			fmt.Fprintf(&b, "<h2 id=s%d>%s</h2><p>", s, word())
			for range rng.IntN(30) {
				b.WriteString(word() + " ")
			}
		}
		name := fmt.Sprintf("p%03d.html", p)
		own[name[:4]] = true // words of the path
		pages[name], has = b.String(), append(has, own)
	}
	return pages, has
}

// TestPages compares which pages are found with those that have all words, or any of them.
func TestPages(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 1))
	for range 2 {
		pages, has := site(rng, 40)
		s := built(t, pages, static.Options{})
		known := map[string]bool{}
		for _, own := range has {
			for w := range own {
				known[w] = true
			}
		}
		all := slices.Sorted(func(yield func(string) bool) {
			for w := range known {
				if !yield(w) {
					return
				}
			}
		})
		for range 40 {
			var typed []string
			for range 1 + rng.IntN(3) {
				typed = append(typed, all[rng.IntN(len(all))])
			}
			last := typed[len(typed)-1]
			open := rng.IntN(2) == 0 && !strings.HasPrefix(last, "p0")
			if open {
				last = last[:2+rng.IntN(len(last)-1)]
				typed[len(typed)-1] = last
			}
			matches := func(own map[string]bool, i int) bool {
				if !open || i < len(typed)-1 {
					return own[typed[i]]
				}
				for w := range own {
					if strings.HasPrefix(w, last) {
						return true
					}
				}
				return false
			}
			var every, some []string
			for p, own := range has {
				n := 0
				for i := range typed {
					if matches(own, i) {
						n++
					}
				}
				if n == len(typed) {
					every = append(every, fmt.Sprintf("p%03d.html", p))
				}
				if n > 0 {
					some = append(some, fmt.Sprintf("p%03d.html", p))
				}
			}
			want, any := every, false
			if len(every) == 0 {
				want, any = some, true
			}
			text := strings.Join(typed, " ")
			if !open {
				text += " "
			}
			a := search(t, s, text, 1000)
			var got []string
			for _, h := range a.Hits {
				url, _, _ := strings.Cut(h.URL, "#")
				got = append(got, url)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) || a.Any != any || a.Total != len(want) || len(a.Corrected)+len(a.Missing) > 0 {
				t.Fatalf("%q: %d pages, any %v, %q %q: %v\nwant %d, any %v: %v", text, a.Total, a.Any, a.Corrected, a.Missing, got, len(want), any, want)
			}
			if !slices.IsSortedFunc(a.Hits, func(a, b answer.Hit) int { return int(b.Score - a.Score) }) && !a.Any {
				t.Fatalf("%q: hits out of order: %+v", text, a.Hits)
			}
			if first := search(t, s, text, 3); !reflect.DeepEqual(first.Hits, a.Hits[:min(3, len(a.Hits))]) || first.Total != a.Total {
				t.Fatalf("%q: the first three are %v", text, first)
			}
		}
	}
}

// TestShown looks at what is shown of a hit.
func TestShown(t *testing.T) {
	a := search(t, built(t, lamps(), static.Options{}), "lamp number2 runs 17 ", 1)
	if len(a.Hits) != 1 || a.Total != 1 {
		t.Fatal(a)
	}
	h := a.Hits[0]
	h.Score = 0
	want := answer.Hit{
		URL: "p017.html#s2", Title: []string{"Page ", "17", " of ", "lamps", ""}, Heading: []string{"Section ", "number2", ""},
		Text: []string{"word3 ", "runs", " to word1 and nX17Y common.term2"},
	}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("%+v, want %+v", h, want)
	}
}

// Passages are of the text, not longer than they may be, and have a word where the text has one.
func TestPassages(t *testing.T) {
	long := strings.Repeat("nothing to see 日本語 here ", 300)
	s := built(t, map[string]string{"a.html": "<title>A</title><main>" + long + "needle in the middle of it " + long, "b.html": "<main>short needle"}, static.Options{})
	a := search(t, s, "needle ", 10)
	if len(a.Hits) != 2 {
		t.Fatal(a)
	}
	for _, h := range a.Hits {
		text := strings.Join(h.Text, "")
		if n := len([]rune(text)); n > 170 || len(h.Text) != 3 || h.Text[1] != "needle" {
			t.Errorf("%d characters: %q", n, h.Text)
		}
	}
}

// Words that no page has are corrected, replaced by one with the same beginning, or said to be missing.
func TestSlips(t *testing.T) {
	s := built(t, map[string]string{
		"vacuum.html": "<html lang=en><title>Vacuum</title><main>Vacuuming removes configuration", "tulip.html": "<html lang=en><title>Tulips</title><main>Some tulips merge the tables",
		"max.html": "<html lang=en><title>Limits</title><main>max_connections and RegularPages",
	}, static.Options{})
	for typed, want := range map[string]struct{ urls, corrected, missing string }{
		"vacum ":            {"vacuum.html", "vacum vacuum", ""},
		"vaccuum ":          {"vacuum.html", "vaccuum vacuum", ""},
		"vacumu":            {"vacuum.html", "vacumu vacuum", ""},
		"configuartion ":    {"vacuum.html", "configuartion configuration", ""},
		"merges ":           {"tulip.html", "merges merge", ""},
		"merging":           {"tulip.html", "merging merge", ""},
		"zebra tulip ":      {"tulip.html", "", "zebra"},
		"qqqqqq ":           {"", "", "qqqqqq"},
		"regular pages ":    {"max.html", "", ""},
		"regularPages":      {"max.html", "", ""},
		"MaxConnections ":   {"max.html", "", ""},
		"connections.max ":  {"max.html", "", ""},
		"the tulip ":        {"tulip.html", "", ""},
		"confi":             {"vacuum.html", "", ""},
		`"removes vacuum" `: {"", "", ""},
		`"some tulips"`:     {"tulip.html", "", ""},
		`"tulips some"`:     {"", "", ""},
		"":                  {"", "", ""},
		"  ":                {"", "", ""},
	} {
		a := search(t, s, typed, 10)
		var corrected []string
		for _, c := range a.Corrected {
			corrected = append(corrected, c[0]+" "+c[1])
		}
		if got := urls(a); got != want.urls || strings.Join(corrected, ", ") != want.corrected || strings.Join(a.Missing, " ") != want.missing {
			t.Errorf("%q: %q, corrected %q, missing %q; want %+v", typed, got, corrected, a.Missing, want)
		}
	}
}

// A page that is called what is typed comes first, however often others have the words.
func TestCalled(t *testing.T) {
	pages := map[string]string{"json.html": "<html lang=en><title>json — encoder and decoder</title><main>A module.", "index.html": "<html lang=en><title>Start</title><main>All."}
	for i := range 20 {
		pages[fmt.Sprintf("a%d.html", i)] = "<html lang=en><title>Other</title><main>" + strings.Repeat("json json create table ", 20)
	}
	pages["create-table.html"] = "<html lang=en><title>CREATE TABLE</title><main>" + strings.Repeat("text ", 500)
	s := built(t, pages, static.Options{})
	for typed, want := range map[string]string{"json": "json.html", "JSON ": "json.html", "create table": "create-table.html", "create tables ": "create-table.html"} {
		if a := search(t, s, typed, 1); urls(a) != want {
			t.Errorf("%q: %q, want %q", typed, urls(a), want)
		}
	}
}

// Synonyms are searched for with the words, whatever is on either side.
func TestSynonyms(t *testing.T) {
	set, err := query.ParseSynonyms(strings.NewReader("tv, television\nusb stick => thumb drive\nwal => write ahead log, wal\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := built(t, map[string]string{"a.html": "<p>a television", "b.html": "<p>a tv", "c.html": "<p>a thumb drive", "d.html": "<p>a usb stick", "e.html": "<p>the write ahead log", "f.html": "<p>wal files"},
		static.Options{Synonyms: set})
	for typed, want := range map[string]string{"tv ": "a.html b.html", "television": "a.html b.html", "usb stick ": "c.html", "usb ": "d.html", "wal ": "e.html f.html", "wal files ": "f.html"} {
		a := search(t, s, typed, 10)
		got := strings.Fields(urls(a))
		slices.Sort(got)
		if strings.Join(got, " ") != want || len(a.Corrected)+len(a.Missing) > 0 {
			t.Errorf("%q: %q, want %q; %+v", typed, got, want, a)
		}
	}
}

// A search reads few of many files, and each once.
func TestReads(t *testing.T) {
	pages := lamps()
	for p := range 300 {
		var b strings.Builder
		for i := range 400 {
			fmt.Fprintf(&b, "w%xq%d ", (p*401+i*7919)%60000, i%3)
		}
		pages[fmt.Sprintf("q%03d.html", p)] = "<html lang=en><title>Q</title><main>" + b.String()
	}
	s := built(t, pages, static.Options{})
	head := s.Reads()
	search(t, s, "word3 runs ", 6)
	one := s.Reads()
	if head.Files != 1 || one.Files > 1+2+12 || one.Bytes > 200<<10 {
		t.Errorf("the head %+v, then %+v", head, one)
	}
	if search(t, s, "word3 runs ", 6); s.Reads() != one {
		t.Errorf("the same search again reads %+v", s.Reads())
	}
}

// Damaged files are errors that name them.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	if _, err := answer.Open(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "head.bin") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "head.bin"), []byte("no gzip"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := answer.Open(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "head.bin") {
		t.Error(err)
	}
}

// Hits that a search for the nearest in spelling may have are of words that pages have.
var plain = regexp.MustCompile(`^[a-z0-9]+$`)

// FuzzSearch types anything.
func FuzzSearch(f *testing.F) {
	s := built(f, lamps(), static.Options{})
	for _, text := range []string{"", "word3 runs", `"word3 runs" "`, "common.", "a.b.c.d", "*?~^:()[]{}", "\xff", strings.Repeat("a b ", 300), "日本語", `"word3 runs to"`, "wrod3", "lmap", "__proto__ constructor"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := s.Search(strings.ToValidUTF8(text, "\ufffd"), 3)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, h := range a.Hits {
			if h.URL == "" || len(h.Title)%2 != 1 || len(h.Text)%2 != 1 || h.Score <= 0 {
				t.Errorf("%q: %+v", text, h)
			}
		}
		for _, c := range a.Corrected {
			if !plain.MatchString(c[1]) {
				t.Errorf("%q: %q", text, c)
			}
		}
		if len(a.Hits) > a.Total {
			t.Errorf("%q: %d hits of %d", text, len(a.Hits), a.Total)
		}
	})
}
