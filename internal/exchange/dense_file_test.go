package exchange

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/schema"
)

// npyFile returns a file of NumPy as numpy.save writes it, but for the bytes of values.
func npyFile(version byte, header string, values []byte) []byte {
	b := append([]byte("\x93NUMPY"), version, 0)
	size := 2
	if version > 1 {
		size = 4
	}
	for (len(b)+size+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	if size == 2 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), values...)
}

func dict(descr, order, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
}

// rowBits reads all rows and shows their bits.
func rowBits(x *Rows) (all []string, err error) {
	for {
		v, err := x.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, floatBits(v))
	}
}

func floatBits(v []float32) string {
	var b strings.Builder
	for _, f := range v {
		if f != f {
			b.WriteString(" NaN")
		} else {
			fmt.Fprintf(&b, " %08x", math.Float32bits(f))
		}
	}
	return b.String()
}

// Rows come back to the bit from all types and versions of .npy and from .fvecs, compressed or not.
func TestRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dims, rows := rapid.IntRange(1, 20).Draw(rt, "dims"), rapid.IntRange(0, 30).Draw(rt, "rows")
		kind := rapid.SampledFrom([]string{"<f2", "<f4", "<f8", "fvecs"}).Draw(rt, "kind")
		name := "x.npy"
		if kind == "fvecs" {
			rows, name = max(rows, 1), "x.FVECS"
		}
		var want []string
		var b []byte
		for range rows {
			v := make([]float32, dims)
			if kind == "fvecs" {
				b = binary.LittleEndian.AppendUint32(b, uint32(dims))
			}
			for i := range v {
				switch kind {
				case "<f2":
					h := rapid.Uint16().Draw(rt, "half")
					b, v[i] = binary.LittleEndian.AppendUint16(b, h), halfByBits(h)
				case "<f8":
					v[i] = math.Float32frombits(rapid.Uint32().Draw(rt, "bits"))
					b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(v[i])))
				default:
					v[i] = math.Float32frombits(rapid.Uint32().Draw(rt, "bits"))
					b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v[i]))
				}
			}
			want = append(want, floatBits(v))
		}
		if kind != "fvecs" {
			shape := fmt.Sprintf("(%d, %d)", rows, dims)
			if rapid.Bool().Draw(rt, "python 2") {
				shape = fmt.Sprintf("(%dL,%dL)", rows, dims)
			}
			b = npyFile(byte(rapid.IntRange(1, 3).Draw(rt, "version")), dict(kind, "False", shape), b)
		}
		if rapid.Bool().Draw(rt, "gzip") {
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			w.Write(b)
			w.Close()
			b, name = z.Bytes(), name+".gz"
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			rt.Fatal(err)
		}
		x, err := OpenRows(path)
		if err != nil {
			rt.Fatal(err)
		}
		defer x.Close()
		got, err := rowBits(x)
		if err != nil || x.Dims() != dims || fmt.Sprint(got) != fmt.Sprint(want) || x.Row() != int64(rows) {
			rt.Fatalf("%d dimensions, %d rows, %v\n%q\nwant %q", x.Dims(), x.Row(), err, got, want)
		}
	})
}

// halfByBits makes a float32 of a float16 by moving its bits.
func halfByBits(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch {
	case exponent == 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	case exponent > 0:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	case fraction == 0:
		return math.Float32frombits(sign)
	}
	for exponent = 113; fraction&1024 == 0; exponent-- {
		fraction <<= 1
	}
	return math.Float32frombits(sign | exponent<<23 | fraction&1023<<13)
}

