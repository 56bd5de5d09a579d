// Remote searches an index that lies behind an HTTP server, as in an object store, and prints how
// many requests that took. The server answers requests for ranges, and lists the names of the files,
// one a line, at the URL itself:
//
//	go run ./examples/remote http://localhost:8080/kjv.idx/ "the lord is my shepherd"
package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: remote URL QUERY")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(url, text string) error {
	files := &server{url: url}
	index, err := reader.OpenReaderAt(files, reader.Options{CacheSize: 256 << 20})
	if err != nil {
		return err
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	searcher, err := query.NewSearcher(snapshot, query.Options{})
	if err != nil {
		return err
	}
	defer searcher.Close()
	fmt.Println("opened by", files.requests.Swap(0), "requests")

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	result, err := searcher.Search(ctx, query.Query{Text: text, K: 3})
	if err != nil {
		return err
	}
	fmt.Println("searched by", files.requests.Swap(0))

	var docs []uint32
	for _, hit := range result.Hits {
		docs = append(docs, hit.Doc)
	}
	hits := snapshot.WithContext(ctx)
	hits.Prefetch(docs, true) // what all hits need, at once
	for _, hit := range result.Hits {
		id, err := hits.AppendID(nil, hit.Doc)
		if err != nil {
			return err
		}
		stored, err := hits.AppendStored(nil, hit.Doc)
		if err != nil {
			return err
		}
		fmt.Printf("%.4f %s %s\n", hit.Score, id, stored)
	}
	fmt.Println("read by", files.requests.Swap(0))
	return nil
}

// server is a reader.Source of the files below a URL.
type server struct {
	url      string
	requests atomic.Int64
}

// do sends a request. The caller closes the body.
func (s *server) do(ctx context.Context, method, name, bytes string) (*http.Response, error) {
	s.requests.Add(1)
	req, err := http.NewRequestWithContext(ctx, method, s.url+name, nil)
	if err != nil {
		return nil, err
	}
	if bytes != "" {
		req.Header.Set("Range", bytes)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode == http.StatusNotFound:
		err = fs.ErrNotExist
	case resp.StatusCode == http.StatusPartialContent, resp.StatusCode == http.StatusOK && bytes == "":
		return resp, nil
	default:
		err = fmt.Errorf("%s %s: %s", method, req.URL, resp.Status)
	}
	resp.Body.Close()
	return nil, err
}

// List implements reader.Source.
func (s *server) List() ([]string, error) {
	resp, err := s.do(context.Background(), http.MethodGet, "", "")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	names, err := io.ReadAll(resp.Body)
	return strings.Fields(string(names)), err
}

// Open implements reader.Source.
func (s *server) Open(name string) (io.ReaderAt, int64, error) {
	resp, err := s.do(context.Background(), http.MethodHead, name, "")
	if err != nil {
		return nil, 0, err
	}
	resp.Body.Close()
	return &file{s, name}, resp.ContentLength, nil
}

// file is a reader.ContextReaderAt. Each read is a request.
type file struct {
	server *server
	name   string
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	return f.ReadAtContext(context.Background(), p, off)
}

// ReadAtContext implements reader.ContextReaderAt.
func (f *file) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	resp, err := f.server.do(ctx, http.MethodGet, f.name, fmt.Sprintf("bytes=%d-%d", off, off+int64(len(p))-1))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.ReadFull(resp.Body, p)
}
