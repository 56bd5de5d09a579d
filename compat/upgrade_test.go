package compat

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/writer"
)

// The first commit into an index of version 0.2 writes a manifest of this version, of which commands
// say so once. Segments and deletes files stay as they are, and so does what they hold, until a
// merge writes them again.
func TestUpgrade(t *testing.T) {
	dir := unpack(t, filepath.Join("testdata", "index-0.2.tar.gz"))
	before := manifestOf(t, dir)
	if before.Version.String() != "0.2" || before.KeepCommits != 0 {
		t.Fatalf("%+v", before)
	}
	ctx := context.Background()
	var said bytes.Buffer
	change := func(f func(w *writer.Writer) error) (upgraded bool) {
		t.Helper()
		u := cli.NewUpgrade(dir)
		w, err := writer.Open(ctx, dir, writer.Options{MergePolicy: writer.NoMerges})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f(w), w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		return u.Done(&said)
	}
	add := func(w *writer.Writer) error {
		return w.Add(ctx, writer.Text([]byte("new"), []byte("one more")))
	}
	if change(func(*writer.Writer) error { return nil }) || manifestOf(t, dir).Version != before.Version {
		t.Error("upgraded without a change")
	}
	if !change(add) || !strings.Contains(said.String(), "upgraded to format "+format.Current().String()+"; older versions cannot read it") {
		t.Errorf("it says %q", said.String())
	}
	if said.Reset(); change(add) || said.Len() > 0 {
		t.Errorf("the second time it says %q", said.String())
	}
	after := manifestOf(t, dir)
	if after.Version != format.Current() || after.KeepCommits < 1 || len(after.Segments) <= len(before.Segments) {
		t.Errorf("%+v", after)
	}
	for i, s := range before.Segments {
		if !s.Equal(after.Segments[i]) {
			t.Errorf("segment %d was %+v, is %+v", i, s, after.Segments[i])
		}
	}
	c, err := readIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	docs := 0
	for _, s := range c.segments {
		docs += len(s.docs)
	}
	if docs != int(after.Docs()) {
		t.Errorf("%d documents, expected %d", docs, after.Docs())
	}
}

func manifestOf(t *testing.T, dir string) *indexdir.Manifest {
	t.Helper()
	d, err := indexdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	return c.Manifest.Clone()
}
