// Follow keeps an index in step with a table, here a file to which lines of JSON are appended: rows with an id and columns, or with
// an id alone, which are gone. Where it stands is committed with the changes, so that it goes on there after a crash.
//
//	go run ./examples/follow table.idx table.jsonl
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"

	"github.com/pinion-index/pinion"
)

type row struct {
	ID   string
	Text *string // nil: the row is gone
}

func follow(ctx context.Context, index *pinion.Index, table *os.File) error {
	value, _ := index.Meta("table")
	since, _ := strconv.ParseInt(value, 10, 64) // 0 at first
	if _, err := table.Seek(since, io.SeekStart); err != nil {
		return err
	}
	var batch pinion.Batch
	for rows := json.NewDecoder(table); ; {
		var r row
		if err := rows.Decode(&r); errors.Is(err, io.EOF) {
			batch.SetMeta("table", fmt.Sprint(since+rows.InputOffset()))
			return index.Apply(ctx, &batch)
		} else if err != nil {
			return err
		}
		if r.Text == nil {
			batch.Delete(r.ID)
		} else {
			batch.Add(pinion.Text(r.ID, *r.Text))
		}
	}
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: follow DIR TABLE")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, name string) error {
	index, err := pinion.Open(ctx, dir, pinion.Options{})
	if err != nil {
		return err
	}
	defer index.Close()
	table, err := os.Open(name)
	if err != nil {
		return err
	}
	defer table.Close()
	if err := follow(ctx, index, table); err != nil {
		return err
	}
	at, _ := index.Meta("table")
	fmt.Println(index.Len(), "rows at", at)
	return nil
}
