package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// fields draws fields that are right by themselves, with names that differ.
func fields(t *rapid.T) []Field {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zé.][a-z_ .é"\\<]{0,9}`), 1, 6, rapid.ID[string]).Draw(t, "names")
	all := make([]Field, len(names))
	for i, name := range names {
		all[i] = field(t, name)
	}
	return all
}

func field(t *rapid.T, name string) Field {
	f := Field{Name: name, Stored: rapid.Bool().Draw(t, "stored")}
	f.Kind = rapid.SampledFrom([]Kind{Text, Keyword, Integer, Float, Time}).Draw(t, "kind")
	switch f.Kind {
	case Text:
		f.Index = rapid.SampledFrom([]Index{IndexDefault, IndexNone, IndexDocs, IndexFreqs}).Draw(t, "index")
		f.Analyzer = rapid.SampledFrom([]string{"", "english", "standard"}).Draw(t, "analyzer")
		f.Options = rapid.SampledFrom([]string{"", "stop=none"}).Draw(t, "options")
	case Keyword:
		f.Index = rapid.SampledFrom([]Index{IndexDefault, IndexNone, IndexDocs}).Draw(t, "index")
	default:
		f.Index = rapid.SampledFrom([]Index{IndexDefault, IndexNone}).Draw(t, "index")
	}
	if f.HasLengths() {
		f.Lengths = rapid.SampledFrom([]Lengths{LengthsExact, LengthsByte}).Draw(t, "lengths")
		f.Positions = rapid.Bool().Draw(t, "positions")
		f.B = rapid.SampledFrom([]float64{0, 0.4, 1, math.SmallestNonzeroFloat64}).Draw(t, "b")
	}
	f.Column = f.Kind != Text && rapid.Bool().Draw(t, "column")
	if f.Kind == Time {
		f.Unit = Unit(rapid.IntRange(0, 3).Draw(t, "unit"))
	}
	if f.Indexing() == IndexNone {
		f.Stored = f.Stored || !f.Column
	} else {
		f.K1 = rapid.SampledFrom([]float64{0, 1.2, math.SmallestNonzeroFloat64}).Draw(t, "k1")
		f.Boost = rapid.SampledFrom([]float64{0, 1, 2.5, 1e-6, 1e6}).Draw(t, "weight")
	}
	return f
}

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := &Schema{Fields: fields(t)}
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %+v, %v", b, got, err)
		}
		var again struct{ Schema *Schema }
		if err := json.Unmarshal(fmt.Appendf(nil, `{"Schema":%s}`, b), &again); err != nil || !reflect.DeepEqual(again.Schema, want) {
			t.Fatalf("%s inside another value: %+v, %v", b, again.Schema, err)
		}
	})
}

func TestJSONForm(t *testing.T) {
	const text = `{"fields":[{"name":"title","kind":"text","analyzer":"english","options":"stop=none","index":"freqs","stored":true,"lengths":"byte","k1":0.9,"b":0.4,"weight":2},` +
		`{"name":"url","kind":"keyword"},{"name":"year","kind":"integer","stored":true},{"name":"at","kind":"time","column":true,"unit":"second"}]}`
	s, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []Field{
		{Name: "title", Kind: Text, Analyzer: "english", Options: "stop=none", Index: IndexFreqs, Stored: true, Lengths: LengthsByte, K1: 0.9, B: 0.4, Boost: 2},
		{Name: "url", Kind: Keyword},
		{Name: "year", Kind: Integer, Stored: true},
		{Name: "at", Kind: Time, Column: true, Unit: UnitSecond},
	}
	if !reflect.DeepEqual(s.Fields, want) {
		t.Errorf("%+v", s.Fields)
	}
	if b, err := s.MarshalJSON(); err != nil || string(b) != text {
		t.Errorf("%s, %v", b, err)
	}
}

