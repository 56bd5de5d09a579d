package exchange

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pinion-index/pinion/schema"
)

// jsonVectors reads the vectors of a text of JSON, one at a time: an array of numbers, or an array of these.
type jsonVectors struct {
	d     *jsontext.Decoder
	file  string
	begun bool
	one   bool // the text is one vector
	v     []float32
}

// next returns the next vector, which is valid until the one after it, or io.EOF.
func (x *jsonVectors) next() ([]float32, error) {
	if !x.begun {
		x.begun = true
		if _, err := x.d.ReadToken(); err != nil { // the bracket
			return nil, x.fail(err)
		}
		if x.one = x.d.PeekKind() != '['; x.one {
			return x.numbers()
		}
	}
	switch kind := x.d.PeekKind(); {
	case kind == '[' && !x.one:
		if _, err := x.d.ReadToken(); err != nil {
			return nil, x.fail(err)
		}
		return x.numbers()
	case kind == ']' && !x.one:
		if _, err := x.d.ReadToken(); err != nil {
			return nil, x.fail(err)
		}
	}
	switch t, err := x.d.ReadToken(); {
	case err == io.EOF && x.d.StackDepth() == 0:
		return nil, io.EOF
	case err != nil:
		return nil, x.fail(err)
	default:
		return nil, x.fail(fmt.Errorf("%w: %.40s is none", errDense, t))
	}
}

// numbers reads the rest of an array.
func (x *jsonVectors) numbers() ([]float32, error) {
	x.v = x.v[:0]
	for {
		switch t, err := x.d.ReadToken(); {
		case err != nil:
			return nil, x.fail(err)
		case t.Kind() == ']' && len(x.v) > 0:
			return x.v, nil
		case t.Kind() != '0':
			return nil, x.fail(errDense)
		case len(x.v) == schema.MaxDims:
			return nil, x.fail(fmt.Errorf("%w, up to %d", errDense, schema.MaxDims))
		default:
			f, err := strconv.ParseFloat(t.String(), 32)
			if err != nil && !math.IsInf(f, 0) { // which the field refuses
				return nil, x.fail(errDense)
			}
			x.v = append(x.v, float32(f))
		}
	}
}

// fail returns an error of where x is.
func (x *jsonVectors) fail(err error) error {
	at := x.d.InputOffset()
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("%w, and the file ends early", errDense)
	case errors.As(err, &syntax) || err == io.EOF:
		err = errDense
	case !errors.Is(err, errDense):
		return readFailure(x.file, 0, at, err)
	}
	return &Error{File: x.file, Offset: at, Err: err}
}
