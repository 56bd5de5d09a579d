package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Listen returns a listener on a TCP address, host:port. Without credentials in Options it must be of this machine only:
// otherwise the error is ErrExposed, and nothing has listened.
func (s *Server) Listen(address string) (net.Listener, error) {
	a, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if err := s.exposed(a); err != nil {
		return nil, err
	}
	return net.ListenTCP("tcp", a)
}

// exposed returns ErrExposed for an address that other machines reach, unless there are credentials.
func (s *Server) exposed(a net.Addr) error {
	if t, ok := a.(*net.TCPAddr); ok && !t.IP.IsLoopback() && !s.o.credentials() {
		return fmt.Errorf("%w: %v", ErrExposed, a)
	}
	return nil
}

// Serve answers connections to a listener, which it closes, until Drain or Close: then it returns nil, Drain perhaps still
// waiting for answers. The error is ErrExposed, or one of the listener.
func (s *Server) Serve(l net.Listener) error {
	if err := s.exposed(l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      2*s.o.Deadline + 10*time.Second, // a client that reads too slowly holds its answer
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          s.o.ErrorLog,
	}
	if s.o.TLS != nil {
		h.TLSConfig = s.o.TLS.Clone()
	}
	s.mu.Lock()
	if s.draining.Load() {
		s.mu.Unlock()
		return l.Close()
	}
	s.serving[h] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.serving, h)
	}()
	serve := h.Serve
	if h.TLSConfig != nil {
		serve = func(l net.Listener) error { return h.ServeTLS(l, "", "") }
	}
	err := serve(l)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Drain makes /readyz fail, waits as long as Options.DrainDelay says, takes no more connections, and returns when all
// requests have been answered. If ctx ends before, so does Drain, with its error and what is left unanswered.
func (s *Server) Drain(ctx context.Context) error {
	servers := s.stop()
	if s.o.DrainDelay > 0 {
		select {
		case <-time.After(s.o.DrainDelay):
		case <-ctx.Done():
		}
	}
	var errs []error
	for _, h := range servers {
		errs = append(errs, h.Shutdown(ctx))
	}
	return errors.Join(errs...)
}

// Close makes /readyz fail and cuts all connections.
func (s *Server) Close() error {
	var errs []error
	for _, h := range s.stop() {
		errs = append(errs, h.Close())
	}
	return errors.Join(errs...)
}

// stop makes readiness fail and returns what serves.
func (s *Server) stop() (servers []*http.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining.Store(true)
	for h := range s.serving {
		servers = append(servers, h)
	}
	return servers
}

// Run serves until ctx is done, and then drains for at most the time of grace, after which it cuts what is left. The error
// is one of Serve, or of Drain.
func (s *Server) Run(ctx context.Context, l net.Listener, grace time.Duration) error {
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace+s.o.DrainDelay)
	defer cancel()
	err := s.Drain(late)
	return errors.Join(err, s.Close(), <-served)
}
