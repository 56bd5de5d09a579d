package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/schema"
)

type base struct {
	Made time.Time
	Note *string `pinion:"remark"`
}

func TestFor(t *testing.T) {
	type product struct {
		base
		ID    string
		Title string `pinion:"name"`
		Price float64
		Stock *uint16
		Tags  []string
		Sold  bool
		Data  []byte
		From  netip.Addr
		Took  time.Duration
		Rank  json.Number
		Words map[string]float64
		Skip  chan int `pinion:"-"`
		own   int
	}
	_ = product{}.own
	s := schema.For[product]()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range s.Fields {
		got = append(got, fmt.Sprintf("%s %v %t %t", f.Name, f.Kind, f.Stored, f.Column))
	}
	want := "made time true true;remark keyword true true;name keyword true true;price float true true;stock integer true true;tags keyword true true;" +
		"sold keyword true true;data keyword true true;from keyword true true;took integer true true;rank float true true;words impacts false false"
	if strings.Join(got, ";") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, ";"), want)
	}
}

// What is wrong with a type is the error of Check, with the names of type and field.
func TestForRefuses(t *testing.T) {
	type Inner struct{ A int }
	for name, s := range map[string]*schema.Schema{
		"int is not a struct":  schema.For[int](),
		"Time is not a struct": schema.For[time.Time](),
		"field B: it has the name": schema.For[struct {
			A int
			B int `pinion:"a"`
		}](),
		"field a: it has a tag and is not exported": schema.For[struct {
			a int `pinion:"a"`
		}](),
		"field A: the tag \"a,stored\"": schema.For[struct {
			A int `pinion:"a,stored"`
		}](),
		"field A: the tag \"\"": schema.For[struct {
			A int `pinion:""`
		}](),
		"field A: no kind of field takes the type chan int":     schema.For[struct{ A chan int }](),
		"field A: no kind of field takes the type [][]int":      schema.For[struct{ A [][]int }](),
		"field A: no kind of field takes the type interface {}": schema.For[struct{ A any }](),
		"field Inner: an embedded pointer":                      schema.For[struct{ *Inner }](),
		"field K: the id is a int": schema.For[struct {
			K int `pinion:"id"`
		}](),
		"begin with an underscore": schema.For[struct {
			A int `pinion:"_a"`
		}](),
		"it has no fields": schema.For[struct{ ID string }](),
	} {
		err := s.Check()
		if !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
		if err := s.Set(schema.Field{Name: "x", Kind: schema.Text}).Check(); name != "it has no fields" && err == nil {
			t.Errorf("%q: with one more field it is right", name)
		}
	}
}

func TestSet(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{ID: 1, Name: "a", Kind: schema.Keyword, Stored: true, Column: true}, {ID: 2, Name: "b", Kind: schema.Integer, Column: true}}, NextID: 3}
	before := fmt.Sprint(*s)
	for _, c := range []struct {
		f, want schema.Field
		n       int
	}{
		{schema.Field{Name: "a", Kind: schema.Text, Analyzer: "english"}, schema.Field{ID: 1, Name: "a", Kind: schema.Text, Analyzer: "english", Stored: true}, 2},
		{schema.Field{Name: "b", Kind: schema.Text}, schema.Field{ID: 2, Name: "b", Kind: schema.Text, Stored: true}, 2},
		{schema.Field{Name: "b", Kind: schema.Float}, schema.Field{ID: 2, Name: "b", Kind: schema.Float, Column: true}, 2},
		{schema.Field{Name: "a", Kind: schema.Impacts}, schema.Field{ID: 1, Name: "a", Kind: schema.Impacts}, 2},
		{schema.Field{Name: "c", Kind: schema.Keyword}, schema.Field{Name: "c", Kind: schema.Keyword}, 3},
	} {
		got := s.Set(c.f)
		f, _ := got.Field(c.f.Name)
		if *f != c.want || len(got.Fields) != c.n || got.NextID != 3 || got.Check() != nil {
			t.Errorf("%+v, want %+v; %v", *f, c.want, got.Check())
		}
	}
	if fmt.Sprint(*s) != before {
		t.Errorf("Set has changed %v to %v", before, *s)
	}
	if s := (*schema.Schema)(nil).Set(schema.Field{Name: "c", Kind: schema.Text}); s.Check() != nil || len(s.Fields) != 1 {
		t.Errorf("of nothing: %v", s)
	}
}
