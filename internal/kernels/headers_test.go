package kernels

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// header is what a header or a source has.
type header struct {
	text     string // without comments and strings
	includes []string
	defines  map[string]bool
}

var (
	comment  = regexp.MustCompile(`//[^\n]*`)
	included = regexp.MustCompile(`#include "([\w./]+)"`)
	// definitions match functions, structs, enumerations and macros at the top of a header.
	definitions = []*regexp.Regexp{
		regexp.MustCompile(`(?m)^(?:template ?<[^>]*> ?)?(?:DEV|COLD) [\w ]*?[\s*&](\w+)\(`),
		regexp.MustCompile(`(?m)^(?:template ?<[^>]*> ?)?struct (\w+) *\{`),
		regexp.MustCompile(`(?m)^#define (\w+)`),
	}
	enumeration = regexp.MustCompile(`(?m)^enum \{([^}]*)\}`)
	word        = regexp.MustCompile(`\w+`)
	local       = regexp.MustCompile(`DEV_MEMBER [\w ]*?[\s*&](\w+)\(|\w[ *&]+(\w+)[,)]`) // members and parameters
)

// headers returns the headers and sources of the device code by path.
func headers(t *testing.T) map[string]*header {
	all := map[string]*header{}
	for _, f := range slices.Concat(glob(t, "", "*.h"), glob(t, "../papers/kernels", "*.h"), glob(t, "", "*.cu"), glob(t, "../papers/kernels", "*.cu")) {
		if strings.HasPrefix(filepath.Base(f), "emu") {
			continue // for the host's compiler; cuda.h includes emu.h
		}
		h := &header{text: comment.ReplaceAllString(read(t, f), ""), defines: map[string]bool{}}
		for _, m := range included.FindAllStringSubmatch(h.text, -1) {
			h.includes = append(h.includes, filepath.Join(filepath.Dir(f), m[1]))
		}
		for _, re := range definitions {
			for _, m := range re.FindAllStringSubmatch(h.text, -1) {
				h.defines[m[1]] = true
			}
		}
		for _, m := range enumeration.FindAllStringSubmatch(h.text, -1) {
			for _, v := range strings.Split(m[1], ",") {
				name, _, _ := strings.Cut(strings.TrimSpace(v), " ")
				h.defines[name] = true
			}
		}
		all[f] = h
	}
	return all
}

// TestHeaders checks that each header has a guard, and that headers and sources reach, by their includes,
// every header that defines what they use, so that files may include headers in any order.
func TestHeaders(t *testing.T) {
	all := headers(t)
	where := map[string][]string{} // the headers that define a name
	for f, h := range all {
		if strings.HasSuffix(f, ".h") {
			for name := range h.defines {
				where[name] = append(where[name], f)
			}
		}
	}
	if len(where["bp_row"]) != 1 || len(where["ListDesc"]) != 1 || len(where["RICE"]) != 1 || len(where["DEV"]) != 1 {
		t.Fatal("the test does not find what headers define")
	}
	for f, h := range all {
		guard := strings.Fields(h.text + " . .")[:4]
		if strings.HasSuffix(f, ".h") && (guard[0] != "#ifndef" || guard[2] != "#define" || guard[1] != guard[3] || !strings.HasSuffix(strings.TrimSpace(h.text), "#endif")) {
			t.Errorf("%s has no guard", f)
		}
		reached := map[string]bool{}
		var reach func(string)
		reach = func(g string) {
			if h := all[g]; h != nil && !reached[g] {
				reached[g] = true
				for _, i := range h.includes {
					reach(i)
				}
			}
		}
		for _, i := range h.includes {
			reach(i)
		}
		if reached[f] {
			t.Errorf("%s includes itself", f)
		}
		own := maps.Clone(h.defines)
		for _, m := range local.FindAllStringSubmatch(h.text, -1) {
			own[m[1]+m[2]] = true
		}
		for _, at := range word.FindAllStringIndex(h.text, -1) {
			name := h.text[at[0]:at[1]]
			from := where[name]
			function := strings.ToLower(name) == name // others are types and constants
			if len(from) != 1 || from[0] == f || reached[from[0]] || own[name] || at[0] > 0 && strings.ContainsRune(".>", rune(h.text[at[0]-1])) ||
				function && !strings.HasPrefix(h.text[at[1]:], "(") {
				continue
			}
			t.Errorf("%s uses %s of %s, which it does not include", f, name, from[0])
		}
	}
}
