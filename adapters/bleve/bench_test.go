package bleve_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	bq "github.com/blevesearch/bleve/v2/search/query"

	frombleve "github.com/pinion-index/pinion/adapters/bleve"
	"github.com/pinion-index/pinion/internal/cputime"
	pinionsearch "github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// documentsOf returns the first documents of a file of JSON lines.
func documentsOf(b *testing.B, name string, n int) (docs []struct{ ID, Contents string }) {
	b.Helper()
	f, err := os.Open(name)
	do(b, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	do(b, err)
	for d := json.NewDecoder(z); len(docs) < n && d.More(); {
		docs = append(docs, struct{ ID, Contents string }{})
		do(b, d.Decode(&docs[len(docs)-1]))
	}
	return docs
}

func sizeOf(b *testing.B, dir string) (size int64) {
	b.Helper()
	do(b, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, err := d.Info()
			do(b, err)
			size += info.Size()
		}
		return err
	}))
	return size
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds()) / 1e3
}

// BenchmarkMigration copies the first 40,000 documents of PINION_BENCH_DOCS, JSON lines with the keys id and contents, and
// asks both indexes the first 300 queries of PINION_BENCH_QUERIES, lines of a number, a tab and words.
func BenchmarkMigration(b *testing.B) {
	file, queries := os.Getenv("PINION_BENCH_DOCS"), os.Getenv("PINION_BENCH_QUERIES")
	if file == "" || queries == "" {
		b.Skip("PINION_BENCH_DOCS and PINION_BENCH_QUERIES are not set")
	}
	ctx := context.Background()
	docs := documentsOf(b, file, 40_000)
	text := fieldOf(bleve.NewTextFieldMapping(), func(f *mapping.FieldMapping) { f.DocValues, f.IncludeInAll = false, false })
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	m.DefaultMapping.AddSubDocumentMapping("_all", bleve.NewDocumentDisabledMapping())
	m.DefaultMapping.AddFieldMappingsAt("contents", text)
	oldDir := filepath.Join(b.TempDir(), "old.bleve")
	start := cputime.Process()
	old, err := bleve.New(oldDir, m)
	do(b, err)
	defer old.Close()
	for part := range slices.Chunk(docs, 1000) {
		batch := old.NewBatch()
		for _, d := range part {
			do(b, batch.Index(d.ID, map[string]any{"contents": d.Contents}))
		}
		do(b, old.Batch(batch))
	}
	built := cputime.Process() - start
	for b.Loop() {
		dir := filepath.Join(b.TempDir(), "new.idx")
		start := cputime.Process()
		_, err = frombleve.CopyDir(ctx, old, dir, frombleve.CopyOptions{})
		do(b, err)
		b.ReportMetric(built.Seconds(), "CPU-s-bleve-builds")
		b.ReportMetric((cputime.Process() - start).Seconds(), "CPU-s-copy")
		b.ReportMetric(float64(sizeOf(b, oldDir))/1e6, "MB-bleve")
		b.ReportMetric(float64(sizeOf(b, dir))/1e6, "MB-pinion")
		compare(b, old, dir, queries)
	}
}

// compare asks both indexes the same queries, one after the other.
func compare(b *testing.B, old bleve.Index, dir, queries string) {
	b.Helper()
	x, err := reader.Open(b.Context(), reader.Dir(dir), reader.Options{})
	do(b, err)
	defer x.Close()
	snapshot, err := x.Snapshot()
	do(b, err)
	defer snapshot.Close()
	s, err := pinionsearch.NewSearcher(snapshot, pinionsearch.Options{})
	do(b, err)
	defer s.Close()
	t, err := frombleve.TranslateIndex(b.Context(), old, frombleve.Options{})
	do(b, err)
	f, err := os.Open(queries)
	do(b, err)
	defer f.Close()
	for mode, operator := range map[string]bq.MatchQueryOperator{"or": bq.MatchQueryOperatorOr, "and": bq.MatchQueryOperatorAnd} {
		_, err := f.Seek(0, 0)
		do(b, err)
		var before, after []time.Duration
		same, hits, shared := 0, 0, 0
		for lines := bufio.NewScanner(f); len(before) < 300 && lines.Scan(); {
			_, words, _ := strings.Cut(lines.Text(), "\t")
			q := bleve.NewMatchQuery(words)
			q.SetField("contents")
			q.SetOperator(operator)
			node, err := t.Query(q)
			do(b, err)
			var found *bleve.SearchResult
			var result pinionsearch.Result
			var took [2]time.Duration
			for range 2 { // the second one counts
				start := time.Now()
				found, err = old.Search(bleve.NewSearchRequest(q))
				do(b, err)
				between := time.Now()
				result, err = s.Search(b.Context(), pinionsearch.Query{Node: node})
				do(b, err)
				took = [2]time.Duration{between.Sub(start), time.Since(between)}
			}
			before, after = append(before, took[0]), append(after, took[1])
			n, err := s.Count(b.Context(), pinionsearch.Query{Node: node})
			do(b, err)
			if n == found.Total {
				same++
			}
			for _, h := range result.Hits {
				id, err := snapshot.AppendID(nil, h.Doc)
				do(b, err)
				hits++
				if slices.ContainsFunc(found.Hits, func(o *search.DocumentMatch) bool { return o.ID == string(id) }) {
					shared++
				}
			}
		}
		b.ReportMetric(median(before), "us-bleve-"+mode)
		b.ReportMetric(median(after), "us-pinion-"+mode)
		b.ReportMetric(float64(same)/float64(len(before)), "same-total-"+mode)
		b.ReportMetric(float64(shared)/float64(max(1, hits)), "same-top10-"+mode)
	}
}
