package game

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var (
	benchIndex   = flag.String("index", "", "a `DIR` with an index, for BenchmarkForms")
	benchQueries = flag.String("queries", "", "a `FILE` of queries in the game's form, for BenchmarkForms")
)

// BenchmarkForms takes the times of the queries of each tag with each command, without the game's pipe:
//
//	go test -run - -bench Forms -benchtime 10x -index idx -queries queries.txt
//
// The times are those of the processor, so that a machine that does other things shows in them little. Reported are
// the means over queries of the median of the runs and of the best one, which is what the game shows.
func BenchmarkForms(b *testing.B) {
	if *benchIndex == "" || *benchQueries == "" {
		b.Skip("give -index and -queries")
	}
	e, err := Open(*benchIndex)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	tagged := readQueries(b, *benchQueries)
	for _, tag := range tagged.tags {
		for _, command := range []string{"COUNT", "TOP_10", "TOP_100", "TOP_1000", "TOP_10_COUNT", "TOP_100_COUNT"} {
			b.Run(tag+"/"+command, func(b *testing.B) { benchmark(b, e, command, tagged.queries[tag]) })
		}
	}
}

func benchmark(b *testing.B, e *Engine, command string, queries []string) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	times := make([][]time.Duration, len(queries))
	for b.Loop() {
		for i, q := range queries {
			start := cpu(b)
			if _, err := e.Answer(b.Context(), command+"\t"+q); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], cpu(b)-start)
		}
	}
	var median, best float64
	for _, t := range times {
		slices.Sort(t)
		median += t[len(t)/2].Seconds() * 1e6 / float64(len(queries))
		best += t[0].Seconds() * 1e6 / float64(len(queries))
	}
	b.ReportMetric(median, "us-median/query")
	b.ReportMetric(best, "us-best/query")
	b.ReportMetric(0, "ns/op")
}

// cpu returns the time of processors that the thread has used.
func cpu(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// taggedQueries are the queries of each tag; tags are in the order of the file.
type taggedQueries struct {
	tags    []string
	queries map[string][]string
}

func readQueries(b *testing.B, name string) taggedQueries {
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	all := taggedQueries{queries: map[string][]string{}}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var q struct {
			Query string
			Tags  []string
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			b.Fatal(err)
		}
		for _, tag := range q.Tags {
			if !slices.Contains(all.tags, tag) {
				all.tags = append(all.tags, tag)
			}
			all.queries[tag] = append(all.queries[tag], q.Query)
		}
	}
	return all
}
