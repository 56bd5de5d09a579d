// Program is what runs in the browser: it reads an index that package static has built, and answers what visitors type. Web/search.js
// starts it. It gives and takes values of JavaScript, not JSON: package encoding/json would be a tenth of what a first search runs.
package main

import (
	"context"
	"errors"
	"syscall/js"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"

	"github.com/pinion-index/pinion/adapters/static/answer"
)

// main gives the object pinionStatic two functions, which return promises, and calls its function ready. Open takes the URL of an index, and
// where they have been fetched its manifest and its segment. Search takes what was typed and how many pages are wanted, and ends the
// search before it.
func main() {
	var s *answer.Searcher
	end := func() {}
	page := js.Global().Get("pinionStatic")
	page.Set("open", function(func(args []js.Value) (js.Value, error) {
		index, err := open(args[0].String(), args[1:])
		if err == nil {
			s, err = answer.Open(index)
		}
		return js.Undefined(), err
	}))
	page.Set("search", function(func(args []js.Value) (js.Value, error) {
		if s == nil {
			return js.Undefined(), errors.New("no index is open")
		}
		end()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		end = cancel
		a, err := s.Search(ctx, args[0].String(), args[1].Int())
		return valueOf(&a), err
	}))
	page.Call("ready")
	select {}
}

// open opens the index at a URL by requests for ranges, or that of fetched files.
func open(url string, fetched []js.Value) (*reader.Index, error) {
	if len(fetched) > 0 {
		return reader.Open(context.Background(), reader.FromStore(&memory{manifest: bytesOf(fetched[0]), segment: bytesOf(fetched[1])}), reader.Options{})
	}
	files, err := host.OpenCommit(context.Background(), url, answer.Generation)
	if err != nil {
		return nil, err
	}
	return reader.Open(context.Background(), files, reader.Options{})
}

// valueOf returns an answer as search.js takes it, which is as encoding/json would write it.
func valueOf(a *answer.Answer) js.Value {
	hits := make([]any, len(a.Hits))
	for i, h := range a.Hits {
		hit := map[string]any{"url": h.URL, "score": h.Score, "title": list(h.Title), "text": list(h.Text)}
		if len(h.Heading) > 0 {
			hit["heading"] = list(h.Heading)
		}
		hits[i] = hit
	}
	out := map[string]any{"hits": hits}
	if a.Any {
		out["any"] = true
	}
	return js.ValueOf(out)
}

func list(texts []string) []any {
	out := make([]any, len(texts))
	for i, s := range texts {
		out[i] = s
	}
	return out
}

// function makes a JavaScript function that returns a promise of f's result.
func function(f func(args []js.Value) (js.Value, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		start := js.FuncOf(func(_ js.Value, settle []js.Value) any {
			go func() { // it waits for requests, which the caller must not
				if v, err := f(args); err == nil {
					settle[0].Invoke(v)
				} else {
					settle[1].Invoke(js.Global().Get("Error").New(err.Error()))
				}
			}()
			return nil
		})
		defer start.Release()
		return js.Global().Get("Promise").New(start)
	})
}
