package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/store"
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
	data   []byte
	err    error
	budget *budget.Budget
}

// batchDeadlines is how many times as long as one answer a batch may take.
const batchDeadlines = 6

// writeLines answers lines, several at a time, and writes the answers as soon as those before them are written. Once the
// batch has taken its time or its bytes, the lines that are left are answered with errors.
func (s *Server) writeLines(w *recorder, r *http.Request, lines [][]byte, d time.Duration) {
	ctx, cancel := context.WithTimeout(r.Context(), batchDeadlines*s.o.Deadline)
	defer cancel()
	client, leave := context.WithCancel(r.Context())
	defer leave()
	waiting := make(chan chan reply, runtime.GOMAXPROCS(0)) // in order
	var written atomic.Int64
	go func() {
		defer close(waiting)
		for _, line := range lines {
			one := make(chan reply, 1)
			select {
			case waiting <- one: // has room for as many lines as are answered at a time
			case <-client.Done():
				return
			}
			go func() { one <- s.line(ctx, line, d, s.o.MaxAnswer-written.Load()) }()
		}
	}()
	for one := range waiting {
		x := <-one
		if x.err == nil && written.Load()+int64(len(x.data)) >= s.o.MaxAnswer {
			x.budget.Release()
			x = s.refused(&budget.TooLarge{Limit: s.o.MaxAnswer}, x.budget)
		}
		w.err = cmp.Or(w.err, x.err)
		written.Add(int64(len(x.data)) + 1)
		_, err := w.Write(append(x.data, '\n'))
		if x.budget.Release(); err != nil {
			leave()
			cancel()
			for one := range waiting { // what is being answered
				(<-one).budget.Release()
			}
			return
		}
		if len(waiting) == 0 {
			w.Flush()
		}
	}
}

// line answers one line of a batch within a time and so many bytes.
func (s *Server) line(ctx context.Context, line []byte, d time.Duration, most int64) reply {
	b := s.pool.Budget(most)
	ctx, cancel := context.WithTimeout(budget.With(ctx, b), d)
	defer cancel()
	a, err := func() (_ *Response, err error) {
		defer func() { // net/http catches panics in its own goroutines only
			if x := recover(); x != nil {
				err = &store.PanicError{Value: x, Stack: debug.Stack()}
			}
		}()
		if most <= 0 {
			return nil, &budget.TooLarge{Limit: s.o.MaxAnswer}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
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
		data, err = encode(a, b)
	}
	if err != nil {
		b.Release()
		return s.refused(err, b)
	}
	return reply{data, nil, b}
}

// refused returns an error as the answer to a line.
func (s *Server) refused(err error, b *budget.Budget) reply {
	if large := (*budget.TooLarge)(nil); errors.As(err, &large) && !large.Held {
		err = &budget.TooLarge{Limit: s.o.MaxAnswer} // which is that of the batch
	}
	e := ErrorOf(err)
	s.metrics.fail(e.Code)
	data, _ := json.Marshal(ErrorBody{e}) // strings only
	return reply{data, err, b}
}
