package gpuload

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

// metrics returns the lines of WriteMetrics without comments.
func metrics(x *Executor) string {
	var b, lines strings.Builder
	x.WriteMetrics(&b)
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "#") {
			lines.WriteString(strings.TrimPrefix(line, "pinion_gpu_"))
		}
	}
	return lines.String()
}

// Metrics count over all commits who has answered, and why the CPU has; texts say which processors answer.
func TestMetrics(t *testing.T) {
	o := &opener{gate: make(chan struct{})}
	x, index := newExecutor(t, o)
	x.open = x.counts.counting(o.open)
	says := func(ready int, text string) {
		t.Helper()
		if got := x.Answers(); got != text {
			t.Errorf("%q, want %q", got, text)
		}
		if all, want := metrics(x), fmt.Sprintf("ready %d\ninfo{answers=%q} 1\n", ready, text); !strings.HasPrefix(all, want) {
			t.Errorf("%s, want %s", all, want)
		}
	}
	says(0, "the CPU answers until a GPU is ready")
	close(o.gate)
	asked := int64(0)
	for i := range 3 {
		if err := errors.Join(index.Add(t.Context(), pinion.Text(fmt.Sprint(i), "rose")), index.Sync(t.Context())); err != nil {
			t.Fatal(err)
		}
		x.mu.Lock()
		x.rest = time.Time{}
		x.mu.Unlock()
		one(t, index, "rose") // the CPU, while a device is opened; then it waits for the opener
		if err := x.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		says(1, "the CPU answer") // which the devices of an opener are
		one(t, index, "rose")
		for _, r := range []pinion.Request{{Query: query.Match{Text: "rose"}, Collapse: "text"}, {Query: query.Prefix{Text: "r"}}} {
			index.Search(t.Context(), r) // one of them is an error of the CPU
		}
		asked += 4
	}
	all := x.counts.all()
	if all.CPU+all.GPU+all.Both != asked {
		t.Errorf("%+v, of %d searches", all, asked)
	}
	if by := x.OnCPU(); by["no device"] != 1 || by["columns"] != 3 || by["nodes"] != 3 || len(by) != 3 {
		t.Errorf("%v", by)
	}
	for _, line := range []string{fmt.Sprintf("searches_total{processor=\"gpu\"} %d\n", all.GPU), "on_cpu_total{reason=\"columns\"} 3\n", "resident_bytes 0\n"} {
		if !strings.Contains(metrics(x), line) {
			t.Errorf("no %s in\n%s", line, metrics(x))
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if again := x.counts.all(); again.CPU+again.GPU+again.Both != asked {
		t.Errorf("%+v after Close, of %d searches", again, asked)
	}
	says(0, fmt.Sprint("the CPU answers: ", ErrClosed))
}
