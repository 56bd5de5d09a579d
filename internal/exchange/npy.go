package exchange

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/pinion-index/pinion/schema"
)

// npyMagic begins files of NumPy.
const npyMagic = "\x93NUMPY"

// maxHeader is the longest header of a file of NumPy that is read, in bytes. NumPy reads 10,000.
const maxHeader = 64 << 10

// maxShape is how many dimensions an array of NumPy may have. The error of a shape shows them all.
const maxShape = 64

// npyWidths are the bytes of a value, by its type.
var npyWidths = map[string]int{"<f2": 2, "<f4": 4, "<f8": 8}

// readHeader reads what a file of NumPy says of its array.
func (x *Rows) readHeader() error {
	var b [12]byte
	if err := x.read(b[:8]); err != nil || string(b[:6]) != npyMagic {
		if err != nil && unexpected(err) != io.ErrUnexpectedEOF {
			return x.fail(x.offset, "cannot read", err)
		}
		return x.fail(0, `not a file of vectors: .npy begins with \x93NUMPY, and the name of .fvecs ends so`, nil)
	}
	size := 2
	if major := b[6]; major < 1 || major > 3 {
		return x.fail(6, fmt.Sprintf("version %d of .npy; 1, 2 and 3 are read", major), nil)
	} else if major > 1 {
		size = 4
	}
	if err := x.read(b[8 : 8+size]); err != nil {
		return x.fail(x.offset, "the header: the file ends early", unexpected(err))
	}
	n := binary.LittleEndian.Uint32(b[8:]) // 0 in the bytes that were not read
	if n > maxHeader {
		return x.fail(8, fmt.Sprintf("a header of %d bytes, at most %d are read", n, maxHeader), nil)
	}
	header, at := make([]byte, n), x.offset
	if err := x.read(header); err != nil {
		return x.fail(x.offset, "the header: the file ends early", unexpected(err))
	}
	if err := x.parseHeader(header); err != nil {
		return x.fail(at, "the header", err)
	}
	return nil
}

// parseHeader reads a header, which is a dict of Python.
func (x *Rows) parseHeader(header []byte) error {
	p := &python{text: header}
	kind, order, shape, err := p.array()
	switch {
	case err != nil:
		return err
	case npyWidths[kind] == 0:
		return fmt.Errorf("values of type %.80q; vectors are of '<f2', '<f4' or '<f8': astype('<f4') makes such", kind)
	case order:
		return fmt.Errorf("columns one after the other (fortran_order); numpy.ascontiguousarray makes rows")
	case len(shape) != 2:
		return fmt.Errorf("the shape %v; vectors are the rows of one with two dimensions", shape)
	case shape[1] < 1 || shape[1] > schema.MaxDims:
		return fmt.Errorf("the shape %v; a vector has 1 to %d dimensions", shape, schema.MaxDims)
	}
	x.count, x.dims, x.width = shape[0], int(shape[1]), npyWidths[kind]
	if x.count > math.MaxInt64/int64(x.dims*x.width)-maxHeader {
		return fmt.Errorf("the shape %v; no file has as many bytes", shape)
	}
	return nil
}

// python reads literals of Python.
type python struct {
	text []byte
	at   int
}

// array reads the dict of a header: the type of values, whether columns come one after the other, and the shape.
func (p *python) array() (kind string, columns bool, shape []int64, err error) {
	seen := map[string]bool{}
	if !p.take('{') {
		return "", false, nil, p.wrong("{")
	}
	for !p.take('}') {
		key, ok := p.quoted()
		if !ok || !p.take(':') || seen[key] {
			return "", false, nil, p.wrong("a key that was not there, and a colon")
		}
		seen[key] = true
		switch key {
		case "descr":
			if kind, ok = p.quoted(); !ok {
				return "", false, nil, p.wrong("the name of one type: arrays of records are not read")
			}
		case "fortran_order":
			if columns, ok = p.boolean(); !ok {
				return "", false, nil, p.wrong("True or False")
			}
		case "shape":
			if shape, ok = p.tuple(); !ok {
				return "", false, nil, p.wrong(fmt.Sprintf("a tuple of up to %d numbers", maxShape))
			}
		default:
			return "", false, nil, fmt.Errorf("the key %.80q; it has descr, fortran_order and shape", key)
		}
		if !p.take(',') {
			if !p.take('}') {
				return "", false, nil, p.wrong("} or a comma")
			}
			break
		}
	}
	if p.space(); p.at < len(p.text) {
		return "", false, nil, p.wrong("nothing more")
	}
	if len(seen) != 3 {
		return "", false, nil, fmt.Errorf("it has descr, fortran_order and shape, and one is missing")
	}
	return kind, columns, shape, nil
}

// wrong says what is wanted where p is.
func (p *python) wrong(want string) error {
	return fmt.Errorf("at its byte %d: %s is wanted", p.at, want)
}

func (p *python) space() {
	for p.at < len(p.text) && bytes.IndexByte([]byte(" \t\r\n"), p.text[p.at]) >= 0 {
		p.at++
	}
}

// take passes over c, if it is next.
func (p *python) take(c byte) bool {
	if p.space(); p.at == len(p.text) || p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

// quoted reads a string without backslashes.
func (p *python) quoted() (string, bool) {
	quote := byte('\'')
	if !p.take(quote) {
		if quote = '"'; !p.take(quote) {
			return "", false
		}
	}
	n := bytes.IndexByte(p.text[p.at:], quote)
	if n < 0 {
		return "", false
	}
	s := p.text[p.at : p.at+n]
	p.at += n + 1
	return string(s), utf8.Valid(s) && bytes.IndexByte(s, '\\') < 0
}

func (p *python) boolean() (value, ok bool) {
	p.space()
	for word, value := range map[string]bool{"True": true, "False": false} {
		if bytes.HasPrefix(p.text[p.at:], []byte(word)) {
			p.at += len(word)
			return value, true
		}
	}
	return false, false
}

// tuple reads a tuple of up to maxShape numbers, which may end in L.
func (p *python) tuple() (all []int64, ok bool) {
	if !p.take('(') {
		return nil, false
	}
	for !p.take(')') {
		p.space()
		n := 0
		for p.at+n < len(p.text) && p.text[p.at+n] >= '0' && p.text[p.at+n] <= '9' {
			n++
		}
		v, err := strconv.ParseInt(string(p.text[p.at:p.at+n]), 10, 64)
		if err != nil || len(all) == maxShape {
			return nil, false
		}
		if p.at += n; p.at < len(p.text) && p.text[p.at] == 'L' {
			p.at++
		}
		all = append(all, v)
		if !p.take(',') {
			return all, p.take(')')
		}
	}
	return all, true
}
