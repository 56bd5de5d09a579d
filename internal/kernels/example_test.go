package kernels_test

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/kernels"
)

// Lists of bp128 and newpfd use the kernel compiled for both; with lists of any other
// codec, the kernel for all codecs is used.
func ExampleFor() {
	fmt.Println(kernels.For(kernels.RankDocs, kernels.CodecsOf(kernels.BP128, kernels.NewPFD)))
	fmt.Println(kernels.For(kernels.RankDocs, kernels.CodecsOf(kernels.BP128, kernels.EF)))
	// Output:
	// rank_newpfd
	// rank
}
