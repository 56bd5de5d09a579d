// Program is what runs in the browser: it reads an index that package static has built by requests for ranges, and answers what
// visitors type. Web/search.js starts it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"syscall/js"

	"github.com/pinion-index/pinion/reader/host"
	"github.com/pinion-index/pinion/reader/meter"

	"github.com/pinion-index/pinion/adapters/static/answer"
)

// generation is the number of the commit that package static makes.
const generation = 1

// main gives the object pinionStatic two functions, which return promises of JSON, and calls its function ready. Open takes the URL
// of an index, and search what was typed and how many pages are wanted. A search ends the one before it.
func main() {
	var s *answer.Searcher
	end := func() {}
	page := js.Global().Get("pinionStatic")
	page.Set("open", function(func(args []js.Value) (any, error) {
		m := meter.New(meter.Budget{})
		files, err := host.OpenCommit(meter.With(context.Background(), m), args[0].String(), generation)
		if err != nil {
			return nil, err
		}
		s, err = answer.Open(files)
		return usageOf(m), err
	}))
	page.Set("search", function(func(args []js.Value) (any, error) {
		if s == nil {
			return nil, errors.New("no index is open")
		}
		end()
		m := meter.New(meter.Budget{})
		ctx, cancel := context.WithCancel(meter.With(context.Background(), m))
		defer cancel()
		end = cancel
		a, err := s.Search(ctx, args[0].String(), args[1].Int())
		return struct {
			answer.Answer
			Usage usage `json:"usage"`
		}{a, usageOf(m)}, err
	}))
	page.Call("ready")
	select {}
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

// function makes a JavaScript function that returns a promise of the JSON of f's result, or of {"error": ...}.
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
