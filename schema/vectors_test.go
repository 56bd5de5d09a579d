package schema_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/schema"
)

func vectorSchema(f schema.Field) *schema.Schema {
	f.Name, f.Kind = "v", schema.Vector
	return &schema.Schema{Fields: []schema.Field{f}}
}

// A field of vectors says what it has in JSON, and reads it.
func TestVectorSchema(t *testing.T) {
	s := vectorSchema(schema.Field{Dims: 3, Similarity: schema.SimilarityL2, Values: schema.Float16, Model: "encoder-1"})
	b, err := s.MarshalJSON()
	if want := `{"fields":[{"name":"v","kind":"vector","dims":3,"similarity":"l2","values":"float16","model":"encoder-1"}]}`; err != nil || string(b) != want {
		t.Errorf("%s, %v, want %s", b, err, want)
	}
	if again, err := schema.Parse(b); err != nil || !again.Equal(s) {
		t.Errorf("%+v, %v", again, err)
	}
	for want, f := range map[string]schema.Field{
		"0 dimensions":         {},
		"4097 dimensions":      {Dims: schema.MaxDims + 1},
		"similarity 3":         {Dims: 1, Similarity: 3},
		"values 3 are unknown": {Dims: 1, Values: 3},
		"has no index":         {Dims: 1, Index: schema.IndexDocs},
		"neither stored":       {Dims: 1, Stored: true},
		"nor a column":         {Dims: 1, Column: true},
		"model":                {Dims: 1, Model: strings.Repeat("m", 256)},
		"positions":            {Dims: 1, Positions: true},
		"k1, b and weight are": {Dims: 1, Boost: 2},
	} {
		if err := vectorSchema(f).Check(); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"v"`) {
			t.Errorf("%+v: %v, want %q", f, err, want)
		}
	}
	for _, f := range []schema.Field{{Dims: 3}, {Similarity: schema.SimilarityDot}, {Values: schema.Float16}, {Model: "m"}} {
		f.Name, f.Kind = "t", schema.Text
		if err := f.Check(); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), "only fields of kind vector") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

// What an index has of a field of vectors another schema must have too.
func TestVectorExtends(t *testing.T) {
	old := vectorSchema(schema.Field{Dims: 3, Model: "one"})
	if err := vectorSchema(schema.Field{Dims: 3, Model: "one"}).Extends(old); err != nil {
		t.Error(err)
	}
	for want, f := range map[string]schema.Field{
		"dims is 4, in the index 3":               {Dims: 4, Model: "one"},
		"similarity is dot, in the index cosine":  {Dims: 3, Model: "one", Similarity: schema.SimilarityDot},
		"values is float16, in the index float32": {Dims: 3, Model: "one", Values: schema.Float16},
		"values is int8, in the index float32":    {Dims: 3, Model: "one", Values: schema.Int8},
		"model is two, in the index one":          {Dims: 3, Model: "two"},
		"model is not named, in the index one":    {Dims: 3},
		"kind is vector, in the index integer":    {},
	} {
		from := old
		if f.Dims == 0 {
			f.Dims, from = 3, &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Integer, Column: true}}}
			from.Fields[0].Column = false
			from.Fields[0].Stored = true
		}
		if err := vectorSchema(f).Extends(from); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", f, err, want)
		}
	}
}

// Vectors that cannot be compared are refused.
func TestCheckVector(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		by   schema.Similarity
		v    []float32
		want string // "" if v is right
	}{
		{0, []float32{1, 2}, ""}, {0, []float32{1}, "1 dimensions, in a field of 2"}, {0, nil, "0 dimensions"}, {0, []float32{1, nan}, "value 1 of a vector is NaN"},
		{1, []float32{inf, 1}, "value 0 of a vector is -Inf"}, {0, []float32{0, 0}, "no direction"}, {1, []float32{0, 0}, ""}, {2, []float32{0, 0}, ""},
		{0, []float32{1e-30, 0}, "below"}, {1, []float32{1e-30, 0}, ""}, {2, []float32{3e38, 3e38}, "above"}, {0, []float32{0x1p-40, 0}, ""}, {0, []float32{0x1p60, 0}, ""},
		{0, []float32{0x1p60, 0x1p60}, "above"},
	} {
		s := vectorSchema(schema.Field{Dims: 2, Similarity: c.by})
		err := s.CheckValue(schema.VectorValue(0, c.v))
		if (c.want == "") != (err == nil) || err != nil && (!errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v by %v: %v, want %q", c.v, c.by, err, c.want)
		}
	}
}

// Vectors that float16 does not keep are refused, where values are kept so.
func TestCheckHalves(t *testing.T) {
	for _, c := range []struct {
		by   schema.Similarity
		v    []float32
		want string // "" if v is right
	}{
		{1, []float32{1, 65519}, ""}, {1, []float32{1, 65520}, "value 1 of a vector is 65520, which float16 does not reach"}, {1, []float32{-7e4, 1}, "value 0"},
		{0, []float32{0x1p-25, -0x1p-25}, "no direction"}, {0, []float32{0, -0x1.1p-25}, ""}, {1, []float32{0x1p-25, 0}, ""}, {0, []float32{float32(math.NaN()), 1}, "NaN"},
	} {
		s := vectorSchema(schema.Field{Dims: 2, Similarity: c.by, Values: schema.Float16})
		err := s.CheckValue(schema.VectorValue(0, c.v))
		if (c.want == "") != (err == nil) || err != nil && (!errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v by %v: %v, want %q", c.v, c.by, err, c.want)
		}
	}
}

// Vectors whose codes may stand for one that cannot be compared are refused, where only codes are kept.
func TestCheckCodes(t *testing.T) {
	for _, c := range []struct {
		by   schema.Similarity
		v    []float32
		want string // "" if v is right
	}{
		{0, []float32{0x1p59, 0}, ""}, {1, []float32{0x1p59, 0x1p40}, "above"}, {0, []float32{0x1p-39, 0}, ""}, {0, []float32{0x1p-40, 0}, "below"},
		{2, []float32{0, 0}, ""}, {0, []float32{0, 0}, "no direction"},
	} {
		s := vectorSchema(schema.Field{Dims: 2, Similarity: c.by, Values: schema.Int8})
		err := s.CheckValue(schema.VectorValue(0, c.v))
		if (c.want == "") != (err == nil) || err != nil && (!errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v by %v: %v, want %q", c.v, c.by, err, c.want)
		}
	}
}

// Slices of numbers become vectors, and slices of these several; a value copies what it is made of.
func TestVectorValues(t *testing.T) {
	s := vectorSchema(schema.Field{Dims: 2})
	type own []float32
	for _, x := range []any{[]float32{1, -2}, []float64{1, -2}, []int{1, -2}, [2]float32{1, -2}, []any{1, json.Number("-2")}, own{1, -2}, &[]float32{1, -2}} {
		all, err := s.AppendValues(nil, 0, x)
		if err != nil || len(all) != 1 || !slices.Equal(all[0].Vector(), []float32{1, -2}) || all[0].String() != "[1,-2]" {
			t.Errorf("%T: %v, %v", x, all, err)
		}
	}
	for _, x := range []any{[][]float32{{1, 2}, {3, 4}}, []any{[]any{1, 2}, []float64{3, 4}}, [][2]int{{1, 2}, {3, 4}}} {
		all, err := s.AppendValues(nil, 0, x)
		if err != nil || len(all) != 2 || !slices.Equal(all[1].Vector(), []float32{3, 4}) {
			t.Errorf("%T: %v, %v", x, all, err)
		}
	}
	for _, x := range []any{nil, []float32(nil), []float32{}} {
		if all, err := s.AppendValues(nil, 0, x); err != nil || len(all) != 0 {
			t.Errorf("%#v: %v, %v", x, all, err)
		}
	}
	for _, x := range []any{1.5, "1 2", []string{"1", "2"}, []any{1, nil}, []any{[]any{1, 2}, 3}, []any{[]any{1, 2}, nil}, []any{nil}, [][][]float32{{{1, 2}}}, map[string]float64{"a": 1}, [0]float32{}, []any{[]any{}}} {
		if all, err := s.AppendValues(nil, 0, x); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("%#v: %v, %v", x, all, err)
		}
	}
	v := []float32{1, 2}
	x := schema.VectorValue("v", v)
	v[0] = 7
	got, ok := x.Any().([]float32)
	if !ok || !slices.Equal(got, []float32{1, 2}) || x.Name != "v" || len(x.VectorBytes()) != 8 || schema.IntegerValue(0, 1).Vector() != nil {
		t.Error(got, ok)
	}
}
