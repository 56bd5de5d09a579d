package main

import (
	"context"
	"encoding/json"
	"errors"
	"syscall/js"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"
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

func usageOf(m *reader.Meter) usage {
	u := m.Usage()
	return usage{u.Requests, u.Bytes, u.Rounds}
}

type searcher struct {
	*pinion.View
	analyzer analysis.Analyzer // of the texts
	opened   opened
}

// opened is the result of opening an index.
type opened struct {
	Docs uint64 `json:"docs"`
	usage
	Whole bool `json:"whole"` // the server sends whole files only
}

func open(url string) (*searcher, error) {
	m := reader.NewMeter(reader.Budget{})
	files, err := host.Open(reader.WithMeter(context.Background(), m), url)
	if err != nil {
		return nil, err
	}
	index, err := reader.Open(context.Background(), files, reader.Options{})
	if err != nil {
		return nil, err
	}
	snapshot, err := index.Snapshot()
	if err != nil {
		return nil, err
	}
	view, err := pinion.NewView(snapshot, nil)
	if err != nil {
		return nil, err
	}
	text, ok := view.Schema().Field("text")
	if !ok {
		return nil, errors.New("the index has no field text")
	}
	analyzer, err := analysis.New(text.Analysis())
	return &searcher{view, analyzer, opened{snapshot.Stats().Live, usageOf(m), files.Whole()}}, err
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
	var m query.Mode
	if err := m.UnmarshalText([]byte(mode)); err != nil {
		return nil, err
	}
	start, asked := time.Now(), reader.NewMeter(reader.Budget{})
	ctx = reader.WithMeter(ctx, asked)
	page, err := s.Search(ctx, pinion.Request{Query: query.Match{Text: text, Mode: m}, Limit: k, Fields: []string{"text"}})
	if err != nil {
		return nil, err
	}
	a := &answer{Terms: []string{}, Hits: []hit{}}
	var tokens analysis.Tokens
	s.analyzer.Tokenizer().Tokenize(&tokens, []byte(text))
	for i := range tokens.Len() {
		a.Terms = append(a.Terms, string(tokens.Term(i)))
	}
	for _, h := range page.Hits {
		text, _ := h.Value("text").(string)
		a.Hits = append(a.Hits, hit{h.ID, h.Score, text})
	}
	a.Took, a.usage = float64(time.Since(start).Microseconds())/1000, usageOf(asked)
	return a, nil
}
