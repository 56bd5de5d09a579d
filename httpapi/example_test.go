package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
)

// A Server is a handler, here of a server for tests. Server.Listen and Serve are what a program on its own calls.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "served")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	index, err := pinion.Open(ctx, dir, pinion.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	if err := index.Add(ctx, pinion.Text("a", "no rose without a thorn"), pinion.Text("b", "a tulip")); err != nil {
		log.Fatal(err)
	}
	server, err := httpapi.New(httpapi.OfIndex(index), httpapi.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()
	answer, err := http.Get(web.URL + "/v1/count?q=" + url.QueryEscape("rose OR lily"))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(body))
	// Output: {"count":1}
}
