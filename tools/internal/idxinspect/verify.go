package idxinspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/check"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/tools/internal/cli"
	"github.com/spf13/cobra"
)

// Verification is what `idxinspect verify` prints.
type Verification struct {
	Index string       `json:"index"`
	OK    bool         `json:"ok"`
	Files []FileStatus `json:"files"`
	// Orphans are files that no commit names: of a writer at work, or left by a crash.
	Orphans []string `json:"orphans,omitempty"`

	level   check.Level
	threads int
}

// FileStatus is one file of a Verification.
type FileStatus struct {
	File   string  `json:"file"`
	Bytes  int64   `json:"bytes"`
	OK     bool    `json:"ok"`
	Damage []Place `json:"damage,omitempty"`
}

// Place is check.Damage as it is printed. Only Error is there if a file cannot be opened.
type Place struct {
	Error   string    `json:"error"`
	Section string    `json:"section,omitempty"`
	Term    cli.Text  `json:"term,omitempty"`
	Block   *int      `json:"block,omitempty"`
	Offset  *int64    `json:"offset,omitempty"`
	Length  int64     `json:"length,omitempty"`
	Docs    []uint32  `json:"documents,omitempty"` // the first, and the one after the last
	Flip    *FlipText `json:"flipped_bit,omitempty"`

	what string // Error without the place
}

// FlipText is the one bit whose flip explains a damage.
type FlipText struct {
	Offset int64 `json:"offset"`
	Bit    int   `json:"bit"`
}

// place turns an error into a Place.
func place(err error) Place {
	p := Place{Error: err.Error(), what: err.Error()}
	var e *format.Error
	if !errors.As(err, &e) {
		return p
	}
	p.Section, p.Term = e.Section, cli.Text(e.List)
	if e.Msg != "" {
		p.what = e.Msg
	}
	if e.Block >= 0 {
		p.Block = &e.Block
	}
	if e.Offset >= 0 {
		p.Offset = &e.Offset
	}
	return p
}

func placeOf(d check.Damage) Place {
	p := place(d.Err)
	p.Length = d.Length
	if d.Docs[1] > 0 {
		p.Docs = d.Docs[:]
	}
	if d.Flip != nil {
		p.Flip = &FlipText{d.Flip.Offset, d.Flip.Bit}
	}
	return p
}

func verifyCommand() *cobra.Command {
	var level, threads int
	cmd := command("verify INDEX", "Check every byte of an index",
		`It checks the files of an index and shows every damaged place: section, term, block,
bytes and documents, and which single flipped bit explains it. The exit code is 1 if there
is any. It names files that belong to no commit, too. Levels:
  1  the checksums of pages, sections and files
  2  also the dictionary, ids, lengths, stored text and the headers of lists
  3  also every posting and all that lists say about their postings`,
		`  idxinspect verify kjv.idx
  idxinspect verify --level 1 kjv.idx`,
		[]string{"INDEX"}, func(cmd *cobra.Command, args []string) (report, error) {
			v := &Verification{Index: args[0], OK: true, Files: []FileStatus{}, level: check.Level(level), threads: threads}
			if v.threads == 0 {
				v.threads = runtime.GOMAXPROCS(0)
			}
			if err := v.verify(cmd.Context(), cmd.ErrOrStderr()); err != nil {
				return nil, err
			}
			return v, v.damage()
		})
	cli.Int(cmd.Flags(), &level, "level", int(check.Postings), int(check.Checksums), int(check.Postings), "how thorough to be: `N` of 1 to 3")
	cli.Threads(cmd.Flags(), &threads)
	return cmd
}

