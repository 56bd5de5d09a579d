//go:build amd64 || arm64

package query

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

// futexWait sleeps while *word is value, until it is woken; it may return earlier.
func futexWait(word *atomic.Uint32, value uint32) {
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWaitPrivate, uintptr(value), 0, 0, 0)
}

// futexWake wakes the one that sleeps on word.
func futexWake(word *atomic.Uint32) {
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWakePrivate, 1, 0, 0, 0)
}

// yieldCPU lets other threads run that wait for the same CPU.
func yieldCPU() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
