package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gocloud.dev/blob/memblob"

	"github.com/pinion-index/pinion/scale/bucket"
	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
	"github.com/pinion-index/pinion/scale/bucket/internal/model"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// build makes an index of words with Zipf frequencies and a log, and returns their names.
func build(t *testing.T, docs int) (dir, log string) {
	t.Helper()
	dir, log = filepath.Join(t.TempDir(), "idx"), filepath.Join(t.TempDir(), "log.tsv")
	ctx := t.Context()
	w, err := writer.Open(ctx, dir, writer.Options{Schema: schema.Implicit("simple", "", false)})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(r, 1.1, 20, 50000)
	for d := range docs {
		var text strings.Builder
		for range 20 {
			fmt.Fprintf(&text, "w%d ", zipf.Uint64())
		}
		if err := w.Add(ctx, writer.Text(fmt.Appendf(nil, "doc-%d", d), []byte(text.String()))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	var queries strings.Builder
	for q := range 12 {
		fmt.Fprintf(&queries, "%d\tw%d w%d w%d\n", q, q, 10+q*q, 500*q)
	}
	if err := os.WriteFile(log, []byte(queries.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, log
}

func run(t *testing.T, args ...string) string {
	t.Helper()
	c, out := command(), &bytes.Buffer{}
	c.SetArgs(args)
	c.SetOut(out)
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String()
}

// TestTrace checks that the requests that are recorded from the reader are those that the client of a bucket sends, and that
// all commands take a trace.
func TestTrace(t *testing.T) {
	dir, log := build(t, 20000)
	trace := filepath.Join(t.TempDir(), "trace")
	run(t, "trace", dir, log, trace)
	x, err := readTrace(trace)
	if err != nil {
		t.Fatal(err)
	}
	mem := memblob.OpenBucket(nil)
	defer mem.Close()
	if err := bucket.Import(t.Context(), mem, dir, bucket.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	late := lag.New(lag.Model{Median: 20 * time.Millisecond, P999: 20 * time.Millisecond}, 1).Bucket(mem) // so that what is asked for at once overlaps
	for _, q := range x.Queries {
		_, used, err := ask(t.Context(), late, q.Text)
		if err != nil {
			t.Fatal(err)
		}
		requests, _, n := model.Total(append(q.Reads, q.IDs...))
		if used.Requests != requests || used.Bytes != n || requests == 0 {
			t.Errorf("%q: the client sent %+v, %d requests for %d bytes are in the trace", q.Text, used, requests, n)
		}
	}
	for _, args := range [][]string{
		{"grow", trace, trace},
		{"cache", trace},
		{"bucket", trace, "--searchers", "1,3", "--docs", "100000000", "--segment-docs", "10000000", "--queries", "50"},
		{"nodes", trace, "--queries", "200", "--docs", "1000000"},
	} {
		out := run(t, args...)
		if out == "" || strings.Contains(out, "NaN") {
			t.Errorf("%v printed\n%s", args, out)
		}
		if again := run(t, args...); again != out {
			t.Errorf("%v printed\n%s\nand then\n%s", args, out, again)
		}
	}
}
