package fuzzing

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// FuzzDoor fails, if a test asks for it, on inputs with a byte and a number that the seed lacks.
func FuzzDoor(f *testing.F) {
	x := New(f)
	x.Add([]byte("seed"), "text", 7, true)
	x.Fuzz(func(t *testing.T, b []byte, s string, n int, yes bool) {
		if os.Getenv("FUZZ_DOOR") != "" && bytes.IndexByte(b, 0xd0) >= 0 && n < 0 {
			if !yes {
				panic("the door")
			}
			t.Fatal("the door")
		}
	})
}

// TestDoor finds a door, and an ordinary run of the target finds the input that is kept.
func TestDoor(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range []string{"1", "2", "3"} {
		dir := t.TempDir()
		run := func(args ...string) string {
			c := exec.Command(exe, append([]string{"-test.v", "-test.run", "^FuzzDoor$"}, args...)...)
			c.Dir, c.Env = dir, append(os.Environ(), "FUZZ_DOOR=1")
			out, _ := c.CombinedOutput()
			return string(out)
		}
		if out := run(); !strings.Contains(out, "--- PASS: FuzzDoor") {
			t.Fatalf("the seed fails: %s", out)
		}
		out := run("-executions", "1000000", "-mutations", seed, "-corpus", filepath.Join(dir, "corpus"))
		found, _ := filepath.Glob(filepath.Join(dir, "testdata", "fuzz", "FuzzDoor", "*"))
		if !strings.Contains(out, "the door") || len(found) != 1 {
			t.Fatalf("seed %s: %d inputs kept, %s", seed, len(found), out)
		}
		if out := run(); !strings.Contains(out, "the door") {
			t.Errorf("the input kept passes: %s", out)
		}
	}
}

// TestCount counts as many executions as it is told to make.
func TestCount(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(exe, "-test.v", "-test.run", "^FuzzDoor$", "-executions", "1234").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "1234 executions unguided") && !strings.Contains(string(out), "1234 executions guided") {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestFiles(t *testing.T) {
	arguments := func(args ...any) (values []reflect.Value) {
		for _, arg := range args {
			v := reflect.New(reflect.TypeOf(arg)).Elem()
			v.Set(reflect.ValueOf(arg))
			values = append(values, v)
		}
		return values
	}
	for _, args := range [][]any{
		{[]byte("a\x00\xff\"\n`)"), "\xfe ü\r\n", 5, -7, int64(-1 << 63), byte(0), byte('\''), byte(0x80), byte(255), uint32(1<<32 - 1), uint64(1<<64 - 1), true, false},
		{[]byte{}, ""},
	} {
		want := arguments(args...)
		file := appendFile(nil, want)
		got := arguments(args...)
		for _, v := range got {
			v.SetZero()
		}
		if err := parseFile(file, got); err != nil {
			t.Fatalf("%v: %s", err, file)
		}
		if again := appendFile(nil, got); !bytes.Equal(again, file) {
			t.Errorf("%s\nis read as\n%s", file, again)
		}
		for i := range want {
			if valueOf(want[i]).number != valueOf(got[i]).number || !bytes.Equal(valueOf(want[i]).bytes, valueOf(got[i]).bytes) {
				t.Errorf("%v is read as %v", want[i], got[i])
			}
		}
	}
	for _, bad := range []string{"", "go test fuzz v1", "go test fuzz v2\nint(1)", "go test fuzz v1\nint(x)", "go test fuzz v1\nint(1)\nint(2)"} {
		if err := parseFile([]byte(bad), arguments(1)); err == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}

// TestGoFiles reads files that go test -fuzz wrote.
func TestGoFiles(t *testing.T) {
	files, _ := filepath.Glob("../../fuzz/testdata/fuzz/FuzzTombstones/*")
	if len(files) == 0 {
		t.Fatal("there are none")
	}
	args := []reflect.Value{reflect.New(reflect.TypeFor[[]byte]()).Elem(), reflect.New(reflect.TypeFor[bool]()).Elem()}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err == nil {
			err = parseFile(b, args)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again := appendFile(nil, args); string(again) != string(b) {
			t.Errorf("%s is written as %s", b, again)
		}
	}
}
