package memfs

import "math/rand/v2"

// Sector is the unit in which a write is torn by a crash, in bytes.
const Sector = 512

// Crash describes what survives a crash besides what was synced. The zero value
// keeps nothing more.
type Crash struct {
	// Keep is the share of unsynced changes that survive, in percent: entries set or
	// removed, and writes. Each survives or is lost on its own, whatever the order
	// in which they were made. A rename counts as one change.
	Keep int
	// Torn makes each sector of a write survive or be lost on its own.
	Torn bool
	// Rand makes the choices. It may be nil if Keep is 0 or 100.
	Rand *rand.Rand
}

func (c *Crash) keep() bool {
	return c.Keep >= 100 || c.Keep > 0 && c.Rand.IntN(100) < c.Keep
}

// Crash ends f and returns what is left: synced content under synced names.
func (f *FS) Crash() *FS { return f.CrashWith(Crash{}) }

// CrashKeeping is CrashWith a torn half.
func (f *FS) CrashKeeping(r *rand.Rand) *FS { return f.CrashWith(Crash{Keep: 50, Torn: true, Rand: r}) }

// CrashWith ends f and returns what is left. Operations on f fail with ErrCrashed
// from then on; files that are open for reading remain readable.
func (f *FS) CrashWith(c Crash) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.crashed = true
	g := New()
	entries := make(map[string]*inode)
	for name, in := range f.durable {
		entries[name] = in
	}
	for _, change := range f.changes {
		if c.keep() {
			change.apply(entries)
		}
	}
	for _, name := range sortedNames(entries) { // in an order that depends on nothing else
		n := entries[name].crash(&c)
		g.entries[name], g.durable[name] = n, n
		g.used += n.size
	}
	return g
}

// crash returns the file that is left of in.
func (in *inode) crash(c *Crash) *inode {
	n := &inode{size: int64(len(in.durable)), data: in.durable, frozen: true}
	for _, w := range in.writes {
		for from := 0; from < len(w.data); {
			to := len(w.data)
			if c.Torn { // sectors are those of the file
				to = min(to, from+Sector-int((w.off+int64(from))%Sector))
			}
			if c.keep() {
				n.writeAt(w.data[from:to], w.off+int64(from))
			}
			from = to
		}
	}
	n.durable = n.freeze()
	return n
}
