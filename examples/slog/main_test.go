package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/writer"
)

// records runs f with a logger and returns what it logs, without times.
func records(t *testing.T, f func(*slog.Logger)) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	f(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	var all []map[string]any
	for line := range strings.Lines(out.String()) {
		r := map[string]any{}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		delete(r, "time")
		all = append(all, r)
	}
	return all
}

// TestObserve compares the record of each kind of event with one written by hand.
func TestObserve(t *testing.T) {
	slow := &pinion.Request{Query: query.Match{Text: "rose"}, Limit: 5}
	for _, c := range []struct {
		event pinion.Event
		want  string
	}{
		{pinion.Event{Kind: pinion.EventPublish, Took: time.Millisecond, Commit: 1, Docs: 2},
			`map[commit:1 docs:2 level:DEBUG msg:publish took:1e+06]`},
		{pinion.Event{Kind: pinion.EventCommit, Took: time.Millisecond, Commit: 3, Docs: 2},
			`map[commit:3 docs:2 level:INFO msg:commit took:1e+06]`},
		{pinion.Event{Kind: pinion.EventCommit, Err: errors.New("disk full")},
			`map[commit:0 docs:0 err:disk full level:ERROR msg:commit took:0]`},
		{pinion.Event{Kind: pinion.EventMerge, Merge: writer.MergeStats{Sources: 8, Outputs: 1, Docs: 90, Purged: 4}},
			`map[docs:90 into:1 level:INFO msg:merge purged:4 segments:8]`},
		{pinion.Event{Kind: pinion.EventRefresh, Took: time.Microsecond, Commit: 4, Docs: 2},
			`map[commit:4 docs:2 level:DEBUG msg:refresh took:1000]`},
		{pinion.Event{Kind: pinion.EventSlow, Took: time.Second, Commit: 4, Docs: 2, Request: slow},
			`map[commit:4 docs:2 k:5 level:WARN msg:slow query:{Field: Text:rose Fields:[] Mode:or Boost:0 Typos:false} took:1e+09]`},
		{pinion.Event{Kind: pinion.EventDamage, Err: errors.New("bad checksum")},
			`map[err:bad checksum level:ERROR msg:damage]`},
	} {
		got := records(t, func(log *slog.Logger) { observe(log)(c.event) })
		if len(got) != 1 || fmt.Sprint(got[0]) != c.want {
			t.Errorf("%v logs\n%v\nwant\n%s", c.event.Kind, got, c.want)
		}
	}
}

// TestRun indexes lines and looks for the commit that holds them.
func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new.idx")
	got := records(t, func(log *slog.Logger) {
		if err := run(log, dir, strings.NewReader("no rose without a thorn\na thorn in the flesh\n")); err != nil {
			t.Error(err)
		}
	})
	commits := 0
	for _, r := range got {
		if r["level"] == "ERROR" {
			t.Errorf("logs %v", r)
		}
		if r["msg"] == "commit" {
			commits++
		}
	}
	if commits == 0 {
		t.Errorf("no commit in %v", got)
	}
}
