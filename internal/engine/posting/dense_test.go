package posting

import "testing"

// Queries that are under way when the last Searcher is closed put nothing into its caches.
func TestDroppedDenseCache(t *testing.T) {
	c := NewCache(0, 1000)
	for range DenseAsks - 1 {
		c.Want(1, 100)
	}
	if !c.Want(1, 100) {
		t.Fatal("the list is not wanted")
	}
	c.Want(2, 100)
	c.Drop()
	c.Put(1, &Dense{})
	c.Refuse(100)
	for range 2 * DenseAsks {
		if c.Want(2, 100) {
			t.Error("a list is wanted after drop")
		}
	}
	if c.Get(1) != nil {
		t.Error("a list is cached after drop")
	}
}
