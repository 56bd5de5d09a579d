package reliability

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pinion-index/pinion/internal/sim"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// mount mounts a file system of so many bytes on a new folder, for the test's time.
func mount(t *testing.T, kind string, size int64) string {
	dir, img := t.TempDir(), ""
	run := func(args ...string) {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	if kind == "tmpfs" {
		run("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", size), "tmpfs", dir)
	} else {
		img = filepath.Join(t.TempDir(), "disk")
		check(t, os.WriteFile(img, nil, 0o600), os.Truncate(img, size))
		run("mkfs."+kind, "-q", img)
		run("mount", "-o", "loop", img, dir)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount %s: %v: %s", dir, err, out)
		}
	})
	return dir
}

// TestRealDisk fills real file systems by commits with merges in the background. Every
// document that was acknowledged is there, errors match ENOSPC and name a file, nothing is
// left over, and once there is room the index goes on.
func TestRealDisk(t *testing.T) {
	n, merges := 0, 0
	for i := range uint64(trials(20)) {
		kind := []string{"tmpfs", "ext4"}[i%2]
		t.Run(fmt.Sprintf("%s %d", kind, *seed+i), func(t *testing.T) {
			merges += fill(t, mount(t, kind, 12<<20), rand.New(rand.NewPCG(*seed+i, 8)))
			n++
		})
	}
	if n == 0 {
		t.Skip("no disk can be mounted")
	}
	t.Logf("%d disks filled, %d of them first by a merge in the background", n, merges)
}

// fill fills a disk, twice, and returns 1 if a merge in the background was the first to find
// it full, and otherwise 0.
func fill(t *testing.T, disk string, r *rand.Rand) (merges int) {
	ballast := filepath.Join(disk, "ballast")
	check(t, os.WriteFile(ballast, make([]byte, 3<<20), 0o600))
	dir := filepath.Join(disk, "index")
	acknowledged := map[string]string{}
	for round := range 2 {
		var failed []error
		o := sim.DrawOptions(r, sim.Past{Stored: true, Exists: round > 0, Filled: round > 0})
		o.MergePolicy = writer.Tiered{PerTier: 2 + r.IntN(3)}.Runs
		o.MergeRate, o.KeepCommits = 0, 1
		merged := make(chan error, 1000)
		o.MergeFailed = func(err error) { merged <- err }
		err := fillOnce(dir, o, r, acknowledged)
		uncertain := errors.Is(err, store.ErrUncertain)
		close(merged)
		for err := range merged {
			failed = append(failed, err)
		}
		if merges = min(1, merges+len(failed)); err == nil {
			t.Fatal("the disk is not full")
		}
		for _, err := range append(failed, err) {
			if named := errors.As(err, new(*os.PathError)) || errors.As(err, new(*os.LinkError)); !errors.Is(err, syscall.ENOSPC) || !named {
				t.Errorf("an error that does not name the file or say that the disk is full: %v", err)
			}
		}
		if err := holds(dir, acknowledged); err != nil {
			t.Fatalf("the disk is full: %v", err)
		}
		if !uncertain { // then the next writer removes what is left over
			check(t, leftovers(store.Dir(dir)))
		}
		if err := os.Remove(ballast); round == 0 {
			check(t, err)
		}
	}
	return merges
}

