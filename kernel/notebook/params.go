package notebook

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Tags of the cells that parameters live in, as papermill defines them.
const (
	tagParameters = "parameters"
	tagInjected   = "injected-parameters"
)

// Parameter is one value given to a notebook from outside.
type Parameter struct{ Name, Value string }

// ParseParameter returns the parameter of a "name=value" text.
func ParseParameter(s string) (Parameter, error) {
	name, value, ok := strings.Cut(s, "=")
	name = strings.TrimSpace(name)
	switch {
	case !ok:
		return Parameter{}, fmt.Errorf("notebook: parameter %q has no value; write -p name=value", s)
	case !token.IsIdentifier(name) || name == "_":
		return Parameter{}, fmt.Errorf("notebook: parameter name %q is no Go name; write -p name=value", name)
	case !utf8.ValidString(value):
		return Parameter{}, fmt.Errorf("notebook: the value of parameter %s is no UTF-8 text (%q); write it as \"\\xff\" is written in Go", name, value)
	}
	return Parameter{name, value}, nil
}

// Inject sets the parameters as papermill does: in a cell tagged
// "injected-parameters", put after the one tagged "parameters", or first in
// the notebook where there is none. An injected cell of an earlier run is
// replaced. The returned names are those that the parameters cell does not
// declare: set all the same, but perhaps misspelt.
//
// A parameter that the cell declares is assigned to, so it keeps its type:
// rate := 0.5 stays a float64 with -p rate=1. Any other gets the type of its
// literal: int, float64, bool, or string for all else. A string that looks
// like something else is written in double quotes. A parameter declared as a
// time.Duration takes texts like 1m30s.
func (nb *Notebook) Inject(params []Parameter) (undeclared []string) {
	if len(params) == 0 {
		return nil
	}
	var kept []*Cell
	place, declared := 0, map[string]declaration{}
	taken := map[string]bool{}
	for _, c := range nb.Cells {
		if c.Kind == Code && c.HasTag(tagInjected) {
			continue
		}
		kept = append(kept, c)
		taken[c.ID] = true
		if c.Kind == Code && c.HasTag(tagParameters) && len(declared) == 0 && place == 0 {
			place = len(kept)
			declared = declarations(c.Source)
		}
	}
	var source strings.Builder
	source.WriteString("// Parameters")
	for _, p := range params {
		d, known := declared[p.Name]
		if !known && place > 0 {
			undeclared = append(undeclared, p.Name)
		}
		source.WriteString("\n" + d.set(p))
	}
	cell := &Cell{
		Kind: Code, Source: source.String(),
		Metadata: map[string]any{"tags": []any{tagInjected}},
	}
	cell.ID = newID(place, tagInjected, taken)
	nb.Cells = append(kept[:place:place], append([]*Cell{cell}, kept[place:]...)...)
	return undeclared
}

// declaration is what the parameters cell says of a name.
type declaration struct {
	known    bool
	constant bool
	text     string // the type and value as written
	str      bool   // it is a string, by its type or its literal
}

// set returns the statement that sets the parameter.
func (d declaration) set(p Parameter) string {
	value := literal(p.Value)
	switch {
	case d.str:
		value = quoted(p.Value)
	case strings.Contains(d.text, "time."):
		if t, err := time.ParseDuration(p.Value); err == nil {
			value = fmt.Sprintf("time.Duration(%d) // %v", int64(t), t)
		}
	}
	switch {
	case d.constant:
		return "const " + p.Name + " = " + value
	case d.known:
		return p.Name + " = " + value
	}
	return p.Name + " := " + value
}

// declarations finds what the cell declares at its top level. A cell that does
// not parse as statements declares nothing here; its own error will say why.
func declarations(source string) map[string]declaration {
	found := map[string]declaration{}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p; func _() {\n"+source+"\n}", parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return found
	}
	add := func(name *ast.Ident, typ, value ast.Expr, constant bool) {
		d := declaration{known: true, constant: constant}
		if typ != nil {
			d.text = types.ExprString(typ)
			d.str = d.text == "string"
		}
		if value != nil {
			d.text += " " + types.ExprString(value)
			if lit, ok := value.(*ast.BasicLit); ok && typ == nil {
				d.str = lit.Kind == token.STRING
			}
		}
		found[name.Name] = d
	}
	at := func(list []ast.Expr, i int) ast.Expr {
		if i < len(list) {
			return list[i]
		}
		return nil
	}
	for _, s := range file.Decls[0].(*ast.FuncDecl).Body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for i, left := range s.Lhs {
				if name, ok := left.(*ast.Ident); ok && s.Tok == token.DEFINE {
					add(name, nil, at(s.Rhs, i), false)
				}
			}
		case *ast.DeclStmt:
			decl := s.Decl.(*ast.GenDecl)
			for _, spec := range decl.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for i, name := range v.Names {
						add(name, v.Type, at(v.Values, i), decl.Tok == token.CONST)
					}
				}
			}
		}
	}
	return found
}

var (
	intLiteral   = regexp.MustCompile(`^-?(0|[1-9](_?[0-9])*|0[xX](_?[0-9a-fA-F])+|0[bB](_?[01])+|0[oO](_?[0-7])+)$`)
	floatLiteral = regexp.MustCompile(`^-?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][+-]?[0-9]+)?$`)
)

// literal returns the value as a Go literal of the type that it looks like. A
// number with leading zeros, as in a postal code, is a string.
func literal(value string) string {
	v := strings.TrimPrefix(strings.TrimSpace(value), "+")
	switch {
	case v == "true" || v == "false", intLiteral.MatchString(v):
		return v
	case floatLiteral.MatchString(v) && strings.ContainsAny(v, ".eE"):
		return v
	}
	return quoted(value)
}

// quoted returns the value as a Go string literal. One in double quotes is a
// literal already.
func quoted(value string) string {
	if len(value) >= 2 && value[0] == '"' {
		// Some bytes that strconv takes are none that Go source may hold.
		if text, err := strconv.Unquote(value); err == nil && !strings.ContainsAny(value, "\x00\ufeff") {
			return value
		} else if err == nil {
			return strconv.Quote(text)
		}
	}
	return strconv.Quote(value)
}