func TestJSONRefuses(t *testing.T) {
	for text, says := range map[string]string{
		``:                          "unexpected EOF",
		`[]`:                        "an object",
		`{}`:                        "no fields",
		`{"fields":[]}`:             "no fields",
		`{"fields":{}}`:             "an array",
		`{"fields":[],"fields":[]}`: `"fields" appears twice`,
		`{"Fields":[]}`:             `"Fields" is unknown`,
		`{"fields":[1]}`:            "field 0: it must be an object",
		`{"fields":[{"name":"a","kind":"text","analyser":"x"}]}`:             `field "a": key "analyser" is unknown`,
		`{"fields":[{"name":"a","kind":"text"},{"kind":"string"}]}`:          `field 1: kind "string"`,
		`{"fields":[{"name":"a","name":"b","kind":"text"}]}`:                 `key "name" appears twice`,
		`{"fields":[{"name":"a","kind":"texts"}]}`:                           `field "a": kind "texts"`,
		`{"fields":[{"name":"a","kind":"text","index":"all"}]}`:              `field "a": index "all"`,
		`{"fields":[{"name":"a","kind":"text","lengths":"short"}]}`:          `field "a": lengths "short"`,
		`{"fields":[{"name":"a","kind":"text","stored":"yes"}]}`:             `field "a": stored`,
		`{"fields":[{"name":"a","kind":"time","column":1}]}`:                 `field "a": column`,
		`{"fields":[{"name":"a","kind":"time","unit":"minute"}]}`:            `field "a": unit "minute"`,
		`{"fields":[{"name":"a","kind":"text","weight":1e999}]}`:             `field "a": weight`,
		`{"fields":[{"kind":"text"}]}`:                                       "field 0: it has no name",
		`{"fields":[{"name":"a"}]}`:                                          `field "a": it has no kind`,
		`{"fields":[{"name":"a","kind":"text"}]}{}`:                          "after the schema",
		`{"fields":[{"name":"a","kind":"text"}`:                              "unexpected EOF",
		`{"fields":[{"name":"a","kind":"text"},{"name":"a","kind":"text"}]}`: `field "a": there are two`,
	} {
		_, err := Parse([]byte(text))
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; it should say %s", text, err, says)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for _, test := range []struct {
		f           Field
		says        string
		unsupported bool
	}{
		{f: Field{Kind: Text}, says: "no name"},
		{f: Field{Name: "_id", Kind: Text}, says: "underscore"},
		{f: Field{Name: "a\n", Kind: Text}, says: "control"},
		{f: Field{Name: "a\x80", Kind: Text}, says: "UTF-8"},
		{f: Field{Name: strings.Repeat("a", 256), Kind: Text}, says: "256 bytes"},
		{f: Field{Name: "a"}, says: "no kind"},
		{f: Field{Name: "a", Kind: 99}, says: "no kind"},
		{f: Field{Name: "a", Kind: Impacts, Stored: true}, says: "kind impacts", unsupported: true},
		{f: Field{Name: "a", Kind: Impacts, Column: true}, says: "column"},
		{f: Field{Name: "a", Kind: Impacts, Index: IndexDocs}, says: "index freqs"},
		{f: Field{Name: "a", Kind: Impacts, Index: IndexNone}, says: "index freqs"},
		{f: Field{Name: "a", Kind: Impacts, Positions: true}, says: "positions are those of text"},
		{f: Field{Name: "a", Kind: Impacts, Lengths: LengthsByte}, says: "lengths byte"},
		{f: Field{Name: "a", Kind: Impacts, Analyzer: "english"}, says: "no analyzer"},
		{f: Field{Name: "a", Kind: Impacts, Boost: 2}, says: "scale"},
		{f: Field{Name: "a", Kind: Impacts, K1: 2}, says: "scale"},
		{f: Field{Name: "a", Kind: Impacts, B: 0.5}, says: "b 0.5"},
		{f: Field{Name: "a", Kind: Impacts, Unit: UnitSecond}, says: "unit"},
		{f: Field{Name: "a", Kind: Impacts, Scale: -1}, says: "scale -1"},
		{f: Field{Name: "a", Kind: Impacts, Scale: math.NaN()}, says: "scale NaN"},
		{f: Field{Name: "a", Kind: Impacts, Scale: math.Inf(1)}, says: "scale +Inf"},
		{f: Field{Name: "a", Kind: Impacts, Scale: math.Copysign(0, -1)}, says: "scale -0"},
		{f: Field{Name: "a", Kind: Impacts, Scale: 1e-7}, says: "scale 1e-07"},
		{f: Field{Name: "a", Kind: Text, Scale: 1}, says: "only fields of kind impacts"},
		{f: Field{Name: "a", Kind: Keyword, Positions: true}, says: "positions are those of text"},
		{f: Field{Name: "a", Kind: Integer, Positions: true}, says: "positions are those of text"},
		{f: Field{Name: "a", Kind: Text, Index: IndexDocs, Positions: true}, says: "positions are those of text with index freqs"},
		{f: Field{Name: "a", Kind: Integer, Index: IndexDocs}, says: "kind integer", unsupported: true},
		{f: Field{Name: "a", Kind: Float, Index: IndexFreqs}, says: "kind float", unsupported: true},
		{f: Field{Name: "a", Kind: Time, Index: IndexDocs, Stored: true}, says: "kind time", unsupported: true},
		{f: Field{Name: "a", Kind: Text, Index: 77}, says: "index 77"},
		{f: Field{Name: "a", Kind: Text, Lengths: 77}, says: "lengths 77"},
		{f: Field{Name: "a", Kind: Keyword, Index: IndexFreqs}, says: "no freqs"},
		{f: Field{Name: "a", Kind: Keyword, Lengths: LengthsByte}, says: "lengths byte"},
		{f: Field{Name: "a", Kind: Text, Index: IndexDocs, Lengths: LengthsByte}, says: "lengths byte"},
		{f: Field{Name: "a", Kind: Keyword, Analyzer: "english"}, says: "no analyzer"},
		{f: Field{Name: "a", Kind: Integer, Options: "x"}, says: "no analyzer"},
		{f: Field{Name: "a", Kind: Text, Analyzer: strings.Repeat("a", 256)}, says: "analyzer"},
		{f: Field{Name: "a", Kind: Text, Options: strings.Repeat("a", MaxOptions+1)}, says: "options"},
		{f: Field{Name: "a", Kind: Text, K1: -1}, says: "k1 -1"},
		{f: Field{Name: "a", Kind: Text, K1: math.NaN()}, says: "k1 NaN"},
		{f: Field{Name: "a", Kind: Text, K1: math.Copysign(0, -1)}, says: "k1 -0"},
		{f: Field{Name: "a", Kind: Text, B: 1.1}, says: "b 1.1"},
		{f: Field{Name: "a", Kind: Keyword, B: 0.5}, says: "b 0.5"},
		{f: Field{Name: "a", Kind: Text, Boost: -1}, says: "weight -1"},
		{f: Field{Name: "a", Kind: Text, Boost: 1e7}, says: "weight 1e+07"},
		{f: Field{Name: "a", Kind: Text, Boost: 1e-9}, says: "weight 1e-09"},
		{f: Field{Name: "a", Kind: Text, Boost: math.Inf(1)}, says: "weight +Inf"},
		{f: Field{Name: "a", Kind: Integer, Stored: true, Boost: 2}, says: "weight"},
		{f: Field{Name: "a", Kind: Integer}, says: "neither indexed nor stored"},
		{f: Field{Name: "a", Kind: Text, Column: true}, says: "kind text cannot be a column"},
		{f: Field{Name: "a", Kind: Integer, Column: true, Unit: UnitSecond}, says: "unit second"},
		{f: Field{Name: "a", Kind: Time, Column: true, Unit: 4}, says: "unit 4"},
		{f: Field{Name: "a", Kind: Text, Index: IndexNone}, says: "neither indexed nor stored"},
	} {
		err := (&Schema{Fields: []Field{{Name: "x", Kind: Text}, test.f}}).Check()
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%+v: %v; it should say %s", test.f, err, test.says)
			continue
		}
		if name := strings.Trim(fmt.Sprintf("%.20q", test.f.Name), `"`); !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not name the field %q", err, test.f.Name)
		}
		if errors.Is(err, errors.ErrUnsupported) != test.unsupported {
			t.Errorf("%v: unsupported %v", err, !test.unsupported)
		}
	}
	a := Field{Name: "a", Kind: Text}
	for says, s := range map[string]*Schema{
		"no fields":           {},
		"1025 fields":         {Fields: make([]Field, MaxFields+1)},
		"two fields":          {Fields: []Field{a, a}},
		"another field":       {Fields: []Field{{ID: 1, Name: "b", Kind: Text}, {ID: 1, Name: "a", Kind: Text}}, NextID: 2},
		"is not below the ne": {Fields: []Field{{ID: 2, Name: "a", Kind: Text}}, NextID: 2},
	} {
		if err := s.Check(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; it should say %s", err, says)
		}
	}
	if err := (*Schema)(nil).Check(); err != nil {
		t.Error(err)
	}
}

