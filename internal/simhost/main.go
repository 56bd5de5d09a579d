// Simhost runs the worlds of package sim as WebAssembly, whose clock, sleep and random
// source the seed drives, so that a seed always gives the same world. It runs each seed
// twice, compares the traces, and stops at the first failure, which it prints with the
// seed that replays it.
//
//	go run . -seconds 60            as many worlds as fit in a minute
//	go run . -ops 10000000          worlds until they did ten million operations
//	go run . -seed 17 -trace        world 17 once, with everything that happens
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

var (
	seed    = flag.Uint64("seed", 0, "run this world only")
	first   = flag.Uint64("first", 1, "seed of the first world")
	size    = flag.Int("size", 3000, "operations of a world, at least")
	seconds = flag.Int("seconds", 60, "begin no world after this time")
	total   = flag.Int("ops", 0, "run worlds until they did this many operations, however long that takes")
	workers = flag.Int("workers", runtime.NumCPU(), "worlds at a time")
	trace   = flag.Bool("trace", false, "print what happens")
	program = flag.String("program", "", "the world as WebAssembly; without it, it is built")
	limit   = flag.Duration("limit", 2*time.Minute, "a world that takes longer hangs")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run() error {
	h, err := newHost(context.Background())
	if err != nil {
		return err
	}
	if *seed != 0 {
		out, err := h.world(*seed, *trace)
		os.Stdout.Write(out)
		return err
	}
	var (
		mu           sync.Mutex
		group        sync.WaitGroup
		failure      error
		worlds, done int
		next         = *first
		end          = time.Now().Add(time.Duration(*seconds) * time.Second)
	)
	take := func() (uint64, bool) {
		mu.Lock()
		defer mu.Unlock()
		if failure != nil || *total > 0 && done >= *total || *total == 0 && time.Now().After(end) {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range *workers {
		group.Go(func() {
			for s, ok := take(); ok; s, ok = take() {
				n, err := h.twice(s)
				mu.Lock()
				if err != nil && failure == nil {
					failure = fmt.Errorf("%w\nseed %d fails; replay it with -seed %d -size %d -trace", err, s, s, *size)
				}
				worlds, done = worlds+1, done+n
				mu.Unlock()
			}
		})
	}
	group.Wait()
	fmt.Printf("%d worlds with seeds from %d, each run twice: %d operations\n", worlds, *first, done)
	return failure
}

// host is the compiled program.
type host struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

func newHost(ctx context.Context) (*host, error) {
	code, err := os.ReadFile(*program)
	if *program == "" {
		code, err = buildWorld()
	}
	if err != nil {
		return nil, err
	}
	h := &host{runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig())}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, h.runtime); err != nil {
		return nil, err
	}
	h.module, err = h.runtime.CompileModule(ctx, code)
	return h, err
}

// buildWorld returns package internal/sim/world as WebAssembly.
func buildWorld() ([]byte, error) {
	dir, err := os.MkdirTemp("", "simhost-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "world.wasm")
	build := exec.Command("go", "build", "-o", name, "./internal/sim/world")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building the world (run this in internal/simhost): %w", err)
	}
	return os.ReadFile(name)
}

// random is a random source that depends on the seed alone (SplitMix64).
type random uint64

func (r *random) Read(p []byte) (int, error) {
	for i := range p {
		*r += 0x9e3779b97f4a7c15
		x := uint64(*r)
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		p[i] = byte(x >> 32)
	}
	return len(p), nil
}

// world runs one world and returns its output.
func (h *host) world(seed uint64, traced bool) ([]byte, error) {
	watchdog := time.AfterFunc(*limit, func() { // interrupting WebAssembly would double its time
		fmt.Printf("seed %d hangs\n", seed)
		os.Exit(1)
	})
	defer watchdog.Stop()
	var out bytes.Buffer
	args := []string{"world", strconv.FormatUint(seed, 10), strconv.Itoa(*size)}
	if traced {
		args = append(args, "trace")
	}
	var now int64 // in nanoseconds; each look at the clock takes some, so that loops that wait for it end
	tick := func() int64 { now += 100; return now }
	source := random(seed)
	_, err := h.runtime.InstantiateModule(context.Background(), h.module, wazero.NewModuleConfig().WithName("").WithArgs(args...).
		WithStdout(&out).WithStderr(&out).WithRandSource(io.Reader(&source)).
		WithNanotime(tick, sys.ClockResolution(1)).
		WithWalltime(func() (int64, int32) { t := tick() + 1e18; return t / 1e9, int32(t % 1e9) }, sys.ClockResolution(1)).
		WithNanosleep(func(ns int64) { now += max(ns, 0) }).
		WithOsyield(func() { tick() }))
	fmt.Fprintf(&out, "clock %x, random source %x\n", now, binary.BigEndian.AppendUint64(nil, uint64(source)))
	if err != nil {
		return out.Bytes(), fmt.Errorf("%w: %s", err, tail(out.Bytes(), 4000))
	}
	return out.Bytes(), nil
}

// twice runs a world twice and compares what it printed.
func (h *host) twice(seed uint64) (ops int, err error) {
	a, err := h.world(seed, false)
	if err != nil {
		return 0, err
	}
	b, err := h.world(seed, false)
	if err == nil && !bytes.Equal(a, b) {
		err = fmt.Errorf("seed %d gives different worlds:\n%s%s", seed, a, b)
	}
	fmt.Sscanf(string(a), "%d operations", &ops)
	return ops, err
}

func tail(b []byte, n int) []byte { return b[max(0, len(b)-n):] }
