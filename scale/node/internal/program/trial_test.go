package program

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/daemon"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/scale/node"
)

// TestMain runs the program that the environment names, in place of the tests: the trials start themselves as nodes, routers
// and NATS servers, so that these are processes that can be killed.
func TestMain(m *testing.M) {
	switch os.Getenv("PINION_PROGRAM") {
	case "node":
		daemon.Main(Node(nil))
	case "router":
		daemon.Main(Router())
	case "nats":
		runNATS()
	}
	os.Exit(m.Run())
}

// natsServer is what the process of a NATS server is told.
type natsServer struct {
	Name, Dir, Routes string
	Port, ClusterPort int
}

// runNATS runs the server that JSON in the environment describes.
func runNATS() {
	var x natsServer
	if err := json.Unmarshal([]byte(os.Getenv("PINION_NATS")), &x); err != nil {
		panic(err)
	}
	o := server.Options{ServerName: x.Name, Host: "127.0.0.1", Port: x.Port, JetStream: true, StoreDir: x.Dir, MaxPayload: node.MaxPayload, NoSigs: true, NoLog: true,
		Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: x.ClusterPort}, Routes: server.RoutesFromStr(x.Routes)}
	s, err := server.NewServer(&o)
	if err != nil {
		panic(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		panic("the server does not start")
	}
	fmt.Println("ready")
	s.WaitForShutdown()
}

// process is a program that runs.
type process struct {
	cmd   *exec.Cmd
	line  string // the first that it printed
	ended chan error
}

// spawn starts a program, and waits until it prints a line.
func spawn(t *testing.T, name string, environment []string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0], args...), ended: make(chan error, 1)}
	p.cmd.Env = append(append(os.Environ(), "PINION_PROGRAM="+name), environment...)
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = &lines{t: t, what: fmt.Sprint(name, " ", args)}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill() })
	in := bufio.NewReader(out)
	p.line, err = in.ReadString('\n')
	p.line = strings.TrimSpace(p.line)
	go func() { p.ended <- p.cmd.Wait() }()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return p
}

// lines logs what programs write, unless the test is over.
type lines struct {
	t    *testing.T
	what string
}

func (l *lines) Write(b []byte) (int, error) {
	if l.t.Context().Err() == nil {
		l.t.Logf("%s: %s", l.what, b)
	}
	return len(b), nil
}

// kill ends a program at once.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.ended
}

// stop tells a program to end.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.cmd.Process.Signal(syscall.SIGTERM)
	if err := <-p.ended; err != nil {
		t.Errorf("%v ends with %v", p.cmd.Args, err)
	}
}

// ports returns free ports.
func ports(t *testing.T, n int) (all []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, l.Addr().(*net.TCPAddr).Port)
	}
	return all
}

// cluster is all programs of a trial.
type cluster struct {
	t       *testing.T
	dir     string
	dirs    []string // of shards
	urls    string   // of NATS
	nats    []natsServer
	servers []*process
	nodes   [][]*process // by shard
	router  *process
}

