package bucket

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/store"
)

const (
	// DefaultRetention is the default of SweepOptions.Retention.
	DefaultRetention = 24 * time.Hour
	// MinRetention is its minimum: longer than a Writer takes for anything that it does not notice.
	MinRetention = time.Hour
)

// SweepOptions configure Sweep. The zero value means the defaults.
type SweepOptions struct {
	// Retention is how long a commit remains after a newer one, for those who read it, and an object that no
	// commit names, for those who are about to commit it. 0 means DefaultRetention. The bucket's
	// own clock counts.
	Retention time.Duration
	// KeepCommits is how many commits remain in any case, the newest included. 0 means what the newest one
	// says (writer.Options.KeepCommits).
	KeepCommits int
	// DryRun removes nothing.
	DryRun bool
}

// SweepStats says what Sweep removed, or would have.
type SweepStats struct {
	Kept    int   // commits that remain
	Commits int   // manifests removed
	Objects int   // segments, deletes files and what was left of writing them
	Bytes   int64 // in these objects
}

// listed is an object in a bucket.
type listed struct {
	key string
	object
	time time.Time
	size int64
}

// Sweep removes commits that were superseded and objects that no remaining commit names, if both are older
// than the retention. It may run at any time, also several times at once. Before it removes
// anything, it has read all manifests that remain; if one is damaged, that is an error. A reader of a commit that was
// removed gets an error that matches ErrExpired. A Writer that has waited for so long that
// the commit it began with is gone starts again.
func Sweep(ctx context.Context, b *blob.Bucket, o SweepOptions) (stats SweepStats, err error) {
	o.Retention = cmp.Or(o.Retention, DefaultRetention)
	if o.Retention < MinRetention || o.KeepCommits < 0 {
		return stats, fmt.Errorf("bucket: a retention of %v, at least %v is needed; %d commits to keep", o.Retention, MinRetention, o.KeepCommits)
	}
	return sweep(ctx, b, o)
}

// clockFolder has the objects that were written to see what the time is.
const clockFolder = "clock/"

// clock returns the time by the clock of the bucket.
func clock(ctx context.Context, b *blob.Bucket) (time.Time, error) {
	id := store.NewID()
	key := clockFolder + hex.EncodeToString(id[:])
	if err := again(ctx, func() error { return b.WriteAll(ctx, key, []byte{0}, nil) }); err != nil {
		return time.Time{}, err
	}
	at, err := attributes(ctx, b, key)
	if err != nil {
		return time.Time{}, err
	}
	return at.ModTime, removeObject(ctx, b, key)
}

// removeObject removes an object if it is there.
func removeObject(ctx context.Context, b *blob.Bucket, key string) error {
	err := again(ctx, func() error { return b.Delete(ctx, key) })
	if notExist(err) {
		return nil
	}
	return err
}

func sweep(ctx context.Context, b *blob.Bucket, o SweepOptions) (stats SweepStats, err error) {
	now, err := clock(ctx, b) // what is written after this is not old
	if err != nil {
		return stats, fmt.Errorf("bucket: asking for its time: %w", err)
	}
	manifests, others, err := list(ctx, b)
	if err != nil || len(manifests) == 0 {
		return stats, err
	}
	old := func(t time.Time) bool { return now.Sub(t) > o.Retention }
	m := &mirror{bucket: b}
	newest, _, err := m.commit(ctx, manifests[0].generation)
	if err != nil {
		return stats, err
	}
	keep := cmp.Or(o.KeepCommits, newest.KeepCommits, 1)
	named := make(map[string]bool)
	var commits, garbage []string
	for i, x := range manifests {
		if i >= keep && old(manifests[i-1].time) {
			commits = append(commits, x.key)
			continue
		}
		c, _, err := m.commit(ctx, x.generation)
		if notExist(err) && i > 0 { // another Sweep
			continue
		}
		if err != nil {
			return stats, err
		}
		stats.Kept++
		for _, key := range objects(c) {
			named[key] = true
		}
	}
	for _, x := range others {
		if !named[x.key] && old(x.time) {
			garbage = append(garbage, x.key)
			stats.Bytes += x.size
		}
	}
	stats.Commits, stats.Objects = len(commits), len(garbage)
	if o.DryRun {
		return stats, nil
	}
	slices.Reverse(commits) // the oldest first
	for _, keys := range [][]string{commits, garbage} {
		err := each(ctx, keys, func(ctx context.Context, key string) error { return removeObject(ctx, b, key) })
		if err != nil {
			return stats, fmt.Errorf("bucket: removing what is old: %w", err)
		}
	}
	return stats, nil
}

// list returns the manifests in b, the newest first, and the other objects of an index or left of one.
func list(ctx context.Context, b *blob.Bucket) (manifests, others []listed, err error) {
	for _, folder := range []string{manifestFolder, segmentFolder, deletesFolder, clockFolder} {
		for token := blob.FirstPageToken; len(token) > 0; {
			var page []*blob.ListObject
			err := again(ctx, func() (err error) {
				var next []byte
				if page, next, err = b.ListPage(ctx, token, 1000, &blob.ListOptions{Prefix: folder}); err == nil {
					token = next
				}
				return err
			})
			if err != nil {
				return nil, nil, fmt.Errorf("bucket: listing %s: %w", folder, err)
			}
			for _, p := range page {
				x := listed{key: p.Key, time: p.ModTime, size: p.Size}
				var ok bool
				x.object, ok = parseKey(p.Key)
				switch {
				case ok && x.kind == kindManifest:
					manifests = append(manifests, x)
				case ok || isLeftover(p.Key):
					others = append(others, x)
				}
			}
		}
	}
	slices.SortFunc(manifests, func(x, y listed) int { return cmp.Compare(y.generation, x.generation) })
	return manifests, others, nil
}

// isLeftover reports whether a key is that of a clock, or of a file that the driver of directories was writing.
func isLeftover(key string) bool {
	name, ok := strings.CutSuffix(key, ".tmp")
	if !ok {
		return strings.HasPrefix(key, clockFolder)
	}
	_, ok = parseKey(strings.TrimSuffix(name, path.Ext(name)))
	return ok
}
