package reliability

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/writer"
)

// refused returns an error if f can be opened and read as if nothing were wrong.
func refused(f static) error {
	docs, err := contents(f)
	if err == nil {
		return fmt.Errorf("%d documents are read from it", len(docs))
	}
	return expect(err)
}

// TestTruncations cuts every file to every length.
func TestTruncations(t *testing.T) {
	f := files(t, build(t, 1, "", 200, 100))
	n := 0
	for name, b := range f {
		if isManifest(name) {
			continue // TestManifests
		}
		for size := range len(b) {
			if skip(size) {
				continue
			}
			if err := refused(f.with(name, b[:size:size])); err != nil {
				t.Fatalf("%s cut to %d of %d bytes: %v", name, size, len(b), err)
			}
			n++
		}
	}
	t.Logf("%d lengths", n)
}

// TestMixedFiles puts each file of one index in the place of each of the other.
func TestMixedFiles(t *testing.T) {
	a, b := files(t, build(t, 1, "", 100, 50)), files(t, build(t, 2, "", 100, 50))
	for name := range a {
		for from, content := range b {
			if name == indexdir.LockName || from == indexdir.LockName || isManifest(name) {
				continue
			}
			if err := refused(a.with(name, content)); err != nil {
				t.Errorf("%s is %s of another index: %v", name, from, err)
			}
			if own := a[from]; from != name && own != nil {
				if err := refused(a.with(name, own)); err != nil {
					t.Errorf("%s is %s: %v", name, from, err)
				}
			}
		}
	}
}

// TestManifests damages the files of the manifest in every bit and at every length, removes
// them and replaces them by others, one at a time and all alike. A reader answers as
// before or refuses; a writer loses nothing.
func TestManifests(t *testing.T) {
	f, other := files(t, build(t, 1, "", 8, 3)), files(t, build(t, 2, "", 8, 3))
	want, err := contents(f)
	check(t, err)
	var manifests []string
	for name := range f {
		if isManifest(name) {
			manifests = append(manifests, name)
		}
	}
	slices.Sort(manifests)
	groups := [][]string{manifests}
	for i := range manifests {
		groups = append(groups, manifests[i:i+1])
	}
	n := 0
	for _, names := range groups {
		try := func(what string, change func(b []byte) []byte) {
			t.Helper()
			mirrored := len(names) < len(manifests) && !isManifest(what) // two that differ contradict each other
			d := f
			for _, name := range names {
				d = d.with(name, change(aligned(f[name])))
			}
			if err := keeps(t, d, want, mirrored); err != nil {
				t.Fatalf("%q, %s: %v", names, what, err)
			}
			n++
		}
		size := len(f[names[0]])
		for bit := range 8 * size {
			if !skip(bit + bit/8) { // not always the same bit of a byte
				try(fmt.Sprint("bit ", bit), func(b []byte) []byte { b[bit/8] ^= 1 << (bit % 8); return b })
			}
		}
		for to := range size {
			if !skip(to) {
				try(fmt.Sprint("cut to ", to), func(b []byte) []byte { return b[:to:to] })
			}
		}
		try("missing", func([]byte) []byte { return nil })
		try("zeroed", func(b []byte) []byte { return make([]byte, len(b)) })
		for name, content := range other {
			try(name, func([]byte) []byte { return content })
		}
		for name, content := range f {
			if !isManifest(name) {
				try(name, func([]byte) []byte { return content })
			}
		}
	}
	t.Logf("%d manifests", n)
}

// keeps checks that f is refused or holds what is wanted, and what a writer does to it. If
// mirrored, another file says the same and f must not be refused.
func keeps(t *testing.T, f static, want map[string]string, mirrored bool) error {
	got, err := contents(f)
	if err == nil && !maps.Equal(got, want) || err != nil && (mirrored || !isIndexError(err)) {
		return fmt.Errorf("%d of %d documents, %w", len(got), len(want), err)
	}
	after := f.copy(t)
	w, err := writer.OpenFS(ctx, after, options(""))
	if err == nil {
		err = errors.Join(w.Commit(ctx), w.Close())
		if got, e := contents(after); err != nil || e != nil || !maps.Equal(got, want) {
			return fmt.Errorf("a writer leaves %d of %d documents: %w", len(got), len(want), errors.Join(err, e))
		}
		return nil
	}
	for name := range f {
		if !isManifest(name) && after.Remove(name) != nil {
			return fmt.Errorf("the writer fails, and %s is gone: %w", name, err)
		}
	}
	return nil
}
