package invert

import "testing"

// TestTextPool checks that buffers of different sizes are used again, or dropped.
func TestTextPool(t *testing.T) {
	var p textPool
	most := 0
	for round := range 20 {
		var used [][]byte
		for i := range 50 {
			n := 1000 + (round*7+i*13)%100 // a larger one follows a smaller one
			b := p.get(n)
			if len(b) != n {
				t.Fatalf("%d bytes, want %d", len(b), n)
			}
			used = append(used, b)
		}
		for _, b := range used {
			p.put(b)
		}
		most = max(most, len(p.free))
	}
	if most != 50 {
		t.Errorf("the pool keeps %d buffers, 50 were in use at a time", most)
	}
}
