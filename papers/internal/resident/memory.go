package resident

import (
	"errors"
	"time"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/kernels"
)

// Memory is memory of a device and of the host that is freed together. Its methods keep
// the first error, which Err and Run return.
type Memory struct {
	dev    cuda.Device
	device []kernels.Ptr
	host   [][]byte
	stage  []byte // pinned, for copies of any length
	err    error
}

// stageBytes is the size of the pinned buffer that Put copies through.
const stageBytes = 8 << 20

// On returns an empty Memory of a device.
func On(d *gpu.Device) *Memory { return &Memory{dev: d.Driver()} }

// Close frees everything.
func (m *Memory) Close() error {
	err := m.dev.Wait(0)
	for _, p := range m.device {
		err = errors.Join(err, m.dev.Free(p))
	}
	for _, b := range m.host {
		err = errors.Join(err, m.dev.HostFree(b))
	}
	m.device, m.host, m.stage = nil, nil, nil
	return err
}

// Err returns the first error.
func (m *Memory) Err() error { return m.err }

func (m *Memory) keep(err error) {
	if m.err == nil {
		m.err = err
	}
}

// Room returns n bytes of device memory with undefined contents. Kernels may read 64
// bytes more.
func (m *Memory) Room(n int) kernels.Ptr {
	if m.err != nil {
		return 0
	}
	p, err := m.dev.Alloc(int64(n) + 64)
	if err != nil {
		m.keep(err)
		return 0
	}
	m.device = append(m.device, p)
	return p
}

// Pinned returns n bytes of host memory that copies can use.
func (m *Memory) Pinned(n int) []byte {
	if m.err != nil {
		return make([]byte, n)
	}
	b, err := m.dev.HostAlloc(max(n, 4))
	if err != nil {
		m.keep(err)
		return make([]byte, n)
	}
	m.host = append(m.host, b)
	return b[:n]
}

// Put copies bytes to new device memory.
func (m *Memory) Put(b []byte) kernels.Ptr {
	p := m.Room(len(b))
	m.Set(p, b)
	return p
}

// Set copies bytes to device memory.
func (m *Memory) Set(p kernels.Ptr, b []byte) {
	if m.stage == nil {
		m.stage = m.Pinned(stageBytes)
	}
	for at := 0; at < len(b) && m.err == nil; {
		n := copy(m.stage, b[at:])
		var g cuda.Batch
		g.CopyIn(p+kernels.Ptr(at), m.stage[:n])
		m.keep(errors.Join(m.dev.Submit(&g), m.dev.Wait(0)))
		at += n
	}
}

// Get copies from device memory.
func (m *Memory) Get(b []byte, p kernels.Ptr) error {
	if m.stage == nil {
		m.stage = m.Pinned(stageBytes)
	}
	for at := 0; at < len(b) && m.err == nil; {
		n := min(len(b)-at, stageBytes)
		var g cuda.Batch
		g.CopyOut(m.stage[:n], p+kernels.Ptr(at))
		m.keep(errors.Join(m.dev.Submit(&g), m.dev.Wait(0)))
		copy(b[at:], m.stage[:n])
		at += n
	}
	return m.err
}

// Run submits a batch and waits for it. It returns the time that both take in seconds.
func (m *Memory) Run(g *cuda.Batch) (float64, error) {
	if m.err != nil {
		return 0, m.err
	}
	start := time.Now()
	m.keep(errors.Join(m.dev.Submit(g), m.dev.Wait(g.Stream)))
	return time.Since(start).Seconds(), m.err
}

// Between returns the seconds between two recorded events.
func (m *Memory) Between(from, to int) float64 {
	ms, err := m.dev.Elapsed(from, to)
	m.keep(err)
	return float64(ms) / 1e3
}

// blocks returns the number of thread blocks of so many threads that n threads take.
func blocks(n, threads int) int { return (n + threads - 1) / threads }
