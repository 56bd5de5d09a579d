//go:build emu && cgo

package bucket

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

func init() { onDevice = emulated }

func emulated(t *testing.T, s *reader.Snapshot, queries []string) string {
	dev, err := gpu.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	cpu, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cpu.Close()
	x, err := gpu.New(dev, s, gpu.Options{Scorer: cpu.Scorer()}) // no CPU: the device answers all
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var qs []search.Query
	for _, q := range queries {
		terms, err := cpu.Parse(q)
		if err != nil {
			t.Fatal(err)
		}
		qs = append(qs, search.Query{RawTerms: terms, K: 10})
	}
	results, err := x.Execute(t.Context(), qs)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, res := range results {
		for _, h := range res.Hits {
			id, err := s.AppendID(nil, h.Doc)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s %v\n", queries[i], id, h.Score)
		}
	}
	return b.String()
}
