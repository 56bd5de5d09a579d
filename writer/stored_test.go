package writer

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// TestStoredStays opens an index with documents in all ways: it goes on storing their
// texts or not, and what asks for something else is an error that names it.
func TestStoredStays(t *testing.T) {
	ctx := t.Context()
	for _, stores := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "idx")
		m := model{stored: stores}
		open := func(asked bool) error {
			w, err := Open(ctx, path, Options{Schema: schema.Implicit("whitespace", "", asked), MergePolicy: NoMerges})
			if err != nil {
				return err
			}
			if w.Stored() != stores {
				t.Errorf("an index that stores texts: %t, opened with Stored %t: Writer.Stored %t", stores, asked, w.Stored())
			}
			id := fmt.Sprint(len(m.docs))
			m.docs = append(m.docs, show(id, "text of "+id, stores))
			return errors.Join(w.Add(ctx, doc(id, "text of "+id)), w.Commit(ctx), w.Close())
		}
		if err := errors.Join(open(stores), open(false)); err != nil {
			t.Fatal(err)
		}
		if err := open(true); stores == (err != nil) || !stores && !errors.Is(err, ErrStored) {
			t.Errorf("an index that stores texts: %t, opened with Stored: %v", stores, err)
		}
		w, err := Open(ctx, path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Merge(ctx, MergeOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		m.check(t, store.Dir(path))
	}
}

// TestMergeFromStored merges indexes that store texts and others that do not.
func TestMergeFromStored(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	make := func(name string, stored bool) string {
		path := filepath.Join(dir, name)
		w, err := Open(ctx, path, Options{Schema: schema.Implicit("whitespace", "", stored)})
		if err != nil {
			t.Fatal(err)
		}
		if name != "empty" {
			err = w.Add(ctx, doc(name, "text of "+name))
		}
		if err := errors.Join(err, w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	with, with2, without, without2, empty := make("with", true), make("with2", true), make("without", false), make("without2", false), make("empty", false)
	for i, c := range []struct {
		sources []string
		into    string // copied to the output first
		asked   bool
		stores  bool
		fails   bool
	}{
		{sources: []string{with, with2}, stores: true},
		{sources: []string{without, without2}},
		{sources: []string{empty, with}, stores: true},
		{sources: []string{with, without}, fails: true},
		{sources: []string{without, with}, fails: true},
		{sources: []string{without}, asked: true, fails: true},
		{sources: []string{with2}, into: with, stores: true},
		{sources: []string{without}, into: with, fails: true},
		{sources: []string{with}, into: without, fails: true},
		{sources: []string{without2}, into: without},
	} {
		out := filepath.Join(dir, fmt.Sprint("out", i))
		var names []string
		if c.into != "" {
			if _, err := MergeInto(ctx, out, dirsAt(c.into), Options{}, MergeOptions{}); err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.Base(c.into))
		}
		_, err := MergeInto(ctx, out, dirsAt(c.sources...), Options{Schema: schema.Implicit("", "", c.asked)}, MergeOptions{})
		if c.fails != errors.Is(err, ErrStored) || !c.fails && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if c.fails {
			continue
		}
		m := model{stored: c.stores}
		for _, s := range c.sources {
			names = append(names, filepath.Base(s))
		}
		for _, n := range names {
			if !strings.HasPrefix(n, "empty") {
				m.docs = append(m.docs, show(n, "text of "+n, c.stores))
			}
		}
		m.check(t, store.Dir(out))
	}
}
