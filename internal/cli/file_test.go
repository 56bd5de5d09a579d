package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestWriteFile checks that a file has all that was to be written, or what it had before.
func TestWriteFile(t *testing.T) {
	for _, durable := range []bool{false, true} {
		for _, before := range []string{"", "old"} {
			for _, fail := range []error{nil, os.ErrInvalid} {
				dir := t.TempDir()
				name, want := filepath.Join(dir, "file"), before
				if before != "" {
					if err := os.WriteFile(name, []byte(before), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if fail == nil {
					want = "new"
				}
				err := WriteFile(name, durable, func(w io.Writer) error {
					_, err := io.WriteString(w, "new")
					return errors.Join(err, fail)
				})
				if !errors.Is(err, fail) {
					t.Errorf("error %v, want %v", err, fail)
				}
				checkFiles(t, dir, "file", want)
			}
		}
	}
}

// checkFiles checks that dir has nothing but a file with that text, or nothing if that is "".
func checkFiles(t *testing.T, dir, name, text string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if text == "" {
		if len(files) > 0 {
			t.Errorf("%v is left", files)
		}
		return
	}
	got, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || string(got) != text || len(files) != 1 {
		t.Errorf("%q, %v, want %q; files %v", got, err, text, files)
	}
}

// TestWriteFileThrough checks that a device is written to and stays.
func TestWriteFileThrough(t *testing.T) {
	for _, fail := range []error{nil, os.ErrInvalid} {
		err := WriteFile(os.DevNull, true, func(w io.Writer) error {
			_, err := io.WriteString(w, "new")
			return errors.Join(err, fail)
		})
		if !errors.Is(err, fail) {
			t.Errorf("error %v, want %v", err, fail)
		}
		if st, err := os.Stat(os.DevNull); err != nil || st.Mode().IsRegular() {
			t.Errorf("%v, %v", st, err)
		}
	}
}

// TestSameFile compares names of files, of which some are not there.
func TestSameFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	linked := os.Symlink("a", "link") == nil
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a", "a", true}, {"a", "./a", true}, {"a", "link", linked}, {"a", "b", false}, {"a", "c", false}, {"c", "a", false},
		{"c", "./c", true}, {"c", "d", false}, {os.DevNull, os.DevNull, false}, {"a", os.DevNull, false},
	} {
		if got := SameFile(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if !linked && runtime.GOOS != "windows" {
		t.Error("no symbolic links")
	}
}
