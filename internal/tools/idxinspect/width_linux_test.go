package idxinspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/sys/unix"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// terminal opens a terminal of that many columns, in raw mode. Its end function returns
// what was written to it.
func terminal(t *testing.T, width uint16) (tty *os.File, end func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skip(err)
	}
	mode, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	mode.Oflag &^= unix.OPOST
	if err := unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, mode); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: width, Row: 50}); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, master) // ends with an error once the other side is closed
		read <- b.String()
	}()
	return tty, func() string {
		tty.Close()
		defer master.Close()
		return <-read
	}
}

// long makes an index whose terms, ids and texts are wider than terminals.
func long(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "an-index-with-a-name-of-some-length.idx")
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: schema.Implicit("whitespace", "", true)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		d := writer.Text(fmt.Appendf(nil, "%s-%d", strings.Repeat("identifier-", 11), i), fmt.Appendf(nil, "common %s %s %s", strings.Repeat("common ", i%9), strings.Repeat("x", i%200+1), strings.Repeat("漢字 and a sentence ", 9)))
		if err := w.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if i == 200 {
			if err := w.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// longColumns makes an index with columns and terms with positions that are wider than terminals.
func longColumns(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "columns.idx")
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: strings.Repeat("name ", 20) + "k", Kind: schema.Keyword, Column: true}, {Name: "t", Kind: schema.Time, Unit: schema.UnitSecond, Column: true},
		{Name: "text", Kind: schema.Text, Analyzer: "whitespace", Positions: true},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		d := writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.KeywordValue(0, fmt.Appendf(nil, "%d %s", i, strings.Repeat("keyword ", 20))), schema.TextValue(2, []byte(strings.Repeat("x", 150)+" and"))}}
		if err := w.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestWidth checks that no line of a command is wider than the terminal. A command that
// is not listed fails the test.
func TestWidth(t *testing.T) {
	index, other := long(t), long(t)
	segments, err := filepath.Glob(filepath.Join(index, "segment-*"))
	if err != nil || len(segments) == 0 {
		t.Fatal(segments, err)
	}
	id := strings.Repeat("identifier-", 11) + "-7"
	log := filepath.Join(t.TempDir(), "log.tsv")
	if err := os.WriteFile(log, []byte("q1\tcommon sentence\nq2\tand\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	wide, query := strings.Repeat("x", 150), "common sentence and "+strings.Repeat("x", 150)
	runs := map[string][][]string{
		"summary": {{index}, {segments[0]}}, "verify": {{index}, {"--level", "3", index}}, "sections": {{index}}, "sizes": {{index}, {"--codec", "bp128,ef", index}, {"--codec", "bp128", index, "common"}},
		"terms": {{index}, {"--limit", "3", "--prefix", "xxx", index}}, "list": {{index, "common"}, {index, wide}}, "blocks": {{index, "common"}}, "postings": {{index, "common"}, {index, wide}},
		"columns":   {{index}, {longColumns(t)}, {longColumns(t), "t"}, {longColumns(t), strings.Repeat("name ", 20) + "k"}},
		"positions": {{"--field", "text", longColumns(t), wide, "3"}},
		"docs":      {{index}, {index, id}, {"--full", index}}, "stats": {{index}},
		"hexdump": {{index}, {segments[0]}, {"--fields", "0", segments[0]}, {"--term", wide, index}, {"--section", "stored", index}},
		"diff":    {{index, other}, {index, index}}, "explain": {{index, query, id}, {"--trace", index, query}, {"--trace", "--mode", "and", index, query}},
		"gpu-plan": {{"--queries", log, index}}, "residency": {{index}, {"--queries", log, index}}, "repair": {{index}},
		"report": nil, "export": nil, "backup": nil, "serve": nil, // print no tables
	}
	for _, c := range Command().Commands() {
		lines, ok := runs[c.Name()]
		if !ok && c.Name() != "completion" && c.Name() != "help" {
			t.Errorf("%s is not listed", c.Name())
		}
		for _, width := range []uint16{40, 80, 120, 200} {
			for _, args := range lines {
				checkWidth(t, width, append([]string{c.Name()}, args...))
			}
		}
	}
	// Damage has lines of its own.
	b, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	b[100] ^= 3
	if err := os.WriteFile(segments[0], b, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", index}, {"repair", index}, {"hexdump", segments[0]}} {
		checkWidth(t, 80, args)
	}
}

// checkWidth runs a command on a terminal.
func checkWidth(t *testing.T, width uint16, args []string) {
	t.Helper()
	tty, end := terminal(t, width)
	cmd := Command()
	cmd.SetArgs(args)
	cmd.SetOut(tty)
	cmd.SetErr(io.Discard)
	err := cli.Execute(context.Background(), cmd)
	out := end()
	if out == "" {
		t.Fatalf("%.80q: nothing is printed: %v", args, err)
	}
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if n := text.StringWidthWithoutEscSequences(line); n > int(width) {
			t.Errorf("%.80q, %d columns: a line has %d: %s", args, width, n, line)
			return
		}
	}
}
