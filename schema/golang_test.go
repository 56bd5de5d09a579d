package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/schema"
)

type (
	level  int
	color  string
	opaque struct{ n int }
)

func (l level) String() string { return [...]string{"debug", "error"}[l] }
func (c color) String() string { return "never asked for" }

// Which values of Go the fields of each kind take, as what, and which they refuse.
func TestGoValues(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "x", Kind: schema.Text}, {Name: "x", Kind: schema.Keyword}, {Name: "x", Kind: schema.Integer},
		{Name: "x", Kind: schema.Float}, {Name: "x", Kind: schema.Time}, {Name: "x", Kind: schema.Impacts, Scale: 0.5}}}
	at := time.Date(2024, 5, 6, 7, 8, 9, 10, time.FixedZone("", 3600))
	seven, word, none := 7, "seven", (*string)(nil)
	const no = "-" // refused
	table := []struct {
		x                                            any
		text, keyword, integer, float, time, impacts string // of the values
	}{
		{"a", "[a]", "[a]", no, no, no, no},
		{"2024-05-06T07:08:09+01:00", "[2024-05-06T07:08:09+01:00]", "[2024-05-06T07:08:09+01:00]", no, no, "[2024-05-06T06:08:09Z]", no},
		{[]byte("a"), "[a]", "[a]", no, no, no, no},
		{color("red"), "[red]", "[red]", no, no, no, no},
		{level(1), "[error]", "[error]", "[1]", "[1]", no, no},
		{netip.MustParseAddr("::1"), "[::1]", "[::1]", no, no, no, no},
		{net.IPv4(1, 2, 3, 4), "[1.2.3.4]", "[1.2.3.4]", no, no, no, no},
		{time.Second, "[1s]", "[1s]", "[1000000000]", "[1e+09]", no, no},
		{true, no, "[true]", no, no, no, no},
		{7, no, no, "[7]", "[7]", no, no},
		{int8(-7), no, no, "[-7]", "[-7]", no, no},
		{uint64(math.MaxUint64), no, no, no, no, no, no},
		{uint64(1 << 63), no, no, no, "[9.223372036854776e+18]", no, no},
		{int64(math.MaxInt64), no, no, "[9223372036854775807]", no, no, no},
		{7.0, no, no, "[7]", "[7]", no, no},
		{float32(7.5), no, no, no, "[7.5]", no, no},
		{math.NaN(), no, no, no, no, no, no},
		{math.Inf(-1), no, no, no, no, no, no},
		{1e300, no, no, no, "[1e+300]", no, no},
		{json.Number("9007199254740993"), no, "[9007199254740993]", "[9007199254740993]", "[9.007199254740992e+15]", no, no},
		{json.Number("1e3"), no, "[1e3]", "[1000]", "[1000]", no, no},
		{json.Number("9007199254740993.0"), no, "[9007199254740993.0]", no, "[9.007199254740992e+15]", no, no},
		{json.Number("1e999"), no, "[1e999]", no, no, no, no},
		{"2024-05-06", "[2024-05-06]", "[2024-05-06]", no, no, "[2024-05-06T00:00:00Z]", no},
		{json.Number("x"), no, no, no, no, no, no},
		{at, no, no, no, no, "[2024-05-06T06:08:09.00000001Z]", no},
		{&at, no, no, no, no, "[2024-05-06T06:08:09.00000001Z]", no},
		{&seven, no, no, "[7]", "[7]", no, no},
		{&word, "[seven]", "[seven]", no, no, no, no},
		{[]string{"b", "a"}, "[b a]", "[b a]", no, no, no, no},
		{[2]int{2, 1}, no, no, "[2 1]", "[2 1]", no, no},
		{[]float32{1, 2}, no, no, "[1 2]", "[1 2]", no, no},
		{[]any{"a", nil, &word}, "[a seven]", "[a seven]", no, no, no, no},
		{[]any{7, json.Number("8")}, no, no, "[7 8]", "[7 8]", no, no},
		{[][]string{{"a"}}, no, no, no, no, no, no},
		{map[string]float64{"a": 1, "b": 0.1}, no, no, no, no, no, "[a:2]"},
		{map[string]any{"a": json.Number("1"), "b": 2}, no, no, no, no, no, "[a:2 b:4]"},
		{map[string]float64{"a": -1}, no, no, no, no, no, no},
		{[]schema.Impact{{Term: "a", Weight: 3}}, no, no, no, no, no, "[a:3]"},
		{opaque{1}, no, no, no, no, no, no},
		{make(chan int), no, no, no, no, no, no},
		{nil, "[]", "[]", "[]", "[]", "[]", "[]"},
		{none, "[]", "[]", "[]", "[]", "[]", "[]"},
		{[]byte(nil), "[]", "[]", "[]", "[]", "[]", "[]"},
		{[]byte{}, "[]", "[]", no, no, no, no},
		{[]string{}, "[]", "[]", "[]", "[]", "[]", "[]"},
		{[]any{}, "[]", "[]", "[]", "[]", "[]", "[]"},
	}
	for _, row := range table {
		for i, want := range []string{row.text, row.keyword, row.integer, row.float, row.time, row.impacts} {
			got, err := s.AppendValues(nil, i, row.x)
			switch {
			case want == no:
				if !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), `field "x"`) {
					t.Errorf("%T %v in a field of kind %v: %v, %v", row.x, row.x, s.Fields[i].Kind, got, err)
				}
			case err != nil || fmt.Sprint(got) != want:
				t.Errorf("%T %v in a field of kind %v: %v, %v, want %v", row.x, row.x, s.Fields[i].Kind, got, err, want)
			}
			for _, v := range got {
				if err == nil && v.Field != i {
					t.Errorf("%T: field %d, want %d", row.x, v.Field, i)
				}
			}
		}
	}
	days := &schema.Schema{Fields: []schema.Field{{Name: "x", Kind: schema.Time, Unit: schema.UnitSecond}}}
	for _, x := range []any{86400, uint32(86400), 86400.0, json.Number("86400"), json.Number("8.64e4"), "1970-01-02", time.Unix(86400, 0)} {
		if got, err := days.AppendValues(nil, 0, x); err != nil || fmt.Sprint(got) != "[1970-01-02T00:00:00Z]" {
			t.Errorf("%T %v as a time in seconds: %v, %v", x, x, got, err)
		}
	}
	for _, x := range []any{time.Second, 0.5, json.Number("0.5"), uint64(1 << 63), true, "1970-01-32"} {
		if got, err := days.AppendValues(nil, 0, x); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("%T %v as a time in seconds: %v, %v", x, x, got, err)
		}
	}
	if _, err := s.AppendValues(nil, 2, "twelve"); err == nil || !strings.Contains(err.Error(), `the value "twelve" of type string does not fit a field of kind integer`) {
		t.Errorf("a text in a field of integers: %v", err)
	}
	if _, err := s.AppendValues(nil, 6, ""); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("a field that there is not: %v", err)
	}
}

