package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// freshFor is how long an object that was written may wait for the manifest that names it. One that has waited
// longer is written again, so that its age, by which Sweep goes, begins anew. It is far below MinRetention.
const freshFor = 10 * time.Minute

// skew is by how much the clocks of a bucket's servers may differ. It is far below MinRetention.
const skew = 5 * time.Minute

// An attempt is a commit in the making, in a local directory.
type attempt struct {
	base   uint64 // the newest generation when it began; 0: there was no index
	dir    string
	w      *writer.Writer
	before *reader.Manifest // of base; nil without
	parts  int              // how many parts of the batch it has

	generation uint64
	manifest   *reader.Manifest
}

// begin makes a directory of the newest commit, by f, which is w.open or w.checkOut.
func (w *Writer) begin(ctx context.Context, f func(context.Context) (*attempt, error)) (a *attempt, err error) {
	for try := 1; ; try++ {
		a, err = f(ctx)
		if err == nil || !notExist(err) || try == requestTries {
			return a, err
		}
		// An object is gone: there is a newer commit. If there is none, the next try says so again.
		if err := waitAfter(ctx, try); err != nil {
			return nil, err
		}
	}
}

func (w *Writer) open(ctx context.Context) (*attempt, error) {
	a, err := w.checkOut(ctx)
	if err != nil {
		return nil, err
	}
	if a.w, err = writer.OpenFS(ctx, scratch{store.Dir(a.dir)}, w.asked); err != nil {
		os.RemoveAll(a.dir)
		if errors.Is(err, format.ErrCorrupt) {
			w.mirror.keep(&reader.Manifest{}) // what came damaged is read again
		}
		return nil, fmt.Errorf("bucket: commit %d: %w", a.base, err)
	}
	return a, nil
}

// checkOut makes a directory of the newest commit.
func (w *Writer) checkOut(ctx context.Context) (_ *attempt, err error) {
	w.tries++
	a := &attempt{dir: w.folder("attempt", w.tries)}
	defer func() {
		if err != nil {
			os.RemoveAll(a.dir)
		}
	}()
	if a.base, err = newestGeneration(ctx, w.mirror.bucket); err != nil {
		return nil, err
	}
	if a.base == 0 {
		err = os.Mkdir(a.dir, 0o777)
	} else {
		if a.before, err = w.mirror.commit(ctx, a.base); err == nil {
			err = w.mirror.directory(ctx, a.before, a.dir)
		}
	}
	return a, err
}

// close ends an attempt and removes its directory.
func (a *attempt) close() {
	if a.w != nil {
		a.w.Close()
	}
	os.RemoveAll(a.dir)
}

// Commit makes the batch part of the index, durable and visible to readers, or does nothing if the batch
// is empty, but for the first commit of an index. If another Writer commits at the same time, it starts again
// from what that committed, as often as it takes until ctx ends. After an error the batch is not committed, unless
// the error matches store.ErrUncertain: then it may be, and the next Commit finds out before it does
// anything else.
func (w *Writer) Commit(ctx context.Context) error {
	w.commit.Lock()
	defer w.commit.Unlock()
	if err := w.sealBatch(ctx); err != nil {
		return err
	}
	if err := w.settle(ctx); err != nil {
		return err
	}
	return w.until(ctx, func() (bool, error) { return w.attempt(ctx, w.apply, nil) })
}

// settle finds out what became of an attempt of which that is unknown.
func (w *Writer) settle(ctx context.Context) error {
	a := w.uncertain
	if a == nil {
		return nil
	}
	won, err := w.publish(ctx, a)
	if err == nil {
		w.end(a, won)
	}
	return err
}

// until calls try until it is done.
func (w *Writer) until(ctx context.Context, try func() (done bool, err error)) error {
	for n := 1; ; n++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		done, err := try()
		if done || err != nil {
			return err
		}
		if err := waitAfter(ctx, n); err != nil {
			return err
		}
	}
}

