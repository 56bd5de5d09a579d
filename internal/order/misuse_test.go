package order

import (
	"errors"
	"slices"
	"testing"
)

func TestMisuse(t *testing.T) {
	lists := func(all ...[]uint32) Lists {
		return func(yield func([]uint32, error) bool) {
			for _, l := range all {
				if !yield(l, nil) {
					return
				}
			}
		}
	}
	//lint:ignore SA1012 a nil context is what this is about
	if p, err := Bisect(nil, 4, lists([]uint32{0, 1}), Options{Threads: 1 << 40}); err != nil || p.Check() != nil {
		t.Errorf("a nil context and many threads: %v, %v", p, err)
	}
	for what, l := range map[string]Lists{"nil": nil, "beyond": lists([]uint32{0, 4}), "unordered": lists([]uint32{1, 0}), "a nil segment's": SegmentLists(nil, 1)} {
		if p, err := Bisect(t.Context(), 4, l, Options{}); !errors.Is(err, ErrInvalid) || p != nil {
			t.Errorf("lists %s: %v, %v", what, p, err)
		}
		if what == "unordered" {
			continue
		}
		if _, err := Cost(l, Shuffle(4, 1)); !errors.Is(err, ErrInvalid) {
			t.Errorf("the cost of lists %s: %v", what, err)
		}
	}
	if p, err := Bisect(t.Context(), 0, lists(), Options{Iterations: -1, Leaf: -1, Threads: -1}); err != nil || len(p) != 0 {
		t.Errorf("no documents: %v, %v", p, err)
	}
	for _, p := range []Permutation{{1, 1}, {2, 0}} {
		if err := p.Check(); !errors.Is(err, ErrInvalid) || len(p.Inverse()) != 2 {
			t.Errorf("%v: %v", p, err)
		}
	}
	if p := Permutation(nil); p.Check() != nil || len(p.Inverse()) != 0 || len(Shuffle(0, 1)) != 0 {
		t.Error("a permutation of nothing is none")
	}
	if p := (Permutation{2, 0, 1}); !slices.Equal(p.Inverse(), Permutation{1, 2, 0}) {
		t.Errorf("inverse is %v", p.Inverse())
	}
}

// Lists that are others at the second reading are refused.
func TestOtherLists(t *testing.T) {
	first := [][]uint32{{0, 1, 2}, {1, 3}}
	for what, second := range map[string][][]uint32{
		"a docID beyond": {{0, 1, 4}, {1, 3}}, "another docID": {{0, 1, 2}, {2, 3}}, "none": {}, "one fewer": first[:1],
		"one more": {{0, 1, 2}, {1, 3}, {1, 3}}, "a shorter one": {{0, 1}, {1, 3}},
	} {
		readings := 0
		lists := func(yield func([]uint32, error) bool) {
			all := first
			if readings++; readings > 1 {
				all = second
			}
			for _, l := range all {
				if !yield(l, nil) {
					return
				}
			}
		}
		if p, err := Bisect(t.Context(), 4, lists, Options{}); !errors.Is(err, ErrInvalid) || p != nil {
			t.Errorf("%s: %v, %v", what, p, err)
		}
	}
}
