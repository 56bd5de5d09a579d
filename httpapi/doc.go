// Package httpapi serves an index over HTTP: searches, batches of them, counts and completions as JSON, beside health,
// metrics and a description of all that. It is for every server: of an index in this process, or of a router over
// shards, which are two kinds of Backend. docs/serving.md has the paths, and what clients send and get.
//
//	server, err := httpapi.New(httpapi.OfIndex(index), httpapi.Options{})
//	listener, err := server.Listen("localhost:8080")
//	go server.Serve(listener)
//	...
//	err = server.Drain(ctx)
//
// A Server is an http.Handler too, so that what other packages offer for these, tracing above all, goes around it.
//
// # One answer
//
// A page over HTTP is that of a pinion.View: the same hits in the same order, with scores that read as the same float32.
package httpapi

// The files:
//
//	types.go     what clients send and get
//	decode.go    JSON and parameters of URLs to that
//	resolve.go   a Request as package pinion takes it; response.go: its page as a Response
//	facet.go     facets and figures, both ways
//	cursor.go    where the next page begins, as text
//	backend.go   Backend, and those over an index
//	options.go   Options
//	server.go    Server: who is let in, requests in, answers out
//	batch.go     batches; health.go, metrics.go, openapi.go: paths for machines
//	serve.go     listening, serving, and stopping in order
//	errors.go    errors as clients see them
