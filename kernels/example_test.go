package kernels_test

import (
	"fmt"

	"github.com/pinion-index/pinion/kernels"
)

// Lists of bp128 and newpfd together take the kernel that is compiled for both, lists of
// any other codec the one for all.
func ExampleFor() {
	fmt.Println(kernels.For(kernels.RankDocs, kernels.CodecsOf(kernels.BP128, kernels.NewPFD)))
	fmt.Println(kernels.For(kernels.RankDocs, kernels.CodecsOf(kernels.BP128, kernels.EF)))
	// Output:
	// rank_newpfd
	// rank
}
