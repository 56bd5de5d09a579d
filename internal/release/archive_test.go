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

// sample returns a release and a folder with its programs.
func sample(t *testing.T, suffix string) (*release, string) {
	t.Helper()
	bin := t.TempDir()
	for _, c := range commands {
		if err := os.WriteFile(filepath.Join(bin, c+suffix), []byte("program "+c), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shared := []file{{"README.md", 0o644, []byte("read me")}, {"man/man1/idxbuild.1", 0o644, []byte(".TH")}}
	return &release{version: "v1.2.3", commit: "abc", date: time.Unix(1e9, 0).UTC(), shared: shared}, bin
}

func TestArchives(t *testing.T) {
	for _, tt := range []struct{ platform, suffix, name string }{
		{"linux/arm64", "", "pinion_v1.2.3_linux_arm64"},
		{"windows/amd64", ".exe", "pinion_v1.2.3_windows_amd64"},
	} {
		r, bin := sample(t, tt.suffix)
		name, archive, err := r.archive(tt.platform, bin)
		if err != nil {
			t.Fatal(err)
		}
		r, bin = sample(t, tt.suffix) // files of another date
		if _, again, err := r.archive(tt.platform, bin); err != nil || !bytes.Equal(again, archive) {
			t.Errorf("%s: another archive of the same files differs (%v)", tt.platform, err)
		}
		got := list(t, name, archive)
		want := map[string]string{
			tt.name + "/README.md":           "-rw-r--r-- read me",
			tt.name + "/man/man1/idxbuild.1": "-rw-r--r-- .TH",
		}
		for _, c := range commands {
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
