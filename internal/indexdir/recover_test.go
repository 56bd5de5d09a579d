package indexdir_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// files returns the content of all files but the lock, those in quarantine included.
func files(t testing.TB, fsys store.ReadFS) map[string]string {
	t.Helper()
	names, err := fsys.List()
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for _, n := range names {
		if n == indexdir.LockName || n == store.QuarantineName {
			continue
		}
		data, err := fsys.Open(n)
		if err != nil {
			t.Fatal(err)
		}
		b, err := data.Range(0, data.Size())
		if err != nil {
			t.Fatal(err)
		}
		m[n] = string(b)
		data.Close()
	}
	return m
}

// directory returns a file system with these files.
func directory(t testing.TB, content map[string]string) *memfs.FS {
	t.Helper()
	mem := memfs.New()
	for name, c := range content {
		write(t, mem, name, c)
	}
	return mem
}

// write writes a file, in place of one that exists.
func write(t testing.TB, mem *memfs.FS, name, content string) {
	t.Helper()
	if err := mem.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	f, err := mem.Create(name)
	if err == nil {
		_, err = f.WriteAt([]byte(content), 0)
	}
	if err == nil {
		err = mem.Sync(f)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// two returns the files of an index of two segments with deletes: commit 3 of
// workload.
func two(t testing.TB) map[string]string {
	t.Helper()
	mem := memfs.New()
	d, _ := indexdir.OpenFS(mem)
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	m := l.Manifest()
	for n := 1; n <= 2; n++ {
		s, err := writeSegment(l, n)
		if err != nil {
			t.Fatal(err)
		}
		m.Segments = append(m.Segments, s)
		if n == 2 {
			if err := l.WriteDeletes(&m.Segments[0], docset.BitsOf(3, 5)); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Commit(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return files(t, mem)
}

// damages are ways to damage a file. The result nil means that it is missing.
func damages(file string) map[string]func() []byte {
	same := func() []byte { return []byte(file) }
	d := map[string]func() []byte{
		"missing": func() []byte { return nil },
		"empty":   func() []byte { return []byte{} },
		"zeroed":  func() []byte { return make([]byte, len(file)) },
		"random": func() []byte {
			b, r := same(), rand.New(rand.NewPCG(1, 2))
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			return b
		},
		"of another index": func() []byte { return bytes.Replace(same(), []byte("PINIONED"), []byte("PINIONER"), 1) },
	}
	for _, n := range []int{1, 8, 63, 64, 100, 127, 128, 200, len(file) - 64, len(file) - 1} {
		d["cut"+string(rune('a'+len(d)))] = func() []byte { return same()[:n] }
	}
	return d
}

// opens checks how a reader and then a writer open a directory: if whole, all is there,
// and the writer restores what is damaged; if not, both refuse and name both files, and
// nothing changes.
func opens(t *testing.T, what string, content map[string]string, whole bool) {
	t.Helper()
	mem := directory(t, content)
	d, _ := indexdir.OpenFS(mem)
	defer d.Close()
	c, err := d.Latest()
	if err == nil {
		c.Release()
	}
	l, lerr := d.Lock()
	if lerr == nil {
		lerr = l.Close()
	}
	if whole {
		if err := errors.Join(err, lerr, checkWhole(mem, 3, 3), checkTidy(mem)); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		now := files(t, mem)
		if m := indexdir.ManifestName(3); now[m] != now[indexdir.MirrorName(3)] || len(now[m]) == 0 {
			t.Fatalf("%s: the manifest's files were not restored", what)
		}
		return
	}
	for _, err := range []error{err, lerr} {
		if !errors.Is(err, format.ErrCorrupt) || errors.Is(err, format.ErrNotAnIndex) {
			t.Fatalf("%s: %v", what, err)
		}
		if content[indexdir.ManifestName(3)]+content[indexdir.MirrorName(3)] != "" &&
			(!strings.Contains(err.Error(), indexdir.ManifestName(3)) || !strings.Contains(err.Error(), indexdir.MirrorName(3))) {
			t.Fatalf("%s: the error does not name both files: %v", what, err)
		}
	}
	if now := files(t, mem); !equal(now, content) {
		t.Fatalf("%s: the files changed", what)
	}
}

func equal(a, b map[string]string) bool {
	for name, c := range a {
		if have, ok := b[name]; !ok || have != c {
			return false
		}
	}
	return len(a) == len(b)
}

// with returns content with a file replaced; nil removes it.
func with(content map[string]string, name string, b []byte) map[string]string {
	c := map[string]string{}
	for n, x := range content {
		c[n] = x
	}
	if delete(c, name); b != nil {
		c[name] = string(b)
	}
	return c
}

// A manifest of which one file is damaged is whole; if both are, nothing is lost and
// the directory is never taken for new.
func TestDamagedManifest(t *testing.T) {
	content := two(t)
	manifest, mirror := indexdir.ManifestName(3), indexdir.MirrorName(3)
	file := content[manifest]
	for what, damage := range damages(file) {
		b := damage()
		opens(t, "manifest "+what, with(content, manifest, b), true)
		opens(t, "mirror "+what, with(content, mirror, b), true)
		for what2, damage := range damages(file) {
			b2 := damage()
			if b == nil && b2 == nil {
				continue
			}
			opens(t, "manifest "+what+", mirror "+what2, with(with(content, manifest, b), mirror, b2), false)
		}
	}
	// Without any manifest, whatever else there is.
	bare := with(with(content, manifest, nil), mirror, nil)
	opens(t, "both missing", bare, false)
	for _, keep := range []string{indexdir.SegmentName(1), indexdir.DeletesName(3)} {
		opens(t, "only "+keep, map[string]string{keep: bare[keep]}, false)
	}
	opens(t, "a superseded manifest", map[string]string{"old-" + indexdir.ManifestName(2): file}, false)
}

// Every flipped bit of either file is survived, and of both is refused. The checks
// themselves see every bit in TestManifestFlippedBits; here all bits of the fields and
// some of the padding do.
func TestFlippedManifest(t *testing.T) {
	content := two(t)
	manifest, mirror := indexdir.ManifestName(3), indexdir.MirrorName(3)
	step := 397
	if testing.Short() {
		step = 2111
	}
	for bit := 0; bit < 8*len(content[manifest]); bit++ {
		b := []byte(content[manifest])
		if b[bit/8] == 0 && bit%step != 0 || testing.Short() && bit%7 != 0 {
			continue
		}
		b[bit/8] ^= 1 << (bit % 8)
		what := "bit " + string(rune('0'+bit%8))
		opens(t, what+" of the manifest", with(content, manifest, b), true)
		opens(t, what+" of the mirror", with(content, mirror, b), true)
		opens(t, what+" of both", with(with(content, manifest, b), mirror, b), false)
	}
}

// What the newest commit names must be there, and be what it names, before anything
// is removed.
func TestSweepLooksFirst(t *testing.T) {
	content := two(t)
	other := map[string]string{}
	for name, c := range content { // files of another index: other ids
		b := []byte(c)
		h, err := format.ParseFile(name, b)
		if err != nil {
			t.Fatal(err)
		}
		h.ID[15] ^= 1
		front := h.AppendFront(nil)
		copy(b, front)
		copy(b[len(b)-format.FooterSize:], h.AppendFooter(nil, front))
		other[name] = string(b)
	}
	for name := range content {
		if strings.Contains(name, "man") || strings.Contains(name, "mir") {
			continue
		}
		for what, b := range map[string][]byte{"missing": nil, "of another index": []byte(other[name]), "empty": {}} {
			// A leftover that a sweep would remove.
			c := with(with(content, name, b), indexdir.SegmentName(9)+".tmp", []byte("unfinished"))
			mem := directory(t, c)
			d, _ := indexdir.OpenFS(mem)
			l, err := d.Lock()
			if err == nil {
				l.Close()
				t.Fatalf("%s %s: locked", name, what)
			}
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%s %s: the error does not name it: %v", name, what, err)
			}
			if !equal(files(t, mem), c) {
				t.Errorf("%s %s: the files changed", name, what)
			}
			d.Close()
		}
	}
}

// A newest commit whose manifest is lost is not forgotten for the one before.
func TestMissingGeneration(t *testing.T) {
	mem := memfs.New()
	d, _ := indexdir.OpenFS(mem)
	defer d.Close()
	l, err := d.LockWith(indexdir.LockOptions{KeepCommits: 3})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3; n++ {
		put(t, l, n)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	before := files(t, mem)
	for gen := uint64(2); gen <= 4; gen++ { // all are kept
		c, err := d.At(gen)
		if err != nil {
			t.Fatal(err)
		}
		data, err := d.OpenFile(indexdir.SegmentName(c.Segments[0].File))
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := data.Range(0, data.Size()); !bytes.Equal(b, content(int(gen-1))) {
			t.Errorf("generation %d has other content", gen)
		}
		c.Release()
	}
	if _, err := d.At(1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a commit that is not kept: %v", err)
	}
	lost := with(with(before, indexdir.ManifestName(4), nil), indexdir.MirrorName(4), nil)
	// As a copy of the directory might have it, if it was made by hand.
	renamed := with(with(lost, "old-"+indexdir.ManifestName(3), nil), indexdir.ManifestName(3), []byte(lost["old-"+indexdir.ManifestName(3)]))
	for what, c := range map[string]map[string]string{"superseded ones left": lost, "an older one left": renamed} {
		mem := directory(t, c)
		d, _ := indexdir.OpenFS(mem)
		_, err := d.Latest()
		_, lerr := d.Lock()
		for _, err := range []error{err, lerr} {
			if !errors.Is(err, format.ErrCorrupt) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if what == "an older one left" && !strings.Contains(err.Error(), indexdir.SegmentName(3)) {
			t.Errorf("%s: the newer file is not named: %v", what, err)
		}
		if !equal(files(t, mem), c) {
			t.Errorf("%s: the files changed", what)
		}
		d.Close()
	}
	// The next writer keeps one again.
	if err := checkTidy(mem); err != nil {
		t.Error(err)
	}
}

// A committed file that no commit accounts for goes to quarantine; what was never
// committed is swept; what is not ours stays.
func TestQuarantine(t *testing.T) {
	for name, fsys := range systems(t) {
		t.Run(name, func(t *testing.T) {
			d, _ := indexdir.OpenFS(fsys)
			defer d.Close()
			l, err := d.Lock()
			if err != nil {
				t.Fatal(err)
			}
			put(t, l, 1)
			put(t, l, 2)
			l.Close()
			for _, stray := range []string{indexdir.SegmentName(1), indexdir.SegmentName(7) + ".tmp", "spool-1.tmp", "mydata.tmp", "notes"} {
				f, err := fsys.Create(stray)
				if err != nil {
					t.Fatal(err)
				}
				f.WriteAt([]byte(stray), 0)
				f.Close()
			}
			for range 2 { // the second time the name is taken in the folder
				if l, err = d.Lock(); err != nil {
					t.Fatal(err)
				}
				l.Close()
				if exists(t, fsys, indexdir.SegmentName(1)) {
					t.Fatal("a file without a commit stays")
				}
				f, err := fsys.Create(indexdir.SegmentName(1))
				if err != nil {
					t.Fatal(err)
				}
				f.Close()
			}
			if l, err = d.Lock(); err != nil {
				t.Fatal(err)
			}
			l.Close()
			names, _ := fsys.List()
			slices.Sort(names)
			want := []string{indexdir.ManifestName(3), indexdir.MirrorName(3), "mydata.tmp", "notes", store.QuarantineName, indexdir.SegmentName(2), indexdir.LockName}
			if !slices.Equal(names, want) {
				t.Errorf("%q, want %q", names, want)
			}
			for _, q := range []string{"", ".1"} {
				if data, err := fsys.Open(store.QuarantineName + "/" + indexdir.SegmentName(1) + q); err != nil {
					t.Error(err)
				} else {
					data.Close()
				}
			}
		})
	}
}

// Removing the lock file does not let two writers commit.
func TestLockFileRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed on Windows")
	}
	for name, fsys := range systems(t) {
		t.Run(name, func(t *testing.T) {
			d, _ := indexdir.OpenFS(fsys)
			defer d.Close()
			l, err := d.Lock()
			if err != nil {
				t.Fatal(err)
			}
			put(t, l, 1)
			m := l.Manifest()
			s, err := writeSegment(l, 2)
			if err != nil {
				t.Fatal(err)
			}
			m.Segments = append(m.Segments, s)
			if err := fsys.Remove(indexdir.LockName); err != nil {
				t.Fatal(err)
			}
			second, err := d.Lock()
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := l.Commit(m.Clone()); !errors.Is(err, store.ErrLockLost) {
					t.Fatalf("commit without the lock file: %v", err)
				}
			}
			put(t, second, 3)
			if err := errors.Join(l.Close(), second.Close()); err != nil {
				t.Fatal(err)
			}
			c, err := d.Latest()
			if err != nil || c.Generation != 3 || c.Segments[0].ID != (format.ID{3}) {
				t.Fatalf("%v", err)
			}
			c.Release()
			if err := checkTidy(fsys); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A lock file that is replaced between opening and locking it is not taken.
func TestLockFileReplaced(t *testing.T) {
	dir := t.TempDir()
	fsys := store.Dir(dir)
	l, err := fsys.Lock(indexdir.LockName)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Held(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		os.Rename(filepath.Join(dir, indexdir.LockName), filepath.Join(dir, "elsewhere"))
		if err := l.Held(); !errors.Is(err, store.ErrLockLost) {
			t.Fatalf("moved away: %v", err)
		}
		os.WriteFile(filepath.Join(dir, indexdir.LockName), nil, 0o666)
		if err := l.Held(); !errors.Is(err, store.ErrLockLost) {
			t.Fatalf("replaced: %v", err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
