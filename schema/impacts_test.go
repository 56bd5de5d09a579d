package schema

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A value of impacts has the terms and weights that it was made of, in bytewise order.
func TestImpactsValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfDistinct(rapid.Custom(func(t *rapid.T) Impact {
			return Impact{string(rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "term")), rapid.Uint8Range(1, 255).Draw(t, "weight")}
		}), func(x Impact) string { return x.Term }).Draw(t, "impacts")
		before := slices.Clone(all)
		v := ImpactsValue(1, all)
		if !slices.EqualFunc(all, before, func(a, b Impact) bool { return a.Term == b.Term && a.Weight == b.Weight }) {
			t.Fatal("the argument was changed")
		}
		s := &Schema{Fields: []Field{{Name: "a", Kind: Text}, {Name: "b", Kind: Impacts}}}
		if err := s.CheckValue(v); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(all, func(a, b Impact) int { return strings.Compare(a.Term, b.Term) })
		i, size := 0, 0
		for term, weight := range v.Impacts() {
			if term != all[i].Term || weight != all[i].Weight {
				t.Fatalf("impact %d is %q %d, want %q %d", i, term, weight, all[i].Term, all[i].Weight)
			}
			size += len(term)
			i++
		}
		if n, bytes := v.ImpactsLen(); i != len(all) || n != i || bytes != size || v.Bytes() != nil {
			t.Fatalf("%d impacts, it says %d of %d bytes, of %d", i, n, bytes, len(all))
		}
	})
}

func TestImpactsRefused(t *testing.T) {
	s := &Schema{Fields: []Field{{Name: "v", Kind: Impacts}, {Name: "text", Kind: Text}}}
	for _, test := range []struct {
		v    Value
		says string
	}{
		{ImpactsValue(0, []Impact{{"b", 1}, {"a", 2}, {"b", 3}}), `field "v": the term "b" comes twice`},
		{ImpactsValue(0, []Impact{{"b", 0}}), "weight 0"},
		{ImpactsValue(0, []Impact{{"", 1}}), "0 bytes"},
		{ImpactsValue(0, []Impact{{strings.Repeat("x", MaxKeyword+1), 1}}), "65536 bytes"},
		{ImpactsValue(1, []Impact{{"b", 1}}), "kind impacts in a field of kind text"},
		{TextValue(0, "b"), "kind text in a field of kind impacts"},
	} {
		if err := s.CheckValue(test.v); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v; it should say %s", err, test.says)
		}
	}
	if got := ImpactsValue(0, []Impact{{"b", 7}, {"a", 255}}).String(); got != "a:255 b:7" {
		t.Errorf("a value reads %s", got)
	}
}

func TestQuantize(t *testing.T) {
	f := &Field{Name: "v", Kind: Impacts}
	for _, test := range []struct {
		scale, x float64
		want     uint8
		says     string
	}{
		{0, 0, 0, ""}, {0, 0.5, 0, ""}, {0, 0.51, 1, ""}, {0, 1.5, 2, ""}, {0, 2.5, 2, ""}, {0, 255, 255, ""}, {0, 255.5, 0, "above"},
		{0, math.Copysign(0, -1), 0, ""}, {0.01, 2.55, 255, ""}, {0.01, 2.56, 0, "above 2.55"}, {2, 3, 2, ""}, {2, 5, 2, ""},
		{0, -1, 0, "-1"}, {0, math.NaN(), 0, "NaN"}, {0, math.Inf(1), 0, "+Inf"}, {0, math.Inf(-1), 0, "-Inf"},
	} {
		f.Scale = test.scale
		got, err := f.Quantize(test.x)
		if test.says == "" && (err != nil || got != test.want) || test.says != "" && (!errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%v in steps of %v is %d, %v; want %d %s", test.x, f.Step(), got, err, test.want, test.says)
		}
	}
}

// A field of impacts has what a schema in JSON says of it, and keeps its scale.
func TestImpactsField(t *testing.T) {
	s, err := Parse([]byte(`{"fields":[{"name":"v","kind":"impacts","scale":0.01}]}`))
	if err != nil {
		t.Fatal(err)
	}
	f := &s.Fields[0]
	if f.Indexing() != IndexFreqs || f.HasLengths() || f.Positions || f.Step() != 0.01 || !s.HasImpacts() {
		t.Errorf("%+v", f)
	}
	if b, err := s.MarshalJSON(); err != nil || string(b) != `{"fields":[{"name":"v","kind":"impacts","scale":0.01}]}` {
		t.Errorf("%s, %v", b, err)
	}
	other := s.Clone()
	other.Fields[0].Scale = 0
	if err := other.Extends(s); err == nil || !strings.Contains(err.Error(), "scale is 1, in the index 0.01") {
		t.Error(err)
	}
	if (*Schema)(nil).HasImpacts() || (&Schema{Fields: []Field{{Kind: Text}}}).HasImpacts() {
		t.Error("impacts where there are none")
	}
}