// What is wrong with a file is said with its name, row and byte.
func TestRowsMisuse(t *testing.T) {
	four := func(values ...float32) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	good := npyFile(1, dict("<f4", "False", "(2, 2)"), four(1, 2, 3, 4))
	wide := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1)), math.Float64bits(-1e39))
	row := append([]byte{2, 0, 0, 0}, four(1, 2)...)
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"x.npy", nil, `x.npy: offset 0: not a file of vectors`},
		{"x.bin", []byte("id\ttext and more"), `x.bin: offset 0: not a file of vectors`},
		{"x.npy", good[:7], `x.npy: offset 0: not a file of vectors`},
		{"x.npy", good[:9], `x.npy: offset 9: the header: the file ends early`},
		{"x.npy", good[:50], `x.npy: offset 50: the header: the file ends early`},
		{"x.npy", good[:128], `x.npy: offset 128: row 1 of 2: the file ends early`},
		{"x.npy", good[:139], `x.npy: offset 139: row 2 of 2: the file ends early`},
		{"x.npy", append(bytes.Clone(good), 0), `x.npy: offset 144: bytes follow the last of 2 rows`},
		{"x.npy", npyFile(4, dict("<f4", "False", "(2, 2)"), nil), `x.npy: offset 6: version 4 of .npy; 1, 2 and 3 are read`},
		{"x.npy", npyFile(0, dict("<f4", "False", "(2, 2)"), nil), `x.npy: offset 6: version 0`},
		{"x.npy", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), `x.npy: offset 8: a header of 4294967295 bytes`},
		{"x.npy", npyFile(1, dict(">f4", "False", "(2, 2)"), nil), `x.npy: offset 10: the header: values of type ">f4"`},
		{"x.npy", npyFile(1, dict("<i8", "False", "(2, 2)"), nil), `values of type "<i8"; vectors are of '<f2', '<f4' or '<f8'`},
		{"x.npy", npyFile(1, dict("<f4", "True", "(2, 2)"), nil), `columns one after the other (fortran_order)`},
		{"x.npy", npyFile(1, dict("<f4", "False", "(4,)"), nil), `the shape [4]; vectors are the rows`},
		{"x.npy", npyFile(1, dict("<f4", "False", "()"), nil), `the shape []; vectors are the rows`},
		{"x.npy", npyFile(1, dict("<f4", "False", "(2, 2, 2)"), nil), `the shape [2 2 2]; vectors are the rows`},
		{"x.npy", npyFile(1, dict("<f4", "False", "(2, 0)"), nil), `the shape [2 0]; a vector has 1 to 4096 dimensions`},
		{"x.npy", npyFile(1, dict("<f4", "False", "(2, 4097)"), nil), `the shape [2 4097]; a vector has 1 to 4096 dimensions`},
		{"x.npy", npyFile(1, dict("<f4", "False", "(9223372036854775807, 2)"), nil), `no file has as many bytes`},
		{"x.npy", npyFile(1, dict("<f4", "False", "(9223372036854775808, 2)"), nil), `a tuple of up to 64 numbers is wanted`},
		{"x.npy", npyFile(1, dict("<f4", "False", "(-1, 2)"), nil), `a tuple of up to 64 numbers is wanted`},
		{"x.npy", npyFile(1, dict("<f4", "False", "("+strings.Repeat("1, ", 65)+")"), nil), `a tuple of up to 64 numbers is wanted`},
		{"x.npy", npyFile(1, dict("<f4", "Maybe", "(2, 2)"), nil), `True or False is wanted`},
		{"x.npy", npyFile(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", nil), `arrays of records are not read`},
		{"x.npy", npyFile(1, "{'descr': '<f4', 'shape': (2, 2)}", nil), `one is missing`},
		{"x.npy", npyFile(1, "{'descr': '<f4', 'descr': '<f4'}", nil), `a key that was not there`},
		{"x.npy", npyFile(1, dict("<f4", "False", "(2, 2)")+"x", nil), `nothing more is wanted`},
		{"x.npy", npyFile(1, dict("<f8", "False", "(1, 2)"), wide), `x.npy: offset 136: row 1: value 1 is -1e+39, which float32 does not reach`},
		{"x.fvecs", nil, `x.fvecs: offset 0: the file is empty`},
		{"x.fvecs", row[:3], `x.fvecs: offset 3: row 1: the file ends early`},
		{"x.fvecs", row[:5], `x.fvecs: offset 5: row 1: the file ends early`},
		{"x.fvecs", append(bytes.Clone(row), 2, 0), `x.fvecs: offset 14: row 2: the file ends early`},
		{"x.fvecs", append(bytes.Clone(row), 3, 0, 0, 0), `x.fvecs: offset 12: row 2 has 3 dimensions, and the rows before 2`},
		{"x.fvecs", []byte{0, 0, 0, 0}, `x.fvecs: offset 0: row 1 has 0 dimensions`},
		{"x.fvecs", []byte{255, 255, 255, 255}, `x.fvecs: offset 0: row 1 has -1 dimensions`},
		{"x.fvecs", []byte("PK\x03\x04"), `a zip archive`},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, c.file, 0o666); err != nil {
			t.Fatal(err)
		}
		x, err := OpenRows(path)
		if err == nil {
			_, err = rowBits(x)
			x.Close()
		}
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || e.File != path || e.Recoverable {
			t.Errorf("%.80q: %v, want %s", c.file, err, c.want)
		}
	}
	if x, err := OpenRows(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("%v, %v", x, err)
	}
}

