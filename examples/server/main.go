// Server is a search server over one index directory. PUT /docs/ID adds the body as a document,
// DELETE /docs/ID removes one, and GET /search?q=WORDS answers with the best ten as JSON.
// Once a second it commits what has changed; searches see it from then on.
//
//	go run ./examples/server new.idx localhost:8080
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: server DIR ADDRESS")
		os.Exit(2)
	}
	ctx, dir := context.Background(), os.Args[1]
	w := must(writer.Open(ctx, dir, writer.Options{Stored: true})) // the one writer of the directory
	if err := w.Commit(ctx); err != nil {                          // a new index can be opened after its first commit
		log.Fatal(err)
	}
	index := must(reader.Open(dir))
	handle("PUT /docs/{id...}", func(r *http.Request) (any, error) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		return nil, w.Add(ctx, writer.Document{ID: []byte(r.PathValue("id")), Contents: text})
	})
	handle("DELETE /docs/{id...}", func(r *http.Request) (any, error) {
		return nil, w.Delete(ctx, []byte(r.PathValue("id")))
	})
	handle("GET /search", func(r *http.Request) (any, error) {
		return search(r.Context(), index, query.Query{Text: r.FormValue("q")})
	})
	listener := must(net.Listen("tcp", os.Args[2]))
	fmt.Printf("http://%s\n", listener.Addr())
	go func() { log.Fatal(http.Serve(listener, nil)) }()
	for {
		time.Sleep(time.Second)
		if err := w.Commit(ctx); err != nil { // earlier commits stay
			log.Fatal(err)
		}
		must(index.Refresh())
	}
}

func search(ctx context.Context, index *reader.Index, q query.Query) (page []hit, err error) {
	snapshot, err := index.Snapshot() // the newest commit that Refresh has seen
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	searcher, err := query.NewSearcher(snapshot, query.Options{}) // a busy server keeps one for each commit
	if err != nil {
		return nil, err
	}
	defer searcher.Close()
	result, err := searcher.Search(ctx, q)
	page = []hit{}
	for _, h := range result.Hits {
		id, errID := snapshot.AppendID(nil, h.Doc)
		text, errText := snapshot.AppendStored(nil, h.Doc)
		page, err = append(page, hit{string(id), h.Score, string(text)}), errors.Join(err, errID, errText)
	}
	return page, err
}

type hit struct {
	ID    string  `json:"id"`
	Score float32 `json:"score"`
	Text  string  `json:"text"`
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
