package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/store"
)

// host is an index directory that an HTTP server serves as it is. The server answers requests for ranges.
type host struct {
	base   *url.URL // ends in a slash
	client *http.Client
}

func newHost(raw string) (host, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return host{}, fmt.Errorf("bucket: %w", err)
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64 // as many as package reader has reads under way
	return host{u, &http.Client{Transport: t}}, nil
}

func (h host) String() string { return h.base.String() }

// Close implements place.
func (h host) Close() error {
	h.client.CloseIdleConnections()
	return nil
}

func (h host) manifest(generation uint64) string { return store.ManifestName(generation) }

func (h host) key(m *store.Manifest, name string) (string, bool) { return name, true }

// statusError is an answer without content.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

// HTTPStatusCode returns the status, by which refused tells that the credentials do not suffice.
func (e *statusError) HTTPStatusCode() int { return e.status }

// Is makes a missing file match fs.ErrNotExist.
func (e *statusError) Is(target error) bool {
	return target == fs.ErrNotExist && (e.status == http.StatusNotFound || e.status == http.StatusGone)
}

// send sends a request. The caller closes the body.
func (h host) send(ctx context.Context, name, bytes string) (*http.Response, error) {
	u := *h.base
	u.Path += name
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	if bytes != "" {
		req.Header.Set("Range", bytes)
		req.Header.Set("Accept-Encoding", "identity") // ranges are of the file, not of what it is packed to
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK || bytes != "" && resp.StatusCode == http.StatusPartialContent {
		return resp, nil
	}
	resp.Body.Close()
	return nil, &statusError{resp.StatusCode, fmt.Sprintf("GET %s: %s", &u, resp.Status)}
}

func (h host) get(ctx context.Context, name string, off, n int64) (io.ReadCloser, int64, error) {
	if n < 0 {
		resp, err := h.send(ctx, name, "")
		if err != nil {
			return nil, 0, err
		}
		return resp.Body, resp.ContentLength, nil
	}
	resp, err := h.send(ctx, name, fmt.Sprintf("bytes=%d-%d", off, off+n-1))
	if err != nil {
		return nil, 0, err
	}
	size := resp.ContentLength
	if resp.StatusCode == http.StatusPartialContent {
		_, total, _ := strings.Cut(resp.Header.Get("Content-Range"), "/")
		if size, err = strconv.ParseInt(total, 10, 64); err != nil {
			size = -1
		}
	} else if off > 0 || size != n {
		resp.Body.Close()
		return nil, 0, errNoRanges
	}
	return resp.Body, size, nil
}

// errNoRanges is the error for a server without ranges, of which each read would bring the whole file.
var errNoRanges = fmt.Errorf("the server does not answer requests for ranges: %w", errors.ErrUnsupported)

// mostNames is how many bytes of names a host may send.
const mostNames = 64 << 20

// numbered matches what can be the name of a file of an index.
var numbered = regexp.MustCompile(`[a-z0-9.-]*?([0-9]+)\.pin\b`)

// newest looks for names of manifests in files.json, a list of names that is made with the site, or else in what the host
// answers for the directory: a page of links, or lines.
func (h host) newest(ctx context.Context) (uint64, error) {
	resp, err := h.send(ctx, "files.json", "")
	if errors.Is(err, fs.ErrNotExist) {
		resp, err = h.send(ctx, "", "")
	}
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, mostNames))
	if err != nil {
		return 0, err
	}
	newest := uint64(0)
	for _, m := range numbered.FindAllSubmatch(text, -1) {
		if n, err := strconv.ParseUint(string(m[1]), 10, 64); err == nil && n <= store.MaxFileNumber && store.ManifestName(n) == string(m[0]) {
			newest = max(newest, n)
		}
	}
	return newest, nil
}
