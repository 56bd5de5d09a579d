//go:build !emu && !cuda && !gpu

package gpuload

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// emulated are the packages whose files the tests on the emulator depend on, and that this
// test does not import.
var emulated = []string{"kernels", "gpuload", "internal/cuda", "internal/gputrial"}

// quick are tests on the emulator that take a few seconds together.
const quick = "^(TestKernels|TestNorms|TestPlainEqualsCPU|TestDenseEqualsCPU|TestSharedList|TestNew|TestClosed|TestGroupOnDevices|TestMergesKeepAnswers)$"

// TestEmulator runs some of this package's tests that need the build tag emu in a
// subprocess, with the kernels compiled for the host. It needs a C++ compiler. All of
// them, and those of other packages, take minutes: .ci/gpu runs them.
func TestEmulator(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the kernels")
	}
	why := canEmulate(t)
	if why != "" {
		t.Skip(why)
	}
	for _, dir := range emulated {
		watch(t, filepath.Join("..", dir))
	}
	args := []string{"test", "-tags", "emu", "-short", "-run", quick, "./gpuload"}
	cmd := exec.Command("go", args...)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	t.Logf("%s", out)
}

// canEmulate returns the reason why the emulator cannot be built and run here, or "".
func canEmulate(t *testing.T) string {
	if runtime.GOOS != "linux" {
		return "the emulator needs Linux"
	}
	out, err := exec.Command("go", "env", "GOARCH", "CC", "CXX").Output()
	if err != nil {
		return "no go command: " + err.Error()
	}
	env := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(env) != 3 || env[0] != runtime.GOARCH {
		return "this program was built for another machine"
	}
	for i, source := range []string{"int main(void) { return 0; }\n", "#include <cstdint>\n#include <ucontext.h>\nint main() { return 0; }\n"} {
		compiler := strings.Fields(env[1+i])
		if len(compiler) == 0 {
			return "no compiler"
		}
		args := append(compiler[1:], "-x", []string{"c", "c++"}[i], "-", "-o", filepath.Join(t.TempDir(), "a.out"))
		cmd := exec.Command(compiler[0], args...)
		cmd.Stdin = strings.NewReader(source)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "cgo cannot work: " + compiler[0] + ": " + err.Error() + "\n" + string(out)
		}
	}
	return ""
}

// watch opens the files that the subprocess reads, so that go test reruns this test when
// they change.
func watch(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
