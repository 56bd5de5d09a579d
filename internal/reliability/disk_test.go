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
			if err := w.Add(ctx, writer.Document{ID: []byte(id), Contents: []byte(batch[id])}); err != nil {
				return err
			}
		}
		if err := w.Commit(ctx); err != nil {
			return err
		}
		maps.Copy(acknowledged, batch)
		if r.IntN(2) == 0 {
			if err := w.WaitMerges(ctx); err != nil && !errors.Is(err, syscall.ENOSPC) {
				return err
			}
		}
	}
}

// holds returns an error unless the index in dir holds the documents, and no file that
// nothing needs.
func holds(dir string, docs map[string]string) error {
	got, err := contents(store.OSDir(dir))
	if err != nil {
		return err
	}
	if !maps.Equal(got, docs) {
		return fmt.Errorf("%d documents, want %d", len(got), len(docs))
	}
	return leftovers(store.OSDir(dir))
}
