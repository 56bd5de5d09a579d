package exchange

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
)

// Rows reads the vectors of a file: of NumPy (.npy, versions 1 to 3) with float16, float32 or float64 in rows, or of .fvecs, in which
// each vector is its number of dimensions as int32 and its float32, all in little-endian order. It reads a row at a time. A Rows is not
// safe for concurrent use, but for BytesRead and Close.
type Rows struct {
	in     input
	r      io.Reader
	file   string
	dims   int
	count  int64 // rows that the file says to have, -1: it does not
	width  int   // bytes of a value
	prefix int   // bytes before each row
	row    int64 // of the last row returned, from 1
	offset int64 // of the next byte to read, in what is inflated
	at     int64 // of the values of the last row
	buf    []byte
	vector []float32
	halves []uint16 // of float16
	first  bool     // the prefix of the first row has been read
}

// OpenRows opens the file of vectors at path, or standard input for Stdin, which may be compressed. The beginning tells .npy,
// the name .fvecs. The caller closes the Rows.
func OpenRows(path string) (*Rows, error) {
	s, err := openStream(path)
	if err != nil {
		return nil, err
	}
	x, err := rowsOf(s, path)
	if err != nil {
		s.Close()
		return nil, err
	}
	return x, nil
}

// rowsOf returns the rows of a stream; path is its name.
func rowsOf(s *stream, path string) (*Rows, error) {
	if err := s.foreign(); err != nil {
		return nil, err
	}
	if err := s.failure(); err != nil {
		return nil, err
	}
	return newRows(s.name, s, string(s.peek(len(npyMagic))) == npyMagic || extension(path) != ".fvecs")
}

// NewNPY reads a file of NumPy from r; file is its name for errors.
func NewNPY(file string, r io.Reader) (*Rows, error) { return newRows(file, r, true) }

// NewFvecs reads .fvecs from r; file is its name for errors.
func NewFvecs(file string, r io.Reader) (*Rows, error) { return newRows(file, r, false) }

func newRows(file string, r io.Reader, npy bool) (*Rows, error) {
	x := &Rows{in: asInput(r), r: r, file: file}
	if npy {
		if err := x.readHeader(); err != nil {
			return nil, err
		}
	} else {
		x.count, x.width, x.prefix = -1, 4, 4
		dims, err := x.readPrefix()
		if err == io.EOF {
			return nil, x.fail(0, "the file is empty, and .fvecs begins with how many dimensions a vector has", nil)
		}
		if err != nil {
			return nil, err
		}
		x.dims, x.first = dims, true
	}
	x.buf, x.vector = make([]byte, x.dims*x.width), make([]float32, x.dims)
	if x.width == 2 {
		x.halves = make([]uint16, x.dims)
	}
	return x, nil
}

// Dims returns how many dimensions all vectors have, 1 to schema.MaxDims.
func (x *Rows) Dims() int { return x.dims }

// Row returns the number of the row that Next has returned last, from 1; 0 before the first.
func (x *Rows) Row() int64 { return x.row }

// File returns the name of the file.
func (x *Rows) File() string { return x.file }

// Next returns the next row, which is valid until the next call, or io.EOF after the last. Values that are not finite are as they are.
// The error of a file that is broken is an *Error with its name, row and the offset of a byte; the Rows must then only be closed.
func (x *Rows) Next() ([]float32, error) {
	if x.row == x.count {
		return nil, x.ended()
	}
	switch {
	case x.prefix == 0:
	case x.first:
		x.first = false
	default:
		at := x.offset
		dims, err := x.readPrefix()
		if err != nil {
			return nil, err
		}
		if dims != x.dims {
			return nil, x.fail(at, fmt.Sprintf("row %d has %d dimensions, and the rows before %d", x.row+1, dims, x.dims), nil)
		}
	}
	x.at = x.offset
	if err := x.read(x.buf); err != nil {
		return nil, x.short(err)
	}
	x.row++
	return x.vector, x.decode()
}

// ended returns io.EOF if nothing follows the last row of a file that says how many there are.
func (x *Rows) ended() error {
	at := x.offset
	var b [1]byte
	switch err := x.read(b[:]); err {
	case nil:
		return x.fail(at, fmt.Sprintf("bytes follow the last of %d rows", x.count), nil)
	case io.EOF:
		return io.EOF
	default:
		return x.fail(x.offset, "cannot read", err)
	}
}

