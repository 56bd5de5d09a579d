package osdir

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Forgotten content can be read again.
func TestForget(t *testing.T) {
	want := bytes.Repeat([]byte("pinion "), 10_000) // enough to be mapped
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, want, 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := mapFile(path, "file", Access{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := d.Range(0, d.Size())
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("content differs, error %v", err)
		}
		d.ForgetPages()
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d.ForgetPages() // does nothing
}
