package serve

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	termCells = regexp.MustCompile(`<td class="any"><a href="list\?[^"]*">([^<]*)</a><td class="n">([\d,]+)<`)
	nextLink  = regexp.MustCompile(`rel="next" href="([^"]*)"`)
)

// TestTermsByPostings walks the dictionary in both orders: the pages have the same terms,
// and by postings the one with the most comes first.
func TestTermsByPostings(t *testing.T) {
	type row struct {
		term     string
		postings int
	}
	root := start(t, Options{Index: build(t)}).URL + "/secret/"
	walk := func(path string) (rows []row) {
		for path != "" {
			code, body := get(t, root+path)
			if code != 200 {
				t.Fatalf("%s: %d", path, code)
			}
			for _, m := range termCells.FindAllStringSubmatch(body, -1) {
				n, err := strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
				if err != nil {
					t.Fatal(err)
				}
				rows = append(rows, row{m[1], n})
			}
			path = ""
			if m := nextLink.FindStringSubmatch(body); m != nil {
				path = html.UnescapeString(m[1])
			}
		}
		return rows
	}
	for _, prefix := range []string{"", "number1"} {
		want, got := walk("terms?prefix="+prefix), walk("terms?sort=df&prefix="+prefix)
		slices.SortStableFunc(want, func(a, b row) int { return b.postings - a.postings })
		if len(got) < 100 || !slices.Equal(got, want) {
			t.Errorf("prefix %q: %d terms by postings, want %d in order", prefix, len(got), len(want))
		}
	}
}

// TestOneSearchBox checks that no page has a second box for queries.
func TestOneSearchBox(t *testing.T) {
	root := start(t, Options{Index: build(t)}).URL + "/secret/"
	for _, path := range []string{"", "search", "search?q=every", "terms", "docs"} {
		if _, body := get(t, root+path); strings.Count(body, `name="q"`) != 1 {
			t.Errorf("%q has %d boxes", path, strings.Count(body, `name="q"`))
		}
	}
}