// sealBatch moves the current part to the batch.
func (w *Writer) sealBatch(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.cur
	if err := w.seal(ctx); err != nil {
		return err
	}
	if p.empty() {
		return os.RemoveAll(p.dir)
	}
	w.batch = append(w.batch, p)
	return nil
}

// attempt commits what change makes of the newest commit, unless that is nothing. It is not done if another Writer was first;
// then lost, unless nil, gets what has lost, before its directory is removed.
func (w *Writer) attempt(ctx context.Context, change func(context.Context, *attempt) error, lost func(*attempt)) (done bool, err error) {
	a, err := w.begin(ctx, w.open)
	if err != nil {
		return false, err
	}
	if err = w.build(ctx, a, change); err == nil && a.generation == 0 {
		a.close()
		w.drop(a.parts)
		return true, nil // it changes nothing
	}
	if err == nil {
		err = w.upload(ctx, a)
	}
	if err != nil {
		a.close()
		return false, err
	}
	won, err := w.publish(ctx, a)
	if err != nil {
		return false, err
	}
	if !won && lost != nil {
		lost(a)
	}
	w.end(a, won)
	return won, nil
}

// build changes the directory of a and commits there. It sets a.generation unless nothing has changed.
func (w *Writer) build(ctx context.Context, a *attempt, change func(context.Context, *attempt) error) error {
	before, err := reader.NewestManifest(store.Dir(a.dir))
	if err == nil {
		err = change(ctx, a)
	}
	if err == nil {
		err = a.w.Commit(ctx)
	}
	if err == nil {
		a.manifest, err = reader.NewestManifest(store.Dir(a.dir))
	}
	if err == nil && a.manifest.Generation() != before.Generation() {
		a.generation = a.manifest.Generation()
	}
	return err
}

// apply applies the batch.
func (w *Writer) apply(ctx context.Context, a *attempt) error {
	w.mu.RLock()
	batch := slices.Clone(w.batch)
	w.mu.RUnlock()
	a.parts = len(batch)
	for _, p := range batch {
		if err := p.apply(ctx, a.w); err != nil {
			return err
		}
	}
	return nil
}

