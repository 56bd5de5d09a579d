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

// A cache that grows loses nothing, and grows no further than asked.
func TestGrowth(t *testing.T) {
	var c Cache[int]
	c.Init(1 << 12)
	term := func(i int) []byte { return fmt.Appendf(nil, "term%d", i) }
	for i := range 500 {
		c.Put(Hash(term(i)), term(i), func(v *int) { *v = i })
	}
	for i := range 500 {
		if v := c.Get(Hash(term(i)), term(i)); v == nil || *v != i {
			t.Fatalf("%s is lost", term(i))
		}
	}
	if n := len(c.table.Load().sets); n <= leastSets || n > 1<<12 {
		t.Errorf("%d sets", n)
	}
	for i := range 100_000 {
		c.Put(Hash(term(i)), term(i), func(v *int) { *v = i })
	}
	if n := len(c.table.Load().sets); n != 1<<12 {
		t.Errorf("%d sets", n)
	}
}

// Terms that are put while the cache grows are themselves, if they are there.
func TestConcurrentGrowth(t *testing.T) {
	var c Cache[int]
	c.Init(1 << 10)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 5000 {
				term := fmt.Appendf(nil, "term%d", (i*7+g)%3000)
				hash := Hash(term)
				if v := c.Get(hash, term); v == nil {
					c.Put(hash, term, func(v *int) { *v = (i*7 + g) % 3000 })
				} else if *v != (i*7+g)%3000 {
					t.Errorf("%s has the value %d", term, *v)
				}
			}
		})
	}
	wg.Wait()
}
