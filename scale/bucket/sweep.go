package bucket

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/scale/bucket/internal/stores"
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
	// DryRun removes nothing and writes nothing. It goes by the clock of this computer: to ask the bucket for its time takes an
	// object.
	DryRun bool
}

// SweepStats says what Sweep removed, or would have.
type SweepStats struct {
	Kept    int   // commits that remain
	Commits int   // manifests removed
	Objects int   // segments, deletes files and what was left of writing them
	Bytes   int64 // in these objects
	Uploads int   // of objects in parts, that were never finished and that S3 keeps: aborted
}

// listed is an object in a bucket.
type listed struct {
	key string
	object
	time time.Time
	size int64
}

// Sweep removes commits that were superseded and objects that no remaining commit names, and aborts uploads of the index's objects to S3
// that were never finished, if all these are older than the retention. It may run at any time, also several times at once. Before it removes
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
	key := clockFolder + rand.Text()
	if err := again(ctx, func(ctx context.Context) error { return b.WriteAll(ctx, key, []byte{0}, nil) }); err != nil {
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
	err := again(ctx, func(ctx context.Context) error { return b.Delete(ctx, key) })
	if notExist(err) {
		return nil
	}
	return err
}

func sweep(ctx context.Context, b *blob.Bucket, o SweepOptions) (stats SweepStats, err error) {
	now := time.Now()
	if !o.DryRun {
		if now, err = clock(ctx, b); err != nil { // what is written after this is not old
			return stats, fmt.Errorf("bucket: asking for its time: %w", err)
		}
	}
	old := func(t time.Time) bool { return now.Sub(t) > o.Retention }
	if stats, err = sweepObjects(ctx, b, o, old); err != nil {
		return SweepStats{}, err
	}
	stats.Uploads, err = sweepUploads(ctx, b, o, old)
	return stats, err
}

// sweepUploads aborts old uploads of objects of an index, and returns how many.
func sweepUploads(ctx context.Context, b *blob.Bucket, o SweepOptions, old func(time.Time) bool) (n int, err error) {
	u := stores.UploadsOf(b)
	if u == nil {
		return 0, nil
	}
	var all []stores.Upload
	err = again(ctx, func(ctx context.Context) (err error) {
		all, err = u.List(ctx)
		return err
	})
	if unknownRequest(err) {
		return 0, nil // a store without such uploads
	}
	if err != nil {
		return 0, fmt.Errorf("bucket: listing uploads that were never finished: %w", err)
	}
	for _, x := range all {
		if _, ok := parseKey(x.Key); !ok || !old(x.Began) {
			continue
		}
		if n++; o.DryRun {
			continue
		}
		if err := again(ctx, func(ctx context.Context) error { return u.Abort(ctx, x) }); err != nil {
			return n - 1, fmt.Errorf("bucket: aborting an upload of %s: %w", x.Key, err)
		}
	}
	return n, nil
}

// sweepObjects removes old commits and objects.
func sweepObjects(ctx context.Context, b *blob.Bucket, o SweepOptions, old func(time.Time) bool) (stats SweepStats, err error) {
	manifests, others, err := list(ctx, b)
	if err != nil || len(manifests) == 0 {
		return stats, err
	}
	m := &mirror{bucket: b}
	newest, err := m.commit(ctx, manifests[0].generation)
	if err != nil {
		return stats, err
	}
	keep := cmp.Or(o.KeepCommits, newest.KeepCommits(), 1)
	named := make(map[string]bool)
	var commits, garbage []string
	for i, x := range manifests {
		if i >= keep && old(manifests[i-1].time) {
			commits = append(commits, x.key)
			continue
		}
		c, err := m.commit(ctx, x.generation)
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
	for _, folder := range []string{manifestFolder, segmentFolder, deletesFolder, valuesFolder, clockFolder} {
		for token := blob.FirstPageToken; len(token) > 0; {
			var page []*blob.ListObject
			err := again(ctx, func(ctx context.Context) (err error) {
				var next []byte
				if page, next, err = listPage(ctx, b, token, 1000, folder); err == nil {
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
