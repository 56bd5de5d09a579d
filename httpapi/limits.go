package httpapi

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/internal/pace"
)

// recorder is the ResponseWriter of a request. It bounds what the request takes and how long its client takes.
type recorder struct {
	*pace.Writer
	budget *budget.Budget
	err    error // of a line of a batch
}

// recorder returns one, and the request with a body that must come in time.
func (s *Server) recorder(w http.ResponseWriter, r *http.Request) (*recorder, *http.Request) {
	to, r := pace.New(w, r)
	return &recorder{Writer: to, budget: s.pool.Budget(s.o.MaxAnswer)}, r
}

// within returns a context with a deadline, and the budget of the request.
func (w *recorder) within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(budget.With(ctx, w.budget), d)
}

// body is the body of a request. What is read of it is held by the request.
type body struct {
	io.ReadCloser
	budget *budget.Budget
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if held := b.budget.Hold(n); held != nil && (err == nil || err == io.EOF) {
		err = held
	}
	return n, err
}
