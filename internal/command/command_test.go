package command

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

func run(t *testing.T, c *cobra.Command, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	c.SetOut(&out)
	c.SetErr(&out)
	c.SetArgs(args)
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

// Commands answer over what a URL names as over the directory, once the program says how to open it.
func TestURLs(t *testing.T) {
	dir := t.TempDir()
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: schema.Implicit("simple", "", true)})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"rose thorn", "rose", "lily"} {
		if err := w.Add(t.Context(), writer.Text([]byte{byte('a' + i)}, []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const url = "test://index"
	if _, err := run(t, Query(), url, "rose"); err == nil || !strings.Contains(err.Error(), "this build takes directories alone") {
		t.Errorf("a URL without an opener: %v", err)
	}
	cli.URLs.Source = func(u string) (reader.Source, error) {
		if u != url {
			t.Errorf("opened %q", u)
		}
		return reader.FromFS(os.DirFS(dir)), nil
	}
	cli.URLs.Meter = func(ctx context.Context) (context.Context, func() cli.Reads) {
		return ctx, func() cli.Reads { return cli.Reads{Requests: 3, Rounds: 2, Bytes: 7} }
	}
	defer func() { cli.URLs.Source, cli.URLs.Meter = nil, nil }()
	for _, c := range []struct {
		new  func() *cobra.Command
		args []string
	}{
		{Query, []string{"INDEX", "rose thorn", "--run", "-"}},
		{Query, []string{"INDEX", "rose", "--count"}},
		{Inspect, []string{"stats", "INDEX"}},
		{Inspect, []string{"terms", "INDEX"}},
		{Inspect, []string{"explain", "INDEX", "rose", "b"}},
	} {
		var outs [2]string
		for i, index := range []string{dir, url} {
			args := append([]string(nil), c.args...)
			for j := range args {
				args[j] = strings.Replace(args[j], "INDEX", index, 1)
			}
			out, err := run(t, c.new(), args...)
			if err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
			outs[i] = strings.ReplaceAll(out, index, "")
		}
		if outs[0] != outs[1] {
			t.Errorf("%v: directory\n%s\nURL\n%s", c.args, outs[0], outs[1])
		}
	}
	out, err := run(t, Query(), url, "rose", "--trace")
	if err != nil || !strings.Contains(out, "3 requests in 2 rounds, 7 B") {
		t.Errorf("--trace: %v\n%s", err, out)
	}
}
