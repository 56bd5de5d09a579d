package osdir

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// syncAll makes files and the directory's entries durable at the same time. The kernel syncs
// them in threads of its own (io_submit), if it can. While a thread of the process waits in a
// system call, Go's scheduler looks at it every 20 us for some milliseconds, which takes more
// CPU time than the sync itself.
func syncAll(dir string, files []Syncer) error {
	if len(files) >= maxSubmit || noSubmit.Load() {
		return syncThreads(dir, files)
	}
	raw := make([]*os.File, len(files), len(files)+1)
	for i, f := range files {
		if raw[i] = rawFile(f); raw[i] == nil {
			return syncThreads(dir, files)
		}
	}
	d, err := os.Open(dir)
	if err != nil {
		return errors.Join(err, syncThreads(dir, files))
	}
	defer d.Close()
	q := takeQueue()
	if q == nil {
		return syncThreads(dir, files)
	}
	errs := q.sync(append(raw, d))
	q.give()
	for i, f := range files {
		if w, ok := f.(Wrapper); ok {
			w.Ended(errs[i])
		}
	}
	if last := &errs[len(files)]; noDirSync(*last) {
		*last = nil
	}
	return errors.Join(errs...)
}

// rawFile returns the file of the operating system, or nil if there is none that can be synced.
func rawFile(s Syncer) *os.File {
	f := any(s)
	if w, ok := s.(Wrapper); ok {
		var err error
		if f, err = w.Wrapped(); err != nil {
			return nil
		}
	}
	if f, ok := f.(*File); ok {
		return f.File
	}
	return nil
}

// maxSubmit is how many files a submitQueue syncs at once.
const maxSubmit = 72

// submitQueue is a context of Linux's asynchronous input and output.
type submitQueue struct {
	id     uintptr
	done   *os.File // an eventfd, for which a goroutine waits without a thread
	signal uint32   // its number
	broken bool     // what the kernel did is not known
	blocks [maxSubmit]iocb
	refs   [maxSubmit]*iocb
	events [maxSubmit]ioEvent
}

// iocb is struct iocb of linux/aio_abi.h. What a sync does not use is 0.
type iocb struct {
	data     uint64
	_        uint64
	opcode   uint16
	_        int16
	fd       uint32
	_        [4]uint64
	flags    uint32
	signaled uint32
}

// ioEvent is struct io_event.
type ioEvent struct {
	data, block uint64
	result, _   int64
}

const (
	iocbFsync  = 2 // IOCB_CMD_FSYNC
	iocbSignal = 1 // IOCB_FLAG_RESFD
)

var (
	noSubmit   atomic.Bool                  // the kernel cannot sync so
	freeQueues = make(chan *submitQueue, 2) // that are open and not in use
)

// takeQueue returns a queue, or nil if there cannot be one.
func takeQueue() *submitQueue {
	select {
	case q := <-freeQueues:
		return q
	default:
	}
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil
	}
	q := &submitQueue{done: os.NewFile(uintptr(fd), "eventfd"), signal: uint32(fd)}
	for i := range q.blocks {
		q.refs[i] = &q.blocks[i]
	}
	if _, _, e := unix.Syscall(unix.SYS_IO_SETUP, maxSubmit, uintptr(unsafe.Pointer(&q.id)), 0); e != 0 {
		if e != unix.EAGAIN { // there are too many at the moment
			noSubmit.Store(true)
		}
		q.done.Close()
		return nil
	}
	return q
}

// give ends the use of a queue.
func (q *submitQueue) give() {
	if !q.broken {
		select {
		case freeQueues <- q:
			return
		default:
		}
	}
	unix.Syscall(unix.SYS_IO_DESTROY, q.id, 0, 0)
	q.done.Close()
}

// sync syncs files and returns an error for each.
func (q *submitQueue) sync(files []*os.File) []error {
	errs := make([]error, len(files))
	for i, f := range files {
		q.blocks[i] = iocb{data: uint64(i), opcode: iocbFsync, fd: uint32(f.Fd()), flags: iocbSignal, signaled: q.signal}
	}
	n, _, e := unix.Syscall(unix.SYS_IO_SUBMIT, q.id, uintptr(len(files)), uintptr(unsafe.Pointer(&q.refs[0])))
	if e != 0 {
		n = 0
	}
	for i := int(n); i < len(files); i++ { // what the kernel cannot sync so
		errs[i] = files[i].Sync()
	}
	runtime.KeepAlive(files)
	results := q.events[:n]
	if e := q.wait(results); e != 0 {
		q.broken = true
		for i, f := range files[:n] {
			errs[i] = &fs.PathError{Op: "sync", Path: f.Name(), Err: e}
		}
		return errs
	}
	report(errs, files, results)
	return errs
}

// report sets the errors of files that results tell of.
func report(errs []error, files []*os.File, results []ioEvent) {
	for _, ev := range results {
		if ev.result < 0 {
			errs[ev.data] = &fs.PathError{Op: "sync", Path: files[ev.data].Name(), Err: unix.Errno(-ev.result)}
		}
	}
}

// wait waits for as many results as there is room for.
func (q *submitQueue) wait(results []ioEvent) unix.Errno {
	var count [8]byte
	for left := uint64(len(results)); left > 0; {
		if _, err := q.done.Read(count[:]); err != nil {
			break // the call below waits too
		}
		left -= min(left, binary.NativeEndian.Uint64(count[:]))
	}
	for len(results) > 0 {
		n := uintptr(len(results))
		n, _, e := unix.Syscall6(unix.SYS_IO_GETEVENTS, q.id, n, n, uintptr(unsafe.Pointer(&results[0])), 0, 0)
		if e != 0 && e != unix.EINTR {
			return e
		}
		if e == 0 {
			results = results[n:]
		}
	}
	return 0
}
