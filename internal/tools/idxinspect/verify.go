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

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
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
	return fmt.Errorf("damage found in %d of %s", n, cli.Number(len(v.Files), "file"))
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
	d, err := indexdir.Open(path)
	if err != nil {
		return cli.Opening(err)
	}
	defer d.Close()
	files := map[string]opened{}
	defer closeAll(files)
	c, err := d.OpenLatest(func(c *indexdir.Commit) error { return openAll(files, d, c) })
	if errors.Is(err, format.ErrCorrupt) {
		return v.unreadable(d, err)
	}
	if err != nil {
		return cli.Opening(err)
	}
	defer c.Release()
	if err := v.commit(ctx, stderr, c, files); err != nil {
		return err
	}
	v.Orphans, err = orphans(ctx, d, c)
	return err
}

// opened is a file to be verified.
type opened struct {
	name string
	data store.Data
	err  error // why it does not open
}

func openNamed(d *indexdir.Dir, name string) opened {
	data, err := d.OpenFile(name)
	return opened{name, data, err}
}

func (f *opened) close() {
	if f.err == nil {
		f.data.Close()
	}
}

// openAll opens the files of c, so that they remain when newer commits remove them.
func openAll(files map[string]opened, d *indexdir.Dir, c *indexdir.Commit) error {
	closeAll(files)
	for _, name := range append([]string{indexdir.ManifestName(c.Generation), indexdir.MirrorName(c.Generation)}, c.Files()...) {
		f := openNamed(d, name)
		files[name] = f
		if err := cli.Overtaken(d, c, f.err); err != nil {
			return err
		}
	}
	return nil
}

func closeAll(files map[string]opened) {
	for _, f := range files {
		f.close()
	}
	clear(files)
}

// commit checks the files of c.
func (v *Verification) commit(ctx context.Context, stderr io.Writer, c *indexdir.Commit, files map[string]opened) error {
	for _, name := range []string{indexdir.ManifestName(c.Generation), indexdir.MirrorName(c.Generation)} {
		f := files[name]
		if err := v.recordFile(f, verifyManifest(f), nil); err != nil {
			return err
		}
	}
	for i := range c.Segments {
		info := &c.Segments[i]
		f := files[indexdir.SegmentName(info.File)]
		if err := v.segment(ctx, stderr, v.Index, f, c.Manifest, i); err != nil {
			return err
		}
		if info.DeletesFile == 0 {
			continue
		}
		sound := v.Files[len(v.Files)-1].OK
		deletes := files[indexdir.DeletesName(info.DeletesFile)]
		if err := v.recordFile(deletes, verifyDeletes(c.Manifest, i, deletes, f, sound), nil); err != nil {
			return err
		}
	}
	return nil
}

// unreadable says what is damaged of an index whose newest commit cannot be read, and why.
func (v *Verification) unreadable(d *indexdir.Dir, why error) error {
	gen, err := d.Generation()
	if err != nil {
		return cli.Opening(err)
	}
	if gen > 0 {
		for _, name := range []string{indexdir.ManifestName(gen), indexdir.MirrorName(gen)} {
			f := openNamed(d, name)
			err := v.recordFile(f, verifyManifest(f), nil)
			f.close()
			if err != nil {
				return err
			}
		}
	}
	if !v.OK {
		return nil
	}
	f := openNamed(d, fileOf(why, "manifest")) // not the manifest is damaged, but the directory
	defer f.close()
	return v.recordFile(f, why, nil)
}

// file checks one file, a segment or a manifest. Where its first bytes are not those of
// Pinion, its name decides between damage and a file of another kind.
func (v *Verification) file(ctx context.Context, stderr io.Writer, path string) error {
	data, err := openData(path)
	if err != nil {
		return cli.Opening(err)
	}
	defer data.Close()
	dir, name := filepath.Split(path)
	f := opened{name: name, data: data}
	err = verifyManifest(f)
	if err == nil || strings.HasPrefix(name, "manifest-") || strings.HasPrefix(name, "mirror-") {
		return v.recordFile(f, err, nil)
	}
	if errors.Is(err, format.ErrNotAnIndex) && filepath.Ext(name) != ".pin" {
		return cli.Opening(err)
	}
	return v.segment(ctx, stderr, dir, f, nil, 0)
}

// orphans returns the segment and deletes files that no manifest names, nor c.
func orphans(ctx context.Context, d *indexdir.Dir, c *indexdir.Commit) (names []string, err error) {
	inv, err := d.Inspect(ctx, nil)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, f := range c.Files() {
		named[f] = true
	}
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

func verifyManifest(f opened) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if f.err != nil {
		return f.err
	}
	_, err = indexdir.ReadManifest(f.name, f.data)
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

// segment checks one segment file of a directory, which is segment i of m unless m is nil.
func (v *Verification) segment(ctx context.Context, stderr io.Writer, dir string, f opened, m *indexdir.Manifest, i int) error {
	var places []Place
	err := v.places(ctx, stderr, dir, f, m, i, func(d check.Damage) { places = append(places, placeOf(d)) })
	return v.recordFile(f, err, places)
}

// places calls report for the damaged places of a segment file. It returns an error if the
// file cannot be opened, does not belong to m, or is damaged.
func (v *Verification) places(ctx context.Context, stderr io.Writer, dir string, f opened, m *indexdir.Manifest, i int, report func(check.Damage)) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if f.err != nil {
		return f.err
	}
	s, err := segment.Open(filepath.Join(dir, f.name), f.data)
	if err != nil {
		return err
	}
	if m != nil {
		if err := m.CheckSegment(i, s); err != nil {
			return err
		}
	}
	p := cli.NewProgress(stderr, "verify "+f.name, 0, cli.BytesRate)
	defer p.Stop()
	err = check.Segment(ctx, s, check.Options{Level: v.level, Threads: v.threads, Guard: indexdir.Guard, Progress: p.Update, Report: report})
	if err == nil && m != nil && v.level > check.Checksums {
		err = m.CheckOrder(s)
	}
	return err
}

// verifyDeletes checks the deletes file f of segment i of m, against the segment's file g if
// that is sound.
func verifyDeletes(m *indexdir.Manifest, i int, f, g opened, sound bool) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if f.err != nil {
		return f.err
	}
	bm, err := indexdir.ReadDeletes(f.name, f.data, &m.Segments[i])
	if err != nil || !sound {
		return err
	}
	s, err := segment.Open(g.name, g.data)
	if err != nil {
		return err
	}
	return m.CheckDeletes(i, s, bm.Words())
}

// recordFile records a file. Damage and missing files are recorded; other errors are returned.
// Without places err is the only one.
func (v *Verification) recordFile(f opened, err error, places []Place) error {
	st := FileStatus{File: f.name, OK: err == nil, Damage: places}
	if f.err == nil {
		st.Bytes = f.data.Size()
	}
	if err != nil {
		if !errors.Is(err, format.ErrCorrupt) && !errors.Is(err, format.ErrNotAnIndex) && !cli.IsNotExist(err) {
			return err
		}
		v.OK = false
		if len(places) == 0 {
			st.Damage = []Place{place(err)}
		}
	}
	v.Files = append(v.Files, st)
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
