package indexdir_test

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// callAll calls every method of x but Close with zero arguments, which must not panic, and gives the
// error of those that return one to check.
func callAll(t *testing.T, x any, check func(method string, err error)) {
	t.Helper()
	v := reflect.ValueOf(x)
	for i := range v.NumMethod() {
		name := v.Type().Method(i).Name
		if _, promoted := reflect.TypeFor[*indexdir.Manifest]().MethodByName(name); promoted || name == "Close" {
			continue
		}
		m := v.Method(i)
		var args []reflect.Value
		for j := range m.Type().NumIn() {
			if !m.Type().IsVariadic() || j < m.Type().NumIn()-1 {
				args = append(args, reflect.Zero(m.Type().In(j)))
			}
		}
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%T.%s panics: %v", x, name, p)
				}
			}()
			out := m.Call(args)
			if len(out) > 0 {
				if l, ok := out[0].Interface().(*indexdir.Lock); ok && l != nil {
					defer l.Close()
				}
			}
			if n := len(out); n > 0 && m.Type().Out(n-1) == reflect.TypeFor[error]() {
				err, _ := out[n-1].Interface().(error)
				check(name, err)
			}
		}()
	}
}

// The zero Dir, Lock and Commit are closed ones.
func TestZeroValues(t *testing.T) {
	for _, x := range []any{&indexdir.Lock{}, &indexdir.Commit{}} {
		callAll(t, x, func(method string, err error) {
			if !errors.Is(err, fs.ErrClosed) && method != "WriteDeletes" {
				t.Errorf("%T.%s: %v", x, method, err)
			}
		})
	}
	if err := new(indexdir.Lock).Close(); err != nil {
		t.Errorf("Lock.Close: %v", err)
	}
	d := &indexdir.Dir{}
	if err := d.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Dir.Close: %v", err)
	}
	callAll(t, d, func(method string, err error) {
		if !errors.Is(err, fs.ErrClosed) && !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Dir.%s: %v", method, err)
		}
	})
	if _, err := indexdir.OpenFS(nil); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("OpenFS: %v", err)
	}
}

// Arguments that are nil give errors at once, except contexts.
func TestNilArguments(t *testing.T) {
	mem := memfs.New()
	d, err := indexdir.OpenFS(mem)
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	callAll(t, l, func(method string, err error) {
		switch method {
		case "Commit", "CommitAndPublish", "Publish":
			if !errors.Is(err, store.ErrInvalid) {
				t.Errorf("Lock.%s: %v", method, err)
			}
		}
	})
	l.Close()
	d2, err := indexdir.OpenFS(mem)
	if err != nil {
		t.Fatal(err)
	}
	callAll(t, d2, func(method string, err error) {
		switch method {
		case "Backup", "Rebuild", "Repair", "OpenLatest":
			if !errors.Is(err, store.ErrInvalid) {
				t.Errorf("Dir.%s: %v", method, err)
			}
		}
	})
	var none context.Context
	inv, err := d.Inspect(none, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Rebuild(none, nil); !errors.Is(err, store.ErrInvalid) || inv == nil {
		t.Errorf("Rebuild: %v", err)
	}
	if err := d.Repair(none, nil, nil, nil); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("Repair: %v", err)
	}
	if _, err := d.Backup(none, nil, indexdir.BackupOptions{}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("Backup: %v", err)
	}
	d.Close()
}
