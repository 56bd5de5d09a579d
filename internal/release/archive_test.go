package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// sample returns a release, what the archives of a kit share, and a folder with its programs.
func sample(t *testing.T, k *kit, suffix string) (*release, []file, string) {
	t.Helper()
	bin := t.TempDir()
	for _, c := range k.commands() {
		if err := os.WriteFile(filepath.Join(bin, c+suffix), []byte("program "+c), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shared := []file{{"README.md", 0o644, []byte("read me")}, {"man/man1/idxbuild.1", 0o644, []byte(".TH")}}
	return &release{version: "v1.2.3", commit: "abc", date: time.Unix(1e9, 0).UTC()}, shared, bin
}

func TestArchives(t *testing.T) {
	for _, tt := range []struct {
		kit                    *kit
		platform, suffix, name string
	}{
		{&kits[0], "linux/arm64", "", "pinion_v1.2.3_linux_arm64"},
		{&kits[1], "windows/amd64", ".exe", "pinion-server_v1.2.3_windows_amd64"},
	} {
		r, shared, bin := sample(t, tt.kit, tt.suffix)
		name, archive, err := r.archive(tt.kit, tt.platform, bin, shared)
		if err != nil {
			t.Fatal(err)
		}
		r, shared, bin = sample(t, tt.kit, tt.suffix) // files of another date
		if _, again, err := r.archive(tt.kit, tt.platform, bin, shared); err != nil || !bytes.Equal(again, archive) {
			t.Errorf("%s: another archive of the same files differs (%v)", tt.platform, err)
		}
		got := list(t, name, archive)
		want := map[string]string{
			tt.name + "/README.md":           "-rw-r--r-- read me",
			tt.name + "/man/man1/idxbuild.1": "-rw-r--r-- .TH",
		}
		for _, c := range tt.kit.commands() {
			want[tt.name+"/"+c+tt.suffix] = "-rwxr-xr-x program " + c
		}
		if len(got) != len(want) {
			t.Errorf("%s has %d files, want %d", name, len(got), len(want))
		}
		for n, w := range want {
			if got[n] != w {
				t.Errorf("%s: %s is %q, want %q", name, n, got[n], w)
			}
		}
	}
}

// list returns mode and content of the files of an archive.
func list(t *testing.T, name string, archive []byte) map[string]string {
	t.Helper()
	files := map[string]string{}
	add := func(name string, mode os.FileMode, r io.Reader) {
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = fmt.Sprintf("%s %s", mode, b)
	}
	if filepath.Ext(name) == ".zip" {
		z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, f.Mode(), r)
		}
		return files
	}
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		add(h.Name, h.FileInfo().Mode(), r)
	}
}

func TestChosen(t *testing.T) {
	some, err := chosen([]string{"pinion-server", "pinion"})
	if err != nil || len(some) != 2 || some[0].name != "pinion-server" || some[1].commands()[0] != "idxbench" {
		t.Errorf("got %v, %v", some, err)
	}
	if some, err := chosen([]string{"pinion", "none"}); err == nil {
		t.Errorf("there is an archive none: %v", some)
	}
}

// Every command that is documented for users is in one kit, but for those that take URLs.
func TestCommandsAreInKits(t *testing.T) {
	in := map[string]int{}
	for _, k := range kits {
		for _, p := range k.parts {
			for _, pkg := range p.packages {
				in[filepath.Join(p.folder, pkg)]++
			}
		}
	}
	var all []string
	for _, pattern := range []string{"../../tools/*/main.go", "../../scale/*/cmd/*/main.go", "../../adapters/*/cmd/*/main.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, names...)
	}
	for _, name := range all {
		pkg, err := filepath.Rel("../..", filepath.Dir(name))
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		if outside[filepath.ToSlash(pkg)] {
			want = 0
		}
		if in[pkg] != want {
			t.Errorf("%s is in %d kits, want %d", pkg, in[pkg], want)
		}
		delete(in, pkg)
	}
	for pkg := range in {
		t.Errorf("there is no command %s", pkg)
	}
}

// outside are the commands in no kit: those that take URLs, a model, and a benchmark's.
var outside = map[string]bool{
	"scale/bucket/cmd/idxbuild": true, "scale/bucket/cmd/idxinspect": true, "scale/bucket/cmd/idxmerge": true, "scale/bucket/cmd/idxquery": true,
	"scale/bucket/cmd/pinion-model":                  true,
	"adapters/search-benchmark-game/cmd/build_index": true, "adapters/search-benchmark-game/cmd/do_query": true,
}

func TestNewestVersion(t *testing.T) {
	got, err := newestVersion([]byte("# Changes\n\n## v0.2.0-rc.1\n\ntext\n\n## v0.1.0 (2026-11-25)\n"))
	if got != "v0.2.0-rc.1" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for _, text := range []string{"", "# Changes\n\n## Unreleased\n"} {
		if v, err := newestVersion([]byte(text)); err == nil {
			t.Errorf("%q has version %q", text, v)
		}
	}
}

// The changelog of the repository has a version to build.
func TestChangelog(t *testing.T) {
	b, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newestVersion(b); err != nil {
		t.Error(err)
	}
}
