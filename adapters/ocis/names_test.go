package ocis_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/adapters/ocis"
	"github.com/pinion-index/pinion/schema"
)

// loaded returns the resources of testdata/files.jsonl: of times that no index can have, and a name from a Mac.
func loaded(t *testing.T) (all []ocis.Resource) {
	t.Helper()
	f, err := os.Open("testdata/files.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var r struct{ ID, Path, Name, Mtime string }
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, ocis.Resource{ID: "1$2!" + r.ID, RootID: space, Path: r.Path, Name: r.Name, Mtime: r.Mtime, Type: 1, Meta: []byte("{}")})
	}
	return all
}

// Times that the index cannot have are left out, and counted: the resource is there. Names are found however their accents
// are composed, typed and indexed.
func TestTimesAndNames(t *testing.T) {
	e := open(t)
	if err := e.Load(slices.Values(loaded(t))); err != nil {
		t.Fatal(err)
	}
	if n, err := e.DocCount(); n != 4 || err != nil {
		t.Fatalf("%d resources, %v", n, err)
	}
	if n := e.TimesLeftOut(); n != 2 {
		t.Errorf("%d times are left out, want 2", n)
	}
	g := glue{e}
	at := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		q    ocis.Node
		want []string
	}{
		{name("übung*"), []string{"f3"}},
		{name("U\u0308BUNG.TXT"), []string{"f3"}},
		{name("?bung.txt"), []string{"f3"}},
		{name("Ü\u00adbung*"), []string{"f3"}},
		{is("path", "./übung.txt"), nil}, // paths have their case
		{is("path", "*bung.txt"), []string{"f3"}},
		{name("f*"), []string{"f0", "f1", "f2"}},
		{ocis.Time{Key: "mtime", Op: ">", Value: at(1)}, []string{"f0", "f3"}},
		{ocis.Time{Key: "mtime", Op: "<=", Value: at(1)}, nil},
		{ocis.Time{Key: "mtime", Op: "<", Value: at(9999)}, []string{"f0", "f3"}},
		{ocis.Time{Key: "mtime", Op: ">=", Value: at(9999)}, nil},
		{ocis.Time{Key: "mtime", Op: ">", Value: at(2023)}, []string{"f0", "f3"}},
	} {
		check(t, fmt.Sprint(tt.q), found(t, g, "", tt.q), tt.want...)
	}
}

// A resource that cannot be added is its own error: all others of a Load are added.
func TestBadResources(t *testing.T) {
	e := open(t)
	all := loaded(t)
	all = append(all[:2:2], append([]ocis.Resource{
		{ID: "no json", Meta: []byte("{")},
		{ID: "long", RootID: space, Name: strings.Repeat("x", 1<<17), Type: 1},
	}, all[2:]...)...)
	err := e.Load(slices.Values(all))
	if !errors.Is(err, ocis.ErrResource) || !strings.Contains(err.Error(), "2 resources") || !strings.Contains(err.Error(), "no json") || !strings.Contains(err.Error(), "long") {
		t.Errorf("the error is %v", err)
	}
	if n, err := e.DocCount(); n != 4 || err != nil {
		t.Errorf("%d resources, %v", n, err)
	}
}

// An index from before names and texts were normalized is read and changed as it is, and its names are found too.
func TestEarlierIndex(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	old := ocis.Earlier()
	x, err := pinion.Open(context.Background(), dir, pinion.Options{Schema: old, SyncEach: true})
	if err != nil {
		t.Fatal(err)
	}
	value := func(field, s string) schema.Value { return schema.KeywordValue(old.Number(field), []byte(s)) }
	decomposed := "U\u0308bung.txt"
	if err := x.Add(context.Background(), pinion.Doc{ID: "1$2!old", Values: []schema.Value{
		value("RootID", space), value("Path", "./"+decomposed), value("Name", decomposed), value("name", strings.ToLower(decomposed)), value("Meta", "{}"),
		schema.TextValue(old.Number("Content"), []byte("a soft\u00adly spoken text"))}}); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := ocis.Open(dir, ocis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Upsert("1$2!new", ocis.Resource{RootID: space, Path: "./b", Name: decomposed, Type: 1, Content: "spoken", Meta: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	check(t, "composed", found(t, glue{e}, "", name("übung*")), "new", "old")
	check(t, "decomposed", found(t, glue{e}, "", name("u\u0308bung*")), "new", "old")
	check(t, "text", found(t, glue{e}, "", is("content", "spoken")), "new", "old")
}
