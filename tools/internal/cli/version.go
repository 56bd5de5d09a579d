package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/simd"
)

// Version describes the program: version and commit of the module, version of the
// file format, Go, platform and instructions.
func Version() string {
	parts := []string{"(unknown version)"}
	if info, ok := debug.ReadBuildInfo(); ok {
		parts[0] = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				parts = append(parts, "commit "+s.Value[:min(12, len(s.Value))])
			case s.Key == "vcs.modified" && s.Value == "true":
				parts = append(parts, "modified")
			}
		}
	}
	parts = append(parts, "format "+format.Current.String(), runtime.Version(),
		fmt.Sprintf("%s/%s %s", runtime.GOOS, runtime.GOARCH, simd.Best()))
	return strings.Join(parts, ", ")
}
