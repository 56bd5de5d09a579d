package indexdir_test

import (
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
)

// BenchmarkCommit measures commits of one small segment each to a directory of
// the local file system, fsync included.
func BenchmarkCommit(b *testing.B) {
	d, err := indexdir.Create(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for b.Loop() {
		put(b, l, 1)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}
