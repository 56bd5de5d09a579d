//go:build !js

package host

import (
	"context"
	"net/http"
)

// client sends requests.
type client struct{ *http.Client }

func newClient() client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64 // as many as package reader has reads under way
	return client{&http.Client{Transport: t}}
}

func (c client) close() { c.CloseIdleConnections() }

// send sends a request for a range, or with "" for the whole file.
func (c client) send(ctx context.Context, url, ranges string) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if ranges != "" {
		req.Header.Set("Range", ranges)
		req.Header.Set("Accept-Encoding", "identity") // ranges are of the file, not of what it is packed to
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	return &answer{resp.StatusCode, resp.Status, resp.Header.Get("Content-Range"), resp.ContentLength, resp.Body}, nil
}
