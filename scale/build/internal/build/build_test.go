package build

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/cespare/xxhash/v2"
	_ "gocloud.dev/blob/fileblob"

	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// killIn names the partition at which a worker process kills itself.
const killIn = "PINION_BUILD_KILL"

func TestMain(m *testing.M) {
	log.LogLevel = "error"
	if work(os.Args[1:]) {
		if k := os.Getenv(killIn); k != "" {
			onWrite = func(p int) {
				if fmt.Sprint(p) == k {
					self, err := os.FindProcess(os.Getpid())
					if err == nil {
						err = self.Kill()
					}
					panic(err)
				}
			}
		}
		beam.Init() // does not return
	}
	flag.Parse()
	beam.Init()
	os.Exit(inFolder(m.Run))
}

// inFolder calls f while temporary files, of which Beam leaves some, go into a folder of their own.
func inFolder(f func() int) int {
	dir, err := os.MkdirTemp("", "pinion-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	os.Setenv("TMPDIR", dir)
	return f()
}

// work sets the flags of a worker if the arguments are those that Prism gives the program that is to start one.
func work(args []string) bool {
	for _, arg := range args {
		if v, ok := strings.CutPrefix(arg, "--id="); ok {
			flag.Set("id", strings.Trim(v, "'"))
		}
		if v, ok := strings.CutPrefix(arg, "--provision_endpoint="); ok {
			flag.Set("worker", "true")
			flag.Set("control_endpoint", v)
			flag.Set("logging_endpoint", v)
			return true
		}
	}
	return false
}

// newURL returns the URL of a directory that is not there yet.
func newURL(t *testing.T) string {
	return "file:///" + filepath.ToSlash(filepath.Join(t.TempDir(), "index"))
}

// sum returns the checksum of the index at a URL, as if it had one segment.
func sum(t *testing.T, url string, segments int) (sum string) {
	t.Helper()
	x, err := bucket.OpenIndex(t.Context(), url, bucket.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.View(t.Context(), func(s *reader.Snapshot) (err error) {
		if n := s.Stats().Segments; n != segments {
			t.Errorf("%d segments, not %d", n, segments)
		}
		sum, err = checksum(t.Context(), s)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(sum, fmt.Sprintf("in %d segments", segments), "in 1 segments", 1)
}

// exists reports whether there is an index at a URL.
func exists(t *testing.T, url string) bool {
	t.Helper()
	b, err := bucket.CreateURL(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	there, err := bucket.Exists(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// One and two workers, however segments are joined, give the answers of an ordinary writer over the documents in the order
// that is promised.
func TestBuild(t *testing.T) {
	inputs, docs := collection(t)
	n := int64(0)
	for _, ds := range docs {
		n += int64(len(ds))
	}
	for _, s := range []*schema.Schema{nil, prices(t)} {
		want := plain(t, ordered(docs, 1, 5), s)
		for _, o := range []Options{
			{Workers: 1, Partitions: 5},
			{Workers: 2, Partitions: 5},
			{Workers: 2, Partitions: 5, Segments: 2, Memory: writer.MinMemory},
			{Workers: 2, Partitions: 5, Segments: 5},
		} {
			o.Documents.Schema, o.Scratch = s, t.TempDir()
			url := newURL(t)
			r, err := Run(t.Context(), "prism", url, inputs, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Read != n || r.Skipped != 0 {
				t.Errorf("%+v of %d documents", r, n)
			}
			if got := sum(t, url, max(o.Segments, 1)); got != want {
				t.Errorf("%d workers, %d segments:\n%s, not\n%s", o.Workers, o.Segments, got, want)
			}
			if left, err := os.ReadDir(o.Scratch); err != nil || len(left) > 0 {
				t.Errorf("%d files are left", len(left))
			}
		}
	}
}

// The shards of a collection, joined, are the index of all, and each has the documents that hash to it.
func TestShards(t *testing.T) {
	inputs, docs := collection(t)
	url := newURL(t)
	if _, err := Run(t.Context(), "prism", url, inputs, Options{Shards: 3, Partitions: 2}); err != nil {
		t.Fatal(err)
	}
	var want []string
	for shard := range 3 {
		var own [][]doc
		for _, in := range docs {
			own = append(own, slices.DeleteFunc(slices.Clone(in), func(d doc) bool { return xxhash.Sum64String(d.ID)%3 != uint64(shard) }))
		}
		want = append(want, plain(t, ordered(own, 3, 2), nil))
	}
	for shard, want := range want {
		if got := sum(t, fmt.Sprintf("%s/shard-%04d", url, shard), 1); got != want {
			t.Errorf("shard %d: %s, not %s", shard, got, want)
		}
	}
}

// A bundle that panics fails the build and leaves no index. Running the build again makes it.
func TestPanic(t *testing.T) {
	inputs, docs := collection(t)
	url := newURL(t)
	o := Options{Partitions: 3}
	onWrite = func(p int) {
		if p == 1 {
			panic("no more")
		}
	}
	_, err := Run(t.Context(), "prism", url, inputs, o)
	onWrite = func(int) {}
	if err == nil || exists(t, url) {
		t.Fatalf("after %v there is an index", err)
	}
	if _, err := Run(t.Context(), "prism", url, inputs, o); err != nil {
		t.Fatal(err)
	}
	if got, want := sum(t, url, 1), plain(t, ordered(docs, 1, 3), nil); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if _, err := Run(t.Context(), "prism", url, inputs, o); !errors.Is(err, bucket.ErrConflict) {
		t.Errorf("a build over an index: %v", err)
	}
}

// A worker in a process of its own that is killed fails the build, and again.
func TestKilled(t *testing.T) {
	inputs, docs := collection(t)
	url := newURL(t)
	o := Options{Partitions: 3}
	kind, config, binary := *jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary
	defer func() {
		*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary = kind, config, binary
	}()
	*jobopts.WorkerBinary = os.Args[0]
	run := func(kill string) error {
		// Prism 2.77 does not always notice that a worker is gone, and waits for its bundle.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if kill == "" {
			ctx, cancel = context.WithCancel(t.Context())
		}
		defer cancel()
		*jobopts.EnvironmentType = "process"
		*jobopts.EnvironmentConfig = fmt.Sprintf(`{"command": %q, "env": {%q: %q}}`, os.Args[0], killIn, kill)
		_, err := Run(ctx, "prism", url, inputs, o)
		return err
	}
	if err := run("2"); err == nil || exists(t, url) {
		t.Fatalf("after %v there is an index", err)
	}
	if err := run(""); err != nil {
		t.Fatal(err)
	}
	if got, want := sum(t, url, 1), plain(t, ordered(docs, 1, 3), nil); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// Bundles that run twice and at once, of which one result counts, leave the same index and garbage that is not of it.
func TestTwice(t *testing.T) {
	inputs, docs := collection(t)
	j, err := newJob(newURL(t), inputs, Options{Partitions: 4, Segments: 2, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	twice := func(f func() error) {
		t.Helper()
		errs := make([]error, 2)
		var both sync.WaitGroup
		for i := range errs {
			both.Go(func() { errs[i] = f() })
		}
		both.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	blocks, parts := map[int64][][]byte{}, map[int64][][]byte{}
	for i, in := range inputs {
		var mu sync.Mutex
		var last map[int64][][]byte // what one of the executions has emitted
		twice(func() error {
			own := map[int64][][]byte{}
			err := (&readFn{*j}).ProcessElement(t.Context(), int64(i), in, func(p int64, b []byte) { own[p] = append(own[p], b) })
			mu.Lock()
			last = own
			mu.Unlock()
			return err
		})
		for p, bs := range last {
			blocks[p] = append(bs, blocks[p]...) // runners do not keep the order
		}
	}
	one := func(f func(emit func(b []byte)) error) (last []byte) {
		var mu sync.Mutex
		twice(func() error {
			return f(func(b []byte) {
				mu.Lock()
				last = b
				mu.Unlock()
			})
		})
		return last
	}
	for p, bs := range blocks {
		group := int64(j.group(int(p)))
		parts[group] = append(parts[group], one(func(emit func([]byte)) error {
			return (&writeFn{*j}).ProcessElement(t.Context(), p, all(bs), func(_ int64, b []byte) { emit(b) })
		}))
	}
	var joined [][]byte
	for g, ps := range parts {
		joined = append(joined, one(func(emit func([]byte)) error {
			return (&mergeFn{*j}).ProcessElement(t.Context(), g, all(ps), emit)
		}))
	}
	twice(func() error { return (&commitFn{*j}).ProcessElement(t.Context(), nil, all(joined)) })
	if got, want := sum(t, j.URL, 2), plain(t, ordered(docs, 1, 4), nil); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// Without documents there is an index without documents.
func TestNoDocuments(t *testing.T) {
	in := filepath.Join(t.TempDir(), "none.jsonl")
	if err := os.WriteFile(in, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	url := newURL(t)
	if _, err := Run(t.Context(), "prism", url, []string{in}, Options{Documents: exchange.DocumentOptions{Format: exchange.FormatJSONL}}); err != nil {
		t.Fatal(err)
	}
	if got, want := sum(t, url, 0), plain(t, nil, nil); strings.Replace(want, "0 segments", "1 segments", 1) != got {
		t.Errorf("%s, not %s", got, want)
	}
}

// A bad document fails the build, or is passed over. Inputs can be URLs.
func TestBadDocument(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad.jsonl"), []byte("{\"id\": \"1\", \"contents\": \"w1\"}\n{\"contents\": \"w1\"}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	in := []string{"file:///" + filepath.ToSlash(dir) + "/bad.jsonl"}
	url := newURL(t)
	if _, err := Run(t.Context(), "prism", url, in, Options{}); err == nil || exists(t, url) {
		t.Fatalf("%v, and an index", err)
	}
	r, err := Run(t.Context(), "prism", url, in, Options{Skip: true})
	if err != nil || r != (Result{Read: 1, Skipped: 1}) {
		t.Errorf("%+v, %v", r, err)
	}
}
