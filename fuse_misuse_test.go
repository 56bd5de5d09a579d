package pinion_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

func TestFuseMisuse(t *testing.T) {
	x := things(t)
	word := query.Match{Text: "rose"}
	andOr := query.Match{Text: "rose vase", Mode: query.ModeAndOr}
	list := pinion.FuseList{Query: word}
	fuse := func(l ...pinion.FuseList) *pinion.Fuse { return &pinion.Fuse{Lists: l} }
	for want, r := range map[string]pinion.Request{
		"Fuse beside Query":                   {Query: word, Fuse: fuse(list)},
		"Fuse with Sort":                      {Fuse: fuse(list), Sort: []pinion.Sort{{Field: "price"}}},
		`collapse by field "none"`:            {Fuse: fuse(list), Collapse: "none"},
		`and has no column`:                   {Fuse: fuse(list), Collapse: "body"},
		"Fuse with Static":                    {Fuse: fuse(list), Static: &pinion.Static{Field: "price"}},
		"Fuse of 0 lists":                     {Fuse: fuse()},
		"Fuse of 17 lists, not from 1 to 16":  {Fuse: fuse(make([]pinion.FuseList, 17)...)},
		"Fuse.By is 2":                        {Fuse: &pinion.Fuse{Lists: []pinion.FuseList{list}, By: 2}},
		"Fuse.RankConstant is -1":             {Fuse: &pinion.Fuse{Lists: []pinion.FuseList{list}, RankConstant: -1}},
		"Fuse.RankConstant is NaN":            {Fuse: &pinion.Fuse{Lists: []pinion.FuseList{list}, RankConstant: math.NaN()}},
		"Fuse.RankConstant is 5, which":       {Fuse: &pinion.Fuse{Lists: []pinion.FuseList{list}, RankConstant: 5, By: pinion.ByScores}},
		"Fuse.Lists[1] has no Query":          {Fuse: fuse(list, pinion.FuseList{})},
		"Fuse.Lists[1].Query has mode and-or": {Fuse: fuse(list, pinion.FuseList{Query: andOr})},
		"Fuse.Lists[0].K is 10001":            {Fuse: fuse(pinion.FuseList{Query: word, K: 10001})},
		"Fuse.Lists[0].K is -1":               {Fuse: fuse(pinion.FuseList{Query: word, K: -1})},
		"Fuse.Lists[0].Weight is -0.5":        {Fuse: fuse(pinion.FuseList{Query: word, Weight: -0.5})},
		"Fuse.Lists[0].Weight is +Inf":        {Fuse: fuse(pinion.FuseList{Query: word, Weight: math.Inf(1)})},
		`Fuse.Lists[1]: query: invalid value: there is no field "none"`: {Fuse: fuse(list, pinion.FuseList{Query: query.Bool{Should: []query.Node{query.Term{Field: "none", Text: "x"}}}})},
		"Rescore with Sort":                                {Query: word, Rescore: &pinion.Rescore{Query: word}, Sort: []pinion.Sort{{Field: "price"}}},
		"Rescore of a query of mode and-or":                {Query: andOr, Rescore: &pinion.Rescore{Query: word}},
		"Rescore has no Query":                             {Query: word, Rescore: &pinion.Rescore{}},
		"Rescore.Query has mode and-or":                    {Query: word, Rescore: &pinion.Rescore{Query: andOr}},
		"Rescore.N is 10001":                               {Query: word, Rescore: &pinion.Rescore{Query: word, N: 10001}},
		"Rescore.Weight is NaN":                            {Query: word, Rescore: &pinion.Rescore{Query: word, Weight: math.NaN()}},
		"Rescore: query: invalid value: there is no field": {Query: query.Match{Text: "nowhere"}, Rescore: &pinion.Rescore{Query: query.Term{Field: "none", Text: "x"}}},
		"After has the score NaN":                          {Fuse: fuse(list), After: &pinion.After{Score: float32(math.NaN())}},
	} {
		if _, err := x.Search(t.Context(), r); !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	err := x.View(t.Context(), func(v *pinion.View) error {
		_, err := v.SearchPart(t.Context(), pinion.Request{Fuse: fuse(list)}, pinion.Part{})
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("a part: %v", err)
		}
		_, err = v.SearchPart(t.Context(), pinion.Request{Query: word, Rescore: &pinion.Rescore{Query: word}}, pinion.Part{})
		return err
	})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a part rescores: %v", err)
	}
	if _, err := pinion.MergePages(pinion.Request{Fuse: fuse(list)}, nil, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("pages of parts: %v", err)
	}
}
