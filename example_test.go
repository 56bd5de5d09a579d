package pinion_test

import (
	"context"
	"fmt"
	"os"

	"github.com/pinion-index/pinion"
)

// scratch returns a new directory and what removes it.
func scratch() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "pinion")
	if err != nil {
		panic(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

func ExampleOpen() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	index, err := pinion.Open(ctx, dir, pinion.Options{Visible: -1}) // searches see a change when Add returns
	if err != nil {
		panic(err)
	}
	defer index.Close() // makes everything durable
	if err := index.Add(ctx, pinion.Text("a", "no rose without a thorn"), pinion.Text("b", "a thorn in the flesh")); err != nil {
		panic(err)
	}
	page, err := index.Search(ctx, pinion.Request{Query: pinion.Match{Text: "rose thorn"}, Snippet: &pinion.Snippet{}})
	if err != nil {
		panic(err)
	}
	for _, h := range page.Hits {
		fmt.Printf("%s: %s\n", h.ID, h.Text)
	}
	// Output:
	// a: no rose without a thorn
	// b: a thorn in the flesh
}

// What belongs together is asked of one View, which does not change.
func ExampleIndex_View() {
	dir, remove := scratch()
	defer remove()
	ctx := context.Background()
	index, err := pinion.Open(ctx, dir, pinion.Options{Visible: -1})
	if err != nil {
		panic(err)
	}
	defer index.Close()
	if err := index.Add(ctx, pinion.Text("a", "rose"), pinion.Text("b", "rose"), pinion.Text("c", "rose")); err != nil {
		panic(err)
	}
	err = index.View(func(v *pinion.View) error {
		r := pinion.Request{Query: pinion.Match{Text: "rose"}, K: 2}
		for {
			page, err := v.Search(ctx, r)
			if err != nil {
				return err
			}
			fmt.Println(len(page.Hits), "hits")
			if r.After = page.Next(); r.After == nil {
				return nil
			}
		}
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// 2 hits
	// 1 hits
}
