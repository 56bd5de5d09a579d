package web

import (
	"bytes"
	"testing"

	"modernc.org/quickjs"
)

// The script that pages load is a module without mistakes of syntax, and knows what search.json says.
func TestScript(t *testing.T) {
	vm, err := quickjs.NewVM()
	if err != nil {
		t.Fatal(err)
	}
	defer vm.Close()
	script := Files([]byte(`{"languages": {}}`))[Script]
	if _, err := vm.Compile(string(script), quickjs.EvalModule); err != nil {
		t.Error(err)
	}
	if !bytes.Contains(script, []byte(`const built = {"languages": {}};`)) || bytes.Contains(script, []byte("import {")) {
		t.Error("the script imports, or does not know search.json")
	}
	if _, err := vm.Compile(string(script)+"\nconst marked = 1;", quickjs.EvalModule); err == nil {
		t.Error("a name twice is taken")
	}
}
