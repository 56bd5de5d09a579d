package search

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A segment that is searched takes two mappings at most, and a small one none.
func TestMappingsOfASegment(t *testing.T) {
	docs := querytest.ZipfDocs(rand.New(rand.NewPCG(5, 6)), 3000, 300, 20)
	dir := querytest.Directory(t, writer.Options{Schema: schema.Implicit("", "", true)}, docs, nil, 10)
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snapshot, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	s, err := NewSearcher(snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Search(context.Background(), Query{RawTerms: querytest.Terms("w0", "w1"), K: 10, Mode: query.ModeOr})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range r.Hits {
		if _, err := snapshot.AppendStored(nil, h.Doc); err != nil {
			t.Fatal(err)
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int64
	for _, seg := range snapshot.Segments() {
		size, most := seg.Header().FileLen, 2
		if size <= 64<<10 {
			most = 0
		}
		name := filepath.Join(snapshot.Directory(), seg.Name())
		if n := strings.Count(string(maps), name+"\n"); n > most || most > 0 && n == 0 {
			t.Errorf("%s of %d bytes has %d mappings", name, size, n)
		}
		sizes = append(sizes, size)
	}
	if len(sizes) != 2 || min(sizes[0], sizes[1]) > 64<<10 || max(sizes[0], sizes[1]) <= 64<<10 {
		t.Errorf("segments of %d bytes: neither small nor large", sizes)
	}
}
