package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/internal/pace"
	"github.com/pinion-index/pinion/query"
)

// Server answers HTTP requests by what a Backend says. It is an http.Handler, and serves by itself with Listen and Serve.
type Server struct {
	o        Options
	backend  Backend
	mux      *http.ServeMux
	tokens   [][sha256.Size]byte
	metrics  *metrics
	pool     *budget.Pool
	inFlight atomic.Int64
	draining atomic.Bool

	mu      sync.Mutex
	serving map[*http.Server]bool
}

// New returns a Server. The error matches ErrInvalid.
func New(b Backend, o Options) (*Server, error) {
	if b == nil {
		return nil, fmt.Errorf("%w: no backend", ErrInvalid)
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.Synonyms != nil {
		l, ok := b.(local)
		if !ok {
			return nil, fmt.Errorf("%w: synonyms for a backend that is neither OfIndex nor OfView: shards have none", ErrInvalid)
		}
		l.synonyms = o.Synonyms
		b = l
	}
	s := &Server{o: o, backend: b, mux: http.NewServeMux(), metrics: newMetrics(), pool: budget.NewPool(o.MaxHeld), serving: map[*http.Server]bool{}}
	for _, t := range o.Tokens {
		s.tokens = append(s.tokens, sha256.Sum256([]byte(t)))
	}
	s.routes()
	return s, nil
}

// answerer answers a request with a value to be written as JSON, an error, or neither if it has written by itself.
type answerer func(*recorder, *http.Request) (any, error)

func (s *Server) routes() {
	s.route("/v1/search", "GET POST", true, Private, ask(s, s.checkSearch, s.backend.Search))
	s.route("/v1/search/batch", "POST", true, Private, s.batch)
	s.route("/v1/count", "GET POST", true, Private, ask(s, s.checkCount, s.backend.Count))
	s.route("/v1/suggest", "GET POST", true, Private, ask(s, s.checkSuggest, s.backend.Suggest))
	s.route("/v1/index", "GET", true, Private, s.summary)
	s.route("/healthz", "GET", false, probe, s.health)
	s.route("/readyz", "GET", false, probe, s.ready)
	s.route("/metrics", "GET", false, Private, s.writeMetrics)
	s.route("/openapi.json", "GET", false, Private, s.openAPI)
	s.route("/", "", false, Private, func(*recorder, *http.Request) (any, error) {
		return nil, &Error{Status: http.StatusNotFound, Code: CodeNotFound, Message: "there is no such path: /openapi.json names those that there are"}
	})
}

// Handle makes f answer the requests of a pattern of http.ServeMux, such as "PUT /docs/{id...}": within the same limits and
// deadline, for those with the same credentials, its answer as JSON, its errors as those of a Backend. An answer of nil has
// no content. Handle is called before the Server is used, and panics where ServeMux does.
func (s *Server) Handle(pattern string, f func(*http.Request) (any, error)) {
	s.route(pattern, "", true, Private, func(w *recorder, r *http.Request) (any, error) {
		d, err := s.deadline(r)
		if err != nil {
			return nil, err
		}
		ctx, cancel := w.within(r.Context(), d)
		defer cancel()
		w.Bound(d)
		a, err := f(r.WithContext(ctx))
		if err == nil && a == nil {
			w.WriteHeader(http.StatusNoContent)
		}
		return a, err
	})
}

// Access says who may ask for a path, of a Server with credentials.
type Access uint8

// The kinds of Access.
const (
	// Private paths are for those with credentials.
	Private Access = iota
	// Browser paths also take a token as the password of HTTP's Basic authentication, for which browsers ask. They show
	// it unasked, also for pages of others: a path that changes something must not be one.
	Browser
	// Public paths are for all.
	Public

	probe // for all, by whatever name of the host
)

// HandleHTTP makes f answer the requests of a pattern as Handle does, but f writes by itself, pages or files, and nothing
// but the client, one that is too slow, and Drain end it. An error is answered as one of a Backend, unless f has written something before.
func (s *Server) HandleHTTP(pattern string, a Access, f func(http.ResponseWriter, *http.Request) error) {
	s.route(pattern, "", true, a, func(w *recorder, r *http.Request) (any, error) {
		err := f(w, r.WithContext(budget.With(r.Context(), w.budget)))
		if err == nil && w.Status == 0 {
			w.WriteHeader(http.StatusOK)
		}
		return nil, err
	})
}

// route makes f answer requests of a pattern with one of some methods, or any. If it is limited, it counts as in flight, and
// its body is bounded.
func (s *Server) route(path, methods string, limited bool, a Access, f answerer) {
	allowed := strings.Fields(methods)
	s.metrics.add(path)
	s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		to, r := s.recorder(w, r)
		defer to.budget.Release() // again, if something panics
		err := s.admit(r, a, allowed)
		if err == nil {
			err = s.answer(to, r, limited, f)
		}
		if err != nil {
			s.refuse(to, err, a, allowed)
		}
		to.budget.Release() // before Observe, which may take its time
		took := time.Since(began)
		s.metrics.observe(path, to.Status, took)
		if s.o.Observe != nil {
			s.o.Observe(Observation{Request: r, Route: strings.TrimSuffix(path, "/"), Status: to.Status, Took: took, Err: cmp.Or(err, to.err, to.Err)})
		}
	})
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// admit returns why a request is not answered.
func (s *Server) admit(r *http.Request, a Access, allowed []string) error {
	switch {
	case a == probe:
	case a != Public && len(s.tokens) > 0 && !s.knows(r, a):
		return &Error{Status: http.StatusUnauthorized, Code: CodeToken, Message: "a token is needed: Authorization: Bearer TOKEN"}
	case !s.o.credentials() && !LocalHost(r.Host, s.o.Hosts):
		return &Error{Status: http.StatusMisdirectedRequest, Code: CodeHost, Message: "this host name is not served"}
	}
	if len(allowed) == 0 {
		return nil
	}
	for _, m := range allowed {
		if r.Method == m || r.Method == http.MethodHead && m == http.MethodGet {
			return nil
		}
	}
	return &Error{Status: http.StatusMethodNotAllowed, Code: CodeMethod, Message: "the path takes " + strings.Join(allowed, " and ")}
}

