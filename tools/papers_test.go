package tools_test

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/testdata"
)

// paperRow matches a row of the table of docs/how-it-works.md, with its paper and its command.
var paperRow = regexp.MustCompile("(?m)^\\| (\\w+) \\d{4}, [^|]*\\| [^|]* \\| `(idx[^`]*)` \\|$")

// run runs a command in the test's folder.
func run(t *testing.T, line ...string) string {
	t.Helper()
	cmd := root(t, line[0])
	var out, stderr bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&stderr)
	cmd.SetArgs(line[1:])
	if err := cli.Execute(t.Context(), cmd); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(line, " "), err, &stderr)
	}
	return out.String()
}

// TestPapers runs every command by which docs/how-it-works.md says that users reach what the papers
// describe. Queries have the answers of the CPU by default, over indexes in every codec too. Some commands need
// a GPU or the emulator (-tags emu).
func TestPapers(t *testing.T) {
	longtest.Only(t)
	page, err := os.ReadFile("../docs/how-it-works.md")
	if err != nil {
		t.Fatal(err)
	}
	dev, err := gpu.OpenDevice()
	if err != nil {
		t.Skip("without a GPU or the emulator: ", err)
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string][]byte{"kjv.jsonl.gz": testdata.KJV,
		"topics.tsv": []byte("1\tfaith hope charity\n2\tthe lord is my shepherd\n3\tjesus wept\n4\tin the beginning god created the heaven\n")} {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "idxbuild", "--out", "kjv.idx", "kjv.jsonl.gz")
	want := map[string]string{} // by mode
	answers := func(mode string, flags ...string) string {
		return run(t, slices.Concat([]string{"idxquery", "--run", "-", "--mode", mode, "--queries", "topics.tsv"}, flags)...)
	}
	for _, mode := range []string{"and", "or", "and-or"} {
		if want[mode] = answers(mode, "kjv.idx"); strings.Count(want[mode], "\n") < 4 {
			t.Fatalf("answers by %s: %s", mode, want[mode])
		}
	}
	papers := map[string]int{}
	for _, m := range paperRow.FindAllStringSubmatch(string(page), -1) {
		papers[m[1]]++
		line := strings.Fields(m[2])
		value := func(flag, other string) string {
			if i := slices.Index(line, flag); i >= 0 {
				return line[i+1]
			}
			return other
		}
		switch line[0] {
		case "idxbuild":
			run(t, line...)
			if got := answers("and", value("--out", "")); got != want["and"] {
				t.Errorf("%s: the index answers\n%s, not\n%s", m[2], got, want["and"])
			}
		case "idxquery":
			mode := value("--mode", "or")
			if slices.Contains(line, "--trace") {
				run(t, line...)
			} else if got := run(t, append(line, "--run", "-")...); got != want[mode] {
				t.Errorf("%s answers\n%s, not\n%s", m[2], got, want[mode])
			}
		default:
			run(t, line...)
		}
	}
	for name, n := range map[string]int{"Ding": 10, "Tatikonda": 5, "Ao": 9, "Griffin": 4, "Mallia": 8} {
		if papers[name] < n {
			t.Errorf("%d systems of %s, %d at least", papers[name], name, n)
		}
	}
}
