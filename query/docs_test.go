package query_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/query"
)

func ExampleDocsOf() {
	some := query.DocsOf(slices.Values([]uint32{7, 2, 7}))
	b, _ := some.MarshalBinary() // what a roaring bitmap of another program is too
	var again query.Docs
	if err := again.UnmarshalBinary(b); err != nil {
		fmt.Println(err)
	}
	fmt.Println(again.Len(), again.Has(7), slices.Collect(again.All()))
	// Output: 2 true [2 7]
}

// Docs that nothing was set to have no docIDs, and what is no bitmap is invalid and changes nothing.
func TestDocs(t *testing.T) {
	var d query.Docs
	b, err := d.MarshalBinary()
	if d.Len() != 0 || d.Has(0) || len(slices.Collect(d.All())) != 0 || err != nil {
		t.Fatalf("%d docIDs, %v", d.Len(), err)
	}
	if err := d.UnmarshalBinary(b); err != nil || d.Len() != 0 {
		t.Fatal(err)
	}
	d = query.DocsOf(slices.Values([]uint32{3, 1<<32 - 1}))
	for i := range b {
		if err := d.UnmarshalBinary(b[:i]); !errors.Is(err, query.ErrInvalid) || d.Len() != 1 || !d.Has(3) {
			t.Fatalf("%d bytes of %d: %v, %d docIDs", i, len(b), err, d.Len())
		}
	}
}
