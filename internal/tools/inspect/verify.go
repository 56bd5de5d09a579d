package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/segment"
)

// Verification is what `idxinspect verify` prints.
type Verification struct {
	Index string       `json:"index"`
	OK    bool         `json:"ok"`
	Files []FileStatus `json:"files"`
	// Orphans are files that no commit names: of a writer at work, or left by a crash.
	Orphans []string `json:"orphans,omitempty"`

	o VerifyOptions
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

	What string `json:"-"` // Error without the place
}

// FlipText is the one bit whose flip explains a damage.
type FlipText struct {
	Offset int64 `json:"offset"`
	Bit    int   `json:"bit"`
}

// place turns an error into a Place.
func place(err error) Place {
	p := Place{Error: err.Error(), What: err.Error()}
	var e *format.Error
	if !errors.As(err, &e) {
		return p
	}
	p.Section, p.Term = e.Section, cli.Text(e.List)
	if e.Msg != "" {
		p.What = e.Msg
	}
	if e.Block >= 0 {
		p.Block = &e.Block
	}
	if e.Offset >= 0 {
		p.Offset = &e.Offset
	}
	return p
}

// Where returns the bytes and documents of a place, and which flipped bit explains it, as far as they are known.
func (p Place) Where() []string { return p.where(cli.Count[int64]) }

// where is Where with another form of numbers.
func (p Place) where(number func(int64) string) (lines []string) {
	if p.Length > 0 && p.Offset != nil {
		lines = append(lines, fmt.Sprintf("bytes %s to %s", number(*p.Offset), number(*p.Offset+p.Length-1)))
	}
	if p.Docs != nil {
		lines = append(lines, fmt.Sprintf("documents %s to %s", number(int64(p.Docs[0])), number(int64(p.Docs[1])-1)))
	}
	if p.Flip != nil {
		lines = append(lines, fmt.Sprintf("explained by a flip of bit %d of byte %s", p.Flip.Bit, number(p.Flip.Offset)))
	}
	return lines
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

// VerifyOptions configure Verify.
type VerifyOptions struct {
	Level   check.Level
	Threads int
	// Progress is called before a segment of some size is checked, and returns what is then called now and then with how
	// much of it is done, and at its end.
	Progress func(file string, size int64) (update func(done, total int64), end func())
	// Report, unless nil, is called with each damaged place of a file, which FileStatus then lacks.
	Report func(file string, p Place)
}

// VerifyPath checks an index or a file by itself.
func VerifyPath(ctx context.Context, path string, o VerifyOptions) (*Verification, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, cli.Opening(err)
	}
	if !st.IsDir() {
		v := newVerification(path, o)
		return v, v.file(ctx, path)
	}
	x, err := Open(path, All)
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer x.Close()
	return Verify(ctx, x, o)
}

// Verify checks the files of an index that was opened with All. Damage is in the Verification, not in the error.
func Verify(ctx context.Context, x *Index, o VerifyOptions) (*Verification, error) {
	v := newVerification(x.Path, o)
	if x.Manifest == nil {
		return v, v.unreadable(ctx, x)
	}
	if err := v.commit(ctx, x); err != nil {
		return nil, err
	}
	var err error
	v.Orphans, err = x.orphans(ctx)
	return v, err
}

func newVerification(path string, o VerifyOptions) *Verification {
	return &Verification{Index: path, OK: true, Files: []FileStatus{}, o: o}
}

