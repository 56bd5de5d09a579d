package program

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
)

// A router and a node say what is wrong with their flags at once, by name, whether there is a NATS server or not.
func TestDaemonsRefuse(t *testing.T) {
	short := t.TempDir() + "/short"
	index := t.TempDir()
	if err := os.WriteFile(short, []byte("short\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		cmd   *cobra.Command
		flags string
		code  int
		want  string
	}{
		{Router(), "x", cli.ExitUsage, "unexpected argument"},
		{Router(), "--listen nowhere", cli.ExitFailed, "--listen"},
		{Router(), "--listen 0.0.0.0:0", cli.ExitFailed, "--listen: httpapi: an address beyond this machine"},
		{Router(), "--key " + short, cli.ExitUsage, "--certificate goes with --key"},
		{Router(), "--tokens " + short, cli.ExitUsage, "16"},
		{Router(), "--absence 0s", cli.ExitUsage, "--absence is above 0"},
		{Router(), "--absence -1s", cli.ExitUsage, "--absence is above 0"},
		{Router(), "--deadline 0s", cli.ExitUsage, "--deadline is above 0"},
		{Router(), "--drain-delay -1s", cli.ExitUsage, "--drain-delay is not negative"},
		{Router(), "--cache -1", cli.ExitUsage, "--cache"},
		{Router(), "--collection a.b", cli.ExitUsage, "--collection"},
		{Router(), "--nats-key x", cli.ExitUsage, "--nats-certificate goes with --nats-key"},
		{Router(), "--nats nats://10.0.0.1:4222", cli.ExitUsage, "beyond this machine"},
		{Node(nil), "", cli.ExitUsage, "INDEX is missing"},
		{Node(nil), "--shard x " + index, cli.ExitUsage, "--shard"},
		{Node(nil), "--shard 3-of-3 " + index, cli.ExitUsage, "--shard"},
		{Node(nil), "--shard 0-of-1 --refresh 0s " + index, cli.ExitUsage, "--refresh is above 0"},
		{Node(nil), "--shard 0-of-1 --parallel -1 " + index, cli.ExitUsage, "--parallel"},
		{Node(nil), "--shard 0-of-1 --map-replicas 9 " + index, cli.ExitUsage, "--map-replicas"},
		{Node(nil), "--shard 0-of-1 --health nowhere " + index, cli.ExitFailed, "--health"},
		{Node(nil), "--shard 0-of-1 " + index, cli.ExitOpen, index},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // they would wait for a server
		var said bytes.Buffer
		x.cmd.SetArgs(strings.Fields(x.flags))
		x.cmd.SetOut(&said)
		x.cmd.SetErr(&said)
		err := cli.Execute(ctx, x.cmd)
		cancel()
		if cli.ExitCode(err) != x.code || !strings.Contains(said.String(), x.want) {
			t.Errorf("%s %s: %v (%d, want %d)\n%s", x.cmd.Name(), x.flags, err, cli.ExitCode(err), x.code, said.String())
		}
	}
}
