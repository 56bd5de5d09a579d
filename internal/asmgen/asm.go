package main

import (
	"bytes"
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// generator is the name in the header of every generated file.
const generator = "internal/asmgen"

// assembler is an avo context for one file, with helpers shared by the generators.
type assembler struct {
	*build.Context
	data    map[string]operand.Mem
	private []string // functions private to this file
	text    string   // assembly to append
}

func newAssembler() *assembler {
	a := &assembler{Context: build.NewContext(), data: map[string]operand.Mem{}}
	a.ConstraintExpr("amd64,!purego")
	return a
}

// function starts a leaf function.
func (a *assembler) function(name, signature string, doc ...string) {
	a.Function(name)
	a.Attributes(attr.NOSPLIT)
	a.Pragma("noescape")
	a.SignatureExpr(signature)
	a.Doc(doc...)
}

// arg loads a 64-bit argument.
func (a *assembler) arg(name string) reg.GPVirtual {
	r := a.GP64()
	a.Load(a.Param(name), r)
	return r
}

// words returns read-only data of 32-bit words, one copy for each name.
func (a *assembler) words(name string, words ...uint32) operand.Mem {
	if m, ok := a.data[name]; ok {
		return m
	}
	m := a.StaticGlobal(name)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := 0; i+1 < len(words); i += 2 {
		a.AddDatum(4*i, operand.U64(uint64(words[i])|uint64(words[i+1])<<32))
	}
	a.data[name] = m
	return m
}

// write compiles the file and adds pkg's folder/name_amd64.s and its stubs to out.
func (a *assembler) write(out output, folder, pkg, name string) error {
	file, err := a.Result()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := pass.Compile.Execute(file); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	cfg := printer.Config{Name: generator, Pkg: pkg}
	for suffix, print := range map[string]printer.Printer{".s": printer.NewGoAsm(cfg), ".go": printer.NewStubs(cfg)} {
		text, err := print.Print(file)
		if err != nil {
			return fmt.Errorf("%s%s: %w", name, suffix, err)
		}
		if suffix == ".s" {
			for _, f := range a.private {
				text = bytes.Replace(text, []byte("TEXT ·"+f+"(SB)"), []byte("TEXT "+f+"<>(SB)"), 1)
			}
			text = append(text, a.text...)
		} else if text, err = withoutPrivate(text, a.private); err != nil {
			return err
		} else if !bytes.Contains(text, []byte("func ")) {
			continue
		}
		out[folder+"/"+name+"_amd64"+suffix] = text
	}
	return nil
}

// withoutPrivate removes the declarations of functions private to their assembly file
// from text.
func withoutPrivate(text []byte, private []string) ([]byte, error) {
	for _, f := range private {
		at := bytes.Index(text, []byte("func "+f+"("))
		if at < 0 {
			return nil, fmt.Errorf("no declaration of %s", f)
		}
		start := bytes.LastIndex(text[:at], []byte("\n\n")) + 1
		end := at + bytes.IndexByte(text[at:], '\n') + 1
		text = append(bytes.Clone(text[:start]), text[end:]...)
	}
	return text, nil
}

// repeat returns each of vs n times over.
func repeat(n int, vs ...uint32) (out []uint32) {
	for _, v := range vs {
		for range n {
			out = append(out, v)
		}
	}
	return out
}

// memory returns the memory operand of an argument.
func (a *assembler) memory(name string) operand.Mem {
	c, err := a.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return c.Addr
}

// address is like memory but loads the address into a register, for instructions whose
// operand size go vet gets wrong.
func (a *assembler) address(name string) operand.Mem {
	r := a.GP64()
	a.LEAQ(a.memory(name), r)
	return operand.Mem{Base: r}
}
