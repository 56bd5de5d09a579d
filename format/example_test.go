package format_test

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/format"
)

// A Buffer reads fields and remembers the first thing wrong with them.
func ExampleBuffer() {
	b := format.NewBuffer([]byte{7, 0, 0, 0, 3, 'o', 'n'}, 0)
	fmt.Println(b.Uint32())
	fmt.Printf("%q\n", b.String(10)) // its length says 3, and 2 bytes are left
	err := b.Done()
	fmt.Println(errors.Is(err, format.ErrCorrupt))
	// Output:
	// 7
	// ""
	// true
}
