package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

func TestTable(t *testing.T) {
	tab := NewTable("name", ">n", "rest")
	tab.Row("é", 1234567, "x")
	tab.Row("longer name", uint32(7), "")
	var b bytes.Buffer
	tab.WriteTo(&b)
	want := "name                 n  rest\n" +
		"é            1,234,567  x\n" +
		"longer name          7\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
	tab = NewTable("", "")
	tab.Row("a", "b")
	b.Reset()
	tab.WriteTo(&b)
	if b.String() != "a  b\n" {
		t.Errorf("without heads: %q", &b)
	}
}

// TestTableOfWideCharacters checks that characters count as the terminal columns that
// they take.
func TestTableOfWideCharacters(t *testing.T) {
	tab := NewTable("id", ">n")
	tab.Row("日本語", 1)
	tab.Row("a", 22)
	var b bytes.Buffer
	tab.WriteTo(&b)
	if want := "id       n\n日本語   1\na       22\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

// TestCut marks only lines that lose text.
func TestCut(t *testing.T) {
	got := cut("abcdef\nabcdefg\n日本語\n日本語x\n\nab\n", 6)
	if want := "abcdef\nabcde…\n日本語\n日本…\n\nab\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPaging(t *testing.T) {
	for _, test := range []struct {
		o    *output
		want string
	}{
		{&output{lines: 24}, ""},
		{&output{lines: 1000}, "1,000 lines: '| less' shows them page by page."},
		{&output{lines: 1000, cut: true}, "Lines are cut at the terminal's width: '| less -S' shows all of them."},
	} {
		if got := test.o.paging(24); got != test.want {
			t.Errorf("%d lines: %q, want %q", test.o.lines, got, test.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Count(0), "0"}, {Count(999), "999"}, {Count(1000), "1,000"}, {Count(-1234567), "-1,234,567"}, {Count(uint64(1) << 63), "9,223,372,036,854,775,808"},
		{Bytes(0), "0 B"}, {Bytes(1023), "1023 B"}, {Bytes(1024), "1.00 KiB"}, {Bytes(int64(3) << 29), "1.50 GiB"}, {Bytes(int64(5000) << 40), "5000 TiB"},
		{Float(0, 3), "0"}, {Float(0.012345, 3), "0.0123"}, {Float(123.4, 3), "123"}, {Float(9.996, 3), "10.00"}, {Float(-1.5, 3), "-1.50"},
		{Rate(2500, time.Second), "2.50 k"}, {Rate(5, time.Second), "5.00"}, {Rate(8.2e9, 2*time.Second), "4.10 G"},
		{Seconds(1500 * time.Millisecond), "1.50 s"}, {Seconds(2 * time.Millisecond), "2.00 ms"}, {Seconds(700 * time.Nanosecond), "0.700 us"},
		{Percent(1, 3), "33.3 %"}, {Percent(1, 0), "-"},
		{Quote("abc"), "abc"}, {Quote("a b"), `"a b"`}, {Quote(""), `""`}, {Quote("\xff"), `"\xff"`},
		{Snippet([]byte("a  b\nc"), 10), "a b c"}, {Snippet([]byte("abcdef"), 4), "abc…"}, {Snippet([]byte("abcd"), 4), "abcd"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{
		"4096": 4096, "64k": 64 << 10, "512MiB": 512 << 20, "1.5GB": 15e8, "2 GiB": 2 << 30, "1t": 1 << 40, "3B": 3,
	} {
		var s ByteSize
		if err := s.Set(text); err != nil || int64(s) != want {
			t.Errorf("%q: %d, %v; want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "x", "12x", "-1", "1e9", "99999999999999GB", "MiB"} {
		var s ByteSize
		if err := s.Set(text); err == nil {
			t.Errorf("%q was taken for %d", text, s)
		}
	}
	for n, want := range map[ByteSize]string{512 << 20: "512MiB", 3 << 30: "3GiB", 1000: "1000", 2048: "2KiB"} {
		if got := n.String(); got != want {
			t.Errorf("%d: %q, want %q", int64(n), got, want)
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, ExitOK},
		{errors.New("x"), ExitFailed},
		{format.Corrupt("x"), ExitFailed},
		{Opening(format.Corrupt("x")), ExitOpen},
		{Opening(nil), ExitOK},
		{Opening(fmt.Errorf("x: %w", writer.ErrAnalyzer)), ExitFailed},
		{Opening(writer.ErrStored), ExitFailed},
		{Opening(schema.ErrInvalid), ExitFailed},
		{Opening(fmt.Errorf("x: %w", &store.PanicError{})), ExitFailed},
		{fmt.Errorf("a: %w", Opening(fs.ErrNotExist)), ExitOpen},
		{&format.Error{Kind: format.ErrTooNew}, ExitOpen},
		{Usage("x %d", 1), ExitUsage},
	} {
		if got := ExitCode(test.err); got != test.want {
			t.Errorf("%v: exit code %d, want %d", test.err, got, test.want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	words := []string{"bp128", "newpfd", "verify", "threads", "k"}
	for _, test := range []struct{ word, want string }{
		{"bp218", "bp128"}, {"newfpd", "newpfd"}, {"Verify", "verify"}, {"treads", "threads"}, {"frobnicate", ""}, {"", "k"}, {"qqqqq", ""},
	} {
		want := ""
		if test.want != "" {
			want = "; did you mean " + test.want + "?"
		}
		if got := DidYouMean(test.word, words); got != want {
			t.Errorf("%q: %q, want %q", test.word, got, want)
		}
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct {
		text Text
		want string
	}{{"a<b", `"a<b"`}, {"é", `"é"`}, {"\xff", `{"base64":"/w=="}`}, {"\x1b", `"\u001b"`}} {
		if got, err := test.text.MarshalJSON(); err != nil || strings.TrimSpace(string(got)) != test.want {
			t.Errorf("%q: %s, %v; want %s", string(test.text), got, err, test.want)
		}
	}
	if got, want := Printable("a\tb\x1b[2J\xffé\n\u202e"), "a\tb\\x1b[2J\\xffé\n\\u202e"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A fault of the program is printed with its stack and asks for a report; damage is what repairs are for.
func TestFaults(t *testing.T) {
	fault := func() error { _ = []int{}[len(t.Name())]; return nil }
	for _, c := range []struct {
		err     error
		has, no string
	}{
		{indexdir.Guard(fault), "cli.TestFaults", "repair"},
		{indexdir.Guard(fault), "fault of Pinion and says nothing about the index: please report it", "corrupt"},
		{format.Corrupt("x"), "idxinspect repair", "report"},
	} {
		var stderr bytes.Buffer
		cmd := &cobra.Command{Use: "tool", RunE: func(*cobra.Command, []string) error { return fmt.Errorf("query 1: %w", c.err) }}
		cmd.SetArgs([]string{})
		cmd.SetErr(&stderr)
		if err := Execute(t.Context(), cmd); ExitCode(err) != ExitFailed || !strings.Contains(stderr.String(), c.has) || strings.Contains(stderr.String(), c.no) {
			t.Errorf("%v: %s", err, &stderr)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stderr bytes.Buffer
	cmd := &cobra.Command{Use: "tool", RunE: func(cmd *cobra.Command, _ []string) error {
		return fmt.Errorf("reading: %w", cmd.Context().Err())
	}}
	cmd.SetArgs([]string{})
	cmd.SetErr(&stderr)
	if err := Execute(ctx, cmd); ExitCode(err) != ExitFailed || stderr.String() != "tool: reading: interrupted\n" {
		t.Errorf("%v, %q", err, &stderr)
	}
}

func TestProgressLine(t *testing.T) {
	start := time.Now()
	p := &Progress{label: "build", rate: BytesRate, start: start}
	p.Update(512<<10, 1<<20)
	for width, want := range map[int]string{
		79: "build  [============            ]  50 %  256 KiB/s  2s left",
		49: "build  [=======       ]  50 %  256 KiB/s  2s left",
		40: "build  50 %  256 KiB/s  2s left",
		25: "build  50 %  2s left",
		12: "build  50 %",
		5:  "build",
	} {
		if got := p.line(start.Add(2*time.Second), width); got != want || len(got) > width {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
	p = &Progress{label: "merge", rate: ItemRate("postings"), start: start}
	p.Update(3000, 0)
	if got, want := p.line(start.Add(3*time.Second), 79), "merge  1.00 k postings/s  3.00 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Update(0, 10)
	if got := p.line(start.Add(time.Second), 79); !strings.HasSuffix(got, "? left") {
		t.Errorf("%q", got)
	}
	p.Update(10, 10)
	if got := p.line(start.Add(time.Second), 79); !strings.HasSuffix(got, "finishing") {
		t.Errorf("%q", got)
	}
}

// TestProgressPhases checks that each phase has its own label, unit and clock.
func TestProgressPhases(t *testing.T) {
	start := time.Now().Add(-time.Hour)
	p := &Progress{label: "build", rate: BytesRate, start: start}
	p.Update(100, 100)
	p.Writer(writer.Progress{Stage: "flush", Done: 100, Total: 200})
	if got := p.line(p.start.Add(time.Second), 79); !strings.HasPrefix(got, "flush  [") || !strings.HasSuffix(got, "50 %  100 postings/s  1s left") {
		t.Errorf("%q", got)
	}
	p.Writer(writer.Progress{Stage: "order", Done: 1, Total: 2})
	if got := p.line(p.start.Add(time.Second), 79); !strings.HasPrefix(got, "order  [") || !strings.HasSuffix(got, "50 %  1s left") {
		t.Errorf("%q", got)
	}
}

// TestProgressOffTerminal checks that nothing is written to a file.
func TestProgressOffTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := NewProgress(f, "x", 10, BytesRate)
	p.Set(5)
	p.Stop()
	p.Stop()
	if st, err := f.Stat(); err != nil || st.Size() != 0 {
		t.Errorf("%v bytes, %v", st.Size(), err)
	}
}
