package idxinspect

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

// Residency is what `idxinspect residency` prints: what of an index is in memory.
type Residency struct {
	PageSize int            `json:"page_size"`
	Sections []SectionPages `json:"sections"`
	Pages    int64          `json:"pages"`
	Resident int64          `json:"resident_pages"`
	Budget   int64          `json:"budget,omitempty"` // device memory, with a plan
	Planned  *PlanSum       `json:"gpu,omitempty"`    // what it holds
	Lists    []ResidentList `json:"lists,omitempty"`
	queries  int
}

// SectionPages counts the pages of a section in the page cache of the operating system.
type SectionPages struct {
	File     string `json:"file"`
	Section  string `json:"section"`
	Pages    int64  `json:"pages"`
	Resident int64  `json:"resident_pages"`
}

// ResidentList is a list that a log asks for.
type ResidentList struct {
	PlanList
	GPU      bool  `json:"gpu"` // the plan holds it
	Pages    int64 `json:"pages"`
	Resident int64 `json:"resident_pages"`
}

func residencyCommand() *cobra.Command {
	budget := cli.ByteSize(8 << 30)
	queries, top := "", 20
	cmd := command("residency INDEX", "Show which parts of an index are in memory",
		`It asks the operating system which pages of each section are in its page cache
(on Linux), and reads none but those that opening reads. With --queries it adds
the lists that the log asks for: those that a GPU with --budget would hold, as
gpu-plan says, and how much of each is in the page cache.`,
		`  idxinspect residency kjv.idx
  idxinspect residency --queries topics.tsv --budget 1GiB kjv.idx`,
		[]string{"INDEX"}, func(cmd *cobra.Command, args []string) (report, error) {
			if queries == "" && (cmd.Flags().Changed("budget") || cmd.Flags().Changed("top")) {
				return nil, cli.Usage("--budget and --top go with --queries")
			}
			r := &Residency{PageSize: pageSize(), Sections: []SectionPages{}}
			err := inspect.With(args[0], func(x *inspect.Index) error {
				pages, err := r.sections(x)
				if err != nil || queries == "" {
					return err
				}
				l, err := newPlanLog(x, queries)
				if err != nil {
					return err
				}
				r.lists(l, pages, int64(budget), top)
				return nil
			})
			return reported(r, err)
		})
	cmd.Flags().Var(&budget, "budget", "device memory for lists")
	cmd.Flags().StringVar(&queries, "queries", "", cli.QueriesUsage)
	cli.Int(cmd.Flags(), &top, "top", top, 0, cli.Any, "show `N` lists, the first of the plan")
	return cmd
}

// filePages says which pages of a file are in memory.
type filePages []byte

// pagesOf returns the pages of a segment's file. Of one that opening has read, not mapped, all
// are in memory.
func pagesOf(g *inspect.Segment) (filePages, error) {
	m, ok := g.Data().(interface {
		Mapped() []byte
		InPageCache() bool
	})
	if !ok {
		return nil, fmt.Errorf("%s is not mapped", g.File)
	}
	if !m.InPageCache() {
		size := int64(pageSize())
		return bytes.Repeat([]byte{1}, int((g.Data().Size()+size-1)/size)), nil
	}
	p, err := residentPages(m.Mapped())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.File, err)
	}
	return p, nil
}

// count counts the pages of a range of the file, and those in memory.
func (p filePages) count(off, n int64) (pages, resident int64) {
	size := int64(pageSize())
	if n == 0 {
		return 0, 0
	}
	for _, b := range p[off/size : min(int64(len(p)), (off+n-1)/size+1)] {
		pages++
		resident += int64(b & 1)
	}
	return pages, resident
}

// sections counts the pages of all sections. It returns the pages of each segment.
func (r *Residency) sections(x *inspect.Index) ([]filePages, error) {
	var all []filePages
	for _, g := range x.Segs {
		p, err := pagesOf(g)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
		add := func(name string, off, n int64) {
			s := SectionPages{File: g.File, Section: name}
			s.Pages, s.Resident = p.count(off, n)
			r.Sections = append(r.Sections, s)
		}
		add("header", 0, g.Header().FrontSize())
		for _, s := range g.Header().Sections {
			add(s.ID.String(), s.Offset, s.PaddedLength())
		}
		for _, b := range p {
			r.Pages++
			r.Resident += int64(b & 1)
		}
	}
	return all, nil
}

// lists adds the first lists of the plan for a log.
func (r *Residency) lists(l *planLog, pages []filePages, budget int64, top int) {
	demands := l.demands(0, 1)
	held, bytes := gpu.Fit(demands, budget)
	r.Budget, r.Planned, r.queries = budget, &PlanSum{len(held), bytes}, len(l.queries)
	r.Lists = []ResidentList{}
	for _, d := range demands[:min(top, len(demands))] {
		v := ResidentList{PlanList: l.lists[d.Key], GPU: held[d.Key]}
		v.Uses = d.Uses
		postings := l.Segs[d.Key.Segment].Offset(format.SectionPostings)
		v.Pages, v.Resident = pages[d.Key.Segment].count(postings+d.Key.Offset, v.Bytes)
		r.Lists = append(r.Lists, v)
	}
}

func (r *Residency) Text(w io.Writer) {
	t := cli.NewTable("file", "section", ">pages", ">in page cache", ">share")
	for _, s := range r.Sections {
		t.Row(s.File, s.Section, s.Pages, s.Resident, cli.Percent(s.Resident, s.Pages))
	}
	t.Row("all", "", r.Pages, r.Resident, cli.Percent(r.Resident, r.Pages))
	t.WriteTo(w)
	fmt.Fprintf(w, "\npages of %s\n", cli.Bytes(r.PageSize))
	if r.Planned == nil {
		return
	}
	fmt.Fprintf(w, "\n%s: a GPU with %s for lists holds %s of them, %s\n\n", cli.Number(r.queries, "query"), (*cli.ByteSize)(&r.Budget),
		cli.Count(r.Planned.Lists), cli.Bytes(r.Planned.Bytes))
	t = cli.NewTable("term", "segment", ">df", ">bytes", ">uses", "GPU", ">in page cache")
	for _, v := range r.Lists {
		t.Row(cli.Quote(v.Term), v.Segment, v.DF, v.Bytes, v.Uses, inspect.YesNo(v.GPU), cli.Percent(v.Resident, v.Pages))
	}
	t.WriteTo(w)
}
