package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRowWriter compares with a Table where the first rows have the widest cells.
func TestRowWriter(t *testing.T) {
	for _, n := range []int{0, 1, firstRows - 1, firstRows, firstRows + 1, 1000} {
		heads := []string{">n", "name", "", ">size", "last"}
		var got, want bytes.Buffer
		r, tab := NewRowWriter(&got, heads...), NewTable(heads...)
		for i := range n {
			cells := []string{Count(1000000 - i), []string{"日本語", "a\x1b[1mb", "", "plain"}[i%4], "", Count(99 - i%10), strings.Repeat("x", i%5)}
			if err := r.Row(cells...); err != nil {
				t.Fatal(err)
			}
			tab.Row(cells[0], cells[1], cells[2], cells[3], cells[4])
		}
		if err := r.Flush(); err != nil {
			t.Fatal(err)
		}
		tab.WriteTo(&want)
		if n > 0 && got.String() != want.String() {
			t.Errorf("%d rows: got\n%.300s\nwant\n%.300s", n, &got, &want)
		}
	}
}

// TestRowWriterAtOnce checks that rows are written as they come.
func TestRowWriterAtOnce(t *testing.T) {
	var b bytes.Buffer
	r := NewRowWriter(&b, "a")
	for i := range firstRows {
		if err := r.Row(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasPrefix(b.String(), "a\n0\n1\n") {
		t.Errorf("after %d rows: %q", firstRows, &b)
	}
	r.Row("a cell that is wider")
	r.Flush()
	if !strings.HasSuffix(b.String(), "\na cell that is wider\n") {
		t.Errorf("%q", &b)
	}
}

// broken fails at the first write.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestRowWriterFails(t *testing.T) {
	r := NewRowWriter(broken{}, "a")
	for range firstRows {
		if err := r.Row("x"); err != nil {
			if !errors.Is(err, io.ErrClosedPipe) {
				t.Error(err)
			}
			return
		}
	}
	t.Error("a writer that fails gave no error")
}

// TestJSONWriter compares with JSON of the same object in memory.
func TestJSONWriter(t *testing.T) {
	type element struct {
		ID   Text   `json:"id"`
		N    uint64 `json:"n"`
		Text string `json:"text,omitempty"`
	}
	object := struct {
		Term  Text      `json:"term"`
		Rows  []element `json:"rows"`
		Total int       `json:"total"`
	}{Term: "a<b>", Rows: []element{}, Total: 7}
	for range 200 {
		object.Rows = append(object.Rows, element{"x\"y", math.MaxUint64, "line\nnext é"}, element{"\xff\xfe", 0, ""})
	}
	var got, want bytes.Buffer
	j, err := NewJSONWriter(&got)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(j.Member("term", object.Term), j.Array("rows"))
	for _, e := range object.Rows {
		err = errors.Join(err, j.Element(&e))
	}
	err = errors.Join(err, j.EndArray(), j.Member("total", object.Total), j.Close())
	if err != nil {
		t.Fatal(err)
	}
	JSON(&want, object)
	if !json.Valid(got.Bytes()) || got.String() != want.String() {
		t.Errorf("got\n%.400s\nwant\n%.400s", &got, &want)
	}
}

// TestIndented indents random values as json.Indent does.
func TestIndented(t *testing.T) {
	text := rapid.StringN(0, 6, -1)
	var value *rapid.Generator[any]
	value = rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return value }), 0, 3).Draw(t, "array")
		case 1:
			return rapid.MapOfN(text, rapid.Deferred(func() *rapid.Generator[any] { return value }), 0, 3).Draw(t, "object")
		case 2:
			return rapid.Float64().Draw(t, "number")
		case 3:
			return rapid.SampledFrom([]any{nil, true, `\"[{,:`, "<&>"}).Draw(t, "literal")
		}
		return text.Draw(t, "string")
	})
	rapid.Check(t, func(t *rapid.T) {
		compact, err := json.Marshal(value.Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := json.Indent(&want, compact, "    ", "  "); err != nil {
			t.Fatal(err)
		}
		if got := appendIndented(nil, compact, "    "); !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%s\nis indented as\n%s\nwant\n%s", compact, got, &want)
		}
	})
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", -1000: "-1,000", -999: "-999", 1234567: "1,234,567",
		math.MinInt64: "-9,223,372,036,854,775,808", math.MaxInt64: "9,223,372,036,854,775,807"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := Count(uint64(math.MaxUint64)); got != "18,446,744,073,709,551,615" {
		t.Error(got)
	}
}
