package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is a file of an archive.
type file struct {
	name    string // slash-separated, below the archive's folder
	mode    os.FileMode
	content []byte
}

// collect reads or makes the files that all archives of a kit share. Its commands are in
// programs, and write manual pages to pages.
func (r *release) collect(k *kit, licensed []string, programs, pages string) (shared []file, err error) {
	read := func(from, name string) error {
		b, err := os.ReadFile(from)
		shared = append(shared, file{name, 0o644, b})
		return err
	}
	for _, name := range []string{"README.md", "LICENSE", "CHANGELOG.md"} {
		if err := read(name, name); err != nil {
			return nil, err
		}
	}
	licenses, err := thirdParty(k, licensed)
	if err != nil {
		return nil, err
	}
	shared = append(shared, file{"LICENSES-third-party.txt", 0o644, licenses})
	for _, c := range k.commands() {
		scripts, err := r.document(filepath.Join(programs, c), c, pages)
		if err != nil {
			return nil, err
		}
		shared = append(shared, scripts...)
	}
	names, err := filepath.Glob(filepath.Join(pages, "*.1"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := read(name, path.Join("man", "man1", filepath.Base(name))); err != nil {
			return nil, err
		}
	}
	return shared, nil
}

// document returns the completions of a program, and has it write its manual pages to folder pages.
func (r *release) document(program, name, pages string) (scripts []file, err error) {
	for _, shell := range []struct{ name, file string }{
		{"bash", name}, {"zsh", "_" + name}, {"fish", name + ".fish"}, {"powershell", name + ".ps1"},
	} {
		script, err := output(exec.Command(program, "completion", shell.name))
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, file{path.Join("completions", shell.name, shell.file), 0o644, script})
	}
	man := exec.Command(program, "--man-pages", pages)
	man.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
	_, err = output(man)
	return scripts, err
}

// thirdParty returns the licenses of Go and of all modules that the commands of a kit contain
// on any of the platforms.
func thirdParty(k *kit, platforms []string) ([]byte, error) {
	dirs := map[string]string{}
	for _, platform := range platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		for _, p := range k.parts {
			args := []string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"}
			list := exec.Command("go", append(args, p.packages...)...)
			list.Dir, list.Env = p.folder, append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOWORK=off")
			out, err := output(list)
			if err != nil {
				return nil, err
			}
			for line := range strings.Lines(string(out)) {
				name, dir, ok := strings.Cut(strings.TrimSpace(line), "\t")
				if ok && !strings.HasPrefix(name, module+" ") && !strings.HasPrefix(name, module+"/") {
					dirs[name] = dir
				}
			}
		}
	}
	root, err := output(exec.Command("go", "env", "GOROOT"))
	if err != nil {
		return nil, err
	}
	dirs["Go"] = strings.TrimSpace(string(root))
	var names []string
	for name := range dirs {
		names = append(names, name)
	}
	slices.Sort(names)
	var b bytes.Buffer
	for _, name := range names {
		texts, err := licenses(dirs[name])
		if err != nil || len(texts) == 0 {
			return nil, fmt.Errorf("%s has no license in %s: %v", name, dirs[name], err)
		}
		fmt.Fprintf(&b, "==== %s ====\n\n%s\n\n", name, bytes.Join(texts, []byte("\n\n")))
	}
	return b.Bytes(), nil
}

// licenses returns the texts in a folder that one must pass on.
func licenses(dir string) (texts [][]byte, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "NOTICE") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, bytes.TrimSpace(b))
	}
	return texts, err
}

// archive returns the name and the bytes of a kit's archive for a platform: zip for Windows,
// tar.gz for the others.
func (r *release) archive(k *kit, platform, bin string, shared []file) (name string, archive []byte, err error) {
	folder := k.name + "_" + r.version + "_" + strings.ReplaceAll(platform, "/", "_")
	windows := strings.HasPrefix(platform, "windows/")
	files := slices.Clone(shared)
	for _, c := range k.commands() {
		if windows {
			c += ".exe"
		}
		b, err := os.ReadFile(filepath.Join(bin, c))
		if err != nil {
			return "", nil, err
		}
		files = append(files, file{c, 0o755, b})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	if windows {
		archive, err = zipped(folder, files, r.date)
		return folder + ".zip", archive, err
	}
	level := gzip.BestCompression
	if r.try {
		level = gzip.BestSpeed
	}
	archive, err = tarred(folder, files, r.date, level)
	return folder + ".tar.gz", archive, err
}

func tarred(folder string, files []file, date time.Time, level int) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: path.Join(folder, f.name), Mode: int64(f.mode), Size: int64(len(f.content)), ModTime: date, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func zipped(folder string, files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode)
		out, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := out.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
