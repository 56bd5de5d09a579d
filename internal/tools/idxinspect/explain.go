package idxinspect

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/query"
)

func explainCommand() *cobra.Command {
	o := idxquery.TraceOptions{Params: query.DefaultParams()}
	trace := false
	mode, algo := cli.NewChoice("MODE", query.ModeOr.String(), query.ModeAnd.String(), query.ModeAndOr.String()), cli.NewChoice("NAME", idxquery.Algorithms()...)
	device, steps := cli.NewChoice("DEVICE", "cpu", "gpu", "hybrid"), idxquery.NewSteps()
	cmd := command("explain INDEX QUERY ID", "Show how a document gets its score, or what a query does",
		`Terms are shown in the order in which their scores are summed: by ascending document
frequency in the whole index. All steps are in 32-bit floats, as in a query. Deleted
documents do not count in the statistics.

With --trace there is no ID. It answers the query and shows what that did: the blocks
of each list that were decoded, skipped by their bound or skipped by the skip header,
pivots, how the threshold rose, and the time. With --device gpu or hybrid it shows on
which processor each step ran and why; lists are copied to the device first.`,
		`  idxinspect explain kjv.idx "the lord is my shepherd" Psa23:1
  idxinspect explain --trace --mode and kjv.idx "the lord is my shepherd"`,
		nil, func(cmd *cobra.Command, args []string) (report, error) {
			if err := o.Params.Check(); err != nil {
				return nil, cli.Usage("%w", err)
			}
			if trace {
				if err := idxquery.CheckAlgorithm(algo.Value, mode.Value); err != nil {
					return nil, err
				}
				if cmd.Flags().Changed("steps") && device.Value != "hybrid" {
					return nil, cli.Usage("--steps takes --device hybrid")
				}
				o.Mode, o.Algorithm, o.Device, o.Steps = mode.Value, algo.Value, device.Value, steps.Value
				o.Params = idxquery.GivenParams(cmd, o.Params)
				a, text, err := idxquery.Explain(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args[0], args[1], o)
				if err != nil {
					return nil, err
				}
				return traced{a, text}, nil
			}
			for _, name := range []string{"k", "mode", "algo", "device", "steps"} {
				if cmd.Flags().Changed(name) {
					return nil, cli.Usage("--%s goes with --trace", name)
				}
			}
			return opened(args[0], func(x *inspect.Index) (*inspect.Explanation, error) {
				return inspect.Explain(x, idxquery.GivenParams(cmd, o.Params), args[1], args[2])
			})
		})
	one, many := cli.Want("INDEX", "QUERY", "ID"), cli.Want("INDEX", "QUERY")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if trace {
			return many(cmd, args)
		}
		return one(cmd, args)
	}
	fl := cmd.Flags()
	fl.Float64Var(&o.Params.K1, "k1", o.Params.K1, "BM25's k1")
	fl.Float64Var(&o.Params.B, "b", o.Params.B, "BM25's b")
	fl.BoolVar(&trace, "trace", false, "answer the query and show what that did")
	cli.Int(fl, &o.K, "k", 10, 1, cli.Any, "with --trace: find the best `N` documents")
	fl.Var(mode, "mode", "with --trace: which documents match: "+mode.Words())
	fl.Var(algo, "algo", "with --trace: how to find them: "+algo.Words())
	fl.Var(device, "device", "with --trace: where to find them: "+device.Words())
	fl.Var(steps, "steps", "with --trace: where the steps of a query run: "+steps.Words())
	return cmd
}

// traced is what --trace prints.
type traced struct {
	*idxquery.Answer
	lines []byte
}

func (t traced) Text(w io.Writer) { w.Write(t.lines) }
