package httpapi_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/httpapi"
)

// Who may ask for paths that a program adds, and how it is told.
func TestAccess(t *testing.T) {
	const token = "0123456789abcdef"
	write := func(w http.ResponseWriter, _ *http.Request) error {
		_, err := io.WriteString(w, "page")
		return err
	}
	server := func(o httpapi.Options) *httpapi.Server {
		s := serve(t, waiting{}, o)
		s.HandleHTTP("GET /private", httpapi.Private, write)
		s.HandleHTTP("GET /browser", httpapi.Browser, write)
		s.HandleHTTP("GET /public", httpapi.Public, write)
		s.Handle("GET /value", func(*http.Request) (any, error) { return "value", nil })
		return s
	}
	basic := func(password string) string {
		r := httptest.NewRequest("GET", "/", nil)
		r.SetBasicAuth("anybody", password)
		return r.Header.Get("Authorization")
	}
	closed, open := server(httpapi.Options{Tokens: []string{token}}), server(httpapi.Options{})
	for _, tt := range []struct {
		s                 *httpapi.Server
		path, host, shown string
		status            int
		asks              string // WWW-Authenticate
	}{
		{closed, "/private", "", "", 401, "Bearer"},
		{closed, "/private", "", "Bearer " + token, 200, ""},
		{closed, "/private", "", basic(token), 401, "Bearer"},
		{closed, "/value", "", basic(token), 401, "Bearer"},
		{closed, "/v1/index", "", basic(token), 401, "Bearer"},
		{closed, "/browser", "", "", 401, `Basic realm="pinion", charset="UTF-8"`},
		{closed, "/browser", "", "Basic " + token, 401, `Basic realm="pinion", charset="UTF-8"`},
		{closed, "/browser", "", basic(token + "x"), 401, `Basic realm="pinion", charset="UTF-8"`},
		{closed, "/browser", "", basic(token), 200, ""},
		{closed, "/browser", "", "bearer  " + token, 200, ""},
		{closed, "/public", "elsewhere.example", "", 200, ""},
		{open, "/public", "elsewhere.example", "", 421, ""},
		{open, "/browser", "elsewhere.example", "", 421, ""},
		{open, "/browser", "localhost:80", "", 200, ""},
	} {
		r := httptest.NewRequest("GET", tt.path, nil)
		r.Host = tt.host
		if tt.shown != "" {
			r.Header.Set("Authorization", tt.shown)
		}
		w := httptest.NewRecorder()
		tt.s.ServeHTTP(w, r)
		if w.Code != tt.status || w.Header().Get("WWW-Authenticate") != tt.asks {
			t.Errorf("%s of %q with %q: %d %v %s", tt.path, tt.host, tt.shown, w.Code, w.Header(), w.Body)
		}
		if tt.status == 200 && tt.path != "/value" && w.Body.String() != "page" {
			t.Errorf("%s: %s", tt.path, w.Body)
		}
	}
}

// Errors of what writes by itself, and bodies beyond the limit.
func TestHandleHTTP(t *testing.T) {
	var seen []httpapi.Observation
	s := serve(t, waiting{}, httpapi.Options{MaxBody: 10, Observe: func(o httpapi.Observation) { seen = append(seen, o) }})
	fault := errors.New("fault")
	s.HandleHTTP("/early", httpapi.Private, func(http.ResponseWriter, *http.Request) error { return fault })
	s.HandleHTTP("/late", httpapi.Private, func(w http.ResponseWriter, r *http.Request) error {
		io.WriteString(w, "begun")
		return fault
	})
	s.HandleHTTP("/body", httpapi.Private, func(_ http.ResponseWriter, r *http.Request) error {
		_, err := io.Copy(io.Discard, r.Body)
		return err
	})
	for _, tt := range []struct {
		path, body string
		status     int
		has        string
		cause      error
	}{
		{"/early", "", 500, httpapi.CodeInternal, fault}, {"/late", "", 200, "begun", fault},
		{"/body", strings.Repeat("x", 10), 200, "", nil}, {"/body", strings.Repeat("x", 11), 413, httpapi.CodeTooLarge, nil},
	} {
		seen = nil
		w := ask(s, tt.path, tt.body)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.has) || len(seen) != 1 || seen[0].Route != tt.path || tt.cause != nil && seen[0].Err != tt.cause {
			t.Errorf("%s: %d %s, observed %v", tt.path, w.Code, w.Body, seen)
		}
	}
}
