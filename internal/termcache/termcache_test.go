package termcache

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// What the cache holds of a term is what was put for it, also while others put.
func TestCache(t *testing.T) {
	var c Cache[string]
	c.Init(16)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for range 20000 {
				term := fmt.Sprintf("term%*d", r.IntN(30), r.IntN(100))
				hash := Hash([]byte(term))
				if v := c.Get(hash, []byte(term)); v == nil {
					c.Put(hash, []byte(term), func(v *string) { *v = term })
				} else if *v != term {
					t.Errorf("%q has the value %q", term, *v)
				}
			}
		})
	}
	wg.Wait()
}

// A term with the hash of another is not taken for it.
func TestCollision(t *testing.T) {
	var c Cache[int]
	c.Init(1)
	c.Put(7, []byte("a"), func(v *int) { *v = 1 })
	if v := c.Get(7, []byte("b")); v != nil {
		t.Errorf("b has the value %d of a", *v)
	}
	if v := c.Get(7, []byte("a")); v == nil || *v != 1 {
		t.Error("a is lost")
	}
}

// A full set admits a term on the second consecutive miss.
func TestAdmission(t *testing.T) {
	var c Cache[int]
	c.Init(1)
	put := func(h uint64, term string) { c.Put(h, []byte(term), func(*int) {}) }
	for i := range uint64(4) {
		put(i<<62|i, fmt.Sprint("old", i))
	}
	has := func() bool { return c.Get(1<<62|99<<32, []byte("new")) != nil }
	put(1<<62|99<<32, "new")
	put(2<<62|98<<32, "other")
	put(1<<62|99<<32, "new")
	if has() {
		t.Error("admitted on a miss after another term's")
	}
	put(1<<62|99<<32, "new")
	if !has() {
		t.Error("not admitted on the second miss")
	}
}
