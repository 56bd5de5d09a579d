package paper

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/papers/internal/corpus"
)

// used is what a measurement has drawn on: the fingerprints of collections and of modules of
// device code, by name. A recorded run is as good as these are.
type used struct {
	sets, modules map[string]string
	docs          map[string]int // documents of sets
}

func newUsed() used { return used{map[string]string{}, map[string]string{}, map[string]int{}} }

// add adds what another measurement, whose result this one shares, has drawn on.
func (u used) add(v used) {
	maps.Copy(u.sets, v.sets)
	maps.Copy(u.modules, v.modules)
	maps.Copy(u.docs, v.docs)
}

// Use notes that an experiment draws lists of a collection.
func (e *Env) Use(name string) {
	if e.used.sets == nil {
		e.used = newUsed()
	}
	e.used.sets[name] = corpus.Fingerprint(name)
}

// collect runs f and returns what it has drawn on, alone.
func (e *Env) collect(f func() error) (used, error) {
	e.watch()
	e.settle()
	outer := e.used
	e.used = newUsed()
	err := f()
	e.settle()
	inner := e.used
	e.used = outer
	return inner, err
}

// watch has the device tell which kernels are launched.
func (e *Env) watch() {
	if e.used.sets == nil {
		e.used = newUsed()
	}
	if e.Device != nil && e.launched == nil {
		e.launched = make([]atomic.Bool, kernels.Numbers())
		e.Device.Watch(func(k kernels.Kernel) { e.launched[k].Store(true) })
	}
}

// settle adds the modules of the kernels launched since the last call to what is used.
func (e *Env) settle() {
	for i := range e.launched {
		if e.launched[i].Swap(false) {
			m := kernels.Kernel(i).Module()
			e.used.modules[m] = fingerprints()[m]
		}
	}
}

// fingerprints identify the device code of the program's modules, by name.
var fingerprints = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, m := range kernels.Modules() {
		if text, err := kernels.PTX(m); err == nil {
			sum := sha256.Sum256([]byte(text))
			out[m] = hex.EncodeToString(sum[:6])
		}
	}
	return out
})

// staleKernels says what has become of the modules that a run has launched, "" if the program
// has them as they were.
func (r *Run) staleKernels() string {
	if len(r.Kernels) == 0 {
		return "it does not say which kernels it launched"
	}
	var changed []string
	for _, m := range slices.Sorted(maps.Keys(r.Kernels)) {
		if fingerprints()[m] != r.Kernels[m] {
			changed = append(changed, m)
		}
	}
	if len(changed) == 0 {
		return ""
	}
	return "the kernels in " + strings.Join(changed, ", ") + " have changed"
}