// damage returns an error if there is any.
func (v *Verification) damage() error {
	n := 0
	for _, f := range v.Files {
		if !f.OK {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("damage found in %d of %d files", n, len(v.Files))
}

// verify checks the index. Damage is in v, not in the error.
func (v *Verification) verify(ctx context.Context, stderr io.Writer) error {
	path := v.Index
	st, err := os.Stat(path)
	if err != nil {
		return cli.Opening(err)
	}
	if !st.IsDir() {
		return v.file(ctx, stderr, path)
	}
	d, err := store.Open(path)
	if err != nil {
		return cli.Opening(err)
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil && !errors.Is(err, format.ErrCorrupt) {
		return cli.Opening(err)
	}
	gen, gerr := d.Generation()
	if gerr != nil {
		return cli.Opening(gerr)
	}
	if gen > 0 {
		for _, name := range []string{store.ManifestName(gen), store.MirrorName(gen)} {
			if err := v.add(path, name, verifyManifest(d, name), nil); err != nil {
				return err
			}
		}
	}
	if err != nil {
		if !v.OK {
			return nil
		}
		return v.add(path, fileOf(err, "manifest"), err, nil) // not the manifest is damaged, but the directory
	}
	defer c.Release()
	for i := range c.Segments {
		info := &c.Segments[i]
		if err := v.segment(ctx, stderr, filepath.Join(path, store.SegmentName(info.File)), c.Manifest, i); err != nil {
			return err
		}
		if info.DeletesFile == 0 {
			continue
		}
		err := verifyDeletes(c, i, v.Files[len(v.Files)-1].OK)
		if err := v.add(path, store.DeletesName(info.DeletesFile), err, nil); err != nil {
			return err
		}
	}
	v.Orphans, err = orphans(ctx, d)
	return err
}

// file checks one file, a segment or a manifest. Where its first bytes are not those of
// Pinion, its name decides between damage and a file of another kind.
func (v *Verification) file(ctx context.Context, stderr io.Writer, path string) error {
	data, err := openData(path)
	if err != nil {
		return cli.Opening(err)
	}
	dir, name := filepath.Split(path)
	_, err = store.ReadManifest(name, data)
	data.Close()
	if err == nil || strings.HasPrefix(name, "manifest-") || strings.HasPrefix(name, "mirror-") {
		return v.add(dir, name, err, nil)
	}
	if errors.Is(err, format.ErrNotAnIndex) && filepath.Ext(name) != ".pin" {
		return cli.Opening(err)
	}
	return v.segment(ctx, stderr, path, nil, 0)
}

// orphans returns the segment and deletes files that no manifest names.
func orphans(ctx context.Context, d *store.Dir) (names []string, err error) {
	inv, err := d.Inspect(ctx, nil)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, m := range inv.Manifests {
		if m.Manifest != nil {
			for _, f := range m.Manifest.Files() {
				named[f] = true
			}
		}
	}
	for _, f := range inv.Files {
		if !named[f.Name] {
			names = append(names, f.Name)
		}
	}
	return names, nil
}

func verifyManifest(d *store.Dir, name string) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	data, err := d.OpenFile(name)
	if err != nil {
		return err
	}
	defer data.Close()
	_, err = store.ReadManifest(name, data)
	return err
}

// fileOf returns the name of the file that err is about.
func fileOf(err error, otherwise string) string {
	var e *format.Error
	if errors.As(err, &e) && e.File != "" {
		return filepath.Base(e.File)
	}
	return otherwise
}

// segment checks one segment file, which is segment i of m unless m is nil.
func (v *Verification) segment(ctx context.Context, stderr io.Writer, path string, m *store.Manifest, i int) error {
	var places []Place
	err := v.places(ctx, stderr, path, m, i, func(d check.Damage) { places = append(places, placeOf(d)) })
	return v.add(filepath.Dir(path), filepath.Base(path), err, places)
}

// places calls report for the damaged places of a segment file. It returns an error if the
// file cannot be opened, does not belong to m, or is damaged.
func (v *Verification) places(ctx context.Context, stderr io.Writer, path string, m *store.Manifest, i int, report func(check.Damage)) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	data, err := openData(path)
	if err != nil {
		return err
	}
	defer data.Close()
	s, err := segment.Open(path, data)
	if err != nil {
		return err
	}
	if m != nil {
		if err := m.CheckSegment(i, s); err != nil {
			return err
		}
	}
	p := cli.NewProgress(stderr, "verify "+filepath.Base(path), 0, cli.BytesRate)
	defer p.Stop()
	return check.Segment(ctx, s, check.Options{Level: v.level, Threads: v.threads, Guard: store.Guard, Progress: p.Update, Report: report})
}

// verifyDeletes checks the deletes file of segment i, against the segment if that is
// sound.
func verifyDeletes(c *store.Commit, i int, sound bool) error {
	bm, err := c.Deletes(i)
	if err != nil || !sound {
		return err
	}
	s, data, err := c.OpenSegment(i)
	if err != nil {
		return err
	}
	defer data.Close()
	return c.CheckDeletes(i, s, bm.ToDense())
}

// add records a file. Damage and missing files are recorded; other errors are returned.
// Without places err is the only one.
func (v *Verification) add(dir, file string, err error, places []Place) error {
	f := FileStatus{File: file, OK: err == nil, Damage: places}
	if st, serr := os.Stat(filepath.Join(dir, file)); serr == nil {
		f.Bytes = st.Size()
	}
	if err != nil {
		if !errors.Is(err, format.ErrCorrupt) && !errors.Is(err, format.ErrNotAnIndex) && !cli.IsNotExist(err) {
			return err
		}
		v.OK = false
		if len(places) == 0 {
			f.Damage = []Place{place(err)}
		}
	}
	v.Files = append(v.Files, f)
	return nil
}

func (v *Verification) text(w io.Writer) {
	t := cli.NewTable("file", ">bytes", "")
	for _, f := range v.Files {
		status := "ok"
		if !f.OK {
			status = "DAMAGED"
		}
		t.Row(f.File, f.Bytes, status)
	}
	t.WriteTo(w)
	for _, name := range v.Orphans {
		fmt.Fprintf(w, "\n%s belongs to no commit: a writer is at work, or a crash left it\n", name)
	}
	for _, f := range v.Files {
		for _, p := range f.Damage {
			fmt.Fprintf(w, "\n%s\n", cli.Printable(p.Error))
			if p.Length > 0 && p.Offset != nil {
				fmt.Fprintf(w, "  bytes %d to %d\n", *p.Offset, *p.Offset+p.Length-1)
			}
			if p.Docs != nil {
				fmt.Fprintf(w, "  documents %d to %d\n", p.Docs[0], p.Docs[1]-1)
			}
			if p.Flip != nil {
				fmt.Fprintf(w, "  explained by a flip of bit %d of byte %d\n", p.Flip.Bit, p.Flip.Offset)
			}
		}
	}
}
