//go:build linux && !emu && ((cuda && cgo) || ((amd64 || arm64) && !static))

package cuda

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/pinion-index/pinion/internal/kernels"
)

// sharedStatic exceeds the static shared memory of every kernel that uses dynamic shared
// memory.
const sharedStatic = 2048

// module is a module of kernels, which is loaded when one of them is first needed.
type module struct {
	once sync.Once
	err  error // set by once
}

// modules are the modules of a device and the functions in them.
type modules struct {
	byName  map[string]*module // never changes
	of      []*module          // by kernel, as below
	fns     []uintptr          // set once the kernel's module is loaded
	threads []uint32

	mu     sync.Mutex
	loaded []uintptr // to unload
	ended  bool
}

func (m *modules) init() {
	m.byName = map[string]*module{}
	m.of, m.fns, m.threads = make([]*module, kernels.Numbers()), make([]uintptr, kernels.Numbers()), make([]uint32, kernels.Numbers())
	for _, k := range kernels.All() {
		if m.byName[k.Module()] == nil {
			m.byName[k.Module()] = new(module)
		}
		m.of[k], m.threads[k] = m.byName[k.Module()], uint32(k.Threads())
	}
}

// keep notes a module that is complete, for end to return. It reports false after end.
func (m *modules) keep(handle uintptr) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.ended {
		m.loaded = append(m.loaded, handle)
	}
	return !m.ended
}

// end returns the modules that have been loaded. Close does not wait for a Load, for which the
// driver may compile for a minute: modules that come later are for loadModule to unload.
func (m *modules) end() []uintptr {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	return m.loaded
}

// compiles reports whether the driver has to compile kernels for a device.
func compiles(info Info) bool {
	return os.Getenv(codeVariable) == "ptx" || !kernels.HasCode(info.Major, info.Minor)
}

// Load loads the modules of kernels, several at a time: a driver that compiles needs many
// seconds for some.
func (d *Driver) Load(ks ...kernels.Kernel) error {
	errs := make([]error, len(ks))
	var wg sync.WaitGroup
	seen := map[*module]bool{}
	for i, k := range ks {
		if !seen[d.of[k]] {
			seen[d.of[k]] = true
			wg.Go(func() { errs[i] = d.need(k) })
		}
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// need loads the module of a kernel unless it is loaded.
func (d *Driver) need(k kernels.Kernel) error {
	m := d.of[k]
	m.once.Do(func() {
		if err := d.here(func() error { return d.loadModule(k.Module()) }); err != nil {
			m.err = fmt.Errorf("module %s: %w", k.Module(), err)
		}
	})
	return m.err
}

// loadModule loads a module on the caller's thread, and unloads it if it cannot be used.
func (d *Driver) loadModule(name string) error {
	image, err := d.image(name)
	if err != nil {
		return err
	}
	m, err := cuModuleLoad(image)
	if err != nil {
		return err
	}
	if err = d.functions(m, name); err == nil && !d.keep(m) {
		err = errClosed
	}
	if err != nil && !d.dead.Load() {
		err = errors.Join(err, cuModuleUnload(m))
	}
	return err
}

// functions sets the functions of the kernels in a module.
func (d *Driver) functions(m uintptr, name string) error {
	for _, k := range kernels.All() {
		if k.Module() != name {
			continue
		}
		f, err := cuModuleFunction(m, k.String())
		if err == nil && k.DynamicShared() {
			err = cuFuncSetAttribute(f, attrMaxShared, d.info.Shared-sharedStatic)
		}
		if err != nil {
			return fmt.Errorf("kernel %v: %w", k, err)
		}
		d.fns[k] = f
	}
	return nil
}

func (d *Driver) image(name string) (string, error) {
	if d.info.Compiles {
		return kernels.PTX(name)
	}
	b, err := kernels.Code(name, d.info.Major, d.info.Minor)
	return string(b), err
}
