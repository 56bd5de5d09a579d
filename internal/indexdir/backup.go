package indexdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pinion-index/pinion/internal/osdir"
	"github.com/pinion-index/pinion/store"
)

// BackupOptions configure Dir.Backup. The zero value means the defaults.
type BackupOptions struct {
	// Copy copies files even where they could be linked. A copy has blocks of its own: a
	// failing disk does not damage both.
	Copy bool
	// Progress, if not nil, is called with the bytes that are done and all bytes.
	Progress func(done, total int64)
}

// BackupStats are statistics of a backup.
type BackupStats struct {
	Generation            uint64
	Files, Linked, Copied int   // segment and deletes files; Linked + Copied
	Bytes                 int64 // in them
}

// Backup makes an index of the newest commit in dst, which must be empty, or a local
// directory that does not exist: hard links to its files if both are local directories of
// one file system, copies otherwise. Writers may work meanwhile, in any process. Everything is durable when Backup returns. The
// manifest comes last, so what a crash leaves is not taken for an index. After an error
// Backup removes what it wrote. Local files keep their permissions. It does not check the
// content of files.
func (d *Dir) Backup(ctx context.Context, dst store.FS, o BackupOptions) (stats BackupStats, err error) {
	if err := d.err("open"); err != nil {
		return stats, err
	}
	if dst == nil {
		return stats, fmt.Errorf("%w: no file system for the backup", store.ErrInvalid)
	}
	ctx = orBackground(ctx)
	made, err := d.makeFor(dst)
	if err != nil {
		return stats, err
	}
	if made != "" {
		defer func() {
			if err != nil {
				os.Remove(filepath.Join(made, LockName))
				os.Remove(made) // unless something else is there by now
			}
		}()
	}
	held, err := dst.Lock(LockName)
	if err != nil {
		return stats, err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	names, err := dst.List()
	if err != nil {
		return stats, err
	}
	for _, s := range names {
		if s != LockName {
			return stats, fmt.Errorf("%s is not empty: it holds %s", dst, s)
		}
	}
	b := &backup{ctx: ctx, from: d.fs, to: dst, o: o}
	if stats, err = b.run(d); err != nil {
		b.undo()
	}
	return stats, err
}

// orBackground returns ctx, or context.Background() if it is nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// makeFor creates the directory of dst if it is local and does not exist, with the
// permissions of d, and returns its path.
func (d *Dir) makeFor(dst store.FS) (made string, err error) {
	to := local(dst)
	if to == nil {
		return "", nil
	}
	if _, err := os.Stat(to.Path()); !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	mode := fs.FileMode(0o777)
	if from := local(d.fs); from != nil {
		st, err := os.Stat(from.Path())
		if err != nil {
			return "", err
		}
		mode = st.Mode().Perm()
	}
	if err := makeDir(to.Path(), mode); err != nil {
		return "", err
	}
	return to.Path(), osdir.SyncPath(filepath.Dir(filepath.Clean(to.Path())))
}

// backup is a backup in progress.
type backup struct {
	ctx         context.Context
	from        store.ReadFS
	to          store.FS
	o           BackupOptions
	made        []string // segment and deletes files
	manifest    []string // names of its files, as far as there are any
	linked      int
	done, total int64
}

func (b *backup) run(d *Dir) (stats BackupStats, err error) {
	defer CatchFault(ArmFault(), &err)
	// Open files can be copied even if a writer of another process removes them.
	var files []store.Data
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	c, err := d.OpenLatest(func(c *Commit) error {
		for _, f := range files {
			f.Close()
		}
		files = nil
		for _, name := range c.files {
			data, err := d.OpenFile(name)
			if err != nil {
				return err
			}
			files = append(files, data)
		}
		return nil
	})
	if err != nil {
		return stats, err
	}
	defer c.Release()
	for _, f := range files {
		b.total += f.Size()
	}
	for i, f := range files {
		if err := b.file(c.files[i], f); err != nil {
			return stats, fmt.Errorf("backup of %s: %w", c.files[i], err)
		}
	}
	m := c.Manifest.Clone()
	m.Ancestry = c.Ancestry() // the copy is the same commit
	if err := b.finish(m); err != nil {
		return stats, fmt.Errorf("backup of commit %d: %w", c.Generation, err)
	}
	return BackupStats{Generation: c.Generation, Files: len(files), Linked: b.linked, Copied: len(files) - b.linked, Bytes: b.total}, nil
}

// file links or copies a file.
func (b *backup) file(name string, data store.Data) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if !b.o.Copy && b.link(name) {
		b.made = append(b.made, name)
		b.linked++
		b.step(data.Size())
		return nil
	}
	f, err := b.to.Create(name)
	if err != nil {
		return err
	}
	b.made = append(b.made, name)
	b.mode(name, name, name+tempSuffix)
	err = b.copy(f, data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// link reports whether it could make a hard link.
func (b *backup) link(name string) bool {
	from, to := local(b.from), local(b.to)
	return from != nil && to != nil && slices.ContainsFunc([]string{name, name + tempSuffix, name}, func(s string) bool {
		return os.Link(from.File(s), to.File(name)) == nil
	})
}

// mode gives a local file the permissions of the first of the names that is there. If none
// is, a writer has removed it meanwhile, and the file is its owner's alone.
func (b *backup) mode(made string, names ...string) {
	from, to := local(b.from), local(b.to)
	if from == nil || to == nil {
		return
	}
	mode := fs.FileMode(0o600)
	for _, name := range names {
		if st, err := os.Stat(from.File(name)); err == nil {
			mode = st.Mode().Perm()
			break
		}
	}
	// A file system without permissions refuses them.
	_ = os.Chmod(to.File(made), mode)
}

// copyBytes is how much of a file is copied at a time.
const copyBytes = 4 << 20

func (b *backup) copy(f store.File, data store.Data) error {
	for off := int64(0); off < data.Size(); {
		n := min(copyBytes, data.Size()-off)
		p, err := data.Range(off, n)
		if err == nil {
			_, err = f.WriteAt(p, off)
		}
		if err == nil {
			err = b.ctx.Err()
		}
		if err != nil {
			return err
		}
		off += n
		b.step(n)
	}
	return nil
}

func (b *backup) step(n int64) {
	b.done += n
	if b.o.Progress != nil {
		b.o.Progress(b.done, b.total)
	}
}

// finish writes the manifest's files.
func (b *backup) finish(m *Manifest) error {
	content, err := encodeManifest(m)
	if err != nil {
		return err
	}
	names := manifestNames(m.Generation)[:2]
	var files []store.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for _, name := range names {
		f, err := b.to.Create(name + tempSuffix)
		if err != nil {
			return err
		}
		files = append(files, f)
		b.manifest = append(b.manifest, name, name+tempSuffix)
		b.mode(name+tempSuffix, manifestNames(m.Generation)...)
		if _, err := f.WriteAt(content, 0); err != nil {
			return err
		}
	}
	if err := b.to.Sync(files...); err != nil {
		return err
	}
	for i, name := range names {
		if err := files[i].Close(); err != nil {
			return err
		}
		if err := b.to.Rename(name+tempSuffix, name); err != nil {
			return err
		}
	}
	files = nil
	return b.to.Sync()
}

// undo removes what was made, the manifest first and for good: without it, what a crash or
// another error leaves is not taken for an index.
func (b *backup) undo() {
	if !b.remove(b.manifest) || len(b.manifest) > 0 && b.to.Sync() != nil {
		return
	}
	b.remove(b.made)
}

// remove removes files and reports whether none of them is left.
func (b *backup) remove(names []string) bool {
	gone := true
	for _, name := range names {
		if err := b.to.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			gone = false
		}
	}
	return gone
}
