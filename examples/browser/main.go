//go:build !js

// Browser writes a static page that searches an index in the browser, with reader and
// query compiled to WebAssembly: the same scores as here, of the ranges of bytes that each query needs.
//
//	go run ./examples/browser site
//
// Any static host serves it, such as nginx, an object store or GitHub Pages. One that does not answer requests for
// ranges, such as python3 -m http.server, will do for small indexes: the page reads all of them. For /?index=URL it searches
// the index directory at that URL, relative to the page; files.json there has the names of its files, unless the host lists the
// directory.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/reader/host"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/testdata"
	"github.com/pinion-index/pinion/writer"
)

//go:embed static
var static embed.FS

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: browser DIR")
		os.Exit(2)
	}
	if err := write(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(1)
	}
}

// write writes the page, the program and the index to a new directory.
func write(ctx context.Context, dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	page, err := fs.Sub(static, "static")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, page); err != nil {
		return err
	}
	if err := compile(dir); err != nil {
		return err
	}
	return index(ctx, dir)
}

// compile compiles this package's other half to WebAssembly.
func compile(dir string) error {
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, "search.wasm"),
		"github.com/pinion-index/pinion/examples/browser")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "wasm_exec.js"), glue, 0o666)
}

// index builds an index of the bundled collection in dir/index, and lists its files in
// dir/index/files.json.
func index(ctx context.Context, dir string) (err error) {
	to := filepath.Join(dir, "index")
	if err := add(ctx, to); err != nil {
		return err
	}
	entries, err := os.ReadDir(to)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".pin" {
			names = append(names, e.Name())
		}
	}
	list, err := json.Marshal(names)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, host.NamesFile), list, 0o666)
}

func add(ctx context.Context, dir string) (err error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(testdata.KJV))
	if err != nil {
		return err
	}
	w, err := writer.Open(ctx, dir, writer.Options{Schema: schema.Implicit("", "", true)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	documents := exchange.NewJSONL("kjv.jsonl.gz", unzipped)
	for {
		d, err := documents.Next()
		if err == io.EOF {
			return w.Commit(ctx)
		}
		if err == nil {
			err = w.Add(ctx, writer.Text(d.ID, d.Contents))
		}
		if err != nil {
			return err
		}
	}
}
