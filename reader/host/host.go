// Package host reads an index directory that a web server serves as it is, such as a static host, by requests for ranges. In a browser
// they go through the function fetch, elsewhere through package net/http, which programs for browsers do not contain.
//
// Source reads the newest commit; Host sends its requests, for sources that do more. Client sends those of sources of other places over
// a network, such as buckets, on which requests fail, answers stall and connections break: again, and twice where one lags.
package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
)

// NamesFile is the name of a file beside those of the index with their names, such as a JSON array of them.
const NamesFile = "files.json"

// Statuses of answers, as net/http has them.
const (
	statusOK              = 200
	statusPartialContent  = 206
	statusNotFound        = 404
	statusTimeout         = 408
	statusGone            = 410
	statusTooManyRequests = 429
	statusServerError     = 500
)

// Host is an index directory that a server serves. Each of its methods sends a request once. It is safe for concurrent use.
type Host struct {
	base   url.URL // ends in a slash
	client client
}

// New returns the directory at a URL, which in a browser may be relative to the page. It sends nothing.
func New(rawURL string) (*Host, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return &Host{*u, newClient()}, nil
}

// String returns the URL.
func (h *Host) String() string { return h.base.String() }

// Close closes connections that are not in use.
func (h *Host) Close() error {
	h.client.close()
	return nil
}

// answer is what a server answers to a request.
type answer struct {
	status       int
	text         string // the status and its name
	contentRange string // "" if the server, or the browser, does not tell
	length       int64  // of body; -1: not known
	body         io.ReadCloser
}

// size returns the length of the whole file, or -1 if the answer does not tell.
func (a *answer) size() int64 {
	if a.status != statusPartialContent {
		return a.length
	}
	_, total, _ := strings.Cut(a.contentRange, "/")
	if n, err := strconv.ParseInt(total, 10, 64); err == nil {
		return n
	}
	return -1
}

// StatusError is the error of a request that is answered by a status without content. It matches fs.ErrNotExist if the file is
// missing.
type StatusError struct {
	Status int
	text   string
}

// Error returns the message.
func (e *StatusError) Error() string { return e.text }

// HTTPStatusCode returns the status.
func (e *StatusError) HTTPStatusCode() int { return e.Status }

// Is makes a missing file match fs.ErrNotExist.
func (e *StatusError) Is(target error) bool {
	return target == fs.ErrNotExist && (e.Status == statusNotFound || e.Status == statusGone)
}

// ErrNoRanges is the error for a server that answers a request for a range with the whole file. It matches
// errors.ErrUnsupported.
var ErrNoRanges = fmt.Errorf("the server does not answer requests for ranges: %w", errors.ErrUnsupported)

// ask sends a request for n bytes at off of a file, or for all from there on with n < 0. If whole is set the server may answer with the
// whole file, of which then what is before off is skipped, else that is ErrNoRanges. The caller closes the body.
func (h *Host) ask(ctx context.Context, name string, off, n int64, whole bool) (*answer, error) {
	u := h.base
	u.Path += name
	ranges := ""
	switch {
	case n >= 0:
		ranges = fmt.Sprintf("bytes=%d-%d", off, off+n-1)
	case off > 0:
		ranges = fmt.Sprintf("bytes=%d-", off)
	}
	a, err := h.client.send(ctx, u.String(), ranges)
	if err != nil {
		return nil, err
	}
	switch {
	case a.status == statusPartialContent && ranges != "", a.status == statusOK && off == 0 && (n < 0 || a.length == n):
		return a, nil
	case a.status == statusOK && whole:
		if _, err := io.CopyN(io.Discard, a.body, off); err != nil {
			a.body.Close()
			return nil, err
		}
		return a, nil
	case a.status == statusOK:
		a.body.Close()
		return nil, ErrNoRanges
	}
	a.body.Close()
	return nil, &StatusError{a.status, fmt.Sprintf("GET %s: %s", &u, a.text)}
}

// Get returns n bytes at off of a file and the size of all of it, or all from there on with n < 0. The size is -1 where the answer does
// not tell. ctx ends reads of the body too, which the caller closes. From a server without ranges, of which each read
// would bring the whole file, the error is ErrNoRanges.
func (h *Host) Get(ctx context.Context, name string, off, n int64) (body io.ReadCloser, size int64, err error) {
	a, err := h.ask(ctx, name, off, n, false)
	if err != nil {
		return nil, 0, err
	}
	return a.body, a.size(), nil
}

// mostNames is how many bytes of names a host may send.
const mostNames = 64 << 20

// Newest returns the number of the newest commit, or 0 if there is none. It looks for names of manifests in NamesFile,
// or else in what the server answers for the directory: a page of links, or lines.
func (h *Host) Newest(ctx context.Context) (generation uint64, err error) {
	a, err := h.ask(ctx, NamesFile, 0, -1, false)
	if errors.Is(err, fs.ErrNotExist) {
		a, err = h.ask(ctx, "", 0, -1, false)
	}
	if err != nil {
		return 0, err
	}
	defer a.body.Close()
	text, err := io.ReadAll(io.LimitReader(a.body, mostNames))
	if err != nil {
		return 0, err
	}
	return newest(text), nil
}

// newest returns the greatest number of a manifest of which text has the name.
func newest(text []byte) (generation uint64) {
	const prefix = "manifest-"
	for {
		i := bytes.Index(text, []byte(prefix))
		if i < 0 {
			return generation
		}
		text = text[i:]
		digits := text[len(prefix):]
		digits = digits[:len(digits)-len(bytes.TrimLeft(digits, "0123456789"))]
		n, err := strconv.ParseUint(string(digits), 10, 64)
		if err == nil && n <= format.MaxFileNumber && bytes.HasPrefix(text, []byte(indexdir.ManifestName(n))) {
			generation = max(generation, n)
		}
		text = text[len(prefix):]
	}
}
