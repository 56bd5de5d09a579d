package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/internal/pace"
)

// mostInFlight is how many requests are answered at a time, and longest how long a page may take.
const (
	mostInFlight = 256
	longest      = time.Minute
)

// ServeHTTP implements http.Handler. Requests have the limits that those of package httpapi have by default.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to, r := pace.New(w, r)
	to.Bound(httpapi.DefaultDeadline)
	defer s.inFlight.Add(-1)
	if s.inFlight.Add(1) > mostInFlight {
		to.Header().Set("Retry-After", "1")
		http.Error(to, "Too many requests at a time: come again.", http.StatusTooManyRequests)
		return
	}
	own := s.pool.Budget(httpapi.DefaultMaxAnswer)
	defer own.Release()
	ctx, cancel := context.WithTimeout(budget.With(r.Context(), own), longest)
	defer cancel()
	s.handler.ServeHTTP(to, r.WithContext(ctx))
}

// rendered is a page that a template writes, within the budget of its request.
type rendered struct {
	page   []byte
	budget *budget.Budget
}

// Write implements io.Writer.
func (w *rendered) Write(b []byte) (int, error) {
	if err := w.budget.Fits(len(w.page)+len(b), len(b)); err != nil {
		return 0, err
	}
	w.page = append(w.page, b...)
	return len(b), nil
}
