package segment_test

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// What is no segment is named, whatever its bytes are. Bytes in memory must be aligned as
// a mapped file is.
func ExampleOpen() {
	_, err := segment.Open("notes.txt", segment.Aligned([]byte("Dear diary")))
	fmt.Println(errors.Is(err, format.ErrNotAnIndex))
	fmt.Println(err)
	// Output:
	// true
	// not a Pinion index: file notes.txt, section header, offset 0: no Pinion header
}
