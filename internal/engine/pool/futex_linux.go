//go:build amd64 || arm64

package pool

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

const haveFutex = true

// Operations of futex(2), for one process.
const (
	futexWaitPrivate = 128
	futexWakePrivate = 129
)

// futexWait sleeps until futexWake if *word is value; it may return early.
func futexWait(word *atomic.Uint32, value uint32) {
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWaitPrivate, uintptr(value), 0, 0, 0)
}

// futexWake wakes the goroutine that sleeps on word.
func futexWake(word *atomic.Uint32) {
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWakePrivate, 1, 0, 0, 0)
}

// yieldCPU lets other threads that wait for this CPU run.
func yieldCPU() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
