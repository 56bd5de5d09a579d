package program

import (
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/daemon"
	"github.com/pinion-index/pinion/scale/node"
)

// httpFlags are the flags of a router and of the server before it.
type httpFlags struct {
	daemon.HTTP
	absence time.Duration
	cache   int
}

// add adds the flags.
func (h *httpFlags) add(fl *pflag.FlagSet) {
	h.Add(fl)
	fl.DurationVar(&h.absence, "absence", node.DefaultAbsence, "how long a shard that nobody serves is waited for")
	cli.Int(fl, &h.cache, "cache", 10_000, 0, 1<<30, "how many answers, `N`, are remembered until a shard changes")
}

// router returns the options of a router.
func (h *httpFlags) router(n *natsFlags) node.RouterOptions {
	return node.RouterOptions{Collection: n.collection, Absence: h.absence, Deadline: h.Deadline, Cache: h.cache}
}

// check returns what is wrong with the flags, before anything is waited for.
func (h *httpFlags) check() error {
	if h.absence <= 0 {
		return cli.Usage("--absence is above 0")
	}
	s, err := h.server(new(node.Router))
	if err != nil {
		return err
	}
	l, err := h.Listener(s)
	if err != nil {
		return err
	}
	return l.Close()
}

// server returns a server of a router.
func (h *httpFlags) server(r *node.Router) (*httpapi.Server, error) {
	o, err := h.Options()
	if err != nil {
		return nil, err
	}
	o.Metrics = r.WriteMetrics
	s, err := httpapi.New(r, o)
	if errors.Is(err, httpapi.ErrInvalid) {
		err = cli.Usage("%w", err)
	}
	return s, err
}
