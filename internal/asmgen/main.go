// Command asmgen writes the generated amd64 assembly, with its Go declarations. Run it in
// its folder after changing it:
//
//	go run . -root ../..
//
// With -check it writes nothing and fails if a file would change.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
)

// output is a set of generated files by path relative to the repository's root.
type output map[string][]byte

func main() {
	root := flag.String("root", "../..", "root of the repository")
	check := flag.Bool("check", false, "fail if a file is not up to date, and write none")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "asmgen:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	out := output{}
	for _, generate := range generators {
		if err := generate(out); err != nil {
			return err
		}
	}
	names := make([]string, 0, len(out))
	for name := range out {
		names = append(names, name)
	}
	sort.Strings(names)
	stale := 0
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, out[name]) {
			continue
		}
		stale++
		if check {
			fmt.Fprintln(os.Stderr, "not up to date:", name)
			continue
		}
		if err := os.WriteFile(path, out[name], 0o666); err != nil {
			return err
		}
		fmt.Println(name)
	}
	if check && stale > 0 {
		return fmt.Errorf("%d of %d files are not what this program generates", stale, len(names))
	}
	return nil
}

// generators write one output each.
var generators = []func(output) error{
	bitpackDocs,
	bitpackLoops,
	bitpackMask,
	patchedAVX2,
	patchedAVX512,
	bytepackRows,
	unaryPositions,
	regressAdd,
	queryBitmap,
	postingFind,
	queryScore,
	querySums,
	vectors,
	encode,
}
