package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"syscall/js"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// main gives the page two functions, which return JSON: pinionOpen takes an object of
// files, Uint8Arrays by name, and pinionSearch a query, its mode and the number of hits.
func main() {
	var s *searcher
	js.Global().Set("pinionOpen", function(func(args []js.Value) (_ any, err error) {
		s, err = open(args[0])
		if err != nil {
			return nil, err
		}
		return s.snapshot.Stats(), nil
	}))
	js.Global().Set("pinionSearch", function(func(args []js.Value) (any, error) {
		if s == nil {
			return nil, fmt.Errorf("no index is open")
		}
		return s.search(args[0].String(), args[1].String(), args[2].Int())
	}))
	js.Global().Call("pinionReady")
	select {}
}

// function makes a JavaScript function that returns the JSON of f's result, or of
// {"error": ...}.
func function(f func(args []js.Value) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		result, err := f(args)
		if err != nil {
			result = map[string]string{"error": err.Error()}
		}
		text, err := json.Marshal(result)
		if err != nil {
			return `{"error": "the result is no JSON"}`
		}
		return string(text)
	})
}

// files is a reader.Source of files in memory.
type files map[string][]byte

// List implements reader.Source.
func (f files) List() (names []string, err error) {
	for name := range f {
		names = append(names, name)
	}
	return names, nil
}

// Open implements reader.Source.
func (f files) Open(name string) (io.ReaderAt, int64, error) {
	b, ok := f[name]
	if !ok {
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return bytes.NewReader(b), int64(len(b)), nil
}

type searcher struct {
	*query.Searcher
	snapshot *reader.Snapshot
}

func open(object js.Value) (*searcher, error) {
	src := files{}
	names := js.Global().Get("Object").Call("keys", object)
	for i := range names.Length() {
		name := names.Index(i).String()
		src[name] = make([]byte, object.Get(name).Length())
		js.CopyBytesToGo(src[name], object.Get(name))
	}
	index, err := reader.OpenReaderAt(src, reader.Options{})
	if err != nil {
		return nil, err
	}
	snapshot, err := index.Snapshot()
	if err != nil {
		return nil, err
	}
	s, err := query.NewSearcher(snapshot, query.Options{})
	return &searcher{s, snapshot}, err
}

// answer is the result of a search.
type answer struct {
	Terms []string `json:"terms"`
	Hits  []hit    `json:"hits"`
	Took  float64  `json:"milliseconds"`
}

type hit struct {
	ID    string  `json:"id"`
	Score float32 `json:"score"`
	Text  string  `json:"text"`
}

func (s *searcher) search(text, mode string, k int) (*answer, error) {
	m, err := query.ParseMode(mode)
	if err != nil {
		return nil, err
	}
	terms, err := s.Parse(text)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	result, err := s.Search(context.Background(), query.Query{RawTerms: terms, K: k, Mode: m})
	if err != nil {
		return nil, err
	}
	a := &answer{Hits: []hit{}, Took: float64(time.Since(start).Microseconds()) / 1000}
	for _, t := range terms {
		a.Terms = append(a.Terms, string(t))
	}
	for _, h := range result.Hits {
		id, err := s.snapshot.AppendID(nil, h.Doc)
		if err != nil {
			return nil, err
		}
		text, err := s.snapshot.AppendStored(nil, h.Doc)
		if err != nil {
			return nil, err
		}
		a.Hits = append(a.Hits, hit{string(id), h.Score, string(text)})
	}
	return a, nil
}
