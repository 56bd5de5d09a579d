package idxquery

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/mcp"
)

// serve serves the index to assistants until standard input ends. Of a directory each call sees the newest commit.
func (f *flags) serve(cmd *cobra.Command, args []string) (err error) {
	cmd.Flags().Visit(func(x *pflag.Flag) {
		if x.Name != "mcp" && x.Name != "index" && err == nil {
			err = cli.Usage("--mcp and --%s exclude each other: the assistant says what to search for", x.Name)
		}
	})
	if f.index == "" && len(args) > 0 {
		f.index, args = args[0], args[1:]
	}
	switch {
	case err != nil:
		return err
	case f.index == "":
		return cli.Usage("INDEX is missing")
	case len(args) > 0:
		return cli.Usage("--mcp takes no QUERY: the assistant sends its own")
	}
	if cli.IsURL(f.index) {
		s, end, err := cli.Snapshot(f.index)
		if err != nil {
			return err
		}
		defer end()
		v, err := pinion.NewView(s, nil)
		if err != nil {
			return err
		}
		defer v.Close()
		return mcp.Serve(cmd.Context(), mcp.OfView(v), cli.Version(), os.Stdin, cmd.OutOrStdout())
	}
	r, err := pinion.OpenReader(cmd.Context(), f.index)
	if err != nil {
		return cli.Opening(err)
	}
	defer r.Close()
	return mcp.Serve(cmd.Context(), r, cli.Version(), os.Stdin, cmd.OutOrStdout())
}
