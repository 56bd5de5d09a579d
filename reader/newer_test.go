package reader_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
)

// newer makes a file one of the minor version after the newest, with checksums that hold.
func newer(b []byte) []byte {
	le, foot := binary.LittleEndian, b[len(b)-format.FooterSize:]
	b[10] = byte(format.Current().Minor) + 1
	le.PutUint64(b[56:], xxhash.Sum64(b[:56]))
	copy(foot[8:], b[8:32])
	copy(foot[40:], b[56:64])
	le.PutUint64(foot[56:], xxhash.Sum64(foot[:56]))
	return b
}

// A writer that meets a file of a newer version refuses the index, and changes nothing in it.
func TestNewerIsKept(t *testing.T) {
	for what, names := range map[string][]string{
		"manifest": {indexdir.ManifestName(2), indexdir.MirrorName(2)},
		"segment":  {indexdir.SegmentName(1)},
		"deletes":  {indexdir.DeletesName(2)},
	} {
		fsys := memfs.New()
		commit(t, fsys, three()...)
		for _, name := range names {
			tamper(t, fsys, name, newer)
		}
		before := copyOf(t, fsys)
		dir, err := indexdir.OpenFS(fsys)
		if err != nil {
			t.Fatal(err)
		}
		l, err := dir.Lock()
		if err == nil {
			err = l.Close()
		} else if !errors.Is(err, format.ErrTooNew) {
			t.Errorf("%s: %v", what, err)
		}
		if what == "manifest" && err == nil {
			t.Error("a newer manifest is taken")
		}
		after := copyOf(t, fsys)
		for name, f := range before {
			if got := after[name]; got == nil || !bytes.Equal(got.Data, f.Data) {
				t.Errorf("%s: %s was changed or removed", what, name)
			}
		}
	}
}