// Whatever is done to a schema, a field that stays keeps its id, ids are never used again,
// and the schema of before is as it was.
func TestChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := (&Schema{Fields: fields(t)}).Adopt(&Schema{})
		if err != nil {
			t.Fatal(err)
		}
		used := uint32(len(s.Fields))
		ids := map[string]uint32{}
		for i, f := range s.Fields {
			if f.ID != uint32(i+1) {
				t.Fatalf("%+v", s)
			}
			ids[f.Name] = f.ID
		}
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			before := s.Clone()
			name := rapid.SampledFrom(s.Fields).Draw(t, "field").Name
			to := rapid.StringMatching(`[A-Z]{1,2}`).Draw(t, "to")
			_, exists := ids[to]
			var next *Schema
			switch op := rapid.SampledFrom([]string{"add", "rename", "drop"}).Draw(t, "op"); {
			case op == "add":
				if next, err = s.Add(field(t, to)); !exists {
					used++
					ids[to] = used
				}
			case op == "rename":
				exists = exists && to != name
				if next, err = s.Rename(name, to); !exists && to != name {
					ids[to] = ids[name]
					delete(ids, name)
				}
			default:
				exists = len(s.Fields) == 1
				if next, err = s.Drop(name); !exists {
					delete(ids, name)
				}
			}
			if !reflect.DeepEqual(s, before) {
				t.Fatalf("changed from %+v to %+v", before, s)
			}
			if exists != (err != nil) || err != nil && !errors.Is(err, ErrInvalid) {
				t.Fatalf("%q to %q: %v", name, to, err)
			}
			if err != nil {
				continue
			}
			if s, err = next.Adopt(s); err != nil {
				t.Fatal(err)
			}
			got := map[string]uint32{}
			for _, f := range s.Fields {
				got[f.Name] = f.ID
			}
			if !reflect.DeepEqual(got, ids) || s.NextID != used+1 {
				t.Fatalf("%v, next %d; expected %v, %d", got, s.NextID, ids, used+1)
			}
			if again, err := s.Adopt(s); err != nil || !reflect.DeepEqual(again, s) {
				t.Fatalf("adopted again: %+v, %v", again, err)
			}
			if again, err := (&Schema{Fields: withoutIDs(s)}).Adopt(s); err != nil || !reflect.DeepEqual(again, s) {
				t.Fatalf("without ids: %+v, %v", again, err)
			}
		}
	})
}

