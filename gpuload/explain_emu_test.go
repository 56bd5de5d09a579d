//go:build emu && cgo

package gpuload

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Explain says how a request would be answered, before a device is open, on one, and by the CPU.
func TestExplain(t *testing.T) {
	x, err := Open(Options{Devices: 1, Memory: 8 << 20, Hang: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	fields := &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text}, {Name: "n", Kind: schema.Integer, Column: true}}}
	index, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: fields})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	var docs []pinion.Doc
	for i := range 200 {
		docs = append(docs, pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"body": fmt.Sprintf("rose w%d", i%9), "n": i}})
	}
	if err := errors.Join(index.Add(t.Context(), docs...), index.Sync(t.Context())); err != nil {
		t.Fatal(err)
	}
	err = index.View(t.Context(), func(v *pinion.View) error {
		explain := func(r pinion.Request, want ...string) {
			t.Helper()
			text, err := x.Explain(t.Context(), v.Snapshot(), r)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("no %q in\n%s", w, text)
				}
			}
		}
		words := query.Match{Text: "rose w1"}
		explain(pinion.Request{Query: words}, "CPU, no device: ")
		if err := x.Ready(t.Context()); err != nil {
			return err
		}
		explain(pinion.Request{Query: words, Limit: 3, Offset: 4}, "either processor: a core is predicted to take ", "\non a GPU: 7 hits of body:w1 ",
			"\nGPU 0, or: ", "\nif no other query is there: 7 hits of body:w1 ", "\nCPU, short: ")
		explain(pinion.Request{Query: words, Filter: query.AtLeast("n", 3)}, "with a table of its filter or static scores\n")
		conjunction := query.Match{Text: "rose w1", Mode: query.ModeAnd}
		explain(pinion.Request{Query: conjunction}, "\nGPU 0, and: ", "\nCPU, conjunction: ")
		for _, r := range []pinion.Request{{Query: words, Limit: 10}, {Query: conjunction, Limit: 10}} { // what Explain says is done
			if pages, err := x.Execute(t.Context(), v.Snapshot(), []pinion.Request{r}); err != nil || pages[0] == nil || len(pages[0].Hits) != 10 {
				t.Errorf("%+v: %v, %v", r, pages, err)
			}
		}
		explain(pinion.Request{Query: words, Total: true}, "\nGPU 0, tree of terms, or a total: ")
		explain(pinion.Request{Query: conjunction, Total: true, After: &pinion.After{ID: "7", Score: 1}}, "\nGPU 0, and: ")
		explain(pinion.Request{Query: query.Bool{Must: []query.Node{words}, MustNot: []query.Node{query.Match{Text: "w2 w3"}}}}, "\nGPU 0, tree of terms")
		explain(pinion.Request{Query: words, Sort: []pinion.Sort{{Field: "n"}}}, "CPU, columns: it is sorted, ")
		explain(pinion.Request{Query: words, K1: 2}, "CPU, parameters: ")
		explain(pinion.Request{Query: query.Match{Text: "rose w1", Mode: query.ModeAndOr}, Filter: query.AtLeast("n", 3)}, "CPU, nodes: ")
		explain(pinion.Request{Query: words, Rescore: &pinion.Rescore{Query: words, N: 50}}, "\non a GPU: 50 hits of body:w1 ")
		explain(pinion.Request{Query: query.Prefix{Field: "body", Text: "w"}}, "CPU, nodes: ")
		fused := pinion.Request{Filter: query.AtLeast("n", 3), Fuse: &pinion.Fuse{Lists: []pinion.FuseList{{Query: words, K: 7}, {Query: query.Prefix{Field: "body", Text: "w"}}}}}
		explain(fused, "list 0:\n", "\non a GPU: 7 hits of body:w1 ", "list 1:\n", "\nCPU, nodes: ")
		plain, err := v.Search(t.Context(), fused)
		if err != nil {
			return err
		}
		on, err := pinion.NewView(v.Snapshot(), x)
		if err != nil {
			return err
		}
		defer on.Close()
		if p, err := on.Search(t.Context(), fused); err != nil || len(p.Hits) != 10 || !reflect.DeepEqual(p, plain) {
			t.Errorf("fused: %+v, %v, want %+v", p, err, plain)
		}
		if _, err := x.Explain(t.Context(), v.Snapshot(), pinion.Request{Query: query.Match{Field: "none", Text: "a"}}); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("of a field that there is not: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := index.View(t.Context(), func(v *pinion.View) error {
		_, err := x.Explain(t.Context(), v.Snapshot(), pinion.Request{Query: query.Match{Text: "rose"}})
		return err
	}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
