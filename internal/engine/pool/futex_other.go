//go:build !linux || !(amd64 || arm64)

package pool

import "sync/atomic"

const haveFutex = false

func futexWait(*atomic.Uint32, uint32) {}

func futexWake(*atomic.Uint32) {}

func yieldCPU() {}