func withoutIDs(s *Schema) []Field {
	all := s.Clone().Fields
	for i := range all {
		all[i].ID = 0
	}
	return all
}

// The order of fields is free, what is meant counts and not how it is said, and each
// property that differs is named.
func TestExtends(t *testing.T) {
	old, err := (&Schema{Fields: []Field{{Name: "a", Kind: Text}, {Name: "b", Kind: Keyword, Stored: true}}}).Adopt(&Schema{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Schema{Fields: []Field{
		{Name: "c", Kind: Integer, Stored: true},
		{Name: "b", Kind: Keyword, Index: IndexDocs, Stored: true, Boost: 1},
		{Name: "a", Kind: Text, Analyzer: "standard", Index: IndexFreqs},
	}}
	got, err := s.Adopt(old)
	if err != nil || got.Fields[0].ID != 3 || got.Fields[1].ID != 2 || got.Fields[2].ID != 1 || got.NextID != 4 {
		t.Fatalf("%+v, %v", got, err)
	}
	for property, change := range map[string]func(*Field){
		"kind":      func(f *Field) { f.Kind = Keyword; f.Analyzer, f.Index = "", IndexDefault },
		"analyzer":  func(f *Field) { f.Analyzer = "english" },
		"options":   func(f *Field) { f.Options = "x" },
		"index":     func(f *Field) { f.Index = IndexDocs },
		"stored":    func(f *Field) { f.Stored = true },
		"column":    func(f *Field) { f.Kind = Keyword; f.Analyzer, f.Index = "", IndexDefault; f.Column = true },
		"positions": func(f *Field) { f.Positions = true },
		"lengths":   func(f *Field) { f.Lengths = LengthsByte },
	} {
		c := s.Clone()
		change(&c.Fields[2])
		if err := c.Extends(old); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), `field "a": `+property+" is ") {
			t.Errorf("%s: %v", property, err)
		}
		if _, err := c.Adopt(old); err == nil {
			t.Errorf("%s: adopted", property)
		}
	}
	older := &Schema{Fields: []Field{s.Fields[0], s.Fields[1]}} // a field is missing
	if err := older.Extends(old); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), `field "a": the index has it`) {
		t.Errorf("a field is missing: %v", err)
	}
	if got, err := older.Adopt(old); err != nil || len(got.Fields) != 3 || got.Fields[0].ID != 3 || got.Fields[1].ID != 2 || got.Fields[2] != old.Fields[0] || got.NextID != 4 {
		t.Errorf("a field is missing: %+v, %v", got, err)
	}
	ranked := s.Clone()
	ranked.Fields[2].K1, ranked.Fields[2].B, ranked.Fields[2].Boost = 1, math.SmallestNonzeroFloat64, 3
	if got, err := ranked.Adopt(old); err != nil || got.Fields[2].K1 != 1 || got.Fields[2].B != math.SmallestNonzeroFloat64 || got.Fields[2].Boost != 3 {
		t.Errorf("other k1, b and weight: %+v, %v", got, err)
	} else if again, err := s.Adopt(got); err != nil || again.Fields[2].K1 != 0 || again.Fields[2].Boost != 0 {
		t.Errorf("and back: %+v, %v", again, err)
	} else if err := errors.Join(got.Follows(again), again.Follows(got)); err != nil {
		t.Error(err)
	}
	english := &Schema{Fields: []Field{{ID: 1, Name: "a", Kind: Text, Analyzer: "english", Options: "x", Index: IndexFreqs}}, NextID: 2}
	for _, f := range []Field{{Kind: Text}, {Kind: Text, Analyzer: "english"}, {Kind: Text, Analyzer: "english", Options: "x"}} {
		f.Name = "a"
		got, err := (&Schema{Fields: []Field{f}}).Adopt(english)
		if err != nil || got.Fields[0] != english.Fields[0] {
			t.Errorf("%+v adopts %+v, %v", f, got, err)
		}
	}
	for what, test := range map[string]struct {
		s, old *Schema
		says   string
	}{
		"options alone":       {&Schema{Fields: []Field{{Name: "a", Kind: Text, Options: "x"}}}, english, `field "a": analyzer is standard, in the index english`},
		"the schema has none": {nil, old, `none of which is called "text"`},
		"another id":          {&Schema{Fields: []Field{{ID: 7, Name: "a", Kind: Text}}, NextID: 8}, old, "changed since"},
		"a field dropped":     {&Schema{Fields: []Field{{ID: 2, Name: "z", Kind: Text}}, NextID: 3}, &Schema{Fields: old.Fields[:1], NextID: 3}, `field "z"`},
		"another unit": {&Schema{Fields: []Field{{Name: "a", Kind: Time, Column: true, Unit: UnitSecond}}},
			&Schema{Fields: []Field{{ID: 1, Name: "a", Kind: Time, Column: true}}, NextID: 2}, `field "a": unit is second, in the index nanosecond`},
		"a column of a field that exists": {&Schema{Fields: []Field{{Name: "a", Kind: Time, Column: true}}},
			&Schema{Fields: []Field{{ID: 1, Name: "a", Kind: Time, Stored: true}}, NextID: 2}, "add a new field"},
		"a field changed": {&Schema{Fields: []Field{{ID: 1, Name: "z", Kind: Text, Stored: true}}, NextID: 3}, old, `field "z": stored`},
	} {
		if _, err := test.s.Adopt(test.old); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got, err := (*Schema)(nil).Adopt(nil); got != nil || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	full := &Schema{Fields: old.Fields, NextID: maxID}
	if c, err := full.Add(Field{Name: "c", Kind: Text}); err != nil {
		t.Error(err)
	} else if _, err := c.Adopt(full); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), `field "c"`) {
		t.Errorf("no ids are left: %v", err)
	}
}

