package idxinspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/tools/remains"
	"github.com/pinion-index/pinion/segment"
)

// Repair is what `idxinspect repair` prints.
type Repair struct {
	Index     string         `json:"index"`
	Manifests []RepairFile   `json:"manifests"`
	Files     []RepairFile   `json:"files"`
	Commits   []RepairChoice `json:"commits"`
	Rebuild   *RepairChoice  `json:"rebuild"`
	Applied   string         `json:"applied,omitempty"`
}

// RepairFile is a file of a Repair.
type RepairFile struct {
	File      string `json:"file"`
	Documents uint32 `json:"documents"` // of a deletes file, deleted ones
	OK        bool   `json:"ok"`
	Note      string `json:"note,omitempty"`
}

// RepairChoice is an index that a Repair can make.
type RepairChoice struct {
	Generation uint64        `json:"commit,omitempty"`
	Segments   int           `json:"segments"`
	Documents  uint64        `json:"documents"` // live ones
	Missing    []string      `json:"missing"`
	Dropped    []RepairNotes `json:"dropped"`
	Notes      []RepairNotes `json:"notes"`
	// Losses are what a rebuilt index lacks of the segments that it has in part.
	Losses []remains.Loss `json:"losses"`
}

// RepairNotes is what is said about a file.
type RepairNotes struct {
	File string `json:"file"`
	Note string `json:"note"`
}

// repairFlags are the flags of the command.
type repairFlags struct {
	apply, rebuild bool
	commit         uint64
	level, threads int
}

func repairCommand() *cobra.Command {
	var f repairFlags
	cmd := command("repair INDEX", "Show what can be had of a damaged index, and make it",
		`It lists the files of the directory, the commits that can be restored, and the index
that the segments make. It changes nothing without --apply, which takes --commit
or --rebuild. Then files that the new commit does not name move to the folder
quarantine in INDEX; nothing is deleted.

Files of which other parts or checksums say what they were are mended: those with a
flipped bit, and segments that lost only what their other parts tell: first page, footer,
META, FIELDS, PAGESUMS, the lengths of documents, and the indexes of terms and ids.
--apply writes them again, and lists what it mended. A rebuilt index has all sound and
mended segments in the order of their files. Where two hold the same document, the
newer file has it; a segment whose documents are all in newer ones is dropped.

Of a segment that cannot be mended, a rebuilt index has what idxmerge --salvage reads:
the documents that are in no other segment, with what is left of their postings and
values. What is lost is counted and listed. Until it is committed, what is read is in
the folder for temporary files, which TMPDIR names.`,
		`  idxinspect repair kjv.idx
  idxinspect repair --level 3 kjv.idx
  idxinspect repair --apply --commit 12 kjv.idx
  idxinspect repair --apply --rebuild kjv.idx`,
		[]string{"INDEX"}, func(cmd *cobra.Command, args []string) (report, error) {
			given := cmd.Flags().Changed("commit")
			switch {
			case given && f.rebuild || f.apply && !given && !f.rebuild:
				return nil, cli.Usage("--apply takes one of --commit and --rebuild")
			case !f.apply && (given || f.rebuild):
				return nil, cli.Usage("--commit and --rebuild change the index, and so take --apply; without any of them repair says what there is")
			}
			d, err := indexdir.Open(args[0])
			if err != nil {
				return nil, cli.Opening(err)
			}
			defer d.Close()
			r := &Repair{Index: args[0]}
			err = f.run(cmd.Context(), cmd.ErrOrStderr(), d, r)
			if err != nil && r.Files == nil {
				return nil, cli.Opening(err)
			}
			return r, err
		})
	cmd.Flags().BoolVar(&f.apply, "apply", false, "commit what --commit or --rebuild says")
	cmd.Flags().Uint64Var(&f.commit, "commit", 0, "restore commit `N`")
	cmd.Flags().BoolVar(&f.rebuild, "rebuild", false, "make an index of all segments, or what is left of them")
	cli.Int(cmd.Flags(), &f.level, "level", int(check.Checksums), int(check.Checksums), int(check.Postings), "how segments are checked, as by verify: `N` of 1 to 3")
	cli.Threads(cmd.Flags(), &f.threads)
	return cmd
}

// run fills in r and, with --apply, repairs d.
func (f *repairFlags) run(ctx context.Context, stderr io.Writer, d *indexdir.Dir, r *Repair) (err error) {
	if f.threads == 0 {
		f.threads = runtime.GOMAXPROCS(0)
	}
	left := &leftovers{threads: f.threads}
	defer func() { err = errors.Join(err, left.close()) }()
	checkSegment := func(ctx context.Context, s *segment.Segment) error {
		p := cli.NewProgress(stderr, "check "+s.Name(), 0, cli.BytesRate)
		defer p.Stop()
		return check.Segment(ctx, s, check.Options{Level: check.Level(f.level), Threads: f.threads, Guard: indexdir.Guard, Progress: p.Update})
	}
	if !f.apply {
		inv, err := d.Inspect(ctx, checkSegment, mending.Mend)
		if err != nil {
			return err
		}
		_, err = f.choose(ctx, d, inv, left, r)
		return err
	}
	upgrade := cli.NewUpgrade(r.Index)
	err = d.Repair(ctx, checkSegment, mending.Mend, func(inv *indexdir.Inventory) (*indexdir.Recovery, error) {
		return f.choose(ctx, d, inv, left, r)
	})
	if err == nil {
		upgrade.Done(stderr)
	}
	return err
}

