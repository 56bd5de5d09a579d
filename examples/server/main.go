// Server is a search server over one index directory. PUT /docs/ID adds the body as a document,
// DELETE /docs/ID removes one; both answer when the change survives a crash. GET /search?q=WORDS
// answers with the best ten as JSON.
//
//	go run ./examples/server new.idx localhost:8080
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/pinion-index/pinion"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: server DIR ADDRESS")
		os.Exit(2)
	}
	index := must(pinion.Open(context.Background(), os.Args[1], pinion.Options{Durable: -1}))
	handle("PUT /docs/{id...}", func(r *http.Request) (any, error) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		return nil, index.Add(r.Context(), pinion.Text(r.PathValue("id"), string(text)))
	})
	handle("DELETE /docs/{id...}", func(r *http.Request) (any, error) {
		return nil, index.Delete(r.Context(), []byte(r.PathValue("id")))
	})
	handle("GET /search", func(r *http.Request) (any, error) {
		page, err := index.Search(r.Context(), pinion.Request{Query: pinion.Match{Text: r.FormValue("q")}, Snippet: &pinion.Snippet{}})
		hits := []hit{}
		for _, h := range page.Hits {
			hits = append(hits, hit{string(h.ID), h.Score, string(h.Text)})
		}
		return hits, err
	})
	listener := must(net.Listen("tcp", os.Args[2]))
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

type hit struct {
	ID    string  `json:"id"`
	Score float32 `json:"score"`
	Text  string  `json:"text"` // the passage that matches best
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// handle answers requests of a pattern with what f returns, as JSON.
func handle(pattern string, f func(*http.Request) (any, error)) {
	http.HandleFunc(pattern, func(rw http.ResponseWriter, r *http.Request) {
		if answer, err := f(r); err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
		} else {
			json.NewEncoder(rw).Encode(answer)
		}
	})
}
