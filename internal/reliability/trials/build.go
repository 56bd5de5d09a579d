package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// build makes the programs of the trials that pattern matches, in the folder dir. They are
// static, so that they run on any machine.
func build(ctx context.Context, dir string, pattern *regexp.Regexp) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	tool := func(folder string, env []string, args ...string) error {
		c := exec.CommandContext(ctx, "go", args...)
		c.Dir, c.Stderr, c.Env = folder, os.Stderr, append(os.Environ(), env...)
		if err := c.Run(); err != nil {
			return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
		}
		return nil
	}
	out := func(name string) string { return filepath.Join(dir, name) }
	plain, stripped := []string{"CGO_ENABLED=0"}, "-ldflags=-s -w"
	native := []string{"CGO_ENABLED=1", "GOFLAGS="}
	linked := "-ldflags=-s -w -linkmode external -extldflags -static"
	fixed := fixedTrials(dir)
	for _, b := range []struct {
		use    string // a program of trials, or the name of one
		folder string
		env    []string
		args   []string
	}{
		{"query", ".", plain, []string{"test", "-c", stripped, "-o", out("query"), "./query"}},
		{"reliability", ".", plain, []string{"test", "-c", stripped, "-o", out("reliability"), "./" + reliability}},
		{"small memory", ".", plain, []string{"build", "-tags", "static", stripped, "-o", dir + string(filepath.Separator), "./tools/idxbuild", "./tools/idxmerge", "./tools/idxquery"}},
		{"sim", ".", plain, []string{"test", "-c", "-tags", "static", stripped, "-o", out("sim"), "./" + sim}},
		{"simhost", ".", []string{"GOOS=wasip1", "GOARCH=wasm"}, []string{"build", stripped, "-o", out("world.wasm"), "./internal/sim/world"}},
		{"simhost", "internal/simhost", plain, []string{"build", stripped, "-o", out("simhost"), "."}},
		{"sim-emu", ".", native, []string{"test", "-c", "-tags", "emu", linked, "-o", out("sim-emu"), "./" + sim}},
		{"gpucheck-emu", ".", native, []string{"test", "-c", "-tags", "emu", linked, "-o", out("gpucheck-emu"), "./internal/gpucheck"}},
	} {
		if !slices.ContainsFunc(fixed, func(t *trial) bool { return (t.program == b.use || t.name == b.use) && pattern.MatchString(t.name) }) {
			continue
		}
		if err := tool(b.folder, b.env, b.args...); err != nil {
			return err
		}
	}
	targets, err := fuzzPackages(ctx, pattern)
	if err != nil {
		return err
	}
	for _, folder := range targets {
		if err := tool(".", plain, "test", "-c", guided, unguided, stripped, "-o", out("fuzz-"+strings.ReplaceAll(folder, "/", "-")), "./"+folder); err != nil {
			return err
		}
	}
	return tool(".", plain, "build", stripped, "-o", out("trials"), "./internal/reliability/trials")
}

// Flags of programs that internal/fuzzing guides by coverage: of what is tested, not of what
// tests.
const (
	guided   = "-gcflags=github.com/...=-d=libfuzzer"
	unguided = "-gcflags=github.com/pinion-index/pinion/internal/...="
)

// fuzzPackages returns the folders of packages with fuzz targets that pattern matches, other
// than that of the tests of fuzzing itself.
func fuzzPackages(ctx context.Context, pattern *regexp.Regexp) (folders []string, err error) {
	out, err := exec.CommandContext(ctx, "git", "grep", "-o", "^func Fuzz[A-Za-z0-9_]*", "--", "*_test.go", ":!scale", ":!adapters").Output()
	if err != nil {
		return nil, fmt.Errorf("git grep, in the root of the repository: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		file, target, _ := strings.Cut(strings.TrimSpace(line), ":func ")
		folder := path.Dir(file)
		if folder != "internal/fuzzing" && pattern.MatchString(fuzzName(folder, target)) && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return folders, nil
}
