package httpapi

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/store"
)

// Defaults of Options.
const (
	DefaultDeadline    = 10 * time.Second
	DefaultMaxInFlight = 1024
	DefaultMaxBody     = 4 << 20
	DefaultMaxK        = 1000
	DefaultMaxBatch    = 1000
	DefaultMaxAnswer   = 32 << 20
	DefaultMaxHeld     = 256 << 20
)

// ErrInvalid is matched by the errors for options and addresses that cannot be used. It is store.ErrInvalid.
var ErrInvalid = store.ErrInvalid

// ErrExposed is matched by the error for an address that other machines reach, without credentials.
var ErrExposed = errors.New("httpapi: an address beyond this machine needs tokens, or TLS that asks for certificates of clients")

// Options configure a Server. The zero value means the defaults.
type Options struct {
	// Deadline is the time that an answer may take. 0 means DefaultDeadline. A client may ask for less. A batch has six
	// times as long for all of its lines, each of which has Deadline.
	Deadline time.Duration
	// MaxInFlight is how many requests are answered at a time, batches counting as one. 0 means DefaultMaxInFlight.
	// Beyond it, clients are asked to come again.
	MaxInFlight int
	// MaxBody limits the body of a request in bytes. 0 means DefaultMaxBody.
	MaxBody int64
	// MaxK limits Request.K, together with Offset, Nearest.K, FuseList.K, Rescore.N and SuggestRequest.K, also by default. 0 means
	// DefaultMaxK.
	MaxK int
	// MaxBatch limits the lines of a batch. 0 means DefaultMaxBatch.
	MaxBatch int
	// MaxAnswer limits an answer in bytes, and that of a batch with all of its lines. 0 means DefaultMaxAnswer.
	MaxAnswer int64
	// MaxHeld limits what all requests hold together, in bytes of their bodies and of answers that clients have not taken
	// yet, and what counting facets takes. 0 means DefaultMaxHeld, or what two requests may hold if that is more. Beyond it, clients are
	// asked to come again; a request that alone holds more is refused.
	MaxHeld int64
	// Tokens, if there are any, are what clients must show one of, as Authorization: Bearer TOKEN.
	Tokens []string
	// Synonyms, if not nil, returns the set of a name that requests bring, or nil if there is none; "" is that of requests without a name. Each
	// request calls it, so that another set counts from then on. Several goroutines call it at a time. It goes with the Backends of OfIndex and
	// OfView.
	Synonyms func(name string) *query.Synonyms
	// TLS, if not nil, is what Serve encrypts with. If it requires and verifies certificates of clients, these are
	// credentials too.
	TLS *tls.Config
	// Hosts are names that clients may call a server by that has no credentials, beside localhost and IP addresses: a
	// page of another site, whose name is made to resolve to this machine, calls it by that.
	Hosts []string
	// DrainDelay is how long Drain waits, after readiness has failed, until no new connections are taken.
	DrainDelay time.Duration
	// Observe, if not nil, is told of each request that has been answered. Several goroutines call it at a time.
	Observe func(Observation)
	// Metrics, if not nil, writes metrics of the program in Prometheus' text format, which /metrics shows after its own: WriteMetrics of a
	// gpuload.Executor is such a function.
	Metrics func(io.Writer)
	// ErrorLog is told by Serve of what fails in net/http: TLS handshakes, panics. Nil means the standard logger of
	// package log, as it does there.
	ErrorLog *log.Logger
}

// Observation is a request that has been answered.
type Observation struct {
	Request *http.Request
	Route   string        // the pattern, such as /v1/search; "" if there is none
	Status  int           // of HTTP; of a batch 200, whatever its lines are
	Took    time.Duration // until the last byte was written
	Err     error         // the cause, if it was no answer; of a batch the first one
}

// withDefaults sets the defaults and checks the rest.
func (o Options) withDefaults() (Options, error) {
	if o.Deadline < 0 || o.MaxInFlight < 0 || o.MaxBody < 0 || o.MaxK < 0 || o.MaxBatch < 0 || o.MaxAnswer < 0 || o.MaxHeld < 0 || o.DrainDelay < 0 {
		return o, fmt.Errorf("%w: an option is negative", ErrInvalid)
	}
	for i, t := range o.Tokens {
		if len(t) < 16 {
			return o, fmt.Errorf("%w: token %d has %d bytes, less than 16", ErrInvalid, i, len(t))
		}
		if strings.ContainsAny(t, "\r\n\ufeff") { // of the file that it was in
			return o, fmt.Errorf("%w: token %d has a line end or a byte order mark, which no client can show", ErrInvalid, i)
		}
	}
	set(&o.Deadline, DefaultDeadline)
	set(&o.MaxInFlight, DefaultMaxInFlight)
	set(&o.MaxBody, DefaultMaxBody)
	set(&o.MaxK, DefaultMaxK)
	set(&o.MaxBatch, DefaultMaxBatch)
	set(&o.MaxAnswer, DefaultMaxAnswer)
	set(&o.MaxHeld, max(DefaultMaxHeld, 2*(o.MaxBody+2*o.MaxAnswer)))
	return o, nil
}

// set sets an option to its default if it is 0.
func set[T comparable](option *T, value T) {
	var zero T
	if *option == zero {
		*option = value
	}
}

// credentials reports whether clients need some.
func (o *Options) credentials() bool {
	return len(o.Tokens) > 0 || o.TLS != nil && o.TLS.ClientAuth == tls.RequireAndVerifyClientCert
}
