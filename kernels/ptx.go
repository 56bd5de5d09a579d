package kernels

//go:generate sh build-ptx.sh

import (
	"embed"
	"fmt"
	"slices"
)

//go:embed ptx/*.ptx
var ptx embed.FS

// Modules returns the names of all PTX modules.
func Modules() []string {
	var names []string
	for _, k := range All() {
		if !slices.Contains(names, k.Module()) {
			names = append(names, k.Module())
		}
	}
	return names
}

// PTX returns the text of a module, for devices of compute capability 7.0 or higher. It
// returns an error if there is no such module.
func PTX(module string) (string, error) {
	b, err := ptx.ReadFile("ptx/" + module + ".ptx")
	if err != nil {
		return "", fmt.Errorf("kernels: no module %q: %w", module, err)
	}
	return string(b), nil
}
