package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
)

// static is the module of pinion-static, which in a release has the programs for browsers in it: users of a generator of sites need
// no Go.
const static = "adapters/static"

// embed has pinion-static compile the programs for browsers into dir, and returns a file for go build -overlay that lays them where
// package compiled of the module embeds them.
func embed(dir string) (overlay string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	compile := exec.Command("go", "run", "./cmd/pinion-static", "program", dir)
	compile.Dir, compile.Env = static, environment()
	if _, err := output(compile); err != nil {
		return "", err
	}
	to, err := filepath.Abs(filepath.Join(static, "internal", "compiled"))
	if err != nil {
		return "", err
	}
	made, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, f := range made {
		replace[filepath.Join(to, f.Name())] = filepath.Join(dir, f.Name())
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o666)
}

// environment returns that of this process without what would make other bytes.
func environment(more ...string) []string {
	return append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off"), more...)
}
