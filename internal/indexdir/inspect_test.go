package indexdir_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// overtaken is a directory in which another process works whenever a file is opened.
type overtaken struct {
	store.FS
	opened func(name string)
}

func (o *overtaken) Open(name string) (store.Data, error) {
	o.opened(name)
	return o.FS.Open(name)
}

// TestInspectOvertaken takes files away between the listing and their turn.
func TestInspectOvertaken(t *testing.T) {
	mem := directory(t, library(t))
	from := &overtaken{FS: mem}
	from.opened = func(string) {
		from.opened = func(string) {}
		change(t, memfs.Elsewhere(mem), func(l *indexdir.Lock) { put(t, l, 1) })
	}
	d, err := indexdir.OpenFS(from)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	inv, err := d.Inspect(t.Context(), nil, mending.Mend)
	if err != nil {
		t.Fatal(err)
	}
	if len(inv.Manifests) != 2 || inv.Manifests[0].Generation != 6 || len(inv.Files) != 1 {
		t.Errorf("not the newer commit: %+v", inv)
	}

	// A file that is listed and never opens is an error.
	opens := 0
	from.opened = func(name string) {
		if name == inv.Files[0].Name {
			opens++
		}
	}
	from.FS = hidden{mem, inv.Files[0].Name}
	if _, err := d.Inspect(t.Context(), nil, mending.Mend); !errors.Is(err, fs.ErrNotExist) || opens != 2 { // it looks for each name twice
		t.Errorf("%v after %d times", err, opens)
	}
}

// hidden lists a file that it does not open, like a link to nowhere.
type hidden struct {
	store.FS
	name string
}

func (h hidden) Open(name string) (store.Data, error) {
	if name == h.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return h.FS.Open(name)
}
