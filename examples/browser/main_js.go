package main

import (
	"context"
	"encoding/json"
	"errors"
	"syscall/js"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"
	"github.com/pinion-index/pinion/reader/meter"
)

// main gives the page two functions, which return promises of JSON: pinionOpen takes the URL of an index directory, and
// pinionSearch a query, its mode and the number of hits. A search ends those before it.
func main() {
	var s *searcher
	end := func() {}
	js.Global().Set("pinionOpen", function(func(args []js.Value) (_ any, err error) {
		s, err = open(args[0].String())
		if err != nil {
			return nil, err
		}
		return s.opened, nil
	}))
	js.Global().Set("pinionSearch", function(func(args []js.Value) (any, error) {
		if s == nil {
			return nil, errors.New("no index is open")
		}
		end()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		end = cancel
		return s.search(ctx, args[0].String(), args[1].String(), args[2].Int())
	}))
	js.Global().Call("pinionReady")
	select {}
}

// function makes a JavaScript function that returns a promise of the JSON of f's result, or of
// {"error": ...}.
func function(f func(args []js.Value) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		start := js.FuncOf(func(_ js.Value, settle []js.Value) any {
			go func() { settle[0].Invoke(answerOf(f, args)) }() // it waits for requests, which the caller must not
			return nil
		})
		defer start.Release()
		return js.Global().Get("Promise").New(start)
	})
}

func answerOf(f func(args []js.Value) (any, error), args []js.Value) string {
	result, err := f(args)
	if err != nil {
		result = map[string]string{"error": err.Error()}
	}
	text, err := json.Marshal(result)
	if err != nil {
		return `{"error": "the result is no JSON"}`
	}
	return string(text)
}

// usage is what was asked of the server until the answer was there.
type usage struct {
	Requests int   `json:"requests"`
	Bytes    int64 `json:"bytes"`
	Rounds   int   `json:"rounds"` // the longest chain of requests of which each waited for the one before
}

func usageOf(m *meter.Meter) usage {
	u := m.Usage()
	return usage{u.Requests, u.Bytes, u.Rounds}
}

type searcher struct {
	*query.Searcher
	snapshot *reader.Snapshot
	opened   opened
}

// opened is the result of opening an index.
type opened struct {
	Docs uint64 `json:"docs"`
	usage
	Whole bool `json:"whole"` // the server sends whole files only
}

func open(url string) (*searcher, error) {
	m := meter.New(meter.Budget{})
	files, err := host.Open(meter.With(context.Background(), m), url)
	if err != nil {
		return nil, err
	}
	index, err := reader.OpenReaderAt(files, reader.Options{})
	if err != nil {
		return nil, err
	}
	snapshot, err := index.Snapshot()
	if err != nil {
		return nil, err
	}
	s, err := query.NewSearcher(snapshot, query.Options{})
	return &searcher{s, snapshot, opened{snapshot.Stats().Live, usageOf(m), files.Whole()}}, err
}

// answer is the result of a search.
type answer struct {
	Terms []string `json:"terms"`
	Hits  []hit    `json:"hits"`
	Took  float64  `json:"milliseconds"`
	usage
}

type hit struct {
	ID    string  `json:"id"`
	Score float32 `json:"score"`
	Text  string  `json:"text"`
}

func (s *searcher) search(ctx context.Context, text, mode string, k int) (*answer, error) {
	m, err := query.ParseMode(mode)
	if err != nil {
		return nil, err
	}
	terms, err := s.Parse(text)
	if err != nil {
		return nil, err
	}
	start, asked := time.Now(), meter.New(meter.Budget{})
	ctx = meter.With(ctx, asked)
	result, err := s.Search(ctx, query.Query{RawTerms: terms, K: k, Mode: m})
	if err != nil {
		return nil, err
	}
	a := &answer{}
	for _, t := range terms {
		a.Terms = append(a.Terms, string(t))
	}
	if a.Hits, err = s.texts(ctx, result.Hits); err != nil {
		return nil, err
	}
	a.Took, a.usage = float64(time.Since(start).Microseconds())/1000, usageOf(asked)
	return a, nil
}

// texts returns hits with their ids and texts.
func (s *searcher) texts(ctx context.Context, found []query.Hit) ([]hit, error) {
	docs := make([]uint32, len(found))
	for i, h := range found {
		docs[i] = h.Doc
	}
	view := s.snapshot.WithContext(ctx)
	view.Prefetch(docs, true) // what all need, at once
	hits := []hit{}
	for _, h := range found {
		id, err := view.AppendID(nil, h.Doc)
		if err != nil {
			return nil, err
		}
		text, err := view.AppendStored(nil, h.Doc)
		if err != nil {
			return nil, err
		}
		hits = append(hits, hit{string(id), h.Score, string(text)})
	}
	return hits, nil
}
