package store_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/store"
)

// Errors of all packages match those of store: what the caller can mend, what is closed, and who holds the lock.
func Example() {
	dir, err := os.MkdirTemp("", "errors")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	index, err := pinion.Open(ctx, dir, pinion.Options{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = pinion.Open(ctx, dir, pinion.Options{}) // a second writer
	fmt.Println("locked:", errors.Is(err, store.ErrLocked))
	_, err = index.Search(ctx, pinion.Request{Query: query.Match{Text: "rose"}, Limit: -1})
	fmt.Println("invalid:", errors.Is(err, store.ErrInvalid))
	if err := index.Close(); err != nil {
		log.Fatal(err)
	}
	err = index.Add(ctx, pinion.Text("a", "a rose"))
	fmt.Println("closed:", errors.Is(err, store.ErrClosed))
	// Output:
	// locked: true
	// invalid: true
	// closed: true
}
