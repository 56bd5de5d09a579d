package httpapi

import (
	"context"
	"net/http"
)

// Status is the answer of /healthz and /readyz.
type Status struct {
	Status string `json:"status"` // "ok"
}

// summary answers what is served.
func (s *Server) summary(_ *recorder, r *http.Request) (any, error) {
	d, err := s.deadline(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), d)
	defer cancel()
	a, err := s.backend.Summary(ctx)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// health says that the process answers.
func (s *Server) health(*recorder, *http.Request) (any, error) { return Status{"ok"}, nil }

// ready says whether requests are welcome: the index is open, and the server does not drain.
func (s *Server) ready(w *recorder, r *http.Request) (any, error) {
	if s.draining.Load() {
		return nil, &Error{Status: http.StatusServiceUnavailable, Code: CodeUnavailable, Message: "the server is about to stop"}
	}
	_, err := s.summary(w, r)
	if p, ok := s.backend.(Prober); ok && err == nil {
		err = s.probe(p, r)
	}
	if err != nil {
		e := *ErrorOf(err)
		e.Status = http.StatusServiceUnavailable
		return nil, &e
	}
	return Status{"ok"}, nil
}

func (s *Server) probe(p Prober, r *http.Request) error {
	d, err := s.deadline(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), d)
	defer cancel()
	return p.Probe(ctx)
}
