package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Vectors are exported as arrays that give the same bits when they are read, of several segments, with deletes and with several vectors a
// document. Another decoder of JSON reads them too.
func TestExportVectors(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "a", Kind: schema.Vector, Dims: 3, Similarity: schema.SimilarityDot},
		{Name: "n", Kind: schema.Integer, Stored: true},
		{Name: "b", Kind: schema.Vector, Dims: 1, Similarity: schema.SimilarityL2},
	}}
	float := rapid.Custom(func(t *rapid.T) float32 {
		for {
			if x := math.Float32frombits(rapid.Uint32().Draw(t, "bits")); math.Abs(float64(x)) < schema.MaxNorm/2 {
				return x
			}
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		ctx, want := context.Background(), []string{}
		snapshot := snapshotOf(rt, writer.Options{Schema: s, Threads: 1}, func(w *writer.Writer) error {
			for i := range rapid.IntRange(1, 20).Draw(rt, "documents") {
				id := fmt.Sprintf("d%d", i)
				var values []schema.Value
				for range rapid.IntRange(0, 2).Draw(rt, "a") {
					values = append(values, schema.VectorValue(0, []float32{float.Draw(rt, "x"), float.Draw(rt, "y"), float.Draw(rt, "z")}))
				}
				if rapid.Bool().Draw(rt, "n") {
					values = append(values, schema.IntegerValue(1, int64(i)))
				}
				for range rapid.IntRange(0, 2).Draw(rt, "b") {
					values = append(values, schema.VectorValue(2, []float32{float.Draw(rt, "x")}))
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
				want = append(want, id+valueBits(values))
			}
			return nil
		})
		defer snapshot.Close()
		var b bytes.Buffer
		if n, err := ExportJSONL(ctx, &b, snapshot); err != nil || n != 0 {
			rt.Fatalf("%d replaced: %v", n, err)
		}
		for line := range strings.Lines(b.String()) {
			var x struct{ A, B any }
			if err := json.Unmarshal([]byte(line), &x); err != nil {
				rt.Fatalf("%v: %s", err, line)
			}
		}
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			rt.Fatal(err)
		}
		src, err := OpenDocuments(path, DocumentOptions{Schema: s, Fields: Fields{Unknown: UnknownRefuse}, Format: FormatJSONL})
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
			got = append(got, string(id)+valueBits(values))
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("got  %q\nwant %q\n%s", got, want, b.Bytes())
		}
	})
}

// valueBits shows values with all bits of vectors.
func valueBits(values []schema.Value) string {
	var b strings.Builder
	for _, v := range values {
		if v.Kind == schema.Vector {
			fmt.Fprintf(&b, " %d:%x", v.Field, v.VectorBytes())
		} else {
			fmt.Fprintf(&b, " %d:%d", v.Field, v.Bits())
		}
	}
	return b.String()
}
