package gpu_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// writeIndex writes a small index to a new directory.
func writeIndex() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "gpuload"); err != nil {
		return "", err
	}
	ctx := context.Background()
	w, err := writer.Open(ctx, dir, writer.Options{})
	if err != nil {
		return dir, err
	}
	defer w.Close()
	for id, text := range map[string]string{"a": "salt of the earth", "b": "light of the world", "c": "heaven and earth"} {
		if err := w.Add(ctx, writer.Text([]byte(id), []byte(text))); err != nil {
			return dir, err
		}
	}
	return dir, w.Commit(ctx)
}

// Queries are answered on a GPU where there is one, otherwise on the CPU. The answers
// are the same.
func ExampleNew() {
	dir, err := writeIndex()
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	index, err := reader.Open(context.Background(), reader.Dir(dir), reader.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer snapshot.Close()
	searcher, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer searcher.Close()

	var executor search.Executor = searcher
	if device, err := gpu.OpenDevice(); err == nil {
		defer device.Close()
		// The memory for lists: two thirds of what the device has, unless bounded.
		x, err := gpu.New(device, snapshot, gpu.Options{CPU: searcher, Memory: 1 << 20})
		if err != nil {
			log.Fatal(err)
		}
		defer x.Close()
		executor = x
	}

	results, err := executor.Execute(context.Background(), []search.Query{
		{RawTerms: [][]byte{[]byte("salt"), []byte("earth")}, K: 10, Mode: query.ModeAnd},
		{RawTerms: [][]byte{[]byte("the"), []byte("world")}, K: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		for _, hit := range r.Hits {
			id, err := snapshot.AppendID(nil, hit.Doc)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s ", id)
		}
	}
	fmt.Println()
	// Output: a b
}

// Plan and Fit choose the lists of a query log to keep in device memory.
func ExamplePlan() {
	lists := []gpu.Demand{
		{Key: gpu.Key{Segment: 0, Offset: 0}, Bytes: 4 << 20, Uses: 900},
		{Key: gpu.Key{Segment: 0, Offset: 4 << 20}, Bytes: 64 << 10, Uses: 700},
		{Key: gpu.Key{Segment: 1, Offset: 0}, Bytes: 1 << 20, Uses: 3},
	}
	gpu.ByUse(lists)
	resident, bytes := gpu.Fit(lists, 5<<20)
	fmt.Println(len(resident), "lists,", bytes>>10, "KiB")
	// Output: 2 lists, 4160 KiB
}

// Bitmaps of the documents that pass filters stay in device memory, where kernels of other libraries can read them.
func ExampleExecutor_Filters() {
	filter := func(ctx context.Context, x *gpu.Executor, inStock *docset.Global) error {
		cheap := gpu.Set{Where: query.Range{Field: "price", Max: schema.IntegerValue(0, 100)}}
		acme, apex := gpu.Set{Field: "brand", Term: []byte("acme")}, gpu.Set{Field: "brand", Term: []byte("apex")}
		bits, err := x.Filters(ctx, []gpu.Filter{
			{{acme, apex}, {cheap}, {{Bitmap: inStock}}},          // a cheap one of either brand, in stock
			{{{Field: "brand", Term: []byte("acme"), Not: true}}}, // one of another brand
		})
		if err != nil {
			return err
		}
		defer bits.Close()
		address, stride := bits.Device()
		for i := range bits.Len() {
			fmt.Printf("%d documents pass filter %d: bitmap at %#x\n", bits.Count(i), i, address+uintptr(i*stride))
		}
		return nil
	}
	_ = filter
}