func TestNoSuchField(t *testing.T) {
	s := &Schema{Fields: []Field{{Name: "a", Kind: Text}}}
	_, rename := s.Rename("b", "c")
	_, drop := s.Drop("b")
	_, bad := s.Rename("a", "_a")
	_, add := s.Add(Field{Name: "b", Kind: Text, ID: 4})
	none := Implicit("", "", false)
	_, toNone := none.Add(Field{Name: "text", Kind: Text})
	_, ofNone := none.Rename("b", "c")
	for i, err := range []error{rename, drop, bad, add, toNone, ofNone} {
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), `field "`) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestValues(t *testing.T) {
	day := time.Date(2026, 11, 26, 9, 0, 0, 1, time.FixedZone("x", 3600))
	if v := TextValue(1, []byte("ab")); v.Field != 1 || v.Kind != Text || string(v.Bytes()) != "ab" || v.String() != "ab" || v.Int() != 0 || v.Float() != 0 {
		t.Errorf("%+v", v)
	}
	if v := IntegerValue(2, math.MinInt64); v.Int() != math.MinInt64 || v.Bytes() != nil || !v.Time().IsZero() {
		t.Errorf("%+v", v)
	}
	if v := FloatValue(2, -0.5); v.Float() != -0.5 || v.Int() != 0 {
		t.Errorf("%+v", v)
	}
	if v := TimeValue(2, day); !v.Time().Equal(day) || v.Time().Location() != time.UTC || v.Int() != day.UnixNano() || !reflect.DeepEqual(v, NanosValue(2, day.UnixNano())) {
		t.Errorf("%+v", v)
	}
}

