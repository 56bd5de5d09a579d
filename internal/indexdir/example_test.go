package indexdir_test

import (
	"fmt"
	"log"
	"os"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
)

// A writer locks the directory, writes segments and commits them; a reader opens
// the newest commit.
func ExampleLock_Commit() {
	path, err := os.MkdirTemp("", "pinion")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(path)

	d, err := indexdir.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()

	m := l.Manifest()
	m.Schema = schema.Implicit("simple", "", false)
	s, err := writeSegment(l, 1) // CreateSegment, write, Close
	if err != nil {
		log.Fatal(err)
	}
	m.Segments = append(m.Segments, s)
	if err := l.Commit(m); err != nil {
		log.Fatal(err)
	}

	c, err := d.Latest()
	if err != nil {
		log.Fatal(err)
	}
	defer c.Release()
	fmt.Println(c.Generation, c.Docs(), c.Files())
	// Output: 2 11 [segment-000000000001.pin]
}
