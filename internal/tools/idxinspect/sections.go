package idxinspect

import (
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

// Sections is what `idxinspect sections` prints.
type Sections []FileSections

// FileSections are the sections of one segment file.
type FileSections struct {
	File     string    `json:"file"`
	Kind     string    `json:"kind"`
	Version  string    `json:"version"`
	Bytes    int64     `json:"bytes"`
	Sections []Section `json:"sections"`
}

// Section is one section.
type Section struct {
	Name     string `json:"name"`
	Number   uint32 `json:"number"`
	Required bool   `json:"required"`
	Offset   int64  `json:"offset"`
	Length   int64  `json:"length"`
	Padding  int64  `json:"padding"`
	Checksum string `json:"checksum"`
	OK       *bool  `json:"checksum_ok,omitempty"`
}

func sectionsCommand() *cobra.Command {
	var check bool
	cmd := command("sections INDEX", "Show the section table of every segment", "",
		"  idxinspect sections kjv.idx\n  idxinspect sections --check kjv.idx",
		[]string{"INDEX"}, func(_ *cobra.Command, args []string) (report, error) {
			var out Sections
			bad := false
			err := inspect.With(args[0], func(x *inspect.Index) error {
				for _, g := range x.Segs {
					f, err := sectionsOf(g, check)
					if err != nil {
						return err
					}
					for _, s := range f.Sections {
						bad = bad || s.OK != nil && !*s.OK
					}
					out = append(out, f)
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			if bad {
				err = errors.New("damage found")
			}
			return out, err
		})
	cmd.Flags().BoolVar(&check, "check", false, "compute the checksums too")
	return cmd
}

func sectionsOf(g *inspect.Segment, check bool) (FileSections, error) {
	h := g.Header()
	f := FileSections{File: g.File, Kind: h.Kind.String(), Version: h.Version.String(), Bytes: h.FileLen}
	for _, s := range h.Sections {
		e := Section{
			Name: s.ID.String(), Number: uint32(s.ID), Required: s.Flags&format.SectionRequired != 0,
			Offset: s.Offset, Length: s.Length, Padding: s.PaddedLength() - s.Length,
			Checksum: fmt.Sprintf("%016x", s.Checksum),
		}
		if check {
			b, err := g.Data().Range(s.Offset, s.PaddedLength())
			if err != nil {
				return f, err
			}
			ok := xxhash.Sum64(b) == s.Checksum
			e.OK = &ok
		}
		f.Sections = append(f.Sections, e)
	}
	return f, nil
}

func (s Sections) Text(w io.Writer) {
	for i, f := range s {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s, format %s, %s\n", f.File, f.Kind, f.Version, cli.Number(f.Bytes, "byte"))
		t := cli.NewTable("section", ">offset", ">length", ">padding", ">share", "required", "xxhash64", "")
		for _, e := range f.Sections {
			status := ""
			if e.OK != nil {
				status = map[bool]string{true: "ok", false: "DAMAGED"}[*e.OK]
			}
			t.Row(e.Name, e.Offset, e.Length, e.Padding, cli.Percent(e.Length, f.Bytes), inspect.YesNo(e.Required), e.Checksum, status)
		}
		t.WriteTo(w)
	}
}