// choose fills in r and returns what is to be applied.
func (f *repairFlags) choose(ctx context.Context, d *indexdir.Dir, inv *indexdir.Inventory, left *leftovers, r *Repair) (*indexdir.Recovery, error) {
	if len(inv.Manifests)+len(inv.Files) == 0 {
		return nil, &format.Error{Kind: format.ErrNotAnIndex, File: r.Index, Block: format.NoBlock, Offset: -1,
			Msg: "the directory has no manifest and no segments"}
	}
	r.list(inv)
	var chosen *indexdir.Recovery
	for _, c := range inv.Commits() {
		r.Commits = append(r.Commits, choice(c))
		if f.apply && !f.rebuild && c.Manifest.Generation == f.commit {
			chosen = c
			r.Applied = fmt.Sprintf("restored commit %d", f.commit)
		}
	}
	if !f.apply || f.rebuild {
		err := d.Salvage(ctx, inv, func(name string, s, plain *segment.Segment, deleted func(uint32) bool) (*indexdir.Left, error) {
			return left.read(ctx, name, s, plain, deleted)
		})
		if err != nil {
			return nil, err
		}
	}
	rebuilt, err := d.Rebuild(ctx, inv)
	if err != nil {
		return nil, err
	}
	if len(rebuilt.Manifest.Segments) > 0 {
		c := choice(rebuilt)
		c.Losses, c.Notes = left.of(rebuilt.Dropped), append(c.Notes, left.notes...)
		r.Rebuild = &c
	}
	switch {
	case !f.apply:
		return nil, nil
	case f.rebuild && r.Rebuild == nil:
		return nil, errors.New("of no segment anything can be read")
	case f.rebuild:
		chosen = rebuilt
		r.Applied = "rebuilt from " + cli.Number(len(rebuilt.Manifest.Segments), "segment")
	case chosen == nil:
		return nil, fmt.Errorf("no commit %d can be read", f.commit)
	}
	if len(chosen.Missing) > 0 {
		r.Applied = ""
		return nil, fmt.Errorf("commit %d cannot be restored: %w", f.commit, chosen.Missing[0])
	}
	return chosen, nil
}

func (r *Repair) list(inv *indexdir.Inventory) {
	r.Manifests, r.Files, r.Commits = []RepairFile{}, []RepairFile{}, []RepairChoice{}
	for _, m := range inv.Manifests {
		f := RepairFile{File: m.Name, OK: m.Err == nil}
		if m.Err != nil {
			f.Note = m.Err.Error()
		}
		if m.Manifest != nil {
			f.Documents = uint32(m.Manifest.Docs())
			if m.Err != nil {
				f.Note = "can be mended: " + mends(m.Mends)
			}
		}
		r.Manifests = append(r.Manifests, f)
	}
	for _, x := range inv.Files {
		f := RepairFile{File: x.Name, Documents: x.Docs, OK: x.Err == nil}
		switch {
		case len(x.Mends) > 0:
			f.Note = "can be mended: " + mends(x.Mends)
		case x.Err != nil:
			f.Note = x.Err.Error()
		case x.Temp:
			f.Note = "perhaps never committed"
		}
		r.Files = append(r.Files, f)
	}
}

// mends says what is mended of a file.
func mends(all []format.Mend) string {
	var s []string
	for _, m := range all {
		s = append(s, m.String())
	}
	return strings.Join(s, "; ")
}

func choice(c *indexdir.Recovery) RepairChoice {
	out := RepairChoice{
		Generation: c.Manifest.Generation, Segments: len(c.Manifest.Segments), Documents: c.Live(),
		Missing: []string{}, Dropped: notes(c.Dropped), Notes: notes(c.Notes), Losses: []remains.Loss{},
	}
	for _, err := range c.Missing {
		out.Missing = append(out.Missing, err.Error())
	}
	return out
}

func notes(from []indexdir.Dropped) []RepairNotes {
	out := []RepairNotes{}
	for _, d := range from {
		out = append(out, RepairNotes{d.File, d.Reason})
	}
	return out
}

func (r *Repair) Text(w io.Writer) {
	t := cli.NewTable("file", ">docs", "", "")
	for _, f := range append(r.Manifests, r.Files...) {
		state := "ok"
		if !f.OK {
			state = "DAMAGED"
		}
		t.Row(f.File, f.Documents, state, cli.Printable(f.Note))
	}
	t.WriteTo(w)
	for _, c := range r.Commits {
		fmt.Fprintf(w, "\ncommit %d: %s in %s", c.Generation, cli.Number(c.Documents, "document"), cli.Number(c.Segments, "segment"))
		if len(c.Missing) == 0 {
			fmt.Fprint(w, ", complete\n")
			continue
		}
		fmt.Fprint(w, ", INCOMPLETE\n")
		for _, m := range c.Missing {
			fmt.Fprintf(w, "    %s\n", m)
		}
	}
	if c := r.Rebuild; c == nil {
		fmt.Fprint(w, "\nrebuilt: of no segment anything can be read\n")
	} else {
		fmt.Fprintf(w, "\nrebuilt: %s in %s\n", cli.Number(c.Documents, "document"), cli.Number(c.Segments, "segment"))
		for _, d := range c.Dropped {
			fmt.Fprintf(w, "    without %s: %s\n", d.File, d.Note)
		}
		for _, d := range c.Notes {
			fmt.Fprintf(w, "    %s: %s\n", d.File, d.Note)
		}
		if len(c.Losses) > 0 {
			fmt.Fprintln(w)
			remains.Print(w, c.Losses)
		}
	}
	if r.Applied != "" {
		fmt.Fprintf(w, "\n%s\n", r.Applied)
	} else {
		fmt.Fprint(w, "\nnothing was changed\n")
	}
}
