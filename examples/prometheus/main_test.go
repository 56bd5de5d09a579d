package main

import (
	"errors"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/writer"
)

// TestObserve tells of one event of each kind, two failures among them, and compares all metrics.
func TestObserve(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	m := newMetrics(r)
	for _, e := range []pinion.Event{
		{Kind: pinion.EventPublish, Took: time.Millisecond, Commit: 1, Docs: 2},
		{Kind: pinion.EventCommit, Took: 30 * time.Millisecond, Commit: 2, Docs: 2},
		{Kind: pinion.EventMerge, Merge: writer.MergeStats{Sources: 8, Outputs: 1, Docs: 90, Purged: 4}},
		{Kind: pinion.EventMerge, Err: errors.New("disk full")},
		{Kind: pinion.EventRefresh, Took: time.Microsecond, Commit: 3, Docs: 90},
		{Kind: pinion.EventSlow, Took: time.Second, Commit: 3, Docs: 90, Request: &pinion.Request{}},
		{Kind: pinion.EventDamage, Err: errors.New("bad checksum")},
	} {
		m.observe(e)
	}
	w := httptest.NewRecorder()
	promhttp.HandlerFor(r, promhttp.HandlerOpts{ErrorHandling: promhttp.PanicOnError}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	got := regexp.MustCompile(`(?m)^pinion_\w*(count|total|commit|documents)\b.*\n`).FindAllString(w.Body.String(), -1)
	const want = `pinion_commit 3
pinion_documents 90
pinion_event_duration_seconds_count{kind="commit"} 1
pinion_event_duration_seconds_count{kind="publish"} 1
pinion_event_duration_seconds_count{kind="refresh"} 1
pinion_event_duration_seconds_count{kind="slow"} 1
pinion_failures_total{kind="commit"} 0
pinion_failures_total{kind="damage"} 1
pinion_failures_total{kind="fault"} 0
pinion_failures_total{kind="merge"} 1
pinion_failures_total{kind="publish"} 0
pinion_failures_total{kind="refresh"} 0
pinion_failures_total{kind="refused"} 0
pinion_failures_total{kind="slow"} 0
pinion_merged_documents_total 90
pinion_merges_total 1
pinion_purged_documents_total 4
`
	if got := strings.Join(got, ""); got != want {
		t.Errorf("the metrics are\n%s\nwant\n%s", got, want)
	}
}

// TestServer adds a document, waits until it is found, and reads /metrics.
func TestServer(t *testing.T) {
	index, handler, err := open(t.Context(), filepath.Join(t.TempDir(), "new.idx"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	ask := func(method, url, body string) string {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, url, strings.NewReader(body)))
		if w.Code != 200 {
			t.Fatalf("%s %s: %d %s", method, url, w.Code, w.Body)
		}
		return w.Body.String()
	}
	if got := ask("GET", "/metrics", ""); !strings.Contains(got, "\npinion_documents 0\n") {
		t.Errorf("a new index has\n%s", got)
	}
	ask("POST", "/docs/a", "no rose without a thorn")
	if err := index.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ask("GET", "/search?q=rose", ""); got != "a\n" {
		t.Errorf("found %q", got)
	}
	if err := index.Close(); err != nil { // events have been told of
		t.Fatal(err)
	}
	got := ask("GET", "/metrics", "")
	for _, want := range []string{"\npinion_documents 1\n", `pinion_event_duration_seconds_count{kind="commit"} 1`, `pinion_search_duration_seconds_count{code="200"} 1`, `pinion_failures_total{kind="damage"} 0`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
