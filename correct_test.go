package pinion_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/schema"
)

// Corrections are texts whose words occur together in more documents than those that were typed.
func TestCorrect(t *testing.T) {
	ctx := t.Context()
	x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "english"}, {Name: "words", Kind: schema.Text, Analyzer: "simple", Of: "title"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	n := 0
	for text, times := range map[string]int{"Red running shoes": 7, "the north shore": 9, "red wine": 3, "hot shorts": 2, "a shose": 1, "horse riding": 20, "house": 30} {
		for range times {
			if err := x.Add(ctx, pinion.Doc{ID: fmt.Sprint(n), Fields: map[string]any{"title": text}}); err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	for typed, want := range map[string]string{
		"red shose":         "[{red shoes 7}]",
		"north shroe":       "[{north shore 9}]",
		"shose":             "[{shore 9} {shoes 7}]",
		"  Red   runing  ":  "[{  Red   running   7}]",
		"red shoes":         "[]",
		"horse":             "[]", // common, and house more so
		"horse ridding":     "[{horse riding 20}]",
		"zzzzzz":            "[]",
		"red zzzzzz":        "[]",
		"rde runing shoess": "[{red running shoes 7}]",
		"":                  "[]",
	} {
		got, err := x.Correct(ctx, "title", typed)
		if fmt.Sprint(got) != want || err != nil {
			t.Errorf("%q: %v, %v, want %s", typed, got, err, want)
		}
	}
	if _, err := x.Correct(ctx, "none", "a"); err == nil || !strings.Contains(err.Error(), `"none"`) {
		t.Error(err)
	}
}
