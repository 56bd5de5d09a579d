package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// TestExportFields reads back what it exports: JSONL with the values of all fields, and the
// lists of each field, which an oracle counts.
func TestExportFields(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "whitespace", Stored: true},
		{Name: "id", Kind: schema.Keyword, Stored: true},
		{Name: "body", Kind: schema.Text, Analyzer: "whitespace", Lengths: schema.LengthsByte, Stored: true},
		{Name: "n", Kind: schema.Integer, Stored: true},
		{Name: "x", Kind: schema.Float, Stored: true},
		{Name: "at", Kind: schema.Time, Stored: true},
	}}
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "ö"}), 0, 40)
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		want, lists := []string{}, map[string]map[string][]string{} // of a field, of a term
		snapshot := snapshotOf(rt, writer.Options{Schema: s, Threads: 1}, func(w *writer.Writer) error {
			for i := range rapid.IntRange(1, 20).Draw(rt, "documents") {
				id := fmt.Sprintf("d%d", i)
				var values []schema.Value
				for f := range s.Fields {
					for range rapid.IntRange(0, 2).Draw(rt, "values") {
						text := []byte(strings.Join(words.Draw(rt, "words"), " "))
						values = append(values, map[schema.Kind]schema.Value{
							schema.Text: schema.TextValue(f, text), schema.Keyword: schema.KeywordValue(f, text),
							schema.Integer: schema.IntegerValue(f, rapid.Int64().Draw(rt, "n")), schema.Float: schema.FloatValue(f, rapid.Float64().Draw(rt, "x")),
							schema.Time: schema.NanosValue(f, rapid.Int64Range(0, 1<<62).Draw(rt, "at")),
						}[s.Fields[f].Kind])
					}
				}
				if err := w.Add(ctx, writer.Doc{ID: []byte(id), Values: values}); err != nil {
					return err
				}
				if rapid.IntRange(0, 4).Draw(rt, "flush") == 0 {
					if err := w.Flush(ctx); err != nil {
						return err
					}
				}
				if rapid.IntRange(0, 4).Draw(rt, "delete") == 0 {
					if err := w.Delete(ctx, []byte(id)); err != nil {
						return err
					}
					continue
				}
				want = append(want, fmt.Sprint(id, values))
				for _, f := range []int{0, 1, 2} {
					tf := map[string]int{}
					for _, v := range values {
						switch {
						case v.Field != f:
						case v.Kind == schema.Text:
							for _, word := range strings.Fields(v.String()) {
								tf[word]++
							}
						case v.String() != "":
							tf[v.String()] = 1
						}
					}
					name := s.Fields[f].Name
					for word, n := range tf {
						if lists[name] == nil {
							lists[name] = map[string][]string{}
						}
						lists[name][word] = append(lists[name][word], fmt.Sprint(id, "*", n))
					}
				}
			}
			return nil
		})
		defer snapshot.Close()

		path := filepath.Join(t.TempDir(), "x.jsonl")
		var b bytes.Buffer
		if n, err := ExportJSONL(ctx, &b, snapshot); err != nil || n != 0 {
			rt.Fatalf("%d replaced: %v", n, err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			rt.Fatal(err)
		}
		src, err := OpenDocuments(path, DocumentOptions{Schema: s, Fields: Fields{ID: "_id", Unknown: UnknownRefuse}, Format: FormatJSONL})
		if err != nil {
			rt.Fatal(err)
		}
		defer src.Close()
		got := []string{}
		for {
			id, values, err := src.NextValues()
			if err == io.EOF {
				break
			}
			if err != nil {
				rt.Fatalf("%v\n%s", err, b.Bytes())
			}
			got = append(got, fmt.Sprint(string(id), values))
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("got %q\nwant %q", got, want)
		}

		for _, name := range []string{"title", "id", "body"} {
			x, err := FromField(snapshot, name)
			if err != nil {
				rt.Fatal(err)
			}
			var ids []string
			lens, sums := []uint32{}, make([]uint32, x.Docs())
			for d, err := range x.Inverted().Docs {
				if err != nil {
					rt.Fatal(err)
				}
				ids, lens = append(ids, string(d.ID)), append(lens, d.Len)
			}
			n := 0
			for l, err := range x.Inverted().Lists {
				if err != nil {
					rt.Fatal(err)
				}
				var list []string
				for i, doc := range l.Docs {
					list = append(list, fmt.Sprint(ids[doc], "*", l.Freqs[i]))
					sums[doc] += l.Freqs[i]
				}
				if n++; !slices.Equal(list, lists[name][string(l.Term)]) {
					rt.Fatalf("%s: %q has %q, want %q", name, l.Term, list, lists[name][string(l.Term)])
				}
			}
			if k, err := x.Lists(); n != len(lists[name]) || k != int64(n) || err != nil || !slices.Equal(lens, sums) {
				rt.Fatalf("%s: %d lists, want %d (%d, %v); lengths %d, want %d", name, n, len(lists[name]), k, err, lens, sums)
			}
			first, again := throughCIFF(rt, t.TempDir(), s, snapshot, name)
			if !bytes.Equal(first, again) {
				rt.Fatalf("%s: imported again, the lists are\n% x\nwant\n% x", name, again, first)
			}
		}
		if _, err := FromSnapshot(snapshot); !errors.Is(err, ErrInvalid) {
			rt.Fatalf("without a field: %v", err)
		}
		for _, name := range []string{"", "nosuch", "n"} {
			if _, err := FromField(snapshot, name); !errors.Is(err, ErrInvalid) {
				rt.Fatalf("field %q: %v", name, err)
			}
		}
	})
}

// throughCIFF returns the lists of a field as CIFF, and those of an index with schema s into whose
// field they were imported.
func throughCIFF(t rapid.TB, dir string, s *schema.Schema, snapshot *reader.Snapshot, name string) (first, again []byte) {
	export := func(snapshot *reader.Snapshot) []byte {
		x, err := FromField(snapshot, name)
		if err != nil {
			t.Fatal(err)
		}
		n, err := x.Lists()
		var b bytes.Buffer
		if err = errors.Join(err, WriteCIFF(&b, x.Inverted(), n, "")); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	first = export(snapshot)
	path := filepath.Join(dir, "x.ciff")
	if err := os.WriteFile(path, first, 0o666); err != nil {
		t.Fatal(err)
	}
	imported := snapshotOf(t, writer.Options{Schema: s, Threads: 1}, func(w *writer.Writer) error {
		src, _, err := OpenInverted(path, FormatCIFF)
		if err != nil {
			return err
		}
		defer src.Close()
		in := src.Inverted()
		in.Field = name
		old := writer.Doc{ID: []byte("d0"), Values: []schema.Value{schema.TextValue(0, []byte("replaced")), schema.TextValue(2, []byte("old"))}}
		return errors.Join(w.Add(context.Background(), old), w.Delete(context.Background(), []byte("d0")), w.AddInverted(context.Background(), in))
	})
	defer imported.Close()
	if err := imported.Verify(context.Background()); err != nil {
		t.Fatal(err)
	}
	return first, export(imported)
}
