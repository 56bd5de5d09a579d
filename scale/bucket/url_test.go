package bucket

import (
	"os"
	"path/filepath"
	"testing"

	_ "gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/memblob"
)

func TestOpenURL(t *testing.T) {
	dir := filepath.ToSlash(t.TempDir())
	b, err := OpenURL(t.Context(), "file:///"+dir+"?prefix=index/")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.WriteAll(t.Context(), manifestKey(1), nil, nil); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join(dir, "index", "manifests"))
	if err != nil || len(files) != 1 {
		t.Errorf("%v, %v: want one file and no attributes", files, err)
	}
	for _, bad := range []string{"", "other://x", "mem://x?y=z", "s3://name/path?prefix=other", "file:///" + dir + "/missing"} {
		if b, err := OpenURL(t.Context(), bad); err == nil {
			b.Close()
			t.Errorf("%s is opened", bad)
		}
	}
}

func TestCreateURL(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	b, err := CreateURL(t.Context(), "file:///"+filepath.ToSlash(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

func TestExists(t *testing.T) {
	b, err := OpenURL(t.Context(), "mem://")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.ReadAll(t.Context(), "x"); !notExist(err) || exists(err) || notExist(nil) || exists(nil) {
		t.Errorf("of a missing object: %v", err)
	}
}
