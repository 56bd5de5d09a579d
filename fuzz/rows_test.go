package fuzz

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/schema"
)

// drainRows reads rows to the end and checks what every reader of vectors guarantees.
func drainRows(t *testing.T, x *exchange.Rows, err error, size int) {
	var e *exchange.Error
	if err != nil {
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(size) {
			t.Fatalf("not an *Error with a place: %v", err)
		}
		return
	}
	if x.Dims() < 1 || x.Dims() > schema.MaxDims {
		t.Fatalf("%d dimensions", x.Dims())
	}
	for n := int64(1); ; n++ {
		v, err := x.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(size) {
				t.Fatalf("not an *Error with a place: %v", err)
			}
			return
		}
		if len(v) != x.Dims() || x.Row() != n || 2*n*int64(len(v)) > int64(size) {
			t.Fatalf("row %d, the %d., has %d values", x.Row(), n, len(v))
		}
	}
}

func FuzzNPY(x *testing.F) {
	f := fuzzing.New(x)
	for _, kind := range []string{"<f2", "<f4", "<f8"} {
		header := "{'descr': '" + kind + "', 'fortran_order': False, 'shape': (2, 1), }\n"
		f.Add(append([]byte("\x93NUMPY\x01\x00"+string(rune(len(header)))+"\x00"+header), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
		f.Add(append([]byte("\x93NUMPY\x03\x00"+string(rune(len(header)))+"\x00\x00\x00"+header), 1, 2, 3, 4, 5, 6, 7, 8))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := exchange.NewNPY("f", bytes.NewReader(b))
		drainRows(t, rows, err, len(b))
	})
}

func FuzzFvecs(x *testing.F) {
	f := fuzzing.New(x)
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x80\x3f\x01\x00\x00\x00\x00\x00\x00\x40"))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x80\x3f\x01\x00\x00\x00\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := exchange.NewFvecs("f", bytes.NewReader(b))
		drainRows(t, rows, err, len(b))
	})
}
