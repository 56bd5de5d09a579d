package search_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// BenchmarkCold opens the index PINION_INDEX, of which no page is in memory, searches for
// a query of the file PINION_QUERIES (qid, tab, text) and gets ids and stored texts of the
// ten hits. It takes another query each time.
func BenchmarkCold(b *testing.B) {
	dir, log := os.Getenv("PINION_INDEX"), os.Getenv("PINION_QUERIES")
	if dir == "" || log == "" {
		b.Skip("needs PINION_INDEX and PINION_QUERIES")
	}
	queries := readLog(b, log)
	for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd} {
		b.Run(mode.String(), func(b *testing.B) {
			parts := make([][]time.Duration, 3)
			for i := 0; b.Loop(); i++ {
				for p, d := range cold(b, dir, queries[i*37%len(queries)], mode) {
					parts[p] = append(parts[p], d)
				}
			}
			for p, name := range []string{"ms-open", "ms-search", "ms-hits"} {
				slices.Sort(parts[p])
				b.ReportMetric(float64(parts[p][len(parts[p])/2].Microseconds())/1e3, name)
			}
		})
	}
}

func readLog(b *testing.B, path string) (texts []string) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		_, text, _ := strings.Cut(s.Text(), "\t")
		texts = append(texts, text)
	}
	return texts
}

// cold returns how long opening, searching and getting the hits take.
func cold(b *testing.B, dir, text string, mode query.Mode) (took [3]time.Duration) {
	files, err := filepath.Glob(filepath.Join(dir, "*.pin"))
	if err != nil || len(files) == 0 {
		b.Fatal("no index", err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err == nil {
			err = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
			f.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	start := time.Now()
	step := func(i int, err error) {
		if err != nil {
			b.Fatal(err)
		}
		took[i] = time.Since(start)
		start = time.Now()
	}
	x, err := reader.Open(b.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	snap, err := x.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snap.Close()
	s, err := search.NewSearcher(snap, search.Options{DenseBytes: -1})
	step(0, err)
	defer s.Close()
	terms, err := s.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	r, err := s.Search(b.Context(), search.Query{RawTerms: terms, K: 10, Mode: mode})
	step(1, err)
	docs := make([]uint32, len(r.Hits))
	for i, h := range r.Hits {
		docs[i] = h.Doc
	}
	snap.Prefetch(docs, true)
	for _, d := range docs {
		if _, err = snap.AppendID(nil, d); err == nil {
			_, err = snap.AppendStored(nil, d)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	step(2, nil)
	return took
}