// chunkReader reads a chunk at a time.
type chunkReader []string

func (r *chunkReader) Read(p []byte) (int, error) {
	if len(*r) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*r)[0])
	*r = (*r)[1:]
	return n, nil
}

// Vectors of queries come from .npy, .fvecs and JSON.
func TestEachVector(t *testing.T) {
	two := "\x01\x00\x00\x00\x00\x00\x80\x3f\x01\x00\x00\x00\x00\x00\x00\x40"
	for _, c := range []struct{ name, file, want, err string }{
		{"x.npy", string(npyFile(1, dict("<f4", "False", "(2, 1)"), []byte(two[4:8]+two[12:]))), "[[1] [2]]", ""},
		{"x.npy", string(npyFile(1, dict("<f4", "False", "(3, 1)"), []byte(two[4:8]+two[12:]))), "[[1] [2]]", "row 3 of 3: the file ends early"},
		{"x.fvecs", two, "[[1] [2]]", ""},
		{"x.fvecs", "[\x00\x00\x00" + strings.Repeat("\x00", 4*91), "[[" + strings.Repeat("0 ", 90) + "0]]", ""},
		{"x.json", " \n[1, 2.5]\n", "[[1 2.5]]", ""},
		{"x.json", "[[1], [2, 3]]", "[[1] [2 3]]", ""},
		{"x.json", "[ ]", "[]", "x.json: offset 3: a vector is an array of numbers"},
		{"x.json", "[1, 2", "[]", "x.json: offset 5: a vector is an array of numbers, or"},
		{"x.json", "[[1, 2], [3, 4", "[[1 2]]", "and the file ends early"},
		{"x.json", "[[1], 2]", "[[1]]", "offset 7: a vector is an array of numbers"},
		{"x.json", "[1, [2]]", "[]", "a vector is an array of numbers"},
		{"x.json", "[1, \"2\"]", "[]", "a vector is an array of numbers"},
		{"x.json", "[1, 2] [3]", "[[1 2]]", "a vector is an array of numbers"},
		{"x.json", "[[1]]]", "[[1]]", "a vector is an array of numbers"},
		{"x.json", "[1, 1e99, -2e-3]", "[[1 +Inf -0.002]]", ""},
		{"x.json", "[" + strings.Repeat("1,", schema.MaxDims) + "1]", "[]", "a vector is an array of numbers, or the base64 of its float32 in little-endian order, up to 4096"},
		{"x.json", "{}", "[]", "x.json: offset 0: not a file of vectors"},
		{"x.npy", "", "[]", "not a file of vectors"},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.file), 0o666); err != nil {
			t.Fatal(err)
		}
		got, failed := [][]float32{}, error(nil)
		for v, err := range EachVector(path) {
			if failed = err; err == nil {
				got = append(got, append([]float32(nil), v...))
			}
		}
		if fmt.Sprint(got) != c.want || (failed == nil) != (c.err == "") || failed != nil && !strings.Contains(failed.Error(), c.err) {
			t.Errorf("%s %q: %v, %v, want %s, %s", c.name, c.file, got, failed, c.want, c.err)
		}
	}
	// JSON is read as a stream: a vector comes before the next is read.
	var chunks chunkReader
	for range 100 {
		chunks = append(chunks, "[1, 2],")
	}
	x, n := jsonVectors{d: jsontext.NewDecoder(&chunks)}, 0
	for chunks[0] = "[" + chunks[0]; len(chunks) > 1; n++ {
		if v, err := x.next(); err != nil || len(v) != 2 || len(chunks) < 98-n {
			t.Fatalf("vector %d: %v, %v; %d chunks are left", n, v, err, len(chunks))
		}
	}
	for v, err := range EachVector(filepath.Join(t.TempDir(), "none")) {
		if v != nil || !os.IsNotExist(err) {
			t.Errorf("%v, %v", v, err)
		}
	}
}

// A vector on a command line is one, of JSON or base64.
func TestParseVector(t *testing.T) {
	for text, want := range map[string]string{"[1, 2]": "[1 2]", "AACAPwAAAEA=": "[1 2]", "[[1]]": "[1]", "[[1],[2]]": "", "": "", "x": ""} {
		got, err := ParseVector(text)
		if (err == nil) != (want != "") || want != "" && fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
