// Judge asks the search of a site queries whose good pages are known, and counts how many of these are among the first three hits.
//
//	go run ./internal/judge SITE [QUERIES]
//
// A line of QUERIES is a query, a tab, and the good pages with spaces between, relative to the site. Without it queries.tsv and slips.tsv of
// this folder are asked, of the manuals of PostgreSQL 15, Python 3.11 and Go 1.19 as Debian 12 has them (postgresql-doc-15, python3.11-doc,
// golang-1.19-doc), in folders postgresql, python and go.
package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/adapters/static/answer"
	"github.com/pinion-index/pinion/adapters/static/internal/static"
)

//go:embed *.tsv
var own embed.FS

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: judge SITE [QUERIES...]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

func run(site string, files []string) error {
	out := filepath.Join(site, static.DefaultOut)
	index, err := static.IndexOf(out, "")
	if err != nil {
		return err
	}
	s, err := answer.Open(os.DirFS(filepath.Join(out, index)))
	if err != nil {
		return err
	}
	defer s.Close()
	read := os.ReadFile
	if len(files) == 0 {
		files, read = []string{"queries.tsv", "slips.tsv"}, func(name string) ([]byte, error) { return fs.ReadFile(own, name) }
	}
	for _, name := range files {
		text, err := read(name)
		if err != nil {
			return err
		}
		if err := judge(s, name, strings.TrimSpace(string(text))); err != nil {
			return err
		}
	}
	return nil
}

// first is how many hits are looked at.
const first = 3

func judge(s *answer.Searcher, name, text string) error {
	good, most, queries, some, best := 0, 0, 0, 0, 0
	before := s.Reads()
	for line := range strings.SplitSeq(text, "\n") {
		query, pages, _ := strings.Cut(line, "\t")
		wanted := strings.Fields(pages)
		a, err := s.Search(query+" ", first)
		if err != nil {
			return fmt.Errorf("%s: %w", query, err)
		}
		n := 0
		var got []string
		for i, h := range a.Hits {
			url, _, _ := strings.Cut(h.URL, "#")
			mark := " "
			if slices.Contains(wanted, url) {
				n++
				mark = "+"
				if i == 0 {
					best++
				}
			}
			got = append(got, mark+url)
		}
		good, most, queries = good+n, most+min(first, len(wanted)), queries+1
		if n > 0 {
			some++
		}
		fmt.Printf("%d/%d %-28s %s\n", n, min(first, len(wanted)), query, strings.Join(got, " "))
	}
	r := s.Reads()
	fmt.Printf("%s: %d of %d good pages among the first %d; a good one first %d, among them %d of %d queries; %d files and %d bytes read\n\n",
		name, good, most, first, best, some, queries, r.Files-before.Files, r.Bytes-before.Bytes)
	return nil
}
