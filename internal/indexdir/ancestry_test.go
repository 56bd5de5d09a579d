package indexdir_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// lineage is an index as the names of its commits from the first on, beside what it says of them.
type lineage struct {
	names []string
	says  format.Ancestry
}

// commitsOf makes n commits in one session, in an index in memory.
func commitsOf(t testing.TB, fsys store.FS, n int) (all []format.Ancestry) {
	t.Helper()
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		if err := l.Commit(l.Manifest()); err != nil {
			t.Fatal(err)
		}
		all = append(all, ancestry(t, d))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// ancestry returns that of the newest commit.
func ancestry(t testing.TB, d *indexdir.Dir) format.Ancestry {
	t.Helper()
	c, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	return c.Ancestry()
}

func newest(t testing.TB, fsys store.ReadFS) format.Ancestry {
	t.Helper()
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	return ancestry(t, d)
}

// comes reports whether a commit comes from another, or is that, for certain.
func comes(a, from format.Ancestry) bool {
	has, known := a.Has(from)
	return has && known
}

// A commit names those before it, in whatever sessions; of two branches of one copy neither has the other's, and a
// copy has the name of what it is a copy of.
func TestAncestry(t *testing.T) {
	mem := memfs.New()
	var line []format.Ancestry
	for _, n := range []int{2, 5000, 1} {
		line = append(line, commitsOf(t, mem, n)...)
	}
	last := line[len(line)-1]
	if a := newest(t, mem); a.Name() != last.Name() || len(a.Sessions) != 3 || a.Since != 1 {
		t.Fatalf("read again: %+v, written %+v", a, last)
	}
	for _, i := range []int{0, 1, 2, 3, 2500, 5000, 5001, 5002} {
		if !comes(last, line[i]) || i < 5002 && comes(line[i], last) {
			t.Errorf("commit %s and %s", last.Name(), line[i].Name())
		}
	}
	copied := memfs.New()
	d, err := indexdir.OpenFS(mem)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Backup(context.Background(), copied, indexdir.BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	if a := newest(t, copied); a.Name() != last.Name() {
		t.Errorf("the copy is %s, not %s", a.Name(), last.Name())
	}
	one, two := commitsOf(t, mem, 1)[0], commitsOf(t, copied, 3)
	for _, b := range two {
		if comes(b, one) || comes(one, b) || one.Name() == b.Name() {
			t.Errorf("branches %s and %s are one", one.Name(), b.Name())
		}
		if !comes(b, last) || !comes(one, last) {
			t.Errorf("branches %s and %s of %s", one.Name(), b.Name(), last.Name())
		}
	}
	if other := commitsOf(t, memfs.New(), 5003); comes(one, other[5002]) || comes(other[5002], line[0]) {
		t.Error("two indexes are one")
	}
}

// A writer goes on from a commit that says nothing of its ancestry: that is its first one.
func TestAncestryOfOlder(t *testing.T) {
	mem := memfs.New()
	m := &indexdir.Manifest{Generation: 7, NextFile: 1, Schema: schema.Implicit("simple", "", false)}
	raw, err := indexdir.EncodeManifest(m)
	if err != nil {
		t.Fatal(err)
	}
	write(t, mem, indexdir.ManifestName(7), string(raw))
	write(t, mem, indexdir.MirrorName(7), string(raw))
	old := newest(t, mem)
	if len(old.Sessions) != 1 || old.Since != 7 {
		t.Fatalf("%+v", old)
	}
	a := commitsOf(t, mem, 2)[1]
	if !comes(a, old) || a.Since != 7 || len(a.Sessions) != 2 {
		t.Errorf("%+v after %+v", a, old)
	}
	if _, known := a.Has(format.Ancestry{Since: 6, Sessions: []format.Session{{ID: 1, Last: 6}}}); known {
		t.Error("what was before is known")
	}
}

// What an ancestry says equals a list of all commits, as far back as it says that it knows, whichever way copies went.
func TestAncestryModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		copies := []lineage{{}}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			i := rapid.IntRange(0, len(copies)-1).Draw(t, "copy")
			x := copies[i]
			x.names = slices.Clone(x.names)
			// Each is a session, as long as the bound, or longer.
			sessions := rapid.SampledFrom([]int{1, 1, 2, format.MaxSessions - 1}).Draw(t, "sessions")
			for range sessions {
				at := uint64(len(x.names) + 1)
				x.says = x.says.Next(at, rand.Uint64())
				x.names = append(x.names, x.says.Name())
			}
			if rapid.Bool().Draw(t, "branch") {
				copies = append(copies, x)
			} else {
				copies[i] = x
			}
		}
		for _, x := range copies {
			for _, y := range copies {
				if len(x.names) == 0 || len(y.names) == 0 {
					continue
				}
				has, known := x.says.Has(y.says)
				if want := slices.Contains(x.names, y.says.Name()); known && has != want || has && !known {
					t.Fatalf("%s has %s: %t, %t; want %t", x.says.Name(), y.says.Name(), has, known, want)
				}
				if back := len(x.names) - len(y.names); !known && back < format.MaxSessions {
					t.Fatalf("%d commits before are not known", back)
				}
				if has, known := x.says.Recent(3).Has(y.says); known && has != slices.Contains(x.names, y.says.Name()) {
					t.Fatalf("recent: %t", has)
				}
			}
		}
	})
}

