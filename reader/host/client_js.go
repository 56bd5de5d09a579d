package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall/js"
)

// client sends requests through the browser's function fetch.
type client struct{}

func newClient() client { return client{} }

func (client) close() {}

// send sends a request for a range, or with "" for the whole file.
func (client) send(ctx context.Context, url, ranges string) (*answer, error) {
	abort := js.Global().Get("AbortController").New()
	options := map[string]any{"signal": abort.Get("signal")}
	if ranges != "" {
		// The browser asks for the bytes of the file, not for what it is packed to. Its cache would have requests for
		// ranges of one file wait for each other.
		options["headers"], options["cache"] = map[string]any{"Range": ranges}, "no-store"
	}
	stop := context.AfterFunc(ctx, func() { abort.Call("abort") })
	resp, err := await(ctx, js.Global().Call("fetch", url, options))
	if err != nil {
		stop()
		return nil, fmt.Errorf("GET %s: %w", url, err)
	}
	header := func(name string) string {
		if v := resp.Get("headers").Call("get", name); v.Type() == js.TypeString {
			return v.String()
		}
		return ""
	}
	a := &answer{status: resp.Get("status").Int(), contentRange: header("Content-Range"), length: -1}
	a.text = strings.TrimSpace(fmt.Sprint(a.status, " ", resp.Get("statusText").String()))
	if n, err := strconv.ParseInt(header("Content-Length"), 10, 64); err == nil && ranges != "" && header("Content-Encoding") == "" {
		a.length = n // of what comes: it is not packed
	}
	b := &body{ctx: ctx, stop: func() { stop(); abort.Call("abort") }}
	if stream := resp.Get("body"); stream.Truthy() {
		b.reader = stream.Call("getReader")
	}
	a.body = b
	return a, nil
}

// body is the body of an answer.
type body struct {
	ctx    context.Context
	reader js.Value // undefined: there is none
	rest   js.Value // a Uint8Array of what has come and was not read
	at     int      // in rest
	stop   func()   // ends the request
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	for b.rest.IsUndefined() || b.at == b.rest.Length() {
		if b.reader.IsUndefined() {
			return 0, io.EOF
		}
		next, err := await(b.ctx, b.reader.Call("read"))
		if err != nil {
			return 0, err
		}
		if next.Get("done").Bool() {
			return 0, io.EOF
		}
		b.rest, b.at = next.Get("value"), 0
	}
	n := js.CopyBytesToGo(p, b.rest.Call("subarray", b.at))
	b.at += n
	return n, nil
}

// Close ends the request.
func (b *body) Close() error {
	b.stop()
	return nil
}

// await waits until a promise is settled.
func await(ctx context.Context, promise js.Value) (js.Value, error) {
	type settled struct {
		value js.Value
		err   error
	}
	done := make(chan settled, 1)
	resolved := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- settled{value: args[0]}
		return nil
	})
	defer resolved.Release()
	rejected := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- settled{err: errors.New(args[0].Call("toString").String())}
		return nil
	})
	defer rejected.Release()
	promise.Call("then", resolved, rejected)
	s := <-done // soon after ctx has ended, since that ends the request
	if s.err != nil && ctx.Err() != nil {
		return s.value, context.Cause(ctx)
	}
	return s.value, s.err
}
