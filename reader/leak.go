package reader

import (
	"runtime"
	"runtime/debug"
)

// watch is reachable as long as the Snapshot or Cursor that has it.
type watch struct{ cleanup runtime.Cleanup }

// leak is the argument of Options.Leaked.
type leak struct {
	report func(what string, stack []byte)
	what   string
	stack  []byte
}

// watch returns nil unless leaks are to be reported.
func (o *Options) watch(what string) *watch {
	if o.Leaked == nil {
		return nil
	}
	w := new(watch)
	w.cleanup = runtime.AddCleanup(w, func(l leak) { l.report(l.what, l.stack) }, leak{o.Leaked, what, debug.Stack()})
	return w
}

// stop ends the watch: what is watched was closed.
func (w *watch) stop() {
	if w != nil {
		w.cleanup.Stop()
	}
}
