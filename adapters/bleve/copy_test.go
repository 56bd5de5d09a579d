package bleve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	frombleve "github.com/pinion-index/pinion/adapters/bleve"
	"github.com/pinion-index/pinion/adapters/bleve/example"
	"github.com/pinion-index/pinion/adapters/bleve/internal/command"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
)

// shop has documents of which not all can be copied.
func shop() (*mapping.IndexMappingImpl, map[string]map[string]any) {
	m := bleve.NewIndexMapping()
	d := bleve.NewDocumentMapping()
	d.AddFieldMappingsAt("tag", bleve.NewKeywordFieldMapping())
	d.AddFieldMappingsAt("hidden", fieldOf(bleve.NewTextFieldMapping(), func(f *mapping.FieldMapping) { f.Store = false }))
	d.AddFieldMappingsAt("place", bleve.NewGeoPointFieldMapping())
	m.DefaultMapping = d
	return m, map[string]map[string]any{
		"1":                         {"tag": []any{"b", "a", "b"}, "hidden": "seen by nobody", "place": []any{1.0, 2.0}, "more": "a rose"},
		"2":                         {"tag": strings.Repeat("x", 70_000), "more": 2.5, "deep": []any{[]any{1.0, 2.0}}},
		strings.Repeat("3", 70_000): {"tag": "long id"},
		"4":                         {},
	}
}

func TestCopy(t *testing.T) {
	m, docs := shop()
	old := oldIndex(t, m, docs)
	defer old.Close()
	now := copyOf(t, old, frombleve.Options{})
	defer now.close()
	r := now.report
	if r.Docs != 3 || r.Refused != 1 || r.Values != 7 || r.Flattened != 2 || !strings.Contains(r.Reason, "65535") {
		t.Errorf("report %+v", r)
	}
	if want := []string{"hidden"}; !slices.Equal(r.NotStored, want) {
		t.Errorf("not stored: %q", r.NotStored)
	}
	if want := []frombleve.Dropped{{Field: "place", Reason: "no field of type geopoint", Values: 1},
		{Field: "tag", Reason: "a keyword of more than 65535 bytes", Values: 1}}; !reflect.DeepEqual(r.Dropped, want) {
		t.Errorf("dropped: %+v", r.Dropped)
	}
	for field, want := range map[string]string{"more": "1", "more.number": "2", "deep": "2"} {
		f, ok := now.Schema.Field(field)
		if !ok {
			t.Errorf("no field %s in %+v", field, now.Fields)
			continue
		}
		var n query.Node = query.Match{Field: field, Text: "rose"}
		if f.Column {
			n = query.Bool{Must: []query.Node{query.All{}}, Filter: []query.Node{query.Exists{Field: field}}}
		}
		if got, err := now.matches(n); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("field %s: documents %q, error %v", field, got, err)
		}
	}
}

// onDisk returns an index of bleve's in a directory, closed.
func onDisk(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "old.bleve")
	m, docs := shop()
	x, err := bleve.New(dir, m)
	do(t, err)
	for id, d := range docs {
		do(t, x.Index(id, d))
	}
	do(t, x.Close())
	return dir
}

// TestCopyDirFails holds that a copy that fails leaves nothing, and says what was wrong.
func TestCopyDirFails(t *testing.T) {
	m, docs := shop()
	old := oldIndex(t, m, docs)
	dir := filepath.Join(t.TempDir(), "new.idx")
	ctx, cancel := context.WithCancel(t.Context())
	o := frombleve.CopyOptions{Progress: func(done, total uint64) {
		if total != 4 {
			t.Errorf("%d of %d documents", done, total)
		}
		cancel()
	}}
	if r, err := frombleve.CopyDir(ctx, old, dir, o); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("cancelled: report %v, error %v", r, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a copy that was cancelled left something: %v", err)
	}
	full := t.TempDir()
	do(t, os.WriteFile(filepath.Join(full, "file"), nil, 0o666))
	if r, err := frombleve.CopyDir(t.Context(), old, full, frombleve.CopyOptions{}); !errors.Is(err, frombleve.ErrExists) || r != nil {
		t.Errorf("not empty: report %v, error %v", r, err)
	}
	do(t, old.Close())
	if r, err := frombleve.CopyDir(t.Context(), old, dir, frombleve.CopyOptions{}); !errors.Is(err, frombleve.ErrSource) || !errors.Is(err, bleve.ErrorIndexClosed) || r != nil {
		t.Errorf("closed: report %v, error %v", r, err)
	}
}

