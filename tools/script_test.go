// Package tools_test runs the commands as a user does.
package tools_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/tools/idxbench"
	"github.com/pinion-index/pinion/internal/tools/idxbuild"
	"github.com/pinion-index/pinion/internal/tools/idxinspect"
	"github.com/pinion-index/pinion/internal/tools/idxmerge"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
	"github.com/pinion-index/pinion/testdata"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"idxbench":   func() { cli.Main(idxbench.Command()) },
		"idxbuild":   func() { cli.Main(idxbuild.Command()) },
		"idxinspect": func() { cli.Main(idxinspect.Command()) },
		"idxmerge":   func() { cli.Main(idxmerge.Command()) },
		"idxquery":   func() { cli.Main(idxquery.Command()) },
	})
}

// quickstart builds examples/quickstart, a program that cannot be imported, and returns
// the directory that contains it.
func quickstart(t *testing.T) string {
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "../examples/quickstart")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func TestScripts(t *testing.T) {
	examples := ""
	if longtest.Enabled() {
		examples = quickstart(t)
	}
	testscript.Run(t, testscript.Params{
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", e.Getenv("PATH")+string(filepath.ListSeparator)+examples)
			return nil
		},
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(c string) (bool, error) {
			switch c {
			case "gpu": // or the emulator
				dev, err := gpu.OpenDevice()
				return err == nil && dev.Close() == nil, nil
			case "emulator":
				dev, err := gpu.OpenDevice()
				return err == nil && dev.Info().Name == "emulator" && dev.Close() == nil, nil
			case "long":
				return longtest.Enabled(), nil
			}
			return false, fmt.Errorf("no condition %q", c)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"flip":      flip,
			"cut":       cut,
			"blot":      blot,
			"newer":     newer,
			"patch":     patch,
			"kjv":       kjv,
			"killbuild": killBuild,
			"halfgzip":  halfGzip,
			"bigdoc":    bigDoc,
			"interrupt": interrupt,
			"foreign":   foreign,
		},
	})
}

// TestInstalled checks what go install ./tools/... installs.
func TestInstalled(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range strings.Fields(string(out)) {
		got = append(got, path.Base(p))
	}
	if want := []string{"idxbench", "idxbuild", "idxinspect", "idxmerge", "idxquery"}; !slices.Equal(got, want) {
		t.Errorf("main packages under tools: %q, want %q", got, want)
	}
}

// exits CODE COMMAND ARG... runs a command that must end with the exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var e *exec.ExitError
	switch {
	case errors.As(err, &e):
		got = e.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// change rewrites a file of the script's directory.
func change(ts *testscript.TestScript, name string, f func(b []byte) []byte) {
	path := ts.MkAbs(name)
	b, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, f(b), 0o666))
}

func number(ts *testscript.TestScript, s string, size int) int {
	n, err := strconv.ParseInt(s, 0, 64)
	ts.Check(err)
	if n < 0 {
		n += int64(size)
	}
	if n < 0 || n > int64(size) {
		ts.Fatalf("offset %s in a file of %d bytes", s, size)
	}
	return int(n)
}

// flip FILE OFFSET inverts the lowest bit of a byte. Negative offsets count from
// the end.
func flip(ts *testscript.TestScript, _ bool, args []string) {
	change(ts, args[0], func(b []byte) []byte {
		b[number(ts, args[1], len(b))] ^= 1
		return b
	})
}

// cut FILE LENGTH truncates a file.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	change(ts, args[0], func(b []byte) []byte { return b[:number(ts, args[1], len(b))] })
}

// blot FILE OFFSET LENGTH overwrites bytes, and blot FILE SECTION a section of a segment.
func blot(ts *testscript.TestScript, _ bool, args []string) {
	change(ts, args[0], func(b []byte) []byte {
		if len(args) > 2 {
			at := number(ts, args[1], len(b))
			copy(b[at:at+number(ts, args[2], len(b)-at)], bytes.Repeat([]byte("\xa5"), len(b)))
			return b
		}
		h, err := format.ParseHeader(args[0], int64(len(b)), b[:min(len(b), format.PageSize)], b[len(b)-format.FooterSize:])
		ts.Check(err)
		for _, sec := range h.Sections {
			if sec.ID.String() == args[1] {
				copy(b[sec.Offset:sec.End()], bytes.Repeat([]byte("\xa5"), len(b)))
				return b
			}
		}
		ts.Fatalf("%s has no section %s", args[0], args[1])
		return nil
	})
}

// newer FILE changes the major version of the file to 9, with a correct checksum.
func newer(ts *testscript.TestScript, _ bool, args []string) {
	change(ts, args[0], func(b []byte) []byte {
		binary.LittleEndian.PutUint16(b[8:], 9)
		binary.LittleEndian.PutUint64(b[56:], xxhash.Sum64(b[:56]))
		return b
	})
}

// patch FILE OLD NEW replaces text.
func patch(ts *testscript.TestScript, _ bool, args []string) {
	change(ts, args[0], func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte(args[1]), []byte(args[2]))
	})
}

// kjv FILE writes the bundled collection.
func kjv(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), testdata.KJV, 0o666))
}

// halfgzip FILE writes the first half of the bundled collection's bytes.
func halfGzip(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), testdata.KJV[:len(testdata.KJV)/2], 0o666))
}

// bigdoc FILE LINES BYTES writes a TSV document on each line. The last but one has that
// many bytes of text.
func bigDoc(ts *testscript.TestScript, _ bool, args []string) {
	lines, err := strconv.Atoi(args[1])
	ts.Check(err)
	size, err := strconv.Atoi(args[2])
	ts.Check(err)
	var b bytes.Buffer
	for i := 1; i <= lines; i++ {
		text := []byte("short")
		if i == lines-1 {
			text = bytes.Repeat([]byte("long "), size/5)
		}
		fmt.Fprintf(&b, "doc%d\t%s\n", i, text)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o666))
}

// interrupt DIR starts a build into DIR that waits for input, interrupts it and
// checks how it ends.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	path, err := exec.LookPath("idxbuild")
	ts.Check(err)
	cmd := exec.Command(path, "--out", ts.MkAbs(args[0]), "--format", "tsv", "-")
	in, err := cmd.StdinPipe()
	ts.Check(err)
	defer in.Close()
	errs, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(ts.MkAbs(args[0]), "write.lock")); err == nil {
			break
		}
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	msg, _ := io.ReadAll(errs)
	err = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 || string(msg) != "idxbuild: interrupted\nnothing was added\n" {
		ts.Fatalf("exit code %d, %v, %q", got, err, msg)
	}
}

// killbuild DIR starts a build into DIR that never gets all of its input, and kills it
// once it has written a segment.
func killBuild(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	before := len(segments(dir))
	path, err := exec.LookPath("idxbuild")
	ts.Check(err)
	cmd := exec.Command(path, "--out", dir, "--format", "tsv", "--memory", "8MiB", "-")
	in, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	stop := make(chan struct{})
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := fmt.Fprintf(in, "killed-%d\tterm%d and term%d and more text\n", i, i, i*7); err != nil {
				return
			}
		}
	}()
	for deadline := time.Now().Add(time.Minute); len(segments(dir)) == before; {
		if time.Now().After(deadline) {
			ts.Logf("no segment was written")
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	ts.Check(cmd.Process.Kill())
	close(stop)
	cmd.Wait()
	if c, ok := in.(io.Closer); ok {
		c.Close()
	}
	if len(segments(dir)) == before {
		ts.Fatalf("the killed build left nothing")
	}
}

func segments(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(dir, "segment-*.pin*"))
	return names
}
