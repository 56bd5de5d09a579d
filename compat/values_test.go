package compat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// valuesIndex is an index with values that were changed in place, of the first version that has them: some twice, in both of two segments.
const valuesIndex = "values-0.8.tar.gz"

var valuesSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "at", Kind: schema.Time, Column: true, Stored: true, Unit: schema.UnitSecond},
	{Name: "body", Kind: schema.Text, Analyzer: "whitespace", Stored: true},
	{Name: "n", Kind: schema.Integer, Column: true, Stored: true},
	{Name: "x", Kind: schema.Float, Column: true, Stored: true},
	{Name: "y", Kind: schema.Float, Column: true},
}}

const valuesDocs = 5200

// numbered returns what document i has after so many rounds of changes, by field.
func numbered(i, rounds int) map[string][]int64 {
	v := map[string][]int64{"at": {1e9 + int64(i)}, "n": {int64(i % 100)}, "x": {int64(i)}, "y": {3}}
	if i%7 == 0 {
		delete(v, "n")
	}
	for round := range rounds {
		for field, of := range valuesChanges(i, round) {
			v[field] = of
		}
	}
	return v
}

// valuesChanges returns what a round changes of document i.
func valuesChanges(i, round int) map[string][]int64 {
	switch {
	case round == 0 && i%500 == 3:
		return map[string][]int64{"n": {-5, 1 << 40}, "y": {}}
	case round == 0 && i == 5199:
		return map[string][]int64{"at": {7}, "x": {-2}}
	case round == 1 && i%1000 == 3:
		return map[string][]int64{"n": {}, "x": {1, 2, 3}}
	case round == 1 && i == 14: // it had none
		return map[string][]int64{"n": {14}}
	}
	return nil
}

// valuesOf returns values of a field, number at of the schema.
func valuesOf(at int, of []int64) (values []schema.Value) {
	for _, v := range of {
		switch valuesSchema.Fields[at].Kind {
		case schema.Time:
			values = append(values, schema.TimeValue(at, time.Unix(v, 0)))
		case schema.Integer:
			values = append(values, schema.IntegerValue(at, v))
		default:
			values = append(values, schema.FloatValue(at, float64(v)/2))
		}
	}
	return values
}

func buildValues(t *testing.T, dir string) {
	o := writer.Options{Schema: valuesSchema, MergePolicy: writer.NoMerges, DocsCodec: "bp128", FreqsCodec: "bp128"}
	for _, part := range [][2]int{{0, 4500}, {4500, valuesDocs}} {
		change(t, dir, o, func(ctx context.Context, w *writer.Writer) error {
			for i := part[0]; i < part[1]; i++ {
				d := writer.Doc{ID: fmt.Append(nil, "d", i), Values: []schema.Value{schema.TextValue(1, fmt.Append(nil, "word", i%5))}}
				for field, of := range numbered(i, 0) {
					d.Values = append(d.Values, valuesOf(valuesSchema.Number(field), of)...)
				}
				if err := w.Add(ctx, d); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for round := range 2 {
		change(t, dir, o, func(ctx context.Context, w *writer.Writer) error {
			var changes []writer.Change
			for i := range valuesDocs {
				for field, of := range valuesChanges(i, round) {
					changes = append(changes, writer.Change{Doc: writer.Doc{ID: fmt.Append(nil, "d", i), Values: valuesOf(valuesSchema.Number(field), of)}, Set: []string{field}})
				}
			}
			return w.Apply(ctx, changes, nil)
		})
	}
}

// checkValues compares what an index has with numbered, once as a reader written from FORMAT.md alone has it, and once as the engine does.
func checkValues(t *testing.T, what, dir string, segments int) {
	t.Helper()
	got, s := bothReaders(t, what, dir)
	if len(got.segments) != segments {
		t.Fatalf("%s: %d segments", what, len(got.segments))
	}
	i := 0
	for g := range got.segments {
		views := s.Segments()[g].Views()
		columns := map[string][][]string{}
		for _, f := range valuesSchema.Fields {
			if f.Column {
				columns[f.Name] = engineColumn(t, views, f.Name)
			}
		}
		for j, d := range got.segments[g].docs {
			want := numbered(i, 2)
			for name, is := range columns {
				var texts []string
				for _, v := range want[name] {
					if valuesSchema.Fields[valuesSchema.Number(name)].Kind == schema.Float {
						texts = append(texts, fmt.Sprint(float64(v)/2))
					} else {
						texts = append(texts, fmt.Sprint(v))
					}
				}
				if !slices.Equal(is[j], texts) || !slices.Equal(got.segments[g].columns[name][j], texts) {
					t.Fatalf("%s: document %d: %s is %q to the engine, %q by FORMAT.md, want %q", what, i, name, is[j], got.segments[g].columns[name][j], texts)
				}
			}
			rec, err := s.AppendStored(nil, uint32(i))
			if err != nil || string(rec) != d.text {
				t.Fatalf("%s: document %d: record %q, by FORMAT.md %q, %v", what, i, rec, d.text, err)
			}
			i++
		}
	}
	if i != valuesDocs {
		t.Errorf("%s: %d documents", what, i)
	}
}

// Values that were changed in place, long ago and today, are what they were changed to, and are so after a merge.
func TestValuesGolden(t *testing.T) {
	path := filepath.Join("testdata", valuesIndex)
	if _, err := os.Stat(path); *update && err != nil {
		dir := t.TempDir()
		buildValues(t, dir)
		if err := os.WriteFile(path, pack(t, dir), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	today := t.TempDir()
	buildValues(t, today)
	for what, dir := range map[string]string{"golden": unpack(t, path), "today": today} {
		if names, _ := filepath.Glob(filepath.Join(dir, "values-*.pin")); len(names) != 2 {
			t.Errorf("%s: values files %q", what, names)
		}
		checkValues(t, what, dir, 2)
		change(t, dir, writer.Options{}, func(ctx context.Context, w *writer.Writer) error {
			_, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
			return err
		})
		checkValues(t, what+", merged", dir, 1)
	}
}