// What is encoded is read back, whatever bytes are read say the same when they are written, and impossible ones are refused.
func TestAncestryBinary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a format.Ancestry
		b := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")
		if rapid.Bool().Draw(t, "valid") {
			for i := range rapid.IntRange(1, 300).Draw(t, "sessions") {
				a = a.Next(uint64(i*3+rapid.IntRange(1, 3).Draw(t, "last")), rand.Uint64())
			}
			b, _ = a.AppendBinary(nil)
		}
		var got format.Ancestry
		err := got.UnmarshalBinary(b)
		if err != nil {
			if !errors.Is(err, format.ErrCorrupt) || len(a.Sessions) > 0 {
				t.Fatal(err)
			}
			return
		}
		again, _ := got.AppendBinary(nil)
		if !bytes.Equal(again, b) || len(a.Sessions) > 0 && (got.Since != a.Since || !slices.Equal(got.Sessions, a.Sessions)) {
			t.Fatalf("%x is read as %+v", b, got)
		}
		parsed, err := format.ParseCommit(got.Name())
		if err != nil || parsed.Name() != got.Name() || !comes(got, parsed) {
			t.Fatalf("%q is %+v, %v", got.Name(), parsed, err)
		}
	})
	for _, name := range []string{"", "12", "12-", "x-0123456789abcdef", "12-0123456789ABCDEF", "012-0123456789abcdef", "0-0123456789abcdef", "12-0123456789abcdef0"} {
		if _, err := format.ParseCommit(name); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Every flipped bit of a manifest with an ancestry is found, one that is cut or whose front is lost is mended, and an
// ancestry that is not its own is refused.
func TestAncestryInManifest(t *testing.T) {
	mem := memfs.New()
	commitsOf(t, mem, 3)
	commitsOf(t, mem, 1)
	want := newest(t, mem)
	name := indexdir.ManifestName(5)
	raw := []byte(files(t, mem)[name])
	for i := range raw {
		bad := bytes.Clone(raw)
		bad[i] ^= 1 << (i % 8)
		if _, err := indexdir.DecodeManifest(name, bad); err == nil {
			t.Fatalf("byte %d: a flipped bit goes unnoticed", i)
		}
	}
	for what, change := range map[string]func(b []byte){
		"front":    func(b []byte) { clear(b[:128]) },
		"ancestry": func(b []byte) { b[len(b)-64-120] ^= 4 },
		"both":     func(b []byte) { clear(b[60:128]); b[130] ^= 1 },
	} {
		bad := bytes.Clone(raw)
		change(bad)
		other := memfs.New()
		write(t, other, name, string(bad))
		d, err := indexdir.OpenFS(other)
		if err != nil {
			t.Fatal(err)
		}
		inv, err := d.Inspect(context.Background(), nil, mending.Mend)
		d.Close()
		if err != nil {
			t.Fatal(err)
		}
		m := inv.Manifests[0].Manifest
		if what == "both" { // which of the two is wrong, nothing says
			if m != nil {
				t.Errorf("%s: mended", what)
			}
			continue
		}
		if m == nil || m.Ancestry.Name() != want.Name() {
			t.Errorf("%s: %+v", what, inv.Manifests[0])
		}
	}
	m, err := indexdir.DecodeManifest(name, raw)
	if err != nil {
		t.Fatal(err)
	}
	m.Generation++
	if _, err := indexdir.EncodeManifest(m); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("the ancestry of another commit: %v", err)
	}
}
