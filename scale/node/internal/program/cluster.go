package program

import (
	"errors"
	"os"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/node"
)

// Cluster returns the command pinion-cluster.
func Cluster() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pinion-cluster COMMAND",
		Short: "Divide documents among shards, and serve all of them on this machine",
		Long: `Pinion-cluster builds a directory of shards, each an index, and serves them over HTTP from
this machine: a NATS server, a node for each shard and a router, in one program. To serve them
from several machines, copy a shard to each and run pinion-node there; 'map' shows who has what.`,
	}
	cmd.AddCommand(buildCommand(), serveCommand(), mapCommand())
	return cmd
}

func serveCommand() *cobra.Command {
	var server httpFlags
	cmd := &cobra.Command{
		Use:   "serve DIR",
		Short: "Serve all shards of a directory over HTTP",
		Long: `Serve all shards of a directory over HTTP.

It prints its address. What 'pinion-cluster build' or idxbuild commits meanwhile is found. Only
this machine reaches the NATS server, which needs no credentials; its files are temporary.`,
		Example: `  pinion-cluster serve wiki
  curl 'localhost:8080/v1/search?q=rose&k=3'`,
		Args: cli.Want("DIR"),
	}
	cmd.Flags().SortFlags = false
	server.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		dirs, err := node.ShardDirs(args[0])
		if err == nil && len(dirs) == 0 {
			err = errors.New(args[0] + " has no shards, such as " + node.ShardName(0, 3))
		}
		if err != nil {
			return cli.Opening(err)
		}
		if err := server.check(); err != nil {
			return err
		}
		return serve(cmd, dirs, &server)
	}
	return cmd
}

// serve runs all of a cluster until the context of cmd is done. It ends the parts in the order in which they ask each other.
func serve(cmd *cobra.Command, dirs []string, server *httpFlags) (err error) {
	state, err := os.MkdirTemp("", "pinion-cluster-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(state)) }()
	s, err := node.StartServer("127.0.0.1:0", state)
	if err != nil {
		return err
	}
	defer func() { s.Shutdown(); s.WaitForShutdown() }()
	at := natsFlags{collection: "pinion"}
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	for i, dir := range dirs {
		nc, err := node.Connect(s.ClientURL(), node.ShardName(i, len(dirs)), nats.InProcessServer(s))
		if err != nil {
			return err
		}
		defer nc.Close()
		end, err := serveIndex(ctx, nc, dir, node.Options{Collection: at.collection, Shard: i, Shards: len(dirs)}, stderr)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
	}
	nc, err := node.Connect(s.ClientURL(), "router", nats.InProcessServer(s))
	if err != nil {
		return err
	}
	defer nc.Close()
	r, err := node.NewRouter(ctx, nc, server.router(&at))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.Ready(ctx); err != nil {
		return err
	}
	h, err := server.server(r)
	if err != nil {
		return err
	}
	return server.Serve(ctx, cmd.OutOrStdout(), h)
}
