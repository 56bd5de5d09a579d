package engine

import "testing"

// Queries that are under way when the last Searcher is closed put nothing into its caches.
func TestDroppedDenseCache(t *testing.T) {
	c := newDenseCache(0, 1000)
	for range DenseAsks - 1 {
		c.want(1, 100)
	}
	if !c.want(1, 100) {
		t.Fatal("the list is not wanted")
	}
	c.want(2, 100)
	c.drop()
	c.put(1, &denseList{})
	c.refuse(100)
	for range 2 * DenseAsks {
		if c.want(2, 100) {
			t.Error("a list is wanted after drop")
		}
	}
	if c.get(1) != nil {
		t.Error("a list is cached after drop")
	}
}
