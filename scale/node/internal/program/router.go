package program

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/node"
)

// Router returns the command pinion-router.
func Router() *cobra.Command {
	var at natsFlags
	var server httpFlags
	cmd := &cobra.Command{
		Use:   "pinion-router [flags]",
		Short: "Answer searches over HTTP from shards",
		Long: `Pinion-router asks one node of each shard over NATS, and answers over HTTP what one index of
all documents would, to the bit: searches, batches, counts, suggestions, and metrics for
Prometheus (docs/serving.md). Any number of routers may serve the same collection.

It prints its address. Addresses that other machines reach need --tokens or --client-authority.
After an interrupt or SIGTERM it answers what it was asked, and ends.`,
		Example: `  pinion-router --nats nats://n1:4222,nats://n2:4222 --nats-credentials router.creds \
    --collection wiki --listen :8080 --tokens tokens.txt`,
		Args: cli.Want(),
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	at.add(fl)
	server.add(fl)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if err := server.check(); err != nil {
			return err
		}
		nc, err := at.connect("pinion-router")
		if err != nil {
			return err
		}
		defer nc.Close()
		var r *node.Router
		err = start(cmd.Context(), cmd.ErrOrStderr(), func(ctx context.Context) (err error) {
			r, err = node.NewRouter(ctx, nc, server.router(&at))
			return err
		})
		if errors.Is(err, node.ErrInvalid) {
			err = cli.Usage("--collection: %w", err)
		}
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		s, err := server.server(r)
		if err != nil {
			return err
		}
		return server.Serve(cmd.Context(), cmd.OutOrStdout(), s)
	}
	return cmd
}
