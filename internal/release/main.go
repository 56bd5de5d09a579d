// Release builds the archives of a release into a folder: of every kit for every platform the
// commands, their manual pages and shell completions, README, LICENSE, CHANGELOG and the
// licenses of what is compiled in; and SHA256SUMS. The version is that of the newest
// section of CHANGELOG.md. The same commit and the same Go give the same bytes.
//
// It runs in the root of the repository, and sets no tag.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const module = "github.com/pinion-index/pinion"

// platforms are those that archives are made for.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// kit is what one archive of each platform has.
type kit struct {
	name  string
	parts []part
}

// part is the packages of commands in a module.
type part struct {
	folder   string // of the module
	packages []string
}

// kits are by what one runs: files of one machine, servers, buckets. Archives of the last are as large as all others. The
// commands of scale/bucket that take URLs where those of tools take directories are in none: they have the same names, and
// each would add 20 MB.
var kits = []kit{
	{"pinion", []part{
		{".", []string{"./tools/idxbench", "./tools/idxbuild", "./tools/idxinspect", "./tools/idxmerge", "./tools/idxquery"}},
		{"adapters/static", []string{"./cmd/pinion-static", "./cmd/pinion-docs"}},
		{"adapters/bleve", []string{"./cmd/bleve-to-pinion"}},
	}},
	{"pinion-server", []part{
		{"adapters/site", []string{"./cmd/pinion-site"}},
		{"scale/node", []string{"./cmd/pinion-cluster", "./cmd/pinion-node", "./cmd/pinion-router"}},
	}},
	{"pinion-bucket", []part{
		{"scale/bucket", []string{"./cmd/pinion-bucket"}},
		{"scale/build", []string{"./cmd/pinion-build"}},
	}},
}

// commands returns the names of the kit's programs.
func (k *kit) commands() (names []string) {
	for _, p := range k.parts {
		for _, pkg := range p.packages {
			names = append(names, path.Base(pkg))
		}
	}
	return names
}

// chosen returns the kits with these names.
func chosen(names []string) (some []kit, err error) {
	for _, name := range names {
		i := slices.IndexFunc(kits, func(k kit) bool { return k.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no archive %q, only %s", name, strings.Join(kitNames(), ", "))
		}
		some = append(some, kits[i])
	}
	return some, nil
}

func kitNames() (names []string) {
	for _, k := range kits {
		names = append(names, k.name)
	}
	return names
}

func main() {
	out := flag.String("out", "dist", "write the archives to `DIR`, which is created")
	of := flag.String("platforms", strings.Join(platforms, ","), "`OS/ARCH,...` to build for; host is this machine's")
	names := flag.String("archives", strings.Join(kitNames(), ","), "`NAME,...` of the archives to make")
	try := flag.Bool("try", false, "only try: other bytes, made of what is compiled already, with licenses of these platforms, hardly compressed")
	flag.Parse()
	some, err := chosen(strings.Split(*names, ","))
	if err == nil {
		err = run(*out, some, strings.Split(*of, ","), *try)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is what all archives of a release have in common.
type release struct {
	version string
	commit  string    // short, with "-modified" if the working tree differs from it
	date    time.Time // of the commit
	try     bool
}

func run(out string, some []kit, targets []string, try bool) error {
	host := runtime.GOOS + "/" + runtime.GOARCH
	for i, t := range targets {
		if t == "host" {
			targets[i] = host
		} else if !slices.Contains(platforms, t) {
			return fmt.Errorf("no archives are made for %q, only for %s", t, strings.Join(platforms, ", "))
		}
	}
	slices.Sort(targets)
	targets = slices.Compact(targets)
	r, err := newRelease()
	if err != nil {
		return err
	}
	r.try = try
	scratch, err := os.MkdirTemp("", "pinion-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	var sums strings.Builder
	for _, k := range some {
		if err := r.make(&k, host, targets, filepath.Join(scratch, k.name), out, &sums); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

// make writes the archives of a kit to out, and their checksums.
func (r *release) make(k *kit, host string, targets []string, scratch, out string, sums io.Writer) error {
	programs := filepath.Join(scratch, "host")
	if err := r.build(k, host, programs); err != nil {
		return err
	}
	licensed := platforms
	if r.try {
		licensed = targets
	}
	shared, err := r.collect(k, licensed, programs, filepath.Join(scratch, "man"))
	if err != nil {
		return err
	}
	for _, t := range targets {
		bin := programs
		if t != host {
			bin = filepath.Join(scratch, strings.ReplaceAll(t, "/", "-"))
			if err := r.build(k, t, bin); err != nil {
				return err
			}
		}
		name, archive, err := r.archive(k, t, bin, shared)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if err := os.WriteFile(filepath.Join(out, name), archive, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(sums, "%x  %s\n", sha256.Sum256(archive), name)
		fmt.Println(filepath.Join(out, name))
	}
	return nil
}

var heading = regexp.MustCompile(`(?m)^## (v\d+\.\d+\.\d+\S*)`)

// newestVersion returns the version of the first section of a changelog.
func newestVersion(changelog []byte) (string, error) {
	m := heading.FindSubmatch(changelog)
	if m == nil {
		return "", errors.New("CHANGELOG.md has no section such as ## v0.1.0")
	}
	return string(m[1]), nil
}

func newRelease() (*release, error) {
	r := &release{}
	changelog, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return nil, err
	}
	if r.version, err = newestVersion(changelog); err != nil {
		return nil, err
	}
	commit, err := git("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return nil, err
	}
	changes, err := git("status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if r.commit = commit; changes != "" {
		r.commit += "-modified"
	}
	stamp, err := git("log", "-1", "--format=%ct")
	if err != nil {
		return nil, err
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return nil, err
	}
	r.date = time.Unix(seconds, 0).UTC()
	return r, nil
}

func git(args ...string) (string, error) {
	out, err := output(exec.Command("git", args...))
	return strings.TrimSpace(string(out)), err
}

// output runs a command, whose errors go to standard error.
func output(cmd *exec.Cmd) ([]byte, error) {
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return out, nil
}

// build builds the commands of a kit for a platform into dir.
func (r *release) build(k *kit, platform, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	goos, goarch, _ := strings.Cut(platform, "/")
	cli := module + "/internal/cli"
	for _, p := range k.parts {
		args := []string{"build", "-buildvcs=false", "-o", dir + string(filepath.Separator),
			"-ldflags", fmt.Sprintf("-s -w -X %s.release=%s -X %s.commit=%s", cli, r.version, cli, r.commit)}
		if !r.try { // which would compile all packages anew
			args = append(args, "-trimpath")
		}
		cmd := exec.Command("go", append(args, p.packages...)...)
		cmd.Dir, cmd.Env = p.folder, environment("GOOS="+goos, "GOARCH="+goarch)
		if _, err := output(cmd); err != nil {
			return err
		}
	}
	return nil
}

// environment returns that of this process without what would make other bytes.
func environment(more ...string) []string {
	return append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off"), more...)
}
