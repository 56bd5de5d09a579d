//go:build invariants

package invariants

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
)

// Enabled reports whether the program was built with the tag invariants.
const Enabled = true

// poison is a value that is neither a docID nor a usual frequency.
const poison = 0xDEADBEEF

var live struct {
	sync.Mutex
	opened map[any]string // with the stack that opened it
}

// Opened records that x was opened.
func Opened(x any, what string) {
	live.Lock()
	defer live.Unlock()
	if live.opened == nil {
		live.opened = make(map[any]string)
	}
	live.opened[x] = fmt.Sprintf("%s, opened by\n%s", what, debug.Stack())
}

// Closed records that x was closed. It panics if x is not open.
func Closed(x any) {
	live.Lock()
	defer live.Unlock()
	_, ok := live.opened[x]
	Check(ok, fmt.Sprintf("a %T was closed twice", x))
	delete(live.opened, x)
}

// Check panics unless ok.
func Check(ok bool, what string) {
	if !ok {
		panic("invariants: " + what)
	}
}

// Poison marks a buffer as released.
func Poison(v []uint32) {
	for i := range v {
		v[i] = poison
	}
}

// Unpoison checks that nothing was written to a buffer since Poison.
func Unpoison(v []uint32) {
	for _, x := range v {
		Check(x == poison, "a released buffer was written to")
	}
}

// Main runs the tests of a package and exits. The tests fail if something stays open.
func Main(m interface{ Run() int }) {
	code := m.Run()
	live.Lock()
	for _, what := range live.opened {
		fmt.Fprintln(os.Stderr, "invariants: never closed:", what)
		code = 1
	}
	os.Exit(code)
}
