package reader_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// Every flipped bit of a segment is found, when it is opened or by its checksums.
func TestVerifyChecksums(t *testing.T) {
	if noWriters {
		t.Skip("this platform cannot lock a directory")
	}
	dir := t.TempDir()
	w, err := writer.Open(t.Context(), dir, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Add(t.Context(), writer.Doc{ID: []byte("a"), Values: []schema.Value{schema.TextValue(0, []byte("rose thorn rose"))}}), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "segment-*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%q, %v", names, err)
	}
	raw, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	verify := func() error {
		data, err := store.Dir(dir).Open(filepath.Base(names[0]))
		if err != nil {
			return err
		}
		defer data.Close()
		s, err := segment.Open("copy", data)
		if err != nil {
			return err
		}
		return reader.VerifyChecksums(t.Context(), s)
	}
	if err := verify(); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(raw); i += 7 {
		raw[i] ^= 1 << (i % 8)
		if err := os.WriteFile(names[0], raw, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := verify(); !errors.Is(err, format.ErrCorrupt) && !errors.Is(err, format.ErrNotAnIndex) && !errors.Is(err, format.ErrTooNew) && !errors.Is(err, format.ErrTooOld) {
			t.Fatalf("byte %d of %d: %v", i, len(raw), err)
		}
		raw[i] ^= 1 << (i % 8)
	}
}
