// Prometheus is a search server over one index directory that Prometheus can watch. POST /docs/ID
// adds the body as a document, GET /search?q=WORDS answers with the ids of the best ten, and GET
// /metrics has what the index tells of and how long searches take.
//
//	GOWORK=off go run . new.idx localhost:8080
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: prometheus DIR ADDRESS")
		os.Exit(2)
	}
	_, handler, err := open(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, handler))
}

// open opens the index and returns the server's handler.
func open(ctx context.Context, dir string) (*pinion.Index, http.Handler, error) {
	registry := prometheus.NewRegistry()
	m := newMetrics(registry)
	index, err := pinion.Open(ctx, dir, pinion.Options{Observe: m.observe})
	if err != nil {
		return nil, nil, err
	}
	if err := index.View(ctx, func(v *pinion.View) error { // there has been no event yet
		m.state(v.Snapshot().Generation(), v.Snapshot().Stats().Live)
		return nil
	}); err != nil {
		return nil, nil, err
	}
	searches := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "pinion", Name: "search_duration_seconds", Help: "How long searches took, by status.",
		Buckets: prometheus.ExponentialBuckets(1e-5, 4, 9), // to 0.65 s
	}, []string{"code"})
	registry.MustRegister(searches)

	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.Handle("GET /search", promhttp.InstrumentHandlerDuration(searches, handle(func(w io.Writer, r *http.Request) error {
		page, err := index.Search(r.Context(), pinion.Request{Query: query.Match{Text: r.FormValue("q")}})
		for _, h := range page.Hits {
			fmt.Fprintf(w, "%s\n", h.ID)
		}
		return err
	})))
	mux.Handle("POST /docs/{id...}", handle(func(_ io.Writer, r *http.Request) error {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		return index.Add(r.Context(), pinion.Text(r.PathValue("id"), string(text)))
	}))
	return index, mux, nil
}

// handle answers with what f writes, or its error.
func handle(f func(io.Writer, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := f(w, r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
}