// fillOnce commits documents until the disk is full, and adds those acknowledged.
func fillOnce(dir string, o writer.Options, r *rand.Rand, acknowledged map[string]string) (err error) {
	w, err := writer.Open(ctx, dir, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for {
		batch := map[string]string{}
		for range 1 + r.IntN(4) {
			id := fmt.Sprintf("d%d", len(acknowledged)+len(batch))
			if r.IntN(8) == 0 {
				id = fmt.Sprintf("d%d", r.IntN(len(acknowledged)+1))
			}
			b := make([]byte, r.IntN(60<<10))
			for i := range b {
				b[i] = 'a' + byte(r.Uint32()&15)
			}
			batch[id] = id + " " + string(b)
			if err := w.Add(ctx, writer.Text([]byte(id), []byte(batch[id]))); err != nil {
				return err
			}
		}
		err := w.Commit(ctx)
		after := maps.Clone(acknowledged)
		maps.Copy(after, batch)
		if err == nil || errors.Is(err, store.ErrUncertain) && holds(dir, after) == nil {
			maps.Copy(acknowledged, batch)
		}
		if err != nil {
			return err
		}
		if r.IntN(2) == 0 {
			if err := w.WaitMerges(ctx); err != nil && !errors.Is(err, syscall.ENOSPC) {
				return err
			}
		}
	}
}

// TestFullDirectory commits to a real disk that has room for what a commit writes, but perhaps not for the names of its files:
// to rename the second file of a manifest, ext4 may need a block for the directory, when the first has its name. Then the
// commit is uncertain, and what it says or what was before is there; after any other error it is what was before. The next
// writer goes on from there.
func TestFullDirectory(t *testing.T) {
	disk := mount(t, "ext4", 12<<20)
	occupy(t, filepath.Join(disk, "most"), 64<<10, 8)
	seen := map[string]int{}
	for i := range uint64(trials(1000)) {
		r := rand.New(rand.NewPCG(*seed+i, 9))
		if what := fillDirectory(t, disk, r); t.Failed() {
			t.Fatalf("-seed %d: %s", *seed+i, what)
		} else {
			seen[what]++
		}
	}
	t.Logf("%d directories filled: %v", trials(1000), seen)
}

// occupy writes a file until the disk is full, in pieces, and then gives so many of them back.
func occupy(t *testing.T, name string, piece, back int) {
	f, err := os.Create(name)
	check(t, err)
	defer f.Close()
	n, b := 0, make([]byte, piece)
	for ; err == nil; n++ {
		_, err = f.WriteAt(b, int64(n*piece))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	check(t, f.Truncate(int64(max(0, n-1-back)*piece)))
}

// fillDirectory replaces a document in a directory of some files on a full disk, and says how that ended.
func fillDirectory(t *testing.T, disk string, r *rand.Rand) (what string) {
	dir, ballast := filepath.Join(disk, "index"), filepath.Join(disk, "ballast")
	o := writer.Options{Schema: schema.Implicit("", "", true), MergePolicy: writer.NoMerges}
	w, err := writer.Open(ctx, dir, o)
	check(t, err)
	put := func(docs map[string]string, id, text string) {
		docs[id] = text
		check(t, w.Add(ctx, writer.Text([]byte(id), []byte(text))))
	}
	before := map[string]string{}
	for i := range 3 {
		put(before, fmt.Sprint("d", i), "before")
	}
	check(t, w.Commit(ctx))
	for i := range 20 + r.IntN(90) { // names beside it
		check(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("other-", i)), nil, 0o600))
	}
	after := maps.Clone(before)
	put(after, "d1", "after")
	occupy(t, ballast, 1<<10, 3+r.IntN(5))
	err = w.Commit(ctx)
	if err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("an error that does not say that the disk is full: %v", err)
	}
	check(t, w.Close(), os.Remove(ballast))
	isBefore, isAfter := holds(dir, before), holds(dir, after)
	switch uncertain := errors.Is(err, store.ErrUncertain); {
	case isAfter == nil && err == nil:
		what = "committed"
	case isAfter == nil && uncertain:
		what = "uncertain, committed"
	case isBefore == nil && uncertain:
		what = "uncertain, as before"
	case isBefore == nil && err != nil:
		what = "as before"
	default:
		t.Errorf("neither what was before (%v) nor what the commit says (%v): %v", isBefore, isAfter, err)
	}
	if isAfter != nil {
		after = before
	}
	w, err = writer.Open(ctx, dir, o)
	check(t, err)
	put(after, "d2", "again")
	check(t, w.Commit(ctx), w.Close(), holds(dir, after))
	names, err := filepath.Glob(filepath.Join(dir, "other-*"))
	check(t, err)
	for _, name := range names {
		check(t, os.Remove(name))
	}
	check(t, leftovers(store.Dir(dir)), os.RemoveAll(dir))
	return what
}

// holds returns an error unless the index in dir holds the documents.
func holds(dir string, docs map[string]string) error {
	got, err := contents(store.Dir(dir))
	if err != nil {
		return err
	}
	if !maps.Equal(got, docs) {
		for id, text := range docs {
			if is, ok := got[id]; is != text {
				return fmt.Errorf("%d documents, want %d; %s is there: %v, %.20q of %d bytes, want %.20q of %d", len(got), len(docs), id, ok, is, len(is), text, len(text))
			}
		}
		return fmt.Errorf("%d documents, want %d", len(got), len(docs))
	}
	return nil
}
