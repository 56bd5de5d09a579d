package pinion_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Newer documents come first among equals, and what counts in place of values is as Static says, whether it is added or multiplies.
func TestStaticShapes(t *testing.T) {
	ctx := t.Context()
	x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text},
		{Name: "at", Kind: schema.Time, Unit: schema.UnitSecond, Column: true}, {Name: "sold", Kind: schema.Integer, Column: true},
		{Name: "rank", Kind: schema.Float, Column: true}, {Name: "tag", Kind: schema.Keyword, Column: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for i, days := range []int{0, 7, 21} {
		d := pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"text": "rose", "at": now.AddDate(0, 0, -days), "sold": []int{0, 10, 30}[i], "rank": float64(i), "tag": "a"}}
		if err := x.Add(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	for want, s := range map[string]pinion.Static{
		"0 8, 1 4, 2 2":       {Field: "at", Boost: 8, DecayOver: 7 * 24 * time.Hour, From: now},
		"2 8, 1 2.67, 0 2":    {Field: "at", Boost: 8, DecayOver: 7 * 24 * time.Hour, From: now.AddDate(0, 0, -21).Format(time.RFC3339)},
		"2 3, 1 2, 0 0":       {Field: "sold", Boost: 4, Saturation: 10},
		"1 1, 2 0.333, 0 0.5": {Field: "sold", Decay: 10, From: 10},
		"0 1, 1 0.5, 2 0.25":  {Field: "sold", Decay: 10},
		"2 3.43, 1 2.4, 0 0":  {Field: "sold", Logarithm: 1},
		"2 2.2, 1 1.39, 0 0":  {Field: "rank", Boost: 2, Logarithm: 1},
		"2 2, 1 1, 0 0":       {Field: "rank"},
	} {
		for _, constant := range []float32{1, 4} { // with 4 the score is multiplied
			s.Multiply = constant > 1
			page, err := x.Search(ctx, pinion.Request{Query: query.All{Score: float64(constant)}, Static: &s})
			if err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
			scores := map[string]float32{}
			for _, h := range page.Hits {
				scores[h.ID] = h.Score/constant - 1
			}
			var got []string
			for _, of := range strings.Split(want, ", ") {
				id, _, _ := strings.Cut(of, " ")
				got = append(got, fmt.Sprintf("%s %.3g", id, scores[id]))
			}
			if strings.Join(got, ", ") != want || page.Hits[0].ID != want[:1] {
				t.Errorf("%+v: %v, the first is %s; want %s", s, got, page.Hits[0].ID, want)
			}
		}
	}
	for want, s := range map[string]pinion.Static{
		"several of":       {Field: "sold", Saturation: 1, Decay: 1},
		"not above 0":      {Field: "sold", Saturation: -1},
		"without Decay":    {Field: "rank", From: 1},
		"times have Decay": {Field: "at", Saturation: 1},
		"numbers have Dec": {Field: "sold", DecayOver: 1, From: 1},
		"without From":     {Field: "at", DecayOver: 1},
		"not a float":      {Field: "sold"},
		"not a number":     {Field: "tag", Decay: 1},
		"with From x":      {Field: "sold", Decay: 1, From: "x"},
	} {
		if _, err := x.Search(ctx, pinion.Request{Query: query.All{}, Static: &s}); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%+v: %v, want %s", s, err, want)
		}
	}
}
