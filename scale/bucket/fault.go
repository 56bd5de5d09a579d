package bucket

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"github.com/pinion-index/pinion/reader/host"
)

// ErrNoAnswer is matched by the error of a request that a store did not answer in time.
var ErrNoAnswer = host.ErrNoAnswer

// requestTimeout is after how long a request is given up in which nothing comes or goes; tests shorten it.
var requestTimeout = DefaultTimeout

// uploadTimeout is the same while an object is written: what the driver has read may still be under way.
const uploadTimeout = time.Minute

// watchdog ends a context when nothing has happened for some time.
type watchdog struct {
	context.Context
	timer *time.Timer
}

// watched returns a context that ends with ErrNoAnswer after requestTimeout, unless a reader of moving brings something.
func watched(ctx context.Context) (w *watchdog, end func()) {
	bound, cancel := context.WithCancelCause(ctx)
	w = &watchdog{Context: bound}
	w.timer = time.AfterFunc(requestTimeout, func() { cancel(ErrNoAnswer) })
	return w, func() { w.timer.Stop(); cancel(nil) }
}

// watchdogKey is of the watchdog of a context.
type watchdogKey struct{}

// Value implements context.Context.
func (w *watchdog) Value(key any) any {
	if key == (watchdogKey{}) {
		return w
	}
	return w.Context.Value(key)
}

// moving returns a reader like r, each Read of which gives what watches ctx another d.
func moving(ctx context.Context, r io.Reader, d time.Duration) io.Reader {
	w, ok := ctx.Value(watchdogKey{}).(*watchdog)
	if !ok {
		return r
	}
	w.timer.Reset(d)
	return &mover{r, w.timer, d}
}

type mover struct {
	io.Reader
	timer *time.Timer
	d     time.Duration
}

func (m *mover) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.timer.Reset(m.d)
	return n, err
}

// faultError is an error of a driver, in one line that says what a person can do.
type faultError struct {
	text string
	err  error
}

func (e *faultError) Error() string { return e.text }
func (e *faultError) Unwrap() error { return e.err }

// fault returns an error that says in one line why a request failed, and matches what err matches.
func fault(err error) error {
	var known *faultError
	if err == nil || errors.As(err, &known) {
		return err
	}
	var api interface {
		ErrorCode() string
		ErrorMessage() string
	}
	var network *net.OpError
	var dns *net.DNSError
	why, out := "", ""
	switch {
	case errors.Is(err, ErrNoAnswer):
		why, out = err.Error(), "is the endpoint of the URL right, and does a firewall let requests through?"
	case errors.As(err, &dns):
		why, out = dns.Error(), "is the endpoint or region of the URL right?"
	case errors.As(err, &network):
		why, out = network.Error(), "is the endpoint of the URL right, and does the store run?"
	case errors.As(err, &api):
		why = api.ErrorCode()
		if m := api.ErrorMessage(); m != "" {
			why += ": " + m
		}
	}
	if why == "" {
		return err
	}
	if refused(err) {
		out = "the credentials do not allow it"
	}
	if out != "" {
		why += " (" + out + ")"
	}
	return &faultError{why, err}
}