func TestCheckValue(t *testing.T) {
	minTime, maxTime := time.Unix(0, math.MinInt64+1), time.Unix(0, math.MaxInt64)
	s := &Schema{Fields: []Field{
		{Name: "text", Kind: Text}, {Name: "keyword", Kind: Keyword}, {Name: "integer", Kind: Integer, Stored: true},
		{Name: "float", Kind: Float, Stored: true}, {Name: "time", Kind: Time, Stored: true},
		{Name: "blob", Kind: Keyword, Index: IndexNone, Stored: true},
	}}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	long := make([]byte, MaxKeyword+1)
	for _, v := range []Value{
		TextValue(0, ""), TextValue(0, long), KeywordValue(1, long[1:]), IntegerValue(2, math.MinInt64), FloatValue(3, math.MaxFloat64),
		TimeValue(4, minTime), TimeValue(4, maxTime), KeywordValue(5, long),
	} {
		if err := s.CheckValue(v); err != nil {
			t.Errorf("%v in field %d: %v", v.Kind, v.Field, err)
		}
	}
	for _, v := range []Value{
		{}, TextValue(1, ""), KeywordValue(0, ""), IntegerValue(3, 1), FloatValue(2, 1), TimeValue(2, time.Now()),
		KeywordValue(1, long), FloatValue(3, math.NaN()), FloatValue(3, math.Inf(-1)),
		TimeValue(4, time.Time{}), TimeValue(4, minTime.Add(-1)), TimeValue(4, maxTime.Add(1)),
	} {
		if err := s.CheckValue(v); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "field "+fmt.Sprintf("%q", s.Fields[v.Field].Name)) {
			t.Errorf("%v in field %d: %v", v.Kind, v.Field, err)
		}
	}
	for _, n := range []int{-1, len(s.Fields)} {
		if err := s.CheckValue(TextValue(n, "")); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprint("field ", n)) {
			t.Errorf("field %d: %v", n, err)
		}
	}
	if n := testing.AllocsPerRun(10, func() {
		if s.CheckValue(TextValue(0, long)) != nil || s.CheckValue(TimeValue(4, maxTime)) != nil {
			t.Error("refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