// knows reports whether a request shows one of the tokens. The time it takes depends on no token's bytes.
func (s *Server) knows(r *http.Request, a Access) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") {
		var ok bool
		if _, token, ok = r.BasicAuth(); !ok || a != Browser {
			return false
		}
	}
	sum, known := sha256.Sum256([]byte(token)), 0
	for i := range s.tokens {
		known |= subtle.ConstantTimeCompare(sum[:], s.tokens[i][:])
	}
	return known == 1
}

// LocalHost reports whether a Host header is localhost, an IP address, which no name server can redirect, or one of
// hosts.
func LocalHost(header string, hosts []string) bool {
	host := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		host = h
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || strings.EqualFold(host, "localhost") {
		return true
	}
	for _, h := range hosts {
		if strings.EqualFold(host, h) {
			return true
		}
	}
	return false
}

// answer calls f and writes what it returns.
func (s *Server) answer(w *recorder, r *http.Request, limited bool, f answerer) error {
	if limited {
		defer s.inFlight.Add(-1)
		if s.inFlight.Add(1) > int64(s.o.MaxInFlight) {
			return &Error{Status: http.StatusTooManyRequests, Code: CodeBusy, Message: "too many requests at a time: come again"}
		}
		r.Body = &body{http.MaxBytesReader(w.ResponseWriter, r.Body, s.o.MaxBody), w.budget}
	}
	x, err := f(w, r)
	if err != nil || x == nil {
		return err
	}
	data, err := encode(x, w.budget)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)+1)) // so that what is cut off does not look whole
	w.Write(append(data, '\n'))
	return nil
}

