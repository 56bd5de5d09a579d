package idxinspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

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
}

// FileStatus is one file of a Verification.
type FileStatus struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

func verifyCommand() *cobra.Command {
	return command("verify INDEX", "Check every byte of an index",
		`It computes every checksum, decodes every list, block, document and id, and compares
what the parts say about each other. It checks all files and shows the first damage of
each. The exit code is 1 if there is any.`,
		"  idxinspect verify kjv.idx",
		[]string{"INDEX"}, func(cmd *cobra.Command, args []string) (report, error) {
			v, err := verify(cmd.Context(), cmd.ErrOrStderr(), args[0])
			if err != nil {
				return nil, err
			}
			return v, v.damage()
		})
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

// verify checks the index at path. Damage is in the Verification, not in the error.
func verify(ctx context.Context, stderr io.Writer, path string) (v *Verification, err error) {
	v = &Verification{Index: path, OK: true, Files: []FileStatus{}}
	st, err := os.Stat(path)
	if err != nil {
		return nil, cli.Opening(err)
	}
	if !st.IsDir() {
		return v, v.segment(ctx, stderr, path, nil, 0)
	}
	d, err := store.Open(path)
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		if errors.Is(err, format.ErrCorrupt) {
			return v, v.add(path, fileOf(err, "manifest"), err)
		}
		return nil, cli.Opening(err)
	}
	defer c.Release()
	v.add(path, store.ManifestName(c.Generation), nil)
	for i := range c.Segments {
		info := &c.Segments[i]
		if err := v.segment(ctx, stderr, filepath.Join(path, store.SegmentName(info.File)), c.Manifest, i); err != nil {
			return v, err
		}
		if info.DeletesFile == 0 {
			continue
		}
		err := verifyDeletes(c, i)
		if err := v.add(path, store.DeletesName(info.DeletesFile), err); err != nil {
			return v, err
		}
	}
	return v, nil
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
	err := verifySegment(ctx, stderr, path, m, i)
	return v.add(filepath.Dir(path), filepath.Base(path), err)
}

func verifySegment(ctx context.Context, stderr io.Writer, path string, m *store.Manifest, i int) (err error) {
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
	return check.Segment(ctx, s, check.Options{Progress: p.Update})
}

// verifyDeletes checks the deletes file of segment i.
func verifyDeletes(c *store.Commit, i int) error {
	bm, err := c.Deletes(i)
	if err != nil {
		return err
	}
	s, data, err := c.OpenSegment(i)
	if err != nil {
		return nil // reported with the segment
	}
	defer data.Close()
	return c.CheckDeletes(i, s, bm.ToDense())
}

// add records a file. Damage and missing files are recorded; other errors are returned.
func (v *Verification) add(dir, file string, err error) error {
	f := FileStatus{File: file, OK: err == nil}
	if st, serr := os.Stat(filepath.Join(dir, file)); serr == nil {
		f.Bytes = st.Size()
	}
	if err != nil {
		if !errors.Is(err, format.ErrCorrupt) && !cli.IsNotExist(err) {
			return err
		}
		v.OK = false
		f.Error = err.Error()
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
	for _, f := range v.Files {
		if !f.OK {
			fmt.Fprintf(w, "\n%s\n", f.Error)
		}
	}
}
