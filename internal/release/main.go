// Release builds the archives of a release into a folder: for every platform the five
// commands and pinion-static, their manual pages and shell completions, README, LICENSE, CHANGELOG and the
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
	"os"
	"os/exec"
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

var commands = []string{"idxbench", "idxbuild", "idxinspect", "idxmerge", "idxquery", "pinion-static"}

func main() {
	out := flag.String("out", "dist", "write the archives to `DIR`, which is created")
	of := flag.String("platforms", strings.Join(platforms, ","), "`OS/ARCH,...` to build for; host is this machine's")
	flag.Parse()
	if err := run(*out, strings.Split(*of, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is what all archives of a release have in common.
type release struct {
	version string
	commit  string    // short, with "-modified" if the working tree differs from it
	date    time.Time // of the commit
	shared  []file
	overlay string // as embed returns it
}

func run(out string, targets []string) error {
	host := runtime.GOOS + "/" + runtime.GOARCH
	for i, t := range targets {
		if t == "host" {
			targets[i] = host
		} else if !slices.Contains(platforms, t) {
			return fmt.Errorf("no archives are made for %q, only for %s", t, strings.Join(platforms, ", "))
		}
	}
	r, err := newRelease()
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "pinion-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if r.overlay, err = embed(filepath.Join(scratch, "browser")); err != nil {
		return err
	}
	tools := filepath.Join(scratch, "host")
	if err := r.build(host, tools); err != nil {
		return err
	}
	if err := r.collect(tools, filepath.Join(scratch, "man")); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	var sums strings.Builder
	slices.Sort(targets)
	for _, t := range slices.Compact(targets) {
		bin := tools
		if t != host {
			bin = filepath.Join(scratch, strings.ReplaceAll(t, "/", "-"))
			if err := r.build(t, bin); err != nil {
				return err
			}
		}
		name, archive, err := r.archive(t, bin)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if err := os.WriteFile(filepath.Join(out, name), archive, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(archive), name)
		fmt.Println(filepath.Join(out, name))
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o666)
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

// build builds the commands for a platform into dir.
func (r *release) build(platform, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	goos, goarch, _ := strings.Cut(platform, "/")
	cli := module + "/internal/cli"
	for _, of := range []struct {
		folder, packages string
		flags            []string
	}{
		{".", "./tools/...", nil},
		{static, "./cmd/...", []string{"-tags=embedded", "-overlay=" + r.overlay}},
	} {
		args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", dir + string(filepath.Separator),
			"-ldflags", fmt.Sprintf("-s -w -X %s.release=%s -X %s.commit=%s", cli, r.version, cli, r.commit)}, of.flags...)
		cmd := exec.Command("go", append(args, of.packages)...)
		cmd.Dir, cmd.Env = of.folder, environment("GOOS="+goos, "GOARCH="+goarch)
		if _, err := output(cmd); err != nil {
			return err
		}
	}
	return nil
}
