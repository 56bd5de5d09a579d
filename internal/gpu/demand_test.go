package gpu

import (
	"maps"
	"testing"
)

func TestByUse(t *testing.T) {
	lists := []Demand{{Key{0, 64}, 1000, 1}, {Key{1, 0}, 100, 1}, {Key{0, 0}, 100, 1}, {Key{0, 128}, 500, 10}}
	ByUse(lists)
	for i, k := range []Key{{0, 128}, {0, 0}, {1, 0}, {0, 64}} {
		if lists[i].Key != k {
			t.Fatalf("list %d is %v, want %v", i, lists[i].Key, k)
		}
	}
	for _, c := range []struct {
		budget, bytes int64
		want          map[Key]bool
	}{
		{0, 0, map[Key]bool{}},
		{150, 100, map[Key]bool{{0, 0}: true}},
		{700, 700, map[Key]bool{{0, 0}: true, {1, 0}: true, {0, 128}: true}},
		{1 << 40, 1700, map[Key]bool{{0, 0}: true, {1, 0}: true, {0, 128}: true, {0, 64}: true}},
	} {
		if got, bytes := Fit(lists, c.budget); !maps.Equal(got, c.want) || bytes != c.bytes {
			t.Errorf("budget %d: %v, %d bytes", c.budget, got, bytes)
		}
	}
}