// Values by name get the numbers of the fields; those by number stay as they are, and what is given is not changed.
func TestResolve(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "a", Kind: schema.Text}, {Name: "b", Kind: schema.Integer}, {Name: "c", Kind: schema.Float}}}
	given := []schema.Value{schema.FloatValue("c", 1), schema.TextValue(0, "x"), schema.IntegerValue("b", 2), schema.TextValue("a", []byte("y")), schema.TextValue("a", "z")}
	before := fmt.Sprintf("%+v", given)
	got, err := s.Resolve(given)
	var fields []int
	for _, v := range got {
		fields = append(fields, v.Field)
		if err := s.CheckValue(v); err != nil {
			t.Error(err)
		}
	}
	if err != nil || !reflect.DeepEqual(fields, []int{2, 0, 1, 0, 0}) || fmt.Sprintf("%+v", given) != before {
		t.Errorf("%v, %v; given %v", fields, err, given)
	}
	if same, err := s.Resolve(got[1:2]); err != nil || &same[0] != &got[1] {
		t.Errorf("values with numbers are copied: %v", err)
	}
	for _, bad := range []schema.Value{schema.TextValue("d", ""), schema.TextValue("", "x")} {
		if _, err := s.Resolve([]schema.Value{bad}); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("field %q: %v", bad.Name, err)
		}
	}
	for _, bad := range []schema.Value{schema.TextValue("a", ""), schema.TextValue("", ""), {Name: "a", Field: 1, Kind: schema.Integer}} {
		if err := s.CheckValue(bad); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("field %q, number %d: %v", bad.Name, bad.Field, err)
		}
	}
	implicit := schema.Implicit("", "", false)
	for name, number := range map[string]int{"": 0, "text": 0, "other": -1} {
		got, err := implicit.Resolve([]schema.Value{schema.TextValue(name, "x")})
		if err == nil {
			err = implicit.CheckValue(got[0])
		}
		if (err == nil) != (number == 0) || err == nil && got[0].Field != 0 {
			t.Errorf("implicit, field %q: %v, %v", name, got, err)
		}
	}
}

func TestAny(t *testing.T) {
	at := time.Unix(5, 6).UTC()
	for _, want := range []any{"a", "", int64(-3), 2.5, at, []schema.Impact{{Term: "t", Weight: 4}}} {
		kinds := []schema.Kind{schema.Keyword, schema.Integer, schema.Float, schema.Time, schema.Impacts}
		var found bool
		for _, kind := range kinds {
			s := &schema.Schema{Fields: []schema.Field{{Name: "x", Kind: kind}}}
			v, err := s.AppendValues(nil, 0, want)
			if err == nil && reflect.DeepEqual(v[0].Any(), want) {
				found = true
			}
		}
		if !found {
			t.Errorf("%T %v comes back in no kind", want, want)
		}
	}
	if got := (schema.Value{}).Any(); got != nil {
		t.Errorf("no value: %v", got)
	}
}
