package gpuload_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
)

// Searches are answered on the CPU until the GPU is ready, and for good where there is none.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "gpuload")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	gpu, err := gpuload.Open(gpuload.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer gpu.Close()
	index, err := pinion.Open(ctx, dir, pinion.Options{Executor: gpu})
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	if err := index.Add(ctx, pinion.Text("John11:35", "Jesus wept."), pinion.Text("Matthew5:13", "Ye are the salt of the earth")); err != nil {
		log.Fatal(err)
	}

	page, err := index.Search(ctx, pinion.Request{Query: query.Match{Text: "jesus wept"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range page.Hits {
		fmt.Println(hit.ID)
	}
	if err := gpu.Ready(ctx); err != nil && !errors.Is(err, gpuload.ErrNoDevice) { // a server says it once; searches need not wait
		log.Fatal(err)
	}
	// Output: John11:35
}

// A server whose /metrics says who has answered searches, and why the CPU has.
func ExampleExecutor_WriteMetrics() {
	ctx := context.Background()
	gpu, err := gpuload.Open(gpuload.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer gpu.Close()
	index, err := pinion.Open(ctx, "shop.idx", pinion.Options{Executor: gpu})
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	server, err := httpapi.New(httpapi.OfIndex(index), httpapi.Options{Metrics: gpu.WriteMetrics})
	if err != nil {
		log.Fatal(err)
	}
	listener, err := server.Listen("localhost:8080")
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(server.Serve(listener))
}
