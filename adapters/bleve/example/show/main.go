// Show prints what the two programs of package example find.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pinion-index/pinion/adapters/bleve/example"
)

func main() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b, err := example.Bleve(filepath.Join(dir, "mails.bleve"))
	if err != nil {
		log.Fatal(err)
	}
	p, err := example.Pinion(context.Background(), filepath.Join(dir, "mails.idx"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("bleve: ", b)
	fmt.Println("pinion:", p)
}
