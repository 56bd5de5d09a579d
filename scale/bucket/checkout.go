package bucket

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pinion-index/pinion/reader"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// ErrConflict is matched by the error of Checkout.Commit when another commit was made since the checkout.
var ErrConflict = errors.New("another writer has committed meanwhile")

// Checkout is the newest commit of an index in a bucket as a local directory, for programs that change
// directories. Those that add and delete documents alone do better with a Writer, which starts again by itself when
// another one is first.
type Checkout struct {
	w *Writer // of which only copies of objects are used
	a *attempt
}

// makeTemp makes a directory below dir ("": that of temporary files) and returns its absolute path.
func makeTemp(dir string) (string, error) {
	if dir != "" {
		var err error
		if dir, err = filepath.Abs(dir); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(dir, "pinion-bucket-")
}

// NewCheckout makes a directory below dir ("": that of temporary files) of the newest commit in b. If there is no
// index, the directory is empty. The caller closes the Checkout.
func NewCheckout(ctx context.Context, b *blob.Bucket, dir string) (*Checkout, error) {
	dir, err := makeTemp(dir)
	if err != nil {
		return nil, err
	}
	c := &Checkout{w: &Writer{mirror: mirror{b, filepath.Join(dir, "objects")}, dir: dir, uploaded: map[string]time.Time{}}}
	c.w.asked.MergePolicy = writer.NoMerges
	if err = os.Mkdir(c.w.mirror.dir, 0o777); err == nil {
		err = Prove(ctx, b)
	}
	if err == nil {
		c.a, err = c.w.begin(ctx, c.w.checkOut)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return c, nil
}

// Dir returns the directory.
func (c *Checkout) Dir() string { return c.a.dir }

// Commit makes the newest commit of the directory the next one in the bucket, whatever number it has, unless the directory
// has none since the checkout. If another one was made there since, the error matches ErrConflict, and if
// it remains unknown whether it is one, store.ErrUncertain. No writer may have the directory open. After an error that
// matches ErrConflict, Renew and then Commit may be called again.
func (c *Checkout) Commit(ctx context.Context) error { return c.commit(ctx, false) }

// CommitMerge is Commit for a directory in which segments were joined or reordered and nothing else was changed. If another
// commit was made since, what was made of these segments takes their place there, as by Writer.Merge. The error matches
// ErrConflict only if none of them is there any more.
func (c *Checkout) CommitMerge(ctx context.Context) error { return c.commit(ctx, true) }

func (c *Checkout) commit(ctx context.Context, merge bool) error {
	m, err := reader.NewestManifest(store.Dir(c.a.dir))
	if errors.Is(err, format.ErrNotAnIndex) {
		return nil
	}
	if err != nil {
		return err
	}
	files := m.Files()
	if m.Generation() == c.a.base || m.Generation() == 1 && len(files) == 0 { // nothing was committed
		return nil
	}
	for _, f := range files {
		if f.Kind == format.KindDeletes && f.Deletes == (format.ID{}) {
			return fmt.Errorf("bucket: %s of an old version has no id: merge the index first", f.Name)
		}
	}
	if c.a.manifest, err = m.After(c.a.before); err != nil { // the directory may have commits of the same numbers
		return err
	}
	c.a.generation = c.a.manifest.Generation()
	if err := c.w.upload(ctx, c.a); err != nil {
		return err
	}
	won, err := c.w.publish(ctx, c.a)
	if b := c.a.before; err == nil && !won && merge && b != nil && sameSettings(b, m) {
		won, err = c.w.follow(ctx, c.a)
	}
	if err == nil && !won {
		err = fmt.Errorf("bucket: commit %d: %w", c.a.generation, ErrConflict)
	}
	return err
}

// sameSettings reports whether indexes keep as many commits, and sort documents in the same way.
func sameSettings(a, b *reader.Manifest) bool {
	order, desc, ok := a.Order()
	otherOrder, otherDesc, otherOK := b.Order()
	return a.KeepCommits() == b.KeepCommits() && order == otherOrder && desc == otherDesc && ok == otherOK
}

// Renew makes another directory, of the newest commit by now. What the directory before had is gone. Only objects that were not
// read before are read.
func (c *Checkout) Renew(ctx context.Context) error {
	a, err := c.w.begin(ctx, c.w.checkOut)
	if err != nil {
		return err
	}
	c.a.close()
	c.a = a
	return nil
}

// Close removes the directory.
func (c *Checkout) Close() error { return os.RemoveAll(c.w.dir) }
