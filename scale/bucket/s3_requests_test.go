package bucket

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/johannesboyne/gofakes3"
)

// An upload that a killed process has left is aborted when it is old, if it is one of an object of this index.
func TestSweepUploads(t *testing.T) {
	ctx := t.Context()
	clock := gofakes3.FixedTimeSource(time.Now().Add(-3 * time.Hour))
	b, err := OpenURL(ctx, newS3At(t, clock, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var client *s3.Client
	if !b.As(&client) {
		t.Fatal("no client")
	}
	begin := func(key string) string {
		if _, err := client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: aws.String("index"), Key: &key}); err != nil {
			t.Fatal(err)
		}
		return key
	}
	var others []string
	for range 3 {
		begin("some/prefix/" + segmentKey(newID()))
	}
	begin("some/prefix/" + deletesKey(newID(), newID()))
	for _, key := range []string{"some/prefix/notes.pin", "some/prefix/segments/other", "some/prefix2/" + segmentKey(newID()), segmentKey(newID())} {
		others = append(others, begin(key))
	}
	clock.Advance(3 * time.Hour)
	others = append(others, begin("some/prefix/"+segmentKey(newID()))) // is under way
	left := func() (keys []string) {
		out, err := client.ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: aws.String("index")})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range out.Uploads {
			keys = append(keys, *x.Key)
		}
		slices.Sort(keys)
		return keys
	}
	slices.Sort(others)
	o := SweepOptions{Retention: 2 * time.Hour, DryRun: true}
	if s, err := Sweep(ctx, b, o); err != nil || s.Uploads != 4 || len(left()) != 4+len(others) {
		t.Errorf("a dry run: %+v, %v, left are %q", s, err, left())
	}
	o.DryRun = false
	for _, want := range []int{4, 0} {
		if s, err := Sweep(ctx, b, o); err != nil || s.Uploads != want || !slices.Equal(left(), others) {
			t.Errorf("%+v, %v, left are %q, want %q", s, err, left(), others)
		}
	}
}

// counting answers with 503 what fails says, and counts requests by what they ask for.
type counting struct {
	mu    sync.Mutex
	n     map[string]int
	fails func(what string, n int) bool
}

func (c *counting) around(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		what := r.Method
		switch {
		case q.Has("partNumber"):
			what = "part " + q.Get("partNumber")
		case q.Has("uploads"), q.Has("uploadId"):
			what += " upload"
		case q.Has("list-type"):
			what = "list"
		}
		c.mu.Lock()
		c.n[what]++
		fails := c.fails(what, c.n[what])
		c.mu.Unlock()
		if fails {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// A request to S3 that fails is repeated in one place: here, or for a part of an upload by the client.
func TestS3Repeats(t *testing.T) {
	ctx := t.Context()
	always := func(which string) func(string, int) bool {
		return func(what string, _ int) bool { return what == which }
	}
	c := &counting{n: map[string]int{}, fails: func(string, int) bool { return false }}
	url := newS3At(t, gofakes3.DefaultTimeSource(), c.around)
	b, err := OpenURL(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	w := newWriter(t, b, numbers())
	if err := errors.Join(w.Add(ctx, numberDoc("1", 1)), w.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, 24<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name  string
		fails func(what string, n int) bool
		do    func() error
		want  map[string]int
		fine  bool
	}{
		{"looking for a commit", always("list"), func() error { _, err := Exists(ctx, b); return err }, map[string]int{"list": requestTries}, false},
		{"writing", always("PUT"), func() error { return Prove(ctx, b) }, map[string]int{"PUT": requestTries}, false},
		{"its time", always("HEAD"), func() error { _, err := attributes(ctx, b, conditionKey); return err }, map[string]int{"HEAD": requestTries}, false},
		{"removing", always("DELETE"), func() error { return removeObject(ctx, b, conditionKey) }, map[string]int{"HEAD": requestTries, "DELETE": requestTries}, false},
		{"reading", always("GET"), func() error { _, err := OpenSource(ctx, url, ReadOptions{NoHedge: true}); return err },
			map[string]int{"list": 1, "GET": 7}, false},
		{"a part of an upload", func(what string, n int) bool { return what == "part 2" && n <= 2 },
			func() error { return createFrom(ctx, b, segmentKey(newID()), large) },
			map[string]int{"POST upload": 2, "part 1": 1, "part 2": 3, "part 3": 1}, true},
	} {
		c.mu.Lock()
		clear(c.n)
		c.fails = x.fails
		c.mu.Unlock()
		if err := x.do(); (err == nil) != x.fine || err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", x.name, err)
		}
		if !maps.Equal(c.n, x.want) {
			t.Errorf("%s: requests %v, want %v", x.name, c.n, x.want)
		}
	}
	tried := 0
	err = again(ctx, func(context.Context) error {
		tried++
		return &smithy.OperationError{OperationName: "UploadPart", Err: errServer}
	})
	if !errors.Is(err, errServer) || tried != 1 {
		t.Errorf("a part that fails in the end: %v after %d uploads", err, tried)
	}
}
