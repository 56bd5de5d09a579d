package reliability

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/store"
)

var commands = flag.String("commands", "", "folder of idxbuild, idxmerge and idxquery, for TestSmallMemory")

// plenty is KiB that suffice for every command.
const plenty = 16 << 20

// limited runs a command whose memory sh's ulimit bounds by kib, by option -v (addresses) or
// -d (memory of its own).
func limited(option string, kib int, name string, args ...string) (stdout, stderr string, err error) {
	c := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit %s %d; exec "$0" "$@"`, option, kib), filepath.Join(*commands, name)}, args...)...)
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	err = c.Run()
	return o.String(), e.String(), err
}

// leastMemory returns the least multiple of step, about, for which f succeeds.
func leastMemory(step int, f func(n int) bool) int {
	lo, hi := 0, 1
	for !f(hi * step) {
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; f(mid * step) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi * step
}

// TestSmallMemory runs the commands with limits of memory between one at which they start
// and one at which they succeed. They end with a message, and leave the index as it was or as
// it becomes; queries give the same answers or none.
func TestSmallMemory(t *testing.T) {
	if *commands == "" {
		t.Skip("the commands are missing: -commands, as internal/reliability/trials gives it")
	}
	dir, r := t.TempDir(), rand.New(rand.NewPCG(*seed, 9))
	base, first, second := filepath.Join(dir, "base"), filepath.Join(dir, "first.jsonl"), filepath.Join(dir, "second.jsonl")
	input := func(name string, from, to int) {
		var b bytes.Buffer
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "{\"id\":\"d%d\",\"contents\":%q}\n", i, text(r, i))
		}
		check(t, os.WriteFile(name, b.Bytes(), 0o600))
	}
	input(first, 0, 3000)
	input(second, 2000, 10000)
	for _, in := range []string{first, second} { // two segments
		out := base
		if in == second {
			out = filepath.Join(dir, "both")
			check(t, os.CopyFS(out, os.DirFS(base)))
		}
		_, stderr, err := limited("-v", plenty, "idxbuild", "--out", out, "--store-text", "--analyzer", "whitespace", in)
		if err != nil {
			t.Fatal(err, stderr)
		}
	}
	done := 0
	both := filepath.Join(dir, "both")
	for _, c := range []struct {
		from, name string
		args       func(index string) []string
	}{
		{base, "idxbuild", func(index string) []string { return []string{"--out", index, "--store-text", second} }},
		{both, "idxmerge", func(index string) []string { return []string{"--in-place", index} }},
		{both, "idxmerge", func(index string) []string { return []string{"--in-place", index, "--order", "bp"} }},
		{both, "idxquery", func(index string) []string { return []string{index, "all w1 w2", "w3 n2999", "w40"} }},
	} {
		for _, option := range []string{"-v", "-d"} {
			m := &smallMemory{t: t, r: r, option: option, name: c.name, args: c.args, from: c.from}
			n := trials(200)
			m.run(n)
			done += n
		}
	}
	t.Logf("%d runs", done)
}

// smallMemory is a command to be run with limits of memory.
type smallMemory struct {
	t            *testing.T
	r            *rand.Rand
	option, name string
	args         func(index string) []string
	from         string // the index that it begins with
}

func (m *smallMemory) run(n int) {
	t := m.t
	what := fmt.Sprintf("%s %s, ulimit %s", m.name, strings.Join(m.args("INDEX")[1:], " "), m.option)
	before, err := contents(store.Dir(m.from))
	check(t, err)
	work := filepath.Join(t.TempDir(), "index")
	once := func(kib int) (string, string, error) {
		check(t, os.RemoveAll(work), os.CopyFS(work, os.DirFS(m.from)))
		return limited(m.option, kib, m.name, m.args(work)...)
	}
	starts := leastMemory(256, func(kib int) bool { _, _, err := limited(m.option, kib, m.name, "--version"); return err == nil })
	enough := max(starts, leastMemory(256, func(kib int) bool { _, _, err := once(max(kib, starts)); return err == nil }))
	want, _, err := once(plenty)
	check(t, err)
	after, err := contents(store.Dir(work))
	check(t, err)
	messages, failed := map[string]int{}, 0
	for range n {
		kib := starts - 2000 + m.r.IntN(enough-starts+4000)
		got, stderr, err := once(kib)
		if err != nil {
			failed++
			line, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
			messages[line]++
			if line == "" && kib > starts {
				t.Errorf("%s %d: %v without a message", what, kib, err)
			}
		}
		if m.name == "idxquery" && err == nil && got != want {
			t.Errorf("%s %d: other answers: %s", what, kib, got)
		}
		if now, e := contents(store.Dir(work)); e != nil || !maps.Equal(now, after) && (err == nil || !maps.Equal(now, before)) {
			t.Fatalf("%s %d: %v; then %d documents, neither the %d before nor the %d after: %v", what, kib, err, len(now), len(before), len(after), e)
		}
		if m.name != "idxquery" && err != nil {
			if _, stderr, err := limited("-v", plenty, m.name, m.args(work)...); err != nil {
				t.Fatalf("%s %d: going on: %v %s", what, kib, err, stderr)
			}
			now, e := contents(store.Dir(work))
			if e == nil && !maps.Equal(now, after) {
				e = errors.New("not what it would have been")
			}
			if e = errors.Join(e, leftovers(store.Dir(work))); e != nil {
				t.Fatalf("%s %d: having gone on: %v", what, kib, e)
			}
		}
	}
	t.Logf("%s: starts with %d MiB, succeeds with %d; %d trials, of which %d fail: %v", what, starts>>10, enough>>10, n, failed, messages)
}
