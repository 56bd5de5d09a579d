package bucket

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gocloud.dev/blob/memblob"

	"github.com/pinion-index/pinion/reader"
)

// Parts that were uploaded apart become one index, which is what it is however often they are uploaded and published.
func TestParts(t *testing.T) {
	b := memblob.OpenBucket(nil)
	defer b.Close()
	var parts []*reader.Manifest
	for i := range 3 {
		dir := filepath.Join(t.TempDir(), "index")
		build(t, dir, uint64(i), 300)
		for range 2 {
			m, err := Upload(t.Context(), b, dir)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts[:i], m)
		}
	}
	if there, err := Exists(t.Context(), b); there || err != nil {
		t.Fatal(there, err)
	}
	for range 2 {
		if err := Publish(t.Context(), b, parts...); err != nil {
			t.Fatal(err)
		}
	}
	if there, err := Exists(t.Context(), b); !there || err != nil {
		t.Fatal(there, err)
	}
	if err := Publish(t.Context(), b, parts[1], parts[0]); !errors.Is(err, ErrConflict) {
		t.Errorf("another index is published: %v", err)
	}
	if err := Publish(t.Context(), b); err == nil {
		t.Error("nothing is published")
	}

	queries := queryLog(20)
	x, err := Open(t.Context(), b, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	got := ""
	if err := x.View(t.Context(), func(s *reader.Snapshot) (err error) {
		got, err = hits(t.Context(), s, queries)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "copy")
	all, err := reader.JoinManifests(parts...)
	if err != nil {
		t.Fatal(err)
	}
	if err := Download(t.Context(), b, all, dir); err != nil {
		t.Fatal(err)
	}
	if want := local(t, dir, queries); got != want {
		t.Errorf("hits\n%s\nof the copy\n%s", got, want)
	}
	if files, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v: want the copy alone", files, err)
	}
}

// A manifest whose objects are not there does not become an index.
func TestPublishIncomplete(t *testing.T) {
	b := memblob.OpenBucket(nil)
	defer b.Close()
	dir := t.TempDir()
	build(t, dir, 1, 50)
	m, err := Upload(t.Context(), b, dir)
	if err != nil {
		t.Fatal(err)
	}
	key := segmentKey(m.Files()[0].Segment)
	whole, err := b.ReadAll(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range []func() error{
		func() error { return b.WriteAll(t.Context(), key, whole[1:], nil) },
		func() error { return b.Delete(t.Context(), key) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if err := Publish(t.Context(), b, m); err == nil {
			t.Error("an index without a segment is published")
		}
		if there, err := Exists(t.Context(), b); there || err != nil {
			t.Fatal(there, err)
		}
	}
}