// refuse writes an error, unless something was written already.
func (s *Server) refuse(w *recorder, err error, a Access, allowed []string) {
	e := ErrorOf(err)
	s.metrics.fail(e.Code)
	if w.Status != 0 {
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	switch e.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
		if a == Browser {
			h.Set("WWW-Authenticate", `Basic realm="pinion", charset="UTF-8"`)
		}
	case http.StatusMethodNotAllowed:
		h.Set("Allow", strings.Join(allowed, ", "))
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(e.Status)
	json.NewEncoder(w).Encode(ErrorBody{e})
}

// timeoutName is the header and the parameter by which a client asks for less time.
const (
	timeoutHeader = "Pinion-Timeout"
	timeoutParam  = "timeout"
)

// deadline returns how long an answer may take.
func (s *Server) deadline(r *http.Request) (time.Duration, error) {
	text := cmp.Or(r.URL.Query().Get(timeoutParam), r.Header.Get(timeoutHeader))
	if text == "" {
		return s.o.Deadline, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, invalid(timeoutParam, "%.40q is not a time above 0, such as 200ms", text)
	}
	return min(d, s.o.Deadline), nil
}

// ask returns what reads a request, checks it and has f answer it.
func ask[Q, A any](s *Server, check func(*Q) error, f func(context.Context, *Q) (*A, error)) answerer {
	return func(w *recorder, r *http.Request) (any, error) {
		d, err := s.deadline(r)
		if err != nil {
			return nil, err
		}
		ctx, cancel := w.within(r.Context(), d)
		defer cancel()
		q := new(Q)
		if err := s.read(w, r, q, d); err != nil {
			return nil, err
		}
		if check != nil {
			if err := check(q); err != nil {
				return nil, err
			}
		}
		a, err := f(ctx, q)
		if err != nil {
			return nil, err // and not a nil *A
		}
		return a, nil
	}
}

// read reads a request from the URL, or the body of a POST.
func (s *Server) read(w *recorder, r *http.Request, to any, d time.Duration) error {
	params := r.URL.Query()
	params.Del(timeoutParam)
	if r.Method != http.MethodPost {
		return decodeURL(params, to)
	}
	for name := range params {
		return invalid(name, "a POST takes no parameter but %s: its body says the rest", timeoutParam)
	}
	data, err := s.body(w, r, d)
	if err != nil {
		return err
	}
	return decode(data, to)
}

// body reads the body of a request within a time.
func (s *Server) body(w *recorder, r *http.Request, d time.Duration) ([]byte, error) {
	w.Bound(d)
	data, err := io.ReadAll(r.Body)
	if err == nil || errors.As(err, new(*http.MaxBytesError)) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, pace.ErrSlow) || errors.Is(err, budget.ErrHeld) || errors.Is(err, budget.ErrAnswer) {
		return data, err
	}
	e := invalid("", "the body cannot be read")
	e.cause = err
	return nil, e
}

func (s *Server) checkSearch(r *Request) error {
	k := cmp.Or(r.K, query.DefaultK)
	if k > s.o.MaxK {
		return invalid("k", "%d hits, more than %d", k, s.o.MaxK)
	}
	if r.Offset > s.o.MaxK-k {
		return invalid("offset", "%d hits after %d, more than %d together: after goes on behind another page", k, r.Offset, s.o.MaxK)
	}
	if _, offset, _ := parseCursor(r.After); offset > s.o.MaxK-k {
		return invalid("after", "%d hits after %d, which shards that collapse find again: more than %d together", k, offset, s.o.MaxK)
	}
	if err := r.checkGroup(s.o.MaxK); err != nil {
		return err
	}
	return r.checkRanked(s.o.MaxK)
}

func (s *Server) checkCount(r *CountRequest) error {
	return (&Request{Nearest: r.Nearest, Fuse: r.Fuse}).checkRanked(s.o.MaxK)
}

func (s *Server) checkSuggest(r *SuggestRequest) error {
	if r.K > s.o.MaxK || r.K < 0 {
		return invalid("k", "%d words, not up to %d", r.K, s.o.MaxK)
	}
	return r.checkText()
}
