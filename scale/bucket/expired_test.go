package bucket

import (
	"errors"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Refresh finds a newer commit, and View goes on with it when the one that it reads has expired.
func TestExpired(t *testing.T) {
	w := newWorld(t, 1, 2000, lag.Model{})
	x := w.open(t, ReadOptions{NoCache: true})
	files, err := NewSource(t.Context(), w.slow, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	// It does not look for a newer commit but when the one that it has is gone.
	onward, err := pinion.ReaderOptions{Refresh: time.Hour, Memory: 1, NoCache: true}.OpenSource(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	defer onward.Close()
	before, err := onward.Search(t.Context(), pinion.Request{Query: query.All{}, Total: true})
	if err != nil {
		t.Fatal(err)
	}
	old := w.m
	build(t, w.dir, 9, 500)
	merge, err := writer.Open(t.Context(), w.dir, writer.Options{Schema: schema.Implicit("simple", "", true)})
	if err == nil {
		_, err = merge.Merge(t.Context(), writer.MergeOptions{MaxSegments: 1})
		err = errors.Join(err, merge.Commit(t.Context()), merge.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	w.m = upload(t, w.dir, w.mem)
	for _, key := range objects(old) {
		if err := w.mem.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	queries := queryLog(5)
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := hits(t.Context(), s, queries); !errors.Is(err, ErrExpired) {
		t.Errorf("a query of a commit that is gone: %v", err)
	}
	var got string
	if err := x.View(t.Context(), func(s *reader.Snapshot) (err error) {
		got, err = hits(t.Context(), s, queries)
		return err
	}); err != nil || got != local(t, w.dir, queries) {
		t.Errorf("the hits of the newest commit differ, %v", err)
	}
	page, err := onward.Search(t.Context(), pinion.Request{Query: query.All{}, Total: true})
	if err != nil || page.Total <= before.Total {
		t.Errorf("a Reader does not go on from %d to the newest commit: %d, %v", before.Total, page.Total, err)
	}
	if _, err := Open(t.Context(), w.slow, ReadOptions{Generation: old.Generation()}); err == nil {
		// The manifest is still there; its objects are not.
		t.Error("a commit that is gone was opened")
	}
}
