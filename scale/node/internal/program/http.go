package program

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/node"
)

// httpFlags are the flags of a router and of the server before it.
type httpFlags struct {
	listen, tokens, certificate, key, clients string
	deadline, drain, absence                  time.Duration
	cache                                     int
}

// add adds the flags.
func (h *httpFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&h.listen, "listen", "localhost:8080", "`ADDRESS` to listen at; port 0 takes a free one")
	fl.StringVar(&h.tokens, "tokens", "", "`FILE` of tokens, one a line, of which clients must show one")
	fl.StringVar(&h.certificate, "certificate", "", "`FILE` with the certificate of the server, in PEM, for HTTPS")
	fl.StringVar(&h.key, "key", "", "`FILE` with the key of --certificate")
	fl.StringVar(&h.clients, "client-authority", "", "`FILE` with the certificates that sign those that clients must show")
	fl.DurationVar(&h.deadline, "deadline", httpapi.DefaultDeadline, "time for an answer")
	fl.DurationVar(&h.absence, "absence", node.DefaultAbsence, "how long a shard that nobody serves is waited for")
	fl.DurationVar(&h.drain, "drain-delay", 0, "how long /readyz fails before connections are refused")
	cli.Int(fl, &h.cache, "cache", 10_000, 0, 1<<30, "how many answers, `N`, are remembered until a shard changes")
}

// router returns the options of a router.
func (h *httpFlags) router(n *natsFlags) node.RouterOptions {
	return node.RouterOptions{Collection: n.collection, Replicas: n.replicas, Absence: h.absence, Deadline: h.deadline, Cache: h.cache}
}

// server returns a server of a router.
func (h *httpFlags) server(r *node.Router) (*httpapi.Server, error) {
	o := httpapi.Options{Deadline: h.deadline, DrainDelay: h.drain, Metrics: r.WriteMetrics}
	if h.tokens != "" {
		data, err := os.ReadFile(h.tokens)
		if err != nil {
			return nil, fmt.Errorf("--tokens: %w", err)
		}
		if o.Tokens = strings.Fields(string(data)); len(o.Tokens) == 0 {
			return nil, cli.Usage("--tokens: %s has none", h.tokens)
		}
	}
	if (h.certificate == "") != (h.key == "") || h.clients != "" && h.certificate == "" {
		return nil, cli.Usage("--certificate goes with --key, and --client-authority with both")
	}
	if h.certificate != "" {
		c, err := tls.LoadX509KeyPair(h.certificate, h.key)
		if err != nil {
			return nil, fmt.Errorf("--certificate: %w", err)
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}
	}
	if h.clients != "" {
		data, err := os.ReadFile(h.clients)
		if err != nil {
			return nil, fmt.Errorf("--client-authority: %w", err)
		}
		o.TLS.ClientAuth, o.TLS.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		if !o.TLS.ClientCAs.AppendCertsFromPEM(data) {
			return nil, cli.Usage("--client-authority: %s has no certificates", h.clients)
		}
	}
	return httpapi.New(r, o)
}

// serve serves until ctx is done, and says at which address.
func (h *httpFlags) serve(ctx context.Context, stdout io.Writer, s *httpapi.Server) error {
	l, err := s.Listen(h.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	scheme := "http"
	if h.certificate != "" {
		scheme = "https"
	}
	fmt.Fprintf(stdout, "%s://%s\n", scheme, l.Addr())
	return s.Run(ctx, l, grace)
}
