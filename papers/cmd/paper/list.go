package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// row is a line of the list.
type row struct {
	Name  string `json:"name"`
	In    string `json:"in"`
	Title string `json:"title"`
	State string `json:"state"`
	CPU   string `json:"cpu"`
	GPU   string `json:"gpu"`
	Own   string `json:"own"` // the papers' own kernels
}

func (f *flags) list(cmd *cobra.Command) error {
	var rows []row
	for _, p := range papers() {
		for i := range p.Experiments {
			x := &p.Experiments[i]
			cpu, err := state(x, paper.CPUHalf, x.CPU != nil)
			if err != nil {
				return err
			}
			gpu, err := state(x, paper.GPUHalf, x.GPU != nil)
			if err != nil {
				return err
			}
			own, err := state(x, paper.OwnHalf, x.Own != nil)
			if err != nil {
				return err
			}
			rows = append(rows, row{x.Name, p.Title + ", " + x.Number, x.Title, paper.State(x), cpu, gpu, own})
		}
	}
	if f.json {
		return cli.JSON(cmd.OutOrStdout(), rows)
	}
	printPapers(cmd.OutOrStdout(), rows)
	return nil
}

func printPapers(w io.Writer, rows []row) {
	t := cli.NewTable("name", "state", "cpu", "gpu", "own kernels", "title")
	for _, r := range rows {
		t.Row(r.Name, r.State, r.CPU, r.GPU, r.Own, r.Title)
	}
	t.WriteTo(w)
}

// state says what is there of one half of an experiment.
func state(x *paper.Experiment, h paper.Half, measured bool) (string, error) {
	r, err := paper.Recorded(x.Name, h)
	switch {
	case err != nil:
		return "", err
	case r == nil && !measured:
		return "-", nil
	case r == nil:
		return "yes", nil
	case r.Stale() != "":
		return "yes, recorded, stale", nil
	case len(r.Older()) > 0:
		return "yes, recorded, older lists", nil
	}
	return "yes, recorded", nil
}
