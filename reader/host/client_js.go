package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall/js"
)

// client sends requests through the browser's function fetch.
type client struct{}

func newClient() client { return client{} }

func (client) close() {}

// send sends a request for a range, or with "" for the whole file, and waits for all of the answer.
func (client) send(ctx context.Context, url, ranges string) (*answer, error) {
	abort := js.Global().Get("AbortController").New()
	options := map[string]any{"signal": abort.Get("signal")}
	if ranges != "" {
		// The browser asks for the bytes of the file, not for what it is packed to. Its cache would have requests for
		// ranges of one file wait for each other.
		options["headers"], options["cache"] = map[string]any{"Range": ranges}, "no-store"
	}
	defer context.AfterFunc(ctx, func() { abort.Call("abort") })()
	resp, err := await(ctx, js.Global().Call("fetch", url, options))
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", url, err)
	}
	content, err := await(ctx, resp.Call("arrayBuffer"))
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", url, err)
	}
	b := make([]byte, content.Get("byteLength").Int())
	js.CopyBytesToGo(b, js.Global().Get("Uint8Array").New(content))
	a := &answer{status: resp.Get("status").Int(), length: int64(len(b)), body: io.NopCloser(bytes.NewReader(b))}
	a.text = strings.TrimSpace(fmt.Sprint(a.status, " ", resp.Get("statusText").String()))
	if v := resp.Get("headers").Call("get", "Content-Range"); v.Type() == js.TypeString {
		a.contentRange = v.String()
	}
	return a, nil
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