// apply does to x what the part says.
func (p *part) apply(ctx context.Context, x *writer.Writer) error {
	for id := range p.deleted {
		if err := x.Delete(ctx, []byte(id)); err != nil {
			return err
		}
	}
	if err := x.AddFrom(ctx, store.Dir(p.dir)); err != nil {
		return err
	}
	for _, n := range p.where {
		if _, err := x.DeleteWhere(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// fresh reports whether less than freshFor has passed since then, by the clock that stands still while the machine
// sleeps and by the one that does not but that others set.
func fresh(since time.Time) bool {
	now := time.Now()
	return now.Sub(since) < freshFor && now.Round(0).Sub(since.Round(0)) < freshFor
}

// upload writes the objects that the manifest of a names and that of its base does not.
func (w *Writer) upload(ctx context.Context, a *attempt) error {
	have := make(map[string]bool)
	if a.before != nil {
		for _, key := range objects(a.before) {
			have[key] = true
		}
	}
	names := make(map[string]string)
	var keys []string
	for _, f := range a.manifest.Files() {
		key := keyOf(f)
		if since, ok := w.uploaded[key]; !have[key] && !(ok && fresh(since)) {
			names[key], keys = filepath.Join(a.dir, f.Name), append(keys, key)
		}
	}
	begun := time.Now()
	err := each(ctx, keys, func(ctx context.Context, key string) error {
		if err := w.mirror.create(ctx, key, names[key]); err != nil {
			return fmt.Errorf("bucket: writing %s: %w", key, err)
		}
		return nil
	})
	for _, key := range keys {
		if err == nil {
			w.uploaded[key] = begun
		}
	}
	return err
}

// create creates an object from a file (createFrom), and keeps the file for later directories.
func (m *mirror) create(ctx context.Context, key, file string) error {
	if err := createFrom(ctx, m.bucket, key, file); err != nil {
		return err
	}
	os.Remove(m.local(key))
	return linkFile(file, m.local(key))
}

// createFrom creates an object from a file. One that is there already is the same one, from an earlier
// attempt: it is written again, so that it is new for Sweep.
func createFrom(ctx context.Context, b *blob.Bucket, key, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	overwrite := false
	return again(ctx, func(ctx context.Context) error {
		if _, err := f.Seek(0, 0); err != nil {
			return err
		}
		err := createObject(ctx, b, key, f, overwrite)
		if exists(err) {
			if _, err = f.Seek(0, 0); err == nil {
				overwrite = true
				err = createObject(ctx, b, key, f, true)
			}
		}
		return err
	})
}

// publish creates the manifest of a, and reports whether that made it a commit: it did not if there is
// another one of this generation. If that remains unknown, a is the uncertain attempt from now on.
func (w *Writer) publish(ctx context.Context, a *attempt) (won bool, err error) {
	key, unknown := manifestKey(a.generation), w.uncertain == a
	err = again(ctx, func(ctx context.Context) error {
		err := createObject(ctx, w.mirror.bucket, key, bytes.NewReader(a.manifest.Bytes()), false)
		unknown = unknown || err != nil && !declined(err)
		return err
	})
	switch {
	case err == nil:
		won = true
	case exists(err): // perhaps this one: the answer to a request can be lost
		err = host.Sound(func(reader.Reason) error {
			var there []byte
			err := again(ctx, func(ctx context.Context) (err error) {
				there, err = readObject(ctx, w.mirror.bucket, key)
				return err
			})
			if won = err == nil && bytes.Equal(there, a.manifest.Bytes()); err == nil && !won {
				_, err = reader.ParseManifest(key, there)
			}
			return err
		})
		switch {
		case notExist(err):
			err = nil
		case err != nil:
			unknown = true
		}
	}
	if err == nil && won {
		unknown = true // until this is known
		if won, err = w.follows(ctx, a); err == nil && won {
			err = w.upload(ctx, a) // what was written long before the manifest
		} else if err == nil {
			clear(w.uploaded) // swept, perhaps
		}
	}
	if err != nil {
		err = fmt.Errorf("bucket: commit %d: %w", a.generation, err)
		if unknown {
			w.uncertain = a
			return false, fmt.Errorf("%w: %w", store.ErrUncertain, err)
		}
		a.close()
		return false, err
	}
	return won, nil
}

// follows reports whether the manifest of a, which exists, is a commit. It is not if newer commits were made
// before it: then the one of its generation had been swept when a, which had slept for longer than
// Sweep waits, created it once more. The times are the bucket's.
func (w *Writer) follows(ctx context.Context, a *attempt) (bool, error) {
	newest, err := newestGeneration(ctx, w.mirror.bucket)
	if err != nil || newest <= a.generation {
		return err == nil, err
	}
	mine, err := attributes(ctx, w.mirror.bucket, manifestKey(a.generation))
	if notExist(err) {
		return false, nil // swept
	}
	if err != nil {
		return false, err
	}
	next, err := attributes(ctx, w.mirror.bucket, manifestKey(a.generation+1))
	if err != nil && !notExist(err) {
		return false, err
	}
	if err == nil && mine.ModTime.Sub(next.ModTime) < skew {
		return true, nil
	}
	return false, removeObject(ctx, w.mirror.bucket, manifestKey(a.generation))
}

// attributes returns those of an object.
func attributes(ctx context.Context, b *blob.Bucket, key string) (at *blob.Attributes, err error) {
	err = again(ctx, func(ctx context.Context) (err error) {
		at, err = b.Attributes(ctx, key)
		return err
	})
	return at, err
}

// end ends an attempt of which it is known whether it is a commit.
func (w *Writer) end(a *attempt, won bool) {
	w.uncertain = nil
	if won {
		w.drop(a.parts)
		w.mirror.keep(a.manifest)
		clear(w.uploaded)
	}
	a.close()
}

// drop removes the first n parts of the batch.
func (w *Writer) drop(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.batch[:n] {
		os.RemoveAll(p.dir)
	}
	w.batch = slices.Delete(w.batch, 0, n)
}
