// Apicheck refuses exported identifiers of public packages that name types of internal packages, or of other modules. It
// compares them with those of the last release, which the newest file in folder api lists, one a line. It prints what
// is new, and exits with 1 if something is gone or has changed that api/broken.txt does
// not list. With -update VERSION it writes api/VERSION.txt and empties broken.txt.
//
// A version that has a tag cannot be updated. Apicheck runs in the root of the repository,
// and looks at the code for linux/amd64.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// public are the packages whose API is compared. CHANGELOG.md lists them too.
var public = []string{".", "analysis", "analysis/languages", "embedding", "eval", "format", "gpuload", "httpapi", "query", "reader", "reader/host",
	"schema", "segment", "store", "writer"}

// foreign finds types in a line that a program cannot name without importing another module, or not at all.
var foreign = regexp.MustCompile(`\b(internal|[\w-]+\.[\w-]+)/[\w./-]+\.\w+`)

const (
	module = "github.com/pinion-index/pinion"
	folder = "api"
	broken = "api/broken.txt"
)

func main() {
	update := flag.String("update", "", "write the API of `VERSION`, such as v0.1.0")
	flag.Parse()
	if err := run(*update); err != nil {
		fmt.Fprintln(os.Stderr, "apicheck:", err)
		os.Exit(1)
	}
}

func run(update string) error {
	if update != "" {
		if parseVersion(update+".txt") == nil {
			return fmt.Errorf("%q is no version like v0.1.0", update)
		}
		if exec.Command("git", "rev-parse", "-q", "--verify", "refs/tags/"+update).Run() == nil {
			return fmt.Errorf("%s is released: its API stays as it is", update)
		}
	}
	now, err := current(public)
	if err != nil {
		return err
	}
	if err := checkNames(slices.Clone(now)); err != nil {
		return err
	}
	if update != "" {
		if err := os.WriteFile(filepath.Join(folder, update+".txt"), []byte(strings.Join(now, "\n")+"\n"), 0o666); err != nil {
			return err
		}
		return os.WriteFile(broken, nil, 0o666)
	}
	name, err := newest()
	if err != nil {
		return err
	}
	before, err := readLines(name)
	if err != nil {
		return err
	}
	intended, err := readLines(broken)
	if err != nil {
		return err
	}
	d := compare(before, now, intended)
	for _, line := range d.added {
		fmt.Println("+", line)
	}
	for _, line := range d.removed {
		fmt.Println("-", line)
	}
	if len(d.removed) > 0 {
		return fmt.Errorf("%d lines of %s are gone or have changed: programs that use them no longer build; if that is meant, add them to %s and say so in CHANGELOG.md", len(d.removed), name, broken)
	}
	if len(d.stale) > 0 {
		return fmt.Errorf("%s lists what is not gone: %s", broken, strings.Join(d.stale, "; "))
	}
	fmt.Printf("%d exported identifiers, fields and methods, %d more than in %s\n", len(now), len(d.added), name)
	return nil
}

// checkNames returns an error for lines that name what programs cannot.
func checkNames(lines []string) error {
	lines = slices.DeleteFunc(lines, func(line string) bool { return !foreign.MatchString(strings.ReplaceAll(line, module+".", "")) })
	if len(lines) > 0 {
		return fmt.Errorf("programs cannot name the types of %d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	return nil
}

// difference is what a comparison finds.
type difference struct {
	added   []string
	removed []string // and not intended
	stale   []string // intended, and not removed
}

func compare(before, now, intended []string) (d difference) {
	for _, line := range now {
		if !slices.Contains(before, line) {
			d.added = append(d.added, line)
		}
	}
	for _, line := range before {
		if !slices.Contains(now, line) && !slices.Contains(intended, line) {
			d.removed = append(d.removed, line)
		}
	}
	for _, line := range intended {
		if slices.Contains(now, line) || !slices.Contains(before, line) {
			d.stale = append(d.stale, line)
		}
	}
	return d
}

// current returns the lines of those of packages that there are.
func current(of []string) ([]string, error) {
	patterns := []string{"list", "-e", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{with .Error}}{{.Err}}{{end}}"}
	var packages []string
	for _, p := range of {
		if _, err := os.Stat(p); err == nil { // otherwise all its lines are gone
			packages = append(packages, p)
			patterns = append(patterns, "./"+p)
		}
	}
	if len(packages) == 0 {
		return nil, errors.New("there are no packages: apicheck runs in the root of the repository")
	}
	list := exec.Command("go", patterns...)
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) == 3 && f[2] != "" {
			return nil, fmt.Errorf("%s: %s", f[0], f[2])
		}
		if len(f) >= 2 {
			exports[f[0]] = f[1]
		}
	}
	return dump(exports, packages)
}

var versionFile = regexp.MustCompile(`^v(\d+)\.(\d+)\.(\d+)\.txt$`)

// parseVersion returns the numbers in the name of a file in folder api, or nil.
func parseVersion(name string) []int {
	var v []int
	for _, m := range versionFile.FindAllStringSubmatch(name, -1) {
		for _, digits := range m[1:] {
			n, err := strconv.Atoi(digits)
			if err != nil {
				return nil
			}
			v = append(v, n)
		}
	}
	return v
}

// newest returns the file of the highest version.
func newest() (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	var best string
	for _, e := range entries {
		if v := parseVersion(e.Name()); v != nil && (best == "" || slices.Compare(v, parseVersion(best)) > 0) {
			best = e.Name()
		}
	}
	if best == "" {
		return "", fmt.Errorf("%s has no file of a version", folder)
	}
	return filepath.Join(folder, best), nil
}

func readLines(name string) ([]string, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range bytes.Lines(b) {
		if s := strings.TrimSpace(string(line)); s != "" {
			lines = append(lines, s)
		}
	}
	return lines, nil
}
