package cli

import (
	"bytes"
	"os"
	"runtime"
	"strings"
)

// CPU returns the name of the processor where the system tells it, otherwise the
// architecture.
func CPU() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range bytes.Lines(b) {
		if name, value, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
