// Package pace bounds how long the clients of an HTTP server take to send a body and to take an answer, so that none holds what its
// request needs for as long as it likes. Servers need no timeouts for reading and writing beside it.
package pace

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// Rate is how many bytes a client moves in a second, at least.
const Rate = 64 << 10

// Patience is how long a client has to send a body, and as long to take an answer, and for each Rate bytes of them a second more.
// Only the time counts for which it is waited for. Only tests set it.
var Patience = 10 * time.Second

// ErrSlow is the error for a body that does not come in time.
var ErrSlow = errors.New("the body does not come in time")

// pace is how far a client has got.
type pace struct {
	waited time.Duration
	moved  int64
}

// until returns when the client must have moved n bytes more.
func (p *pace) until(now time.Time, n int) time.Time {
	return now.Add(Patience - p.waited + time.Duration(float64(p.moved+int64(n))/Rate*float64(time.Second)))
}

// add notes that n bytes took since began.
func (p *pace) add(began time.Time, n int) {
	p.waited += time.Since(began)
	p.moved += int64(n)
}

// Writer is the ResponseWriter of a request, whose client must take what is written in time.
type Writer struct {
	http.ResponseWriter
	Status int   // of the answer; 0 as long as nothing is written
	Err    error // of the first write that failed

	c    *http.ResponseController
	body *body
	pace pace
}

// New returns a Writer for the answer to a request, and a copy of the request, whose body must come in time.
func New(w http.ResponseWriter, r *http.Request) (*Writer, *http.Request) {
	to := &Writer{ResponseWriter: w, c: http.NewResponseController(w)}
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.WriteTimeout == 0 {
		to.c.SetWriteDeadline(time.Time{}) // that of the request before on the connection
	}
	own := r.WithContext(r.Context())
	to.body = &body{ReadCloser: r.Body, c: to.c, ended: r.Body == nil || r.Body == http.NoBody}
	if !to.body.ended {
		own.Body = to.body
	}
	return to, own
}

// WriteHeader implements http.ResponseWriter.
func (w *Writer) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
		w.body.leave()
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *Writer) Write(b []byte) (n int, err error) {
	if w.Status == 0 {
		w.Status = http.StatusOK
		w.body.leave()
	}
	for {
		part := b[n:min(n+Rate, len(b))]
		began := time.Now()
		w.c.SetWriteDeadline(w.pace.until(began, len(part))) // which not every server has
		var k int
		k, err = w.ResponseWriter.Write(part)
		w.pace.add(began, k)
		if n += k; err != nil || n == len(b) {
			if w.Err == nil {
				w.Err = err
			}
			return n, err
		}
	}
}

// Flush sends what has been written.
func (w *Writer) Flush() { w.c.Flush() }

// Unwrap is for http.ResponseController.
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Bound makes the body of the request one that must come within d, or reading it fails with context.DeadlineExceeded.
func (w *Writer) Bound(d time.Duration) { w.body.last = time.Now().Add(d) }

// body is the body of a request.
type body struct {
	io.ReadCloser
	c     *http.ResponseController
	pace  pace
	last  time.Time // unless zero, when it must have come
	ended bool
}

// leave bounds how long net/http waits for what is left of the body, which it reads before it answers: half as long as for one that
// is wanted, so that there is time left to write the answer.
func (b *body) leave() {
	if now := time.Now(); !b.ended {
		b.c.SetReadDeadline(now.Add(b.pace.until(now, 0).Sub(now) / 2))
	}
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	began := time.Now()
	until := b.pace.until(began, 0)
	if !b.last.IsZero() && b.last.Before(until) {
		until = b.last
	}
	b.c.SetReadDeadline(until) // which not every server has
	n, err := b.ReadCloser.Read(p)
	b.pace.add(began, n)
	if err == io.EOF {
		b.ended = true
		b.c.SetReadDeadline(time.Time{}) // it would end the request's context
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	if until.Equal(b.last) {
		return n, context.DeadlineExceeded
	}
	return n, ErrSlow
}
