// Server is a search server over one index directory: package httpapi, with two paths more. PUT /docs/ID adds the body as a
// document, DELETE /docs/ID removes one; both answer when the change survives a crash. GET /v1/search?q=WORDS answers with
// the best ten as JSON.
//
//	go run ./examples/server new.idx localhost:8080
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: server DIR ADDRESS")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	index := must(pinion.Open(context.Background(), os.Args[1], pinion.Options{SyncEach: true}))
	server := must(httpapi.New(httpapi.OfIndex(index), httpapi.Options{}))
	server.Handle("PUT /docs/{id...}", func(r *http.Request) (any, error) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		return nil, index.Add(r.Context(), pinion.Text(r.PathValue("id"), string(text)))
	})
	server.Handle("DELETE /docs/{id...}", func(r *http.Request) (any, error) {
		return nil, index.Delete(r.Context(), r.PathValue("id"))
	})
	listener := must(server.Listen(os.Args[2]))
	fmt.Printf("http://%s\n", listener.Addr())
	if err := server.Run(ctx, listener, 10*time.Second); err != nil {
		log.Print(err)
	}
	if err := index.Close(); err != nil {
		log.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
