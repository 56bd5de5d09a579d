package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/simd"
)

// gpu describes the GPUs of the machine; nil in programs that use none.
var gpu func() string

// ShowGPU makes --version end with what f returns. Commands that use GPUs call it.
func ShowGPU(f func() string) { gpu = f }

func init() {
	cobra.AddTemplateFunc("programVersion", func() string {
		if gpu == nil {
			return Version()
		}
		return Version() + ", " + gpu()
	})
}

// release and commit are set by the linker in programs of a release (internal/release).
var release, commit string

// Version describes the program: version and commit of the module, version of the
// file format, Go, platform and instructions.
func Version() string {
	parts := []string{"(unknown version)"}
	if release != "" {
		parts = []string{release, "commit " + commit}
	} else if info, ok := debug.ReadBuildInfo(); ok {
		parts[0] = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && !strings.HasSuffix(parts[0], s.Value[:min(12, len(s.Value))]):
				parts = append(parts, "commit "+s.Value[:min(12, len(s.Value))])
			case s.Key == "vcs.modified" && s.Value == "true":
				parts = append(parts, "modified")
			}
		}
	}
	parts = append(parts, "format "+format.Current().String(), runtime.Version(),
		fmt.Sprintf("%s/%s %s", runtime.GOOS, runtime.GOARCH, simd.Best()))
	return strings.Join(parts, ", ")
}
