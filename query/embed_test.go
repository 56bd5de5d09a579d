package query

import (
	"errors"
	"reflect"
	"testing"
)

// TestEmbed holds that texts get vectors wherever they are, that nodes are not changed, and that nothing is copied without texts.
func TestEmbed(t *testing.T) {
	of := func(field, text string) ([]float32, error) {
		if text == "bad" {
			return nil, errors.New("bad")
		}
		return []float32{float32(len(field)), float32(len(text))}, nil
	}
	v := []float32{1}
	tree := func(a, b, c []float32) Node {
		return Bool{Must: []Node{And{Term{Text: "x"}, Nearest{Field: "f", Text: "abc", Vector: a, K: 1}}}, Should: []Node{Similarity{Field: "gg", Text: "d", Vector: b}},
			Filter: []Node{Const{Node: Nearest{Field: "f", Text: "ignored", Vector: v, K: 2}}, Or{Nearest{Field: "f", Text: "e", Vector: c, K: 3}}}}
	}
	n := tree(nil, nil, nil)
	got, err := Embed(n, of)
	if want := tree([]float32{1, 3}, []float32{2, 1}, []float32{1, 1}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v: %v", got, want, err)
	}
	if !reflect.DeepEqual(n, tree(nil, nil, nil)) {
		t.Errorf("the node has changed: %+v", n)
	}
	if string(AppendKey(nil, n)) == string(AppendKey(nil, got)) || string(AppendKey(nil, Nearest{Text: "a"})) == string(AppendKey(nil, Nearest{Text: "b"})) {
		t.Error("nodes with other texts have one key")
	}
	if got, err := Embed(And{Nearest{Text: "bad"}, Nearest{Text: "good"}}, of); err == nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
	plain := And{Nearest{Vector: v}, Nearest{}}
	got, err = Embed(plain, func(string, string) ([]float32, error) { t.Error("called"); return nil, nil })
	if same, ok := got.(And); err != nil || !ok || &same[0] != &plain[0] {
		t.Errorf("%v is not the node that it was: %v", got, err)
	}
	if got, err := Embed(nil, of); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}
