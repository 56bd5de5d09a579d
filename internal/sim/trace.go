package sim

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"io"
	"sync"
)

// tracer records events. It keeps a hash of them all and, if asked to, writes them.
type tracer struct {
	mu    sync.Mutex
	out   *bufio.Writer // nil: only the hash
	hash  uint64
	lines int
}

func newTracer(w io.Writer) *tracer {
	t := &tracer{}
	if w != nil {
		t.out = bufio.NewWriterSize(w, 1<<16)
	}
	return t
}

func (t *tracer) printf(format string, args ...any) {
	line := fmt.Sprintf(format+"\n", args...)
	t.mu.Lock()
	defer t.mu.Unlock()
	h := fnv.New64a()
	fmt.Fprintf(h, "%x %s", t.hash, line)
	t.hash = h.Sum64()
	t.lines++
	if t.out != nil {
		t.out.WriteString(line)
	}
}

func (t *tracer) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out != nil {
		t.out.Flush()
	}
}
