package indexdir_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/memfs"
)

// Of an index whose making was interrupted before its first commit nothing but these files can be
// there. To readers there is no index, and the next writer begins.
func TestBeforeTheFirstCommit(t *testing.T) {
	for _, names := range [][]string{
		nil,
		{indexdir.LockName},
		{indexdir.LockName, indexdir.ManifestName(1) + ".tmp"},
		{indexdir.LockName, indexdir.ManifestName(1) + ".tmp", indexdir.MirrorName(1) + ".tmp"},
		{"notes.txt"}, // of somebody else
	} {
		mem := memfs.New()
		for _, name := range names {
			f, err := mem.Create(name)
			if err == nil {
				err = f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		d, err := indexdir.OpenFS(mem)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		_, latest := d.Latest()
		_, inspect := d.Inspect(t.Context(), nil, mending.Mend)
		_, backup := d.Backup(t.Context(), memfs.New(), indexdir.BackupOptions{})
		for _, err := range []error{latest, inspect, backup} {
			if !errors.Is(err, format.ErrNotAnIndex) || !strings.Contains(err.Error(), "there is no index in this directory") {
				t.Errorf("%v: %v", names, err)
			}
		}
		l, err := d.Lock()
		if err != nil {
			t.Fatalf("%v: %v", names, err)
		}
		if m := l.Manifest(); m.Generation != 1 || len(m.Segments) != 0 {
			t.Errorf("%v: the new index is %+v", names, m)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := checkWhole(mem, 1, 1); err != nil {
			t.Errorf("%v: %v", names, err)
		}
	}
}
