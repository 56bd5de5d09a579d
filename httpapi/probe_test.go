package httpapi_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/httpapi"
)

// parts is a backend of parts elsewhere.
type parts struct {
	httpapi.Backend
	missing error
}

func (p parts) Summary(context.Context) (*httpapi.Summary, error) { return &httpapi.Summary{}, nil }
func (p parts) Probe(context.Context) error                       { return p.missing }

// A server is not ready while a part of its backend is missing.
func TestProbe(t *testing.T) {
	for _, missing := range []error{nil, &httpapi.Error{Status: 503, Code: httpapi.CodeUnavailable, Message: "shard 1 is missing"}} {
		s, err := httpapi.New(parts{missing: missing}, httpapi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if w := ask(s, "/readyz", ""); (w.Code == 200) != (missing == nil) || missing != nil && (w.Code != 503 || !strings.Contains(w.Body.String(), "shard 1")) {
			t.Errorf("%v: %d, %s", missing, w.Code, w.Body)
		}
		if w := ask(s, "/healthz", ""); w.Code != 200 {
			t.Errorf("health: %d", w.Code)
		}
	}
}
