package main

import (
	"fmt"
	"go/constant"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// dump returns the lines of packages, read from the compiler's export data, whose files
// exports names by import path.
func dump(exports map[string]string, packages []string) ([]string, error) {
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(name string) (io.ReadCloser, error) {
		if exports[name] == "" {
			return nil, fmt.Errorf("no export data of %s", name)
		}
		return os.Open(exports[name])
	})
	var lines []string
	for _, p := range packages {
		pkg, err := from.Import(path.Join(module, p))
		if err != nil {
			return nil, err
		}
		lines = append(lines, describe(pkg)...)
	}
	return lines, nil
}

// describe returns a sorted line for every exported identifier of pkg, every exported field
// of its structs and every exported method.
func describe(pkg *types.Package) []string {
	d := &describer{pkg: pkg, prefix: strings.TrimPrefix(pkg.Path(), module+"/") + ": "}
	if pkg.Path() == module {
		d.prefix = pkg.Name() + ": "
	}
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			d.object(pkg.Scope().Lookup(name))
		}
	}
	slices.Sort(d.lines)
	return d.lines
}

type describer struct {
	pkg    *types.Package
	prefix string
	lines  []string
}

func (d *describer) linef(format string, args ...any) {
	d.lines = append(d.lines, d.prefix+fmt.Sprintf(format, args...))
}

// spell returns a type without the names of parameters, which callers do not use.
func (d *describer) spell(t types.Type) string {
	return types.TypeString(bare(t), func(p *types.Package) string {
		if p == d.pkg {
			return ""
		}
		return strings.TrimPrefix(p.Path(), module+"/")
	})
}

// signature is spell of a function's type without the word func.
func (d *describer) signature(t types.Type) string {
	return strings.TrimPrefix(d.spell(t), "func")
}

func (d *describer) object(o types.Object) {
	switch o := o.(type) {
	case *types.Const:
		value := o.Val().ExactString()
		if o.Val().Kind() == constant.String {
			value = o.Val().String()
		}
		d.linef("const %s %s = %s", o.Name(), d.spell(o.Type()), value)
	case *types.Var:
		d.linef("var %s %s", o.Name(), d.spell(o.Type()))
	case *types.Func:
		d.linef("func %s%s", o.Name(), d.signature(o.Type()))
	case *types.TypeName:
		d.typeName(o)
	}
}

func (d *describer) typeName(o *types.TypeName) {
	if a, ok := o.Type().(*types.Alias); ok {
		d.linef("type %s = %s", o.Name(), d.spell(a.Rhs()))
		return
	}
	named := o.Type().(*types.Named)
	name := o.Name()
	if params := named.TypeParams(); params.Len() > 0 {
		var list []string
		for i := range params.Len() {
			list = append(list, params.At(i).Obj().Name()+" "+d.spell(params.At(i).Constraint()))
		}
		name += "[" + strings.Join(list, ", ") + "]"
	}
	switch under := named.Underlying().(type) {
	case *types.Interface:
		d.methods(name, under)
		return
	case *types.Struct:
		d.linef("type %s struct", name)
		d.fields(o.Name(), under)
	default:
		d.linef("type %s %s", name, d.spell(under))
	}
	values := types.NewMethodSet(named)
	pointers := types.NewMethodSet(types.NewPointer(named))
	for i := range pointers.Len() {
		m := pointers.At(i).Obj()
		if !m.Exported() {
			continue
		}
		receiver := "*" + o.Name()
		if values.Lookup(d.pkg, m.Name()) != nil {
			receiver = o.Name()
		}
		d.linef("method (%s) %s%s", receiver, m.Name(), d.signature(m.Type()))
	}
}

// methods adds an interface. If other packages can implement it, a method more would break
// them, so that one line lists all.
func (d *describer) methods(name string, of *types.Interface) {
	var all []string
	sealed := false
	for i := range of.NumMethods() {
		m := of.Method(i)
		if sealed = sealed || !m.Exported(); m.Exported() {
			all = append(all, m.Name()+d.signature(m.Type()))
		}
	}
	slices.Sort(all)
	switch {
	case !of.IsMethodSet(): // a constraint
		d.linef("type %s %s", name, d.spell(of))
	case !sealed:
		d.linef("type %s interface { %s }", name, strings.Join(all, "; "))
	default:
		d.linef("type %s interface, with unexported methods", name)
		for _, m := range all {
			d.linef("type %s interface, %s", name, m)
		}
	}
}

func (d *describer) fields(name string, of *types.Struct) {
	for i := range of.NumFields() {
		switch f := of.Field(i); {
		case !f.Exported():
		case f.Embedded():
			d.linef("type %s struct, embedded %s", name, d.spell(f.Type()))
		default:
			d.linef("type %s struct, %s %s", name, f.Name(), d.spell(f.Type()))
		}
	}
}

// bare returns t without the names of parameters and results.
func bare(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Signature:
		// Type parameters of functions keep their names, which the parameters use.
		return types.NewSignatureType(nil, nil, typeParams(t), unnamed(t.Params()), unnamed(t.Results()), t.Variadic())
	case *types.Pointer:
		return types.NewPointer(bare(t.Elem()))
	case *types.Slice:
		return types.NewSlice(bare(t.Elem()))
	case *types.Array:
		return types.NewArray(bare(t.Elem()), t.Len())
	case *types.Map:
		return types.NewMap(bare(t.Key()), bare(t.Elem()))
	case *types.Chan:
		return types.NewChan(t.Dir(), bare(t.Elem()))
	}
	return t
}

func typeParams(s *types.Signature) []*types.TypeParam {
	var list []*types.TypeParam
	for i := range s.TypeParams().Len() {
		p := s.TypeParams().At(i)
		list = append(list, types.NewTypeParam(types.NewTypeName(token.NoPos, nil, p.Obj().Name(), nil), p.Constraint()))
	}
	return list
}

func unnamed(of *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for i := range of.Len() {
		v := of.At(i)
		vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), "", bare(v.Type())))
	}
	return types.NewTuple(vars...)
}
