package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/node"
)

// Node returns the command pinion-node. device, which may be nil, is what --gpu does: it has searches answered on a GPU. Where it
// cannot, the CPU answers.
func Node(device func(o *node.Options) error) *cobra.Command {
	var at natsFlags
	var shard, health string
	var replicas int
	var refresh time.Duration
	var parallel int
	var gpu bool
	cmd := &cobra.Command{
		Use:   "pinion-node [flags] INDEX",
		Short: "Serve a shard over NATS",
		Long: `Pinion-node serves the index in a directory as a shard of a collection, and goes on with
its newer commits. The directory is named after its shard, such as 0-of-3, as 'pinion-cluster
build' does, or --shard says which one it is. Any number of nodes may serve the same shard.

Copy a shard from one directory to those machines; do not build it on each. A commit is served if it
comes from the one that the shard map names. Of one that does not, of an index that was built apart or
restored from a backup, the node says so and serves nothing, until 'pinion-cluster map' says which is
right. An index with a document of another shard, or other fields than the shards before, is an error.

--health serves /readyz, which fails while the node does not serve, and /healthz. After an interrupt
or SIGTERM the node answers what it was asked, and ends.`,
		Example: `  pinion-node --nats nats://n1:4222,nats://n2:4222 --nats-credentials node.creds \
    --collection wiki --map-replicas 3 /srv/wiki/0-of-3`,
		Args: cli.Want("INDEX"),
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	at.add(fl)
	fl.StringVar(&shard, "shard", "", "which `SHARD` the index is, as in 0-of-3 (default: the name of its directory)")
	cli.Int(fl, &replicas, "map-replicas", 1, 1, 5, "how many NATS servers, `N`, keep the shard map at least; 3 survive the loss of one")
	fl.StringVar(&health, "health", "", "`ADDRESS` to serve /readyz and /healthz at, over HTTP")
	fl.DurationVar(&refresh, "refresh", node.DefaultRefresh, "how often to look for a newer commit")
	cli.Int(fl, &parallel, "parallel", 0, 0, 1<<16, "how many requests, `N`, are answered at a time (default: one for each CPU)")
	if device != nil {
		fl.BoolVar(&gpu, "gpu", false, "answer searches on the first GPU and the CPU, whichever suits them")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if shard == "" {
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			shard = filepath.Base(dir)
		}
		o := node.Options{Collection: at.collection, Replicas: replicas, Refresh: refresh, Parallel: parallel}
		if o.Shard, o.Shards, err = node.ParseShardName(shard); err != nil {
			return cli.Usage("--shard: %w", err)
		}
		if refresh <= 0 {
			return cli.Usage("--refresh is above 0")
		}
		on := ""
		if gpu {
			if err := device(&o); err != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "--gpu: the CPU answers: %s\n", cli.Message(err))
			} else {
				on = " on " + o.Device
			}
		}
		nc, err := at.connect("pinion-node " + shard)
		if err != nil {
			return err
		}
		defer nc.Close()
		h, err := newHealth(health)
		if err != nil {
			return err
		}
		defer h.close()
		o.Name = nameOf(args[0])
		o.Changed = func(s node.Status) {
			h.set(s)
			switch s.State {
			case node.Serving:
				fmt.Fprintf(cmd.OutOrStdout(), "serving shard %s of %s%s: commit %s\n", shard, o.Collection, on, s.Commit)
			case node.Behind, node.Branch:
				fmt.Fprintf(cmd.ErrOrStderr(), "not serving shard %s of %s: %s\n%s", shard, o.Collection, s.Error, wayOut(s.State))
			}
		}
		end, err := serveIndex(cmd.Context(), nc, args[0], o, cmd.ErrOrStderr())
		if errors.Is(err, node.ErrInvalid) {
			err = cli.Usage("--collection: %w", err)
		}
		if err != nil {
			return err
		}
		<-cmd.Context().Done()
		return end()
	}
	return cmd
}

// wayOut says what a person can do for a node that does not serve.
func wayOut(s node.State) string {
	if s == node.Behind {
		return "copy the newer commit into its directory; 'pinion-cluster map' shows who has it\n"
	}
	return "'pinion-cluster map' shows which node has what, 'pinion-cluster map choose' says which commit is right\n"
}

// nameOf returns what a node is called that serves the index in dir.
func nameOf(dir string) string {
	if path, err := filepath.Abs(dir); err == nil {
		dir = path
	}
	host, err := os.Hostname()
	if err != nil {
		return dir
	}
	return host + ":" + dir
}

// serveIndex serves the index in a directory over nc, which outlives it, until end is called.
func serveIndex(ctx context.Context, nc *nats.Conn, dir string, o node.Options, stderr io.Writer) (end func() error, err error) {
	x, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
	if err != nil {
		return nil, cli.Opening(err)
	}
	o.Failed = teller(stderr, dir)
	var n *node.Node
	err = start(ctx, stderr, func(ctx context.Context) (err error) {
		n, err = node.Serve(ctx, nc, x, o)
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), x.Close())
	}
	return func() error { return errors.Join(n.Close(), x.Close()) }, nil
}

// teller returns what writes errors that differ from the one before.
func teller(w io.Writer, what string) func(error) {
	var mu sync.Mutex
	said := ""
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if text := err.Error(); text != said {
			said = text
			fmt.Fprintf(w, "%s: %s\n", what, cli.Printable(text))
		}
	}
}