// startAll builds shards and starts three NATS servers, two nodes for each shard, and a router.
func startAll(t *testing.T, docs int) *cluster {
	t.Helper()
	c := &cluster{t: t, dir: t.TempDir()}
	out := filepath.Join(c.dir, "shards")
	if _, err := run(t, "build", "--out", out, "--shards", "3", "--store-text", "--field", "title:text", "--field", "contents:text", "--field", "price:integer:column",
		documents(t, c.dir, 0, docs)); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.dirs, err = node.ShardDirs(out); err != nil {
		t.Fatal(err)
	}
	at := ports(t, 6)
	routes := fmt.Sprintf("nats://127.0.0.1:%d,nats://127.0.0.1:%d,nats://127.0.0.1:%d", at[3], at[4], at[5])
	c.urls = fmt.Sprintf("nats://127.0.0.1:%d,nats://127.0.0.1:%d,nats://127.0.0.1:%d", at[0], at[1], at[2])
	for i := range 3 {
		c.nats = append(c.nats, natsServer{fmt.Sprint("n", i), filepath.Join(c.dir, fmt.Sprint("nats", i)), routes, at[i], at[3+i]})
	}
	for i := range 3 {
		c.servers = append(c.servers, c.startServer(i))
	}
	for i := range c.dirs {
		c.nodes = append(c.nodes, []*process{c.startNode(i), c.startNode(i)})
	}
	c.router = spawn(t, "router", nil, "--nats", c.urls, "--listen", "localhost:0", "--cache", "0", "--deadline", "1m", "--absence", "1m")
	for { // a server that follows may know the map a little later
		if _, err := ask(t, c.router.line, &httpapi.Request{Text: "w1"}); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return c
}

func (c *cluster) startServer(i int) *process {
	o, err := json.Marshal(&c.nats[i])
	if err != nil {
		c.t.Fatal(err)
	}
	return spawn(c.t, "nats", []string{"PINION_NATS=" + string(o)})
}

func (c *cluster) startNode(shard int) *process {
	return spawn(c.t, "node", nil, "--nats", c.urls, "--map-replicas", "3", c.dirs[shard])
}

// draw draws a request.
func draw(r *rand.Rand) *httpapi.Request {
	word := func() string { return fmt.Sprint("w", r.IntN(30)) }
	x := &httpapi.Request{K: 1 + r.IntN(20), Query: word() + " " + word(), Total: r.IntN(3) == 0, Values: r.IntN(3) == 0}
	switch r.IntN(5) {
	case 0:
		x.Query = "w1* -" + word()
	case 1:
		x.Query += " price:<" + fmt.Sprint(r.IntN(50))
	case 2:
		x.Sort = []string{"-price"}
	case 3:
		x.Facets = []httpapi.Facet{{Field: "price", Ranges: []string{"0..20", ">20"}}}
	}
	return x
}

// Programs are killed, and restarted one by one, while others go on asking: no query fails, and each has the answer of one
// index.
func TestTrial(t *testing.T) {
	long, queries := longtest.Enabled(), int64(200)
	if long {
		queries = 4000
	}
	c := startAll(t, 600)
	one := whole(t, c.dirs)
	var asked atomic.Int64
	var slowest atomic.Int64
	var clients sync.WaitGroup
	stop := make(chan struct{})
	for i := range 2 {
		clients.Add(1)
		go func() {
			defer clients.Done()
			r := rand.New(rand.NewPCG(38, uint64(i)))
			for {
				select {
				case <-stop:
					return
				default:
				}
				x := draw(r)
				want, err := one.Search(t.Context(), x)
				if err != nil {
					t.Errorf("%+v: %v", x, err)
					return
				}
				began := time.Now()
				got, err := ask(t, c.router.line, x)
				took := time.Since(began)
				if err != nil {
					t.Errorf("query %d: %+v: %v", asked.Load(), x, err)
				} else if a, b := asJSON(t, got), asJSON(t, want); a != b {
					t.Errorf("%+v:\n got %s\nwant %s", x, a, b)
				}
				if d := int64(took); d > slowest.Load() {
					slowest.Store(d)
				}
				asked.Add(1)
			}
		}()
	}
	// after waits for that many answers more.
	after := func(what string, n int64) {
		t.Helper()
		began := time.Now()
		for until := asked.Load() + n; asked.Load() < until && !t.Failed(); {
			time.Sleep(5 * time.Millisecond)
		}
		t.Logf("%s: %d queries in %v, the slowest in %v", what, n, time.Since(began).Round(time.Millisecond), time.Duration(slowest.Swap(0)).Round(time.Microsecond))
	}
	after("before", queries)
	c.nodes[1][0].kill()
	after("a node killed", queries)
	c.nodes[1][0] = c.startNode(1)
	after("it is back", queries/4)
	servers := 1
	if long {
		servers = 3 // one of them is that of the router, and one leads the others
	}
	for i := range servers {
		c.servers[i].kill()
		after("a NATS server killed", queries)
		c.servers[i] = c.startServer(i)
		after("it is back", queries/4)
	}
	for shard := range c.nodes {
		for i := range c.nodes[shard] {
			c.nodes[shard][i].stop(t)
			c.nodes[shard][i] = c.startNode(shard)
			after("a node restarted", queries/6)
		}
	}
	after("all nodes restarted", queries)
	close(stop)
	clients.Wait()
	t.Logf("%d queries", asked.Load())
	if _, err := run(t, "build", "--out", filepath.Dir(c.dirs[0]), documents(t, c.dir, 600, 50)); err != nil {
		t.Fatal(err)
	}
	x := &httpapi.Request{Query: "rose w1", K: 1000, Total: true}
	want, err := whole(t, c.dirs).Search(t.Context(), x)
	if err != nil || *want.Total != 650 {
		t.Fatalf("%v, %v", want, err)
	}
	for { // until all nodes have found the commits, and the router knows
		got, err := ask(t, c.router.line, x)
		if err != nil {
			t.Fatal(err)
		}
		if asJSON(t, got) == asJSON(t, want) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.loseMap()
	if got, err := ask(t, c.router.line, x); err != nil || asJSON(t, got) != asJSON(t, want) {
		t.Errorf("after the map was lost: %v", err)
	}
	c.router.stop(t)
}

// loseMap loses the shard map, and waits until the nodes have made it anew, with as many copies as they are told.
func (c *cluster) loseMap() {
	c.t.Helper()
	nc, err := node.Connect(c.urls, "test")
	if err != nil {
		c.t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		c.t.Fatal(err)
	}
	const bucket = "pinion-pinion"
	end := time.Now().Add(time.Minute)
	for err := js.DeleteKeyValue(c.t.Context(), bucket); err != nil && !errors.Is(err, jetstream.ErrBucketNotFound); err = js.DeleteKeyValue(c.t.Context(), bucket) {
		if time.Now().After(end) { // the servers may be choosing which of them leads
			c.t.Fatal(err)
		}
	}
	// One that another program makes with one copy gets the others.
	if _, err := js.CreateKeyValue(c.t.Context(), jetstream.KeyValueConfig{Bucket: bucket}); err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
		c.t.Fatal(err)
	}
	for ; ; time.Sleep(20 * time.Millisecond) {
		var replicas int
		s, err := js.Stream(c.t.Context(), "KV_"+bucket)
		if err == nil {
			replicas = s.CachedInfo().Config.Replicas
		}
		m, err2 := node.ReadMap(c.t.Context(), nc, "pinion")
		if replicas == 3 && err2 == nil && !slices.ContainsFunc(m.Shards, func(x node.Shard) bool { return x.Commit == "" }) {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("the map is kept by %d servers: %v, %v", replicas, err, err2)
		}
	}
}
