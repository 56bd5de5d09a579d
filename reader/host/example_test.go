package host_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader/host"
)

// An index that a web server has as files is searched there: nothing is copied, and a newer commit is found.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "host")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	index, err := pinion.Open(ctx, dir, pinion.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := index.Add(ctx, pinion.Text("a", "a rose is a rose")); err != nil {
		log.Fatal(err)
	}
	if err := index.Close(); err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()

	source, err := host.Open(ctx, server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	remote, err := pinion.OpenSource(ctx, source)
	if err != nil {
		log.Fatal(err)
	}
	defer remote.Close()
	page, err := remote.Search(ctx, pinion.Request{Query: query.Match{Text: "rose"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Hits[0].ID)
	// Output: a
}
