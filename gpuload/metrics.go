package gpuload

import (
	"fmt"
	"io"
)

// Answers says in a clause which processors answer, or why the CPU alone does: for people, such as in the log of a server.
func (x *Executor) Answers() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, text := x.answers()
	return text
}

// answers is Answers, and reports whether a GPU is among them. x.mu must be held.
func (x *Executor) answers() (gpu bool, text string) {
	why := x.why
	switch {
	case x.closed:
		why = ErrClosed
	case x.cur != nil:
		if why = x.cur.x.Stats().Retired; why == nil {
			return true, x.cur.x.Device() + " answer"
		}
	case why == nil:
		return false, "the CPU answers until a GPU is ready"
	}
	return false, fmt.Sprintf("the CPU answers: %v", why)
}

// OnCPU returns how many searches no device could answer since Open, or none was to, by the reason: docs/gpu-plan.md says what these are.
// Searches that either processor could answer are not among them, whoever did.
func (x *Executor) OnCPU() map[string]int64 {
	all := x.counts.all()
	by := map[string]int64{}
	for why, n := range all.OnCPU.All() {
		by[why.String()] = n
	}
	return by
}

// WriteMetrics writes what x has answered since Open, over all snapshots, in Prometheus' text format, as httpapi.Options.Metrics takes it.
func (x *Executor) WriteMetrics(w io.Writer) {
	x.mu.Lock()
	gpu, text := x.answers()
	x.mu.Unlock()
	ready := 0
	if gpu {
		ready = 1
	}
	all := x.counts.all()
	head := func(name, kind, help string) {
		fmt.Fprintf(w, "# HELP pinion_gpu_%s %s\n# TYPE pinion_gpu_%s %s\n", name, help, name, kind)
	}
	head("ready", "gauge", "1 if a GPU answers searches, beside the CPU; 0 if the CPU does alone.")
	fmt.Fprintf(w, "pinion_gpu_ready %d\n", ready)
	head("info", "gauge", "Which processors answer, or why the CPU does alone.")
	fmt.Fprintf(w, "pinion_gpu_info{answers=%q} 1\n", text)
	head("searches_total", "counter", "Searches by who answered them: both those that found no other, step by step.")
	for _, by := range []struct {
		name string
		n    int64
	}{{"cpu", all.CPU}, {"gpu", all.GPU}, {"both", all.Both}} {
		fmt.Fprintf(w, "pinion_gpu_searches_total{processor=%q} %d\n", by.name, by.n)
	}
	head("on_cpu_total", "counter", "Searches that no GPU could answer, or none was to, by the reason.")
	for why, n := range all.OnCPU.All() {
		fmt.Fprintf(w, "pinion_gpu_on_cpu_total{reason=%q} %d\n", why, n)
	}
	head("resident_bytes", "gauge", "Bytes of posting lists and tables in device memory.")
	fmt.Fprintf(w, "pinion_gpu_resident_bytes %d\n", all.Resident)
}
