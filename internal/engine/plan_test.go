package engine

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
)

var update = flag.Bool("update", false, "rewrite the plans in testdata/plans")

// The plans in testdata/plans are what the files say. A file begins with the segments of a collection, "segment",
// the number of documents, and terms with the distance of the documents that hold them. Queries follow: the mode, terms,
// and settings; a line of dashes; the plan.
func TestPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/plans/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			got := plans(t, string(b))
			if *update {
				if err := os.WriteFile(f, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if got != string(b) {
				t.Errorf("%s, which -update rewrites, should be\n%s", f, got)
			}
		})
	}
}

// plans returns a file with the plans as they are.
func plans(t *testing.T, file string) string {
	var out strings.Builder
	head, queries, _ := strings.Cut(file, "\n\n")
	fmt.Fprintln(&out, head)
	s := planned(t, head)
	for block := range strings.SplitSeq(strings.TrimSpace(queries), "\n\n") {
		line, _, _ := strings.Cut(block, "\n----")
		q := plannedQuery(t, line[strings.LastIndexByte(line, '\n')+1:])
		p, err := s.Plan(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "\n%s\n----\n%v", line, p)
	}
	return out.String()
}

// planned returns a Searcher over the segments of a file.
func planned(t *testing.T, head string) *Searcher {
	var docs [][]string
	var cuts []int
	for line := range strings.Lines(head) {
		w := strings.Fields(line)
		if len(w) == 0 || w[0] != "segment" {
			continue // a comment
		}
		cuts = append(cuts, len(docs))
		for d := range number(t, w[1]) {
			doc := []string{"filler"}
			for _, x := range w[2:] {
				term, every, _ := strings.Cut(x, "/")
				if n := number(t, every); d%n == 0 {
					doc = append(doc, slices.Repeat([]string{term}, 1+d/n%3)...)
				}
			}
			docs = append(docs, doc)
		}
	}
	c, _ := registry.ByName("bp128")
	return searcherOver(t, docs, nil, c, cuts[1:]...)
}

// plannedQuery returns the query of a line of a file.
func plannedQuery(t *testing.T, line string) *Query {
	w := strings.Fields(line)
	q := &Query{K: 10, Mode: Mode(slices.Index([]string{"or", "and", "and-or"}, w[0]))}
	for _, x := range w[1:] {
		switch name, value, set := strings.Cut(x, "="); {
		case !set:
			q.Terms = append(q.Terms, []byte(x))
		case name == "total":
			q.Total = true
		case name == "k":
			q.K = number(t, value)
		case name == "algorithm":
			q.Algorithm = algorithm.Name(slices.Index(algorithm.Names[:], value))
		case name == "filter":
			some := &docset.Bits{}
			for x := range strings.SplitSeq(value, ",") {
				from, to, many := strings.Cut(x, "-")
				if !many {
					to = from
				}
				some.AddSet(docset.Range(uint32(number(t, from)), uint32(number(t, to))+1))
			}
			q.Filter = docset.NewGlobal(some.Set())
		default:
			t.Fatalf("unknown setting %s", x)
		}
	}
	return q
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
