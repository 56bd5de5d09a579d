package node

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// MaxPayload is the size of messages that an embedded server allows, in bytes.
const MaxPayload = 8 << 20

// StartServer starts a NATS server with JetStream within the program, on an address of this machine, host:port; port 0 takes
// a free one. It keeps the shard maps in dir. Other machines do not reach it: a server for these is one of its own, with
// credentials.
func StartServer(address, dir string) (*server.Server, error) {
	a, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if !a.IP.IsLoopback() {
		return nil, fmt.Errorf("%w: the embedded server has no credentials: %s is not an address of this machine alone", ErrInvalid, address)
	}
	port := a.Port
	if port == 0 {
		port = server.RANDOM_PORT
	}
	s, err := server.NewServer(&server.Options{Host: a.IP.String(), Port: port, JetStream: true, StoreDir: dir, MaxPayload: MaxPayload, NoSigs: true, NoLog: true})
	if err != nil {
		return nil, err
	}
	go s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		s.Shutdown()
		return nil, errors.New("the embedded NATS server does not start")
	}
	return s, nil
}

// Connect connects to NATS servers, host names or URLs separated by commas, and goes on trying if there is none. What is
// asked while there is no connection fails at once, instead of waiting for one. options add to this, such as credentials.
func Connect(servers, name string, options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(servers, append([]nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		nats.ReconnectBufSize(-1), nats.RetryOnFailedConnect(true)}, options...)...)
}
