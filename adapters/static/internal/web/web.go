// Package web has the search box, and the reader of an index that it runs, in JavaScript.
package web

import (
	"bytes"
	_ "embed"
	"slices"
)

// Names of the files that a site has of it.
const (
	Script = "search.js"
	Style  = "search.css"
)

//go:embed search.js
var script []byte

//go:embed search.css
var style []byte

//go:embed reader.js
var reader []byte

// unknown is what search.js has in place of the content of search.json, and imported where the reader stands.
var (
	unknown  = []byte("/* search.json */ null")
	imported = []byte(`import { Reader } from "./reader.js";`)
)

// Files returns the files of the search box, which knows what search.json says.
func Files(entry []byte) map[string][]byte {
	own := slices.Concat([]byte("const Reader = (() => {\n"), Reader(), []byte("return Reader;\n})();"))
	s := bytes.Replace(script, imported, own, 1)
	return map[string][]byte{Script: bytes.Replace(s, unknown, entry, 1), Style: style}
}

// Reader returns the reader, as a script that is no module.
func Reader() []byte { return bytes.ReplaceAll(reader, []byte("\nexport "), []byte("\n")) }
