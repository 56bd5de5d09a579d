package indexdir

import (
	"sync"

	"github.com/pinion-index/pinion/store"
)

// maxLate bounds the files that stay open until a commit syncs them.
const maxLate = 64

// output is a file being written through a Lock.
type output struct {
	store.File
	lock   *Lock
	mu     sync.Mutex
	dirty  bool  // written to since the last Sync
	closed bool  // by its user
	open   bool  // File is open, perhaps only for the commit to sync it
	late   bool  // counted in lock.late
	lost   error // of a Sync; the content may be lost, whatever later ones return
}

func (o *output) WriteAt(p []byte, off int64) (int, error) {
	o.mu.Lock()
	o.dirty = true
	o.mu.Unlock()
	return o.File.WriteAt(p, off)
}

// Sync fails for good once it has failed: systems take what they could not write for
// written, so that the next sync would succeed without it.
func (o *output) Sync() error {
	o.mu.Lock()
	err := o.lost
	o.mu.Unlock()
	if err != nil {
		return err
	}
	err = o.File.Sync()
	o.Ended(err)
	return err
}

// Wrapped and Ended make it an osdir.Wrapper: a directory syncs File itself.
func (o *output) Wrapped() (file any, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.File, o.lost
}

// Ended notes what became of a sync.
func (o *output) Ended(err error) {
	o.mu.Lock()
	o.dirty, o.lost = err != nil, err
	o.mu.Unlock()
}

// Close ends writing. A file that was not synced stays open for the commit, unless
// there are many. Further calls return nil.
func (o *output) Close() error {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil
	}
	o.closed = true
	dirty := o.dirty
	if dirty && o.lock.late.Add(1) <= maxLate {
		o.late = true
		o.mu.Unlock()
		return nil
	}
	o.mu.Unlock()
	if dirty {
		o.lock.late.Add(-1)
		if err := o.Sync(); err != nil {
			o.release()
			return err
		}
	}
	return o.release()
}

// release closes the file, which the commit has synced or nobody needs.
func (o *output) release() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.late {
		o.lock.late.Add(-1)
	}
	open := o.open
	o.closed, o.late, o.open = true, false, false
	if !open {
		return nil
	}
	return o.File.Close()
}

// synced notes that the commit has synced the file, and closes it.
func (o *output) synced() error {
	o.mu.Lock()
	o.dirty = false
	o.mu.Unlock()
	return o.release()
}

// state reports whether the file's user has closed it and whether it is synced, or why
// it could not be.
func (o *output) state() (closed, synced bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed, !o.dirty, o.lost
}
