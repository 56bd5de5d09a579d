package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"time"
)

// batch answers the lines of a body, each a Request, with as many lines, each a Response or an ErrorBody, in their order.
// The body is read to its end first: a client that reads nothing before it has sent all would otherwise wait for a
// server that waits for it. Empty lines have no answer.
func (s *Server) batch(w *recorder, r *http.Request) (any, error) {
	d, err := s.deadline(r)
	if err != nil {
		return nil, err
	}
	data, err := s.body(w, r, d)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if lines = append(lines, line); len(lines) > s.o.MaxBatch {
			return nil, &Error{Status: http.StatusRequestEntityTooLarge, Code: CodeTooLarge, Message: fmt.Sprintf("the batch has more than %d lines", s.o.MaxBatch)}
		}
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	s.writeLines(w, r, lines, d)
	return nil, nil
}

// reply is what a line of a batch is answered with.
type reply struct {
	data []byte
	err  error
}

// writeLines answers lines, several at a time, and writes the answers as soon as those before them are written.
func (s *Server) writeLines(w *recorder, r *http.Request, lines [][]byte, d time.Duration) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	waiting := make(chan chan reply, runtime.GOMAXPROCS(0)) // in order
	go func() {
		defer close(waiting)
		for _, line := range lines {
			one := make(chan reply, 1)
			select {
			case waiting <- one: // has room for as many lines as are answered at a time
			case <-ctx.Done():
				return
			}
			go func() { one <- s.line(ctx, line, d) }()
		}
	}()
	control := http.NewResponseController(w)
	for one := range waiting {
		x := <-one
		w.err = cmp.Or(w.err, x.err)
		s.allow(r, control)
		if _, err := w.Write(append(x.data, '\n')); err != nil {
			return // the client has gone
		}
		if len(waiting) == 0 {
			control.Flush()
		}
	}
}

// allow gives the client time for what is written next, on a server that bounds the time of answers.
func (s *Server) allow(r *http.Request, c *http.ResponseController) {
	if own, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && own.WriteTimeout > 0 {
		c.SetWriteDeadline(time.Now().Add(own.WriteTimeout))
	}
}

// line answers one line of a batch within a time.
func (s *Server) line(ctx context.Context, line []byte, d time.Duration) reply {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	a, err := func() (_ *Response, err error) {
		defer func() { // net/http catches panics in its own goroutines only
			if x := recover(); x != nil {
				err = fmt.Errorf("panic: %v", x)
			}
		}()
		q := new(Request)
		if err := decode(line, q); err != nil {
			return nil, err
		}
		if err := s.checkSearch(q); err != nil {
			return nil, err
		}
		return s.backend.Search(ctx, q)
	}()
	var data []byte
	if err == nil {
		data, err = json.Marshal(a)
	}
	if err != nil {
		e := ErrorOf(err)
		s.metrics.fail(e.Code)
		data, _ = json.Marshal(ErrorBody{e}) // strings only
	}
	return reply{data, err}
}