// Err returns an error if there is damage.
func (v *Verification) Err() error {
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

// commit checks the files of a commit.
func (v *Verification) commit(ctx context.Context, x *Index) error {
	m := x.Manifest
	for _, name := range manifestNames(m.Generation) {
		f := x.File(name)
		if err := v.record(f, f.manifest()); err != nil {
			return err
		}
	}
	for i := range m.Segments {
		info := &m.Segments[i]
		f := x.File(indexdir.SegmentName(info.File))
		if err := v.segment(ctx, x.Path, f, m, i); err != nil {
			return err
		}
		sound := v.Files[len(v.Files)-1].OK
		if info.ValuesFile != 0 {
			if err := v.values(x, f, info, sound); err != nil {
				return err
			}
		}
		if info.DeletesFile == 0 {
			continue
		}
		d := x.File(indexdir.DeletesName(info.DeletesFile))
		err := d.check(func() error {
			bm, err := indexdir.ReadDeletes(d.Name, d.Data, info)
			if err != nil || !sound {
				return err
			}
			s, err := segment.Open(f.Name, f.Data)
			if err != nil {
				return err
			}
			return m.CheckDeletes(i, s, bm.Words())
		})
		if err := v.record(d, err); err != nil {
			return err
		}
	}
	return nil
}

// values checks the values that were changed in place in the segment of f, which is sound or not.
func (v *Verification) values(x *Index, f *File, info *indexdir.SegmentInfo, sound bool) error {
	d := x.File(indexdir.ValuesName(info.ValuesFile))
	err := d.check(func() error {
		if !sound {
			_, err := indexdir.ReadValues(d.Name, d.Data, info, nil)
			return err
		}
		s, err := segment.Open(f.Name, f.Data)
		if err != nil {
			return err
		}
		c, err := indexdir.ReadValues(d.Name, d.Data, info, s)
		if err != nil {
			return err
		}
		return check.Changes(s.WithChanges(func(context.Context) (*segment.Changes, error) { return c, nil }))
	})
	return v.record(d, err)
}

// unreadable checks the files of an index whose newest commit cannot be read.
func (v *Verification) unreadable(ctx context.Context, x *Index) (err error) {
	for i := range x.Files {
		switch f := &x.Files[i]; f.Kind {
		case manifestKind:
			err = v.record(f, f.manifest())
		case segmentKind:
			err = v.segment(ctx, x.Path, f, nil, 0)
		default:
			err = v.record(f, f.Err)
		}
		if err != nil {
			return err
		}
	}
	if !v.OK {
		return nil
	}
	name := manifestKind // not a file is damaged, but the directory
	var e *format.Error
	if errors.As(x.Damage[0], &e) && e.File != "" {
		name = filepath.Base(e.File)
	}
	return v.record(&File{Name: name}, x.Damage[0])
}

// file checks one file, a segment or a manifest. Where its first bytes are not those of
// Pinion, its name decides between damage and a file of another kind.
func (v *Verification) file(ctx context.Context, path string) error {
	data, err := OpenFile(path)
	if err != nil {
		return cli.Opening(err)
	}
	defer data.Close()
	dir, name := filepath.Split(path)
	f := &File{Name: name, Data: data}
	err = f.manifest()
	if err == nil || strings.HasPrefix(name, "manifest-") || strings.HasPrefix(name, "mirror-") {
		return v.record(f, err)
	}
	if errors.Is(err, format.ErrNotAnIndex) && filepath.Ext(name) != ".pin" {
		return cli.Opening(err)
	}
	return v.segment(ctx, dir, f, nil, 0)
}

// orphans returns the segment and deletes files that no manifest names, nor x.
func (x *Index) orphans(ctx context.Context) (names []string, err error) {
	inv, err := x.dir.Inspect(ctx, nil, mending.Mend)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, f := range x.Files {
		named[f.Name] = true
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

// manifest returns why f cannot be read as a file of a manifest.
func (f *File) manifest() error {
	return f.check(func() error { _, err := indexdir.ReadManifest(f.Name, f.Data); return err })
}

// segment checks one segment file of a directory, which is segment i of m unless m is nil.
func (v *Verification) segment(ctx context.Context, dir string, f *File, m *indexdir.Manifest, i int) error {
	var places []Place
	err := f.check(func() error {
		// A view of its own compares each page again, not only on first touch.
		s, err := segment.Open(filepath.Join(dir, f.Name), f.Data)
		if err != nil {
			return err
		}
		if m != nil {
			if err := m.CheckSegment(i, s); err != nil {
				return err
			}
		}
		update, end := v.o.Progress(f.Name, f.Size())
		defer end()
		err = check.Segment(ctx, s, check.Options{Level: v.o.Level, Threads: v.o.Threads, Guard: indexdir.Guard, Progress: update,
			Report: func(d check.Damage) { places = v.place(f, places, placeOf(d)) }})
		if err == nil && m != nil && v.o.Level > check.Checksums {
			err = m.CheckOrder(s)
		}
		return err
	})
	return v.record(f, err, places...)
}

// place appends a damaged place of f to others, or reports it.
func (v *Verification) place(f *File, places []Place, p Place) []Place {
	if v.o.Report != nil {
		v.o.Report(f.Name, p)
		return append(places[:0], p)
	}
	return append(places, p)
}

// record records a file. Damage and missing files are recorded; other errors are returned.
// Without places err is the only one.
func (v *Verification) record(f *File, err error, places ...Place) error {
	st := FileStatus{File: f.Name, OK: err == nil, Bytes: f.Size()}
	if err != nil {
		if !errors.Is(err, format.ErrCorrupt) && !errors.Is(err, format.ErrNotAnIndex) && !cli.IsNotExist(err) {
			return err
		}
		v.OK = false
		if len(places) == 0 {
			places = v.place(f, nil, place(err))
		}
		st.Damage = places
	}
	v.Files = append(v.Files, st)
	return nil
}

// Text prints v.
func (v *Verification) Text(w io.Writer) {
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
			for _, line := range p.where(func(n int64) string { return strconv.FormatInt(n, 10) }) {
				fmt.Fprintf(w, "  %s\n", line)
			}
		}
	}
}
