package writer

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// callAll calls every method of w with zero arguments, which must not panic, and gives the
// error of those that return one to check.
func callAll(t *testing.T, w *Writer, check func(method string, err error)) {
	t.Helper()
	v := reflect.ValueOf(w)
	for i := range v.NumMethod() {
		name, m := v.Type().Method(i).Name, v.Method(i)
		if name == "Close" {
			continue
		}
		var args []reflect.Value
		for j := range m.Type().NumIn() {
			if !m.Type().IsVariadic() || j < m.Type().NumIn()-1 {
				args = append(args, reflect.Zero(m.Type().In(j)))
			}
		}
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("%s panics: %v", name, p)
			}
		}()
		out := m.Call(args)
		if n := len(out); n > 0 && m.Type().Out(n-1) == reflect.TypeFor[error]() {
			err, _ := out[n-1].Interface().(error)
			check(name, err)
		}
	}
}

// The zero Writer is a closed one. An open one takes a nil context for one without an end.
func TestZeroWriter(t *testing.T) {
	callAll(t, &Writer{}, func(method string, err error) {
		if !errors.Is(err, ErrClosed) && !errors.Is(err, ErrDocument) {
			t.Errorf("%s: %v", method, err)
		}
	})
	if err := new(Writer).Close(); err != nil {
		t.Error(err)
	}
	var none context.Context
	w, err := OpenFS(none, memfs.New(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	callAll(t, w, func(method string, err error) {
		switch method {
		case "Add", "Delete":
			if !errors.Is(err, ErrDocument) {
				t.Errorf("%s: %v", method, err)
			}
		case "DeleteWhere", "CountWhere":
			if !errors.Is(err, store.ErrInvalid) {
				t.Errorf("%s: %v", method, err)
			}
		case "AddInverted", "Adopt", "CheckChange", "Evolve":
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %v", method, err)
			}
		default:
			if err != nil {
				t.Errorf("%s: %v", method, err)
			}
		}
	})
	if err := errors.Join(w.Add(none, doc("a", "b")), w.Delete(none, []byte("x")), w.Commit(none)); err != nil {
		t.Error(err)
	}
	if _, err := w.MergeFrom(t.Context(), nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("MergeFrom: %v", err)
	}
	if _, err := OpenFS(t.Context(), nil, Options{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("OpenFS: %v", err)
	}
}

// Nothing is added once the context has ended.
func TestAddAfterCancel(t *testing.T) {
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Add(ctx, doc("a", "one")); !errors.Is(err, context.Canceled) {
		t.Errorf("Add: %v", err)
	}
	if err := w.Delete(ctx, []byte("a")); !errors.Is(err, context.Canceled) {
		t.Errorf("Delete: %v", err)
	}
	if err := errors.Join(w.Add(t.Context(), doc("b", "two")), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	(&model{docs: []shownDoc{show("b", "two", false)}}).check(t, fs)
}

// noTokenizer is an analyzer whose Tokenizer is nil.
type noTokenizer struct{ analysis.Analyzer }

func (noTokenizer) Name() string                  { return "no tokenizer" }
func (noTokenizer) Tokenizer() analysis.Tokenizer { return nil }

var registerNoTokenizer = sync.OnceValue(func() error {
	return analysis.Register("no tokenizer", func(string) (analysis.Analyzer, error) { return noTokenizer{}, nil })
})

func TestNilTokenizer(t *testing.T) {
	if err := registerNoTokenizer(); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFS(t.Context(), memfs.New(), Options{Schema: schema.Implicit("no tokenizer", "", false)}); !errors.Is(err, schema.ErrInvalid) || !errors.Is(err, analysis.ErrInvalid) {
		t.Errorf("OpenFS: %v", err)
	}
}

// A merge policy that panics fails as one does that returns nonsense: the commit stands.
func TestPolicyPanics(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	var failed error
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), MergeFailed: func(err error) { failed = err },
		MergePolicy: func([]SegmentStats) []Run { panic("policy") }})
	if err := errors.Join(w.Add(ctx, doc("a", "one")), w.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	if failed == nil {
		t.Error("the policy's panic was not reported")
	}
	if err := w.WaitMerges(ctx); err == nil {
		t.Error("WaitMerges does not return it")
	}
	if err := errors.Join(w.Add(ctx, doc("b", "two")), w.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	w.Close() // returns the error of the second commit's policy
	(&model{docs: []shownDoc{show("a", "one", false), show("b", "two", false)}}).check(t, fs)
}
