package order_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/order"
)

// Documents about two subjects are mixed. Bisect moves those about one subject together,
// which shortens the gaps of their lists.
func Example() {
	const docs = 8
	subjects := [][]uint32{{0, 1, 3, 6}, {2, 4, 5, 7}}
	lists := func(yield func([]uint32, error) bool) {
		for _, list := range subjects {
			if !yield(list, nil) {
				return
			}
		}
	}
	p, err := order.Bisect(context.Background(), docs, lists, order.Options{Leaf: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, list := range subjects {
		var moved []uint32
		for _, doc := range list {
			moved = append(moved, p[doc])
		}
		slices.Sort(moved)
		fmt.Println(list, "becomes", moved)
	}
	before, _ := order.Cost(lists, nil)
	after, _ := order.Cost(lists, p)
	fmt.Printf("%.1f bits of gaps, before %.1f\n", after, before)
	// Output:
	// [0 1 3 6] becomes [0 1 2 3]
	// [2 4 5 7] becomes [4 5 6 7]
	// 2.3 bits of gaps, before 6.2
}
