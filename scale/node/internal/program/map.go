package program

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/node"
)

// asking is how long a command over the map waits for NATS.
const asking = 10 * time.Second

// hearing is how long nodes have to say what they have.
const hearing = time.Second

func mapCommand() *cobra.Command {
	var at natsFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "map [flags]",
		Short: "Show the shard map and what nodes have, and say which commit is right",
		Long: `Show which commit of each shard the map names, and which commit each node has.

A node serves a commit that is the map's, or comes from it. Of indexes that were built apart, or that
went on from copies of one index, only one can be right: 'choose' says which.`,
		Example: `  pinion-cluster map --collection wiki
  pinion-cluster map choose --collection wiki 0-of-3 785-0123456789abcdef
  pinion-cluster map forget --collection wiki 0-of-3`,
		Args: cli.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withMap(cmd, &at, func(nc *nats.Conn) error { return showMap(cmd, nc, at.collection, asJSON) })
		},
	}
	at.add(cmd.PersistentFlags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	choose := &cobra.Command{
		Use:   "choose SHARD COMMIT",
		Short: "Say that a commit of a shard is right",
		Long: `Say that a commit of a shard is right, as 'pinion-cluster map' names it, whatever the map has now.
A node that has it, or a commit that comes from it, puts it there within a second. Nodes that have others are
refused: copy the index that is right to them.`,
		Args: cli.Want("SHARD", "COMMIT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeMap(cmd, &at, args[0], func(nc *nats.Conn, shard int) error {
				return node.Choose(cmd.Context(), nc, at.collection, shard, args[1])
			})
		},
	}
	forget := &cobra.Command{
		Use:   "forget SHARD",
		Short: "Take a shard out of the map",
		Long: `Take a shard out of the map. The next node that has an index of it puts its commit there, whichever it
is: where nodes have several, choose one instead. Routers are not ready until then.`,
		Args: cli.Want("SHARD"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeMap(cmd, &at, args[0], func(nc *nats.Conn, shard int) error {
				return node.Forget(cmd.Context(), nc, at.collection, shard)
			})
		},
	}
	cmd.AddCommand(choose, forget)
	return cmd
}

// withMap calls f with a connection.
func withMap(cmd *cobra.Command, at *natsFlags, f func(*nats.Conn) error) error {
	nc, err := at.connect("pinion-cluster map", nats.RetryOnFailedConnect(false), nats.Timeout(asking))
	if err != nil {
		return err
	}
	defer nc.Close()
	return f(nc)
}

// changeMap calls f with a connection and the number of a shard, of as many as the map has.
func changeMap(cmd *cobra.Command, at *natsFlags, shard string, f func(*nats.Conn, int) error) error {
	i, n, err := node.ParseShardName(shard)
	if err != nil {
		return cli.Usage("SHARD: %w", err)
	}
	return withMap(cmd, at, func(nc *nats.Conn) error {
		m, err := node.ReadMap(cmd.Context(), nc, at.collection)
		if err != nil {
			return err
		}
		if len(m.Shards) != n {
			return cli.Usage("SHARD: %s: the collection has %s", shard, cli.Number(len(m.Shards), "shard"))
		}
		return f(nc, i)
	})
}

// mapShown is a shard as 'pinion-cluster map --json' shows it.
type mapShown struct {
	Shard     string        `json:"shard"`
	Commit    string        `json:"commit"`
	Chosen    string        `json:"chosen,omitempty"`
	Documents uint64        `json:"documents"`
	Nodes     []node.Status `json:"nodes"`
}

// shownOf returns the shards of a map with what nodes say.
func shownOf(m *node.Map, statuses []node.Status) []mapShown {
	var all []mapShown
	for i := range m.Shards {
		s := &m.Shards[i]
		x := mapShown{Shard: node.ShardName(i, len(m.Shards)), Commit: s.Commit, Chosen: s.Chosen, Documents: s.Collection.Docs, Nodes: []node.Status{}}
		for _, n := range statuses {
			if n.Shard == x.Shard {
				x.Nodes = append(x.Nodes, n)
			}
		}
		all = append(all, x)
	}
	return all
}

func showMap(cmd *cobra.Command, nc *nats.Conn, collection string, asJSON bool) error {
	m, err := node.ReadMap(cmd.Context(), nc, collection)
	if err != nil {
		return err
	}
	statuses, err := node.Statuses(cmd.Context(), nc, collection, hearing)
	if err != nil {
		return err
	}
	all := shownOf(m, statuses)
	if asJSON {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		return e.Encode(all)
	}
	return writeMap(cmd.OutOrStdout(), all)
}

// writeMap writes a table of shards, and below it why nodes do not serve.
func writeMap(w io.Writer, all []mapShown) error {
	t := cli.NewTable("shard", "commit", ">documents", "node", "its commit", "state")
	var why []string
	for _, x := range all {
		commit, docs := x.Commit, any(x.Documents)
		if commit == "" {
			commit, docs = "none", ""
		}
		if x.Chosen != "" {
			commit += ", chosen " + x.Chosen
		}
		if len(x.Nodes) == 0 {
			t.Row(x.Shard, commit, docs, "none", "", "")
		}
		for _, n := range x.Nodes {
			t.Row(x.Shard, commit, docs, n.Node, n.Commit, string(n.State))
			if n.Error != "" {
				why = append(why, fmt.Sprintf("%s: %s: %s", x.Shard, n.Node, cli.Printable(n.Error)))
			}
		}
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	slices.Sort(why)
	for _, line := range why {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
