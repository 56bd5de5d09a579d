package pool

import "time"

// A spinning worker of model Inter waits at a box of its own, so that it reads nothing that queries for other workers
// change: if all looked into the entry queue, each Submit would wait until their cores have let go of its ends. Who
// takes the worker out of the set spinning puts something into its box, once: a query, Pool.look if there is one in
// the entry queue, or Pool.lent if a caller works in its place.

// spinner takes a worker out of spinning and returns it, or nil if there is none or they share queries. The caller puts
// something into its box.
func (p *Pool) spinner() *worker {
	if p.options.Model != Inter {
		return nil
	}
	if i := p.spinning.first(); i >= 0 {
		return p.workers[i]
	}
	return nil
}

// waitAtBox waits until something is in the box of w, which is in spinning, or w's patience is exhausted, and reports
// whether there may be work.
func (w *worker) waitAtBox(start time.Time) bool {
	p := w.pool
	late := p.entry.len() > 0 // pushed before w was in spinning, maybe
	for n := 1; ; n++ {
		switch w.box.Load() {
		case nil:
		case &p.lent:
			w.box.Store(nil)
			w.sleep()
			return true
		default:
			return true
		}
		if ended := p.ended.Load(); late || ended || n%looks == 0 && time.Since(start) > w.patience {
			if p.spinning.remove(w.index) {
				return late || ended
			}
			late = false // something comes into the box
			continue
		}
		relax(pauses)
		if n%looks == 0 {
			yieldCPU() // another thread may wait for this CPU
			w.giveWay(idleTurn)
		}
	}
}