// decode makes a vector of the bytes of a row.
func (x *Rows) decode() error {
	switch b := x.buf; x.width {
	case 2:
		for i := range x.halves {
			x.halves[i] = binary.LittleEndian.Uint16(b[2*i:])
		}
		vector.Widen(x.vector, x.halves)
	case 4:
		for i := range x.vector {
			x.vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	default:
		for i := range x.vector {
			wide := math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
			x.vector[i] = float32(wide)
			if math.IsInf(float64(x.vector[i]), 0) && !math.IsInf(wide, 0) {
				return x.fail(x.at+8*int64(i), fmt.Sprintf("row %d: value %d is %g, which float32 does not reach", x.row, i, wide), nil)
			}
		}
	}
	return nil
}

// Bad returns err, about the values of the row that Next has returned last, with its place.
func (x *Rows) Bad(err error) error { return x.fail(x.at, fmt.Sprintf("row %d", x.row), err) }

// readPrefix reads how many dimensions the next row of .fvecs has, or returns io.EOF.
func (x *Rows) readPrefix() (int, error) {
	at := x.offset
	var b [4]byte
	if err := x.read(b[:]); err == io.EOF {
		return 0, io.EOF
	} else if err != nil {
		return 0, x.short(err)
	}
	dims := int32(binary.LittleEndian.Uint32(b[:]))
	if dims < 1 || dims > schema.MaxDims {
		return 0, x.fail(at, fmt.Sprintf("row %d has %d dimensions; a vector has 1 to %d", x.row+1, dims, schema.MaxDims), nil)
	}
	return int(dims), nil
}

// read fills b. It returns io.EOF if there is no byte, and io.ErrUnexpectedEOF if there are fewer.
func (x *Rows) read(b []byte) error {
	n, err := io.ReadFull(x.r, b)
	x.offset += int64(n)
	return err
}

// short is the error of reading the next row.
func (x *Rows) short(err error) error {
	what := fmt.Sprintf("row %d", x.row+1)
	if x.count >= 0 {
		what += fmt.Sprintf(" of %d", x.count)
	}
	if err = unexpected(err); err == io.ErrUnexpectedEOF {
		return x.fail(x.offset, what+": the file ends early", err)
	}
	return x.fail(x.offset, what+": cannot read", err)
}

func (x *Rows) fail(at int64, msg string, err error) error {
	return &Error{File: x.file, Offset: at, Msg: msg, Err: err}
}

// BytesRead returns how many bytes of the file have been consumed.
func (x *Rows) BytesRead() int64 { return x.in.BytesRead() }

// Close releases the file.
func (x *Rows) Close() error { return x.in.Close() }

// EachVector iterates over the vectors of the file at path, or of standard input for Stdin, for queries: the rows of what OpenRows opens, or
// JSON, an array of numbers or an array of these. It may be compressed. A vector is valid until the next. An error comes with a nil
// vector and is the last.
func EachVector(path string) iter.Seq2[[]float32, error] {
	return func(yield func([]float32, error) bool) {
		s, err := openStream(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer s.Close()
		next := func() ([]float32, error) { return nil, io.EOF }
		// .fvecs of 91 dimensions begins with a bracket, too.
		if head := bytes.TrimLeft(s.peek(headSize), " \t\r\n"); len(head) > 0 && head[0] == '[' && extension(path) != ".fvecs" {
			next = (&jsonVectors{d: jsontext.NewDecoder(s), file: s.name}).next
		} else if x, fail := rowsOf(s, path); fail == nil {
			next = x.Next
		} else {
			err = fail
		}
		for err == nil {
			var v []float32
			if v, err = next(); err == nil && !yield(v, nil) {
				return
			}
		}
		if err != io.EOF {
			yield(nil, err)
		}
	}
}

// ParseVector returns the vector of a text: an array of numbers in JSON, or the base64 of its float32 in little-endian order.
func ParseVector(text string) ([]float32, error) {
	all, err := appendDense(nil, 0, []byte(text))
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%d vectors, one is wanted", len(all))
	}
	if err != nil {
		return nil, err
	}
	return all[0].Vector(), nil
}
