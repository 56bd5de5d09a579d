//go:build invariants

package invariants

import "testing"

func panics(f func()) (p bool) {
	defer func() { p = recover() != nil }()
	f()
	return false
}

func TestViolations(t *testing.T) {
	x := new(int)
	Opened(x, "x")
	if len(live.opened) != 1 {
		t.Error("what is open is not recorded")
	}
	Closed(x)
	if !panics(func() { Closed(x) }) {
		t.Error("a double close goes unnoticed")
	}
	v := make([]uint32, 8)
	Poison(v)
	Unpoison(v)
	v[3] = 7
	if !panics(func() { Unpoison(v) }) {
		t.Error("a write to a released buffer goes unnoticed")
	}
}
