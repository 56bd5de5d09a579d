package program

import (
	"crypto/tls"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/node"
)

// natsFlags are the flags of a connection to NATS, and of the collection that is looked for there.
type natsFlags struct {
	collection                                        string
	servers, credentials, authority, certificate, key string
}

// add adds the flags.
func (n *natsFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&n.servers, "nats", nats.DefaultURL, "`URLS` of NATS servers, separated by commas")
	fl.StringVar(&n.credentials, "nats-credentials", "", "`FILE` of credentials for NATS, as nsc makes it")
	fl.StringVar(&n.certificate, "nats-certificate", "", "`FILE` with the certificate to show to NATS, in PEM")
	fl.StringVar(&n.key, "nats-key", "", "`FILE` with the key of --nats-certificate")
	fl.StringVar(&n.authority, "nats-authority", "", "`FILE` with the certificates that sign those of NATS servers (default: the system's)")
	fl.StringVar(&n.collection, "collection", "pinion", "`NAME` of the collection")
}

// connect connects.
func (n *natsFlags) connect(name string, options ...nats.Option) (*nats.Conn, error) {
	if (n.certificate == "") != (n.key == "") {
		return nil, cli.Usage("--nats-certificate goes with --nats-key")
	}
	known := n.credentials != "" || n.certificate != ""
	for server := range strings.SplitSeq(n.servers, ",") {
		if err := exposed(strings.TrimSpace(server), known); err != nil {
			return nil, err
		}
	}
	if n.credentials != "" {
		options = append(options, nats.UserCredentials(n.credentials))
	}
	if n.certificate != "" {
		if _, err := tls.LoadX509KeyPair(n.certificate, n.key); err != nil {
			return nil, fmt.Errorf("--nats-certificate: %w", err)
		}
		options = append(options, nats.ClientCert(n.certificate, n.key))
	}
	if n.authority != "" {
		options = append(options, nats.RootCAs(n.authority))
	}
	nc, err := node.Connect(n.servers, name, options...)
	if err != nil {
		return nil, fmt.Errorf("--nats: %w", err)
	}
	return nc, nil
}

// exposed returns an error for a server on another machine, if nothing says who the program is: then anybody who reaches
// the server reads the collection.
func exposed(server string, known bool) error {
	if !strings.Contains(server, "://") {
		server = "nats://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" {
		return cli.Usage("--nats: %q is no URL of a server", server)
	}
	a, err := netip.ParseAddr(u.Hostname())
	if local := u.Hostname() == "localhost" || err == nil && a.IsLoopback(); !local && !known && u.User == nil {
		return cli.Usage("--nats: %s is beyond this machine: it needs --nats-credentials, --nats-certificate, or a name and password in its URL", u.Host)
	}
	return nil
}