// run runs bleve-to-pinion.
func run(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	cmd := command.Command()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SetArgs(args)
	err = cli.Execute(t.Context(), cmd)
	return out.String(), err
}

func TestCommand(t *testing.T) {
	old := onDisk(t)
	dir := filepath.Join(t.TempDir(), "new.idx")
	out, err := run(t, "--analyzer", "standard=english", old, dir)
	do(t, err)
	out = out[:strings.Index(out, ", in ")] + out[strings.Index(out, " s\n"):]
	const want = `3 documents with 7 values copied to NEW s
1 document refused, the first one because of: REASON
2 values of arrays in arrays copied as of one array
1 value of place left out: no field of type geopoint
1 value of tag left out: a keyword of more than 65535 bytes
1 field not stored in bleve, so not copied: hidden
what is different:
  place: fields of type geopoint
  more: its values of type number are in field more.number
`
	lines := strings.Split(strings.ReplaceAll(out, dir, "NEW"), "\n")
	lines[1] = lines[1][:strings.Index(lines[1], ": ")+2] + "REASON"
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("it printed\n%s\nwant\n%s", got, want)
	}
	if _, err := run(t, old, dir); cli.ExitCode(err) != cli.ExitUsage {
		t.Errorf("into an index that is there: %v", err)
	}
	if _, err := run(t, dir, dir+"2"); cli.ExitCode(err) != cli.ExitOpen {
		t.Errorf("an index that is not bleve's: %v", err)
	}
	out, err = run(t, "--json", old, dir+"2")
	do(t, err)
	var report map[string]any
	do(t, json.Unmarshal([]byte(out), &report))
	if report["docs"] != 3.0 || report["index"] != dir+"2" || len(report["losses"].([]any)) == 0 {
		t.Errorf("as JSON: %s", out)
	}
}

// TestDamaged damages the segments of an index, some of which may be of no use any more, and its other files.
func TestDamaged(t *testing.T) {
	old := onDisk(t)
	for _, pattern := range []string{"store/*.zap", "store/root.bolt", "index_meta.json"} {
		files, err := filepath.Glob(filepath.Join(old, pattern))
		do(t, err)
		contents := make([][]byte, len(files))
		for i, file := range files {
			contents[i], err = os.ReadFile(file)
			do(t, err)
			do(t, os.WriteFile(file, bytes.Repeat([]byte{0xa5}, len(contents[i])), 0o666))
		}
		dir := filepath.Join(t.TempDir(), "new.idx")
		if out, err := run(t, old, dir); err == nil || len(files) == 0 {
			t.Errorf("%q is damaged: %s", files, out)
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%q is damaged: something is there: %v", files, err)
		}
		for i, file := range files {
			do(t, os.WriteFile(file, contents[i], 0o666))
		}
	}
}

// TestExample holds that the two programs find the same, and that the mapping of one becomes the schema of the other.
func TestExample(t *testing.T) {
	b, err := example.Bleve(filepath.Join(t.TempDir(), "mails.bleve"))
	do(t, err)
	p, err := example.Pinion(t.Context(), filepath.Join(t.TempDir(), "mails.idx"))
	do(t, err)
	for _, found := range []example.Found{b, p} {
		for _, ids := range found {
			slices.Sort(ids) // scores differ
		}
	}
	if want := (example.Found{"words": {"1", "2", "3"}, "phrase": {"3"}, "from": {"1", "3"}, "since": {"2", "3"}, "both": {"2", "3"}}); !reflect.DeepEqual(b, want) || !reflect.DeepEqual(p, want) {
		t.Errorf("bleve finds %v, Pinion %v, want %v", b, p, want)
	}
	x, err := frombleve.Translate(example.Mapping(), frombleve.Options{})
	do(t, err)
	for _, f := range example.Schema().Fields {
		got, ok := x.Schema.Field(f.Name)
		if !ok || got.Kind != f.Kind || got.Analyzer != f.Analyzer || got.Indexing() != f.Indexing() || got.Stored != f.Stored || got.Column != f.Column {
			t.Errorf("field %+v becomes %+v", f, got)
		}
	}
}
