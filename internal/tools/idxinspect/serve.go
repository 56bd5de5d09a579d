package idxinspect

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/daemon/ongpu"
	"github.com/pinion-index/pinion/internal/tools/serve"
)

func serveCommand() *cobra.Command {
	var with, listen string
	var onGPU bool
	cmd := &cobra.Command{
		Use:   "serve INDEX",
		Short: "Show an index in a browser",
		Long: `Show an index in a browser.

It prints the address of a page from which to search with explained hits, browse terms,
lists, blocks and documents, look at bytes and what they mean, compare with the index
--with, and verify. It never writes. The address contains a random token; whoever has it
can read all of the index. INDEX is a directory. With --gpu a search says what a GPU and
the CPU do for it together, and compares their hits with those of the CPU.

An index that is damaged is shown as far as it opens. A page shows the newest commit, or
one that was the newest a second before.`,
		Example: `  idxinspect serve kjv.idx
  idxinspect serve --with old.idx --listen 127.0.0.1:8080 kjv.idx`,
		Args: cli.Want("INDEX"),
	}
	cmd.ValidArgsFunction = complete(cmd.Use)
	cmd.Flags().StringVar(&with, "with", "", "compare with the index in `DIR`")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`ADDRESS` to listen at; port 0 takes a free one")
	ongpu.Add(cmd.Flags(), &onGPU)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		host, port, err := net.SplitHostPort(listen)
		if err == nil {
			_, err = net.LookupPort("tcp", port)
		}
		if err != nil {
			return cli.Usage("--listen: %v", err)
		}
		o := serve.Options{Index: args[0], With: with, Token: serve.NewToken(), Hosts: []string{host}}
		if onGPU {
			if o.GPU, err = ongpu.Open(); err != nil {
				return err
			}
			defer o.GPU.Close()
		}
		s, err := serve.New(o)
		if err != nil {
			return cli.Opening(err)
		}
		defer s.Close()
		l, err := net.Listen("tcp", listen)
		if err != nil {
			return err
		}
		for _, d := range s.Damage() {
			fmt.Fprintln(cmd.ErrOrStderr(), "damaged:", cli.Printable(d))
		}
		if !loopback(host) {
			fmt.Fprintln(cmd.ErrOrStderr(), "Other machines can reach this address. The connection is not encrypted.")
		}
		fmt.Fprintf(cmd.OutOrStdout(), "http://%s%s\n", l.Addr(), s.Path())
		fmt.Fprintln(cmd.ErrOrStderr(), "Interrupt (Ctrl-C) to end.")
		if onGPU {
			defer ongpu.Say(cmd.Context(), cmd.ErrOrStderr(), o.GPU, s.Warm)()
		}
		return serveUntil(cmd.Context(), l, s)
	}
	return cmd
}

// loopback reports whether only this machine reaches host.
func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// serveUntil serves until the context ends, which is how the command is meant to end. The handler bounds how long clients take.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return ctx.Err()
}
