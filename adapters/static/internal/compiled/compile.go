// Package compiled provides the program for the browser: the one that a release has embedded (tag embedded), or else one that the go
// command of this machine compiles.
package compiled

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// Package is the program's.
const Package = "github.com/pinion-index/pinion/adapters/static/program"

// Compile compiles the program, with the analyzers of package analysis/languages or without, and returns it packed by gzip.
func Compile(ctx context.Context, languages bool) ([]byte, error) {
	dir, err := os.MkdirTemp("", "pinion-static-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	args := []string{"-trimpath", "-buildvcs=false", "-ldflags=-s -w"}
	if languages {
		args = append(args, "-tags=languages")
	}
	env, out := append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0", "GOWASM="), filepath.Join(dir, "program.wasm")
	if version := installed(); version != "" {
		// Of a module that the go command has fetched: compiled as it was, wherever this program runs.
		cache, err := goEnv(ctx, "GOMODCACHE")
		if err != nil {
			return nil, err
		}
		args = append(append([]string{"install"}, args...), Package+"@"+version)
		env = append(env, "GOPATH="+dir, "GOBIN=", "GOMODCACHE="+cache, "GOWORK=off")
		out = filepath.Join(dir, "bin", "js_wasm", "program")
	} else {
		args = append(append([]string{"build", "-o", out}, args...), Package)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = env
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling the program for the browser (a command from a working tree does so there only): %w\n%s", err, bytes.TrimSpace(text))
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return pack(wasm)
}

// installed returns the version of the module of this program, or "" if it was compiled in a working tree.
func installed() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Sum != "" {
		return info.Main.Version
	}
	return ""
}

// pack packs a program by gzip.
func pack(wasm []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(wasm); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// Glue returns the JavaScript that a program compiled by this machine's Go needs.
func Glue(ctx context.Context) ([]byte, error) {
	root, err := goEnv(ctx, "GOROOT")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
}

func goEnv(ctx context.Context, name string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", name).Output()
	if err != nil {
		return "", fmt.Errorf("the program for the browser is compiled by Go, or comes with a release: go env %s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}
