package fuzzing

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// value is an argument of a body: bytes if it is a slice or a string, otherwise a number.
type value struct {
	bytes  []byte
	number uint64
}

func valueOf(v reflect.Value) value {
	switch v.Kind() {
	case reflect.Slice:
		return value{bytes: v.Bytes()}
	case reflect.String:
		return value{bytes: []byte(v.String())}
	case reflect.Bool:
		if v.Bool() {
			return value{number: 1}
		}
		return value{}
	case reflect.Int, reflect.Int64:
		return value{number: uint64(v.Int())}
	}
	return value{number: v.Uint()}
}

// set makes arg, an addressable argument, v.
func (v value) set(arg reflect.Value) {
	switch arg.Kind() {
	case reflect.Slice:
		arg.SetBytes(v.bytes)
	case reflect.String:
		arg.SetString(string(v.bytes))
	case reflect.Bool:
		arg.SetBool(v.number&1 != 0)
	case reflect.Int, reflect.Int64:
		arg.SetInt(int64(v.number))
	default:
		arg.SetUint(v.number)
	}
}

const firstLine = "go test fuzz v1\n"

// appendFile appends the arguments as a file of the corpus of a fuzz target.
func appendFile(b []byte, args []reflect.Value) []byte {
	b = append(b, firstLine...)
	for _, arg := range args {
		switch name := arg.Type().String(); name {
		case "[]uint8":
			b = fmt.Appendf(b, "[]byte(%q)\n", arg.Bytes())
		case "uint8":
			b = fmt.Appendf(b, "byte(%q)\n", rune(arg.Uint()))
		case "string":
			b = fmt.Appendf(b, "string(%q)\n", arg.String())
		default:
			b = fmt.Appendf(b, "%s(%v)\n", name, arg)
		}
	}
	return b
}

// parseFile sets the arguments to those in a file.
func parseFile(b []byte, args []reflect.Value) error {
	lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	if len(lines) != 1+len(args) || lines[0]+"\n" != firstLine {
		return fmt.Errorf("%d lines for %d arguments, the first %q", len(lines), len(args), lines[0])
	}
	for i, arg := range args {
		_, text, _ := strings.Cut(lines[1+i], "(")
		text = strings.TrimSuffix(text, ")")
		var v value
		var err error
		switch {
		case strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "`"):
			text, err = strconv.Unquote(text)
			v.bytes = []byte(text)
		case strings.HasPrefix(text, "'"):
			var r rune
			r, _, _, err = strconv.UnquoteChar(text[1:], '\'')
			v.number = uint64(r)
		case text == "true" || text == "false":
			v.number = uint64(len("false") - len(text))
		case strings.HasPrefix(text, "-"):
			var n int64
			n, err = strconv.ParseInt(text, 0, 64)
			v.number = uint64(n)
		default:
			v.number, err = strconv.ParseUint(text, 0, 64)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", 2+i, err)
		}
		v.set(arg)
	}
	return nil
}

// write writes a file of a corpus, named after its content, into folder dir.
func write(dir string, content []byte) (path string, err error) {
	path = filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256(content))[:16])
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path) // other processes read the folder
	}
	return path, err
}
