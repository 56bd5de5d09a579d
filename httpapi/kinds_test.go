package httpapi_test

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/eval"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// All errors of one kind match one error, and nothing else does.
func TestKinds(t *testing.T) {
	for _, err := range []error{pinion.ErrInvalid, analysis.ErrInvalid, eval.ErrInvalid, filter.ErrInvalid, httpapi.ErrInvalid,
		query.ErrInvalid, schema.ErrInvalid, writer.ErrInvalid} {
		if err := fmt.Errorf("somewhere: %w", err); !errors.Is(err, store.ErrInvalid) || errors.Is(err, store.ErrClosed) {
			t.Errorf("%v", err)
		}
	}
	if errors.Is(schema.ErrInvalid, writer.ErrInvalid) || errors.Is(syscall.EINVAL, store.ErrInvalid) || errors.Is(fs.ErrInvalid, store.ErrInvalid) {
		t.Error("errors of different kinds match")
	}
	for _, err := range []error{pinion.ErrClosed, query.ErrClosed, pool.ErrClosed, reader.ErrClosed, writer.ErrClosed} {
		if !errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrInvalid) {
			t.Errorf("%v", err)
		}
	}
}

// So do errors with a place in a text, and those for a filter that does not fit.
func TestKindsOfFilters(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "price", Kind: schema.Integer, Column: true}}}
	for _, text := range []string{"price >", "prize > 1", "price > x"} {
		if _, err := query.ParseFilter(s, text); !errors.Is(err, store.ErrInvalid) || !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
