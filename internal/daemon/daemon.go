// Package daemon is what programs share that serve until they are told to end: how that is, and the flags of their HTTP
// server.
package daemon

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/encodings"
)

// Grace is how long requests under way may take after a signal.
const Grace = 30 * time.Second

// Main runs a command and exits. An interrupt or SIGTERM ends its context; a second one kills the program. A command that
// serves returns nil then, and a program told to end this way has done well.
func Main(cmd *cobra.Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	cli.Describe(cmd)
	os.Exit(cli.ExitCode(cli.Execute(ctx, cmd)))
}

// HTTP are the flags of an HTTP server.
type HTTP struct {
	Listen                    string
	Tokens                    string // a file
	certificate, key, clients string
	Deadline, drain           time.Duration
}

// Add adds the flags.
func (h *HTTP) Add(fl *pflag.FlagSet) {
	fl.StringVar(&h.Listen, "listen", "localhost:8080", "`ADDRESS` to listen at; port 0 takes a free one")
	fl.StringVar(&h.Tokens, "tokens", "", "`FILE` of tokens, one a line, of which clients must show one")
	fl.StringVar(&h.certificate, "certificate", "", "`FILE` with the certificate of the server, in PEM, for HTTPS")
	fl.StringVar(&h.key, "key", "", "`FILE` with the key of --certificate")
	fl.StringVar(&h.clients, "client-authority", "", "`FILE` with the certificates that sign those that clients must show")
	fl.DurationVar(&h.Deadline, "deadline", httpapi.DefaultDeadline, "time for an answer")
	fl.DurationVar(&h.drain, "drain-delay", 0, "how long /readyz fails before connections are refused")
}

// ParseTokens returns the tokens in a text, which white space divides. A byte order mark is no part of one, as editors
// write it before the first, and a text in UTF-16, as Windows writes what a command prints, is decoded.
func ParseTokens(text []byte) []string {
	return strings.Fields(string(encodings.Of(text, encodings.Encoding{}).Decode(text)))
}

// Options returns the options of the server that the flags say.
func (h *HTTP) Options() (o httpapi.Options, err error) {
	switch {
	case h.Deadline <= 0:
		return o, cli.Usage("--deadline is above 0")
	case h.drain < 0:
		return o, cli.Usage("--drain-delay is not negative")
	}
	o = httpapi.Options{Deadline: h.Deadline, DrainDelay: h.drain}
	if h.Tokens != "" {
		data, err := os.ReadFile(h.Tokens)
		if err != nil {
			return o, fmt.Errorf("--tokens: %w", err)
		}
		if o.Tokens = ParseTokens(data); len(o.Tokens) == 0 {
			return o, cli.Usage("--tokens: %s has none", h.Tokens)
		}
	}
	if (h.certificate == "") != (h.key == "") || h.clients != "" && h.certificate == "" {
		return o, cli.Usage("--certificate goes with --key, and --client-authority with both")
	}
	if h.certificate != "" {
		c, err := tls.LoadX509KeyPair(h.certificate, h.key)
		if err != nil {
			return o, fmt.Errorf("--certificate: %w", err)
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}
	}
	if h.clients != "" {
		data, err := os.ReadFile(h.clients)
		if err != nil {
			return o, fmt.Errorf("--client-authority: %w", err)
		}
		o.TLS.ClientAuth, o.TLS.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		if !o.TLS.ClientCAs.AppendCertsFromPEM(data) {
			return o, cli.Usage("--client-authority: %s has no certificates", h.clients)
		}
	}
	return o, nil
}

// Loopback reports whether only this machine reaches the address to listen at.
func (h *HTTP) Loopback() bool {
	a, err := net.ResolveTCPAddr("tcp", h.Listen)
	return err == nil && a.IP.IsLoopback()
}

// Serve listens and serves until ctx is done, and says at which address.
func (h *HTTP) Serve(ctx context.Context, stdout io.Writer, s *httpapi.Server) error {
	l, err := h.Listener(s)
	if err != nil {
		return err
	}
	return h.ServeOn(ctx, stdout, s, l)
}

// Listener listens.
func (h *HTTP) Listener(s *httpapi.Server) (net.Listener, error) {
	l, err := s.Listen(h.Listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	return l, nil
}

// ServeOn is Serve for what listens already.
func (h *HTTP) ServeOn(ctx context.Context, stdout io.Writer, s *httpapi.Server, l net.Listener) error {
	scheme := "http"
	if h.certificate != "" {
		scheme = "https"
	}
	fmt.Fprintf(stdout, "%s://%s\n", scheme, l.Addr())
	return s.Run(ctx, l, Grace)
}
