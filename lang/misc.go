package lang

import (
	"context"
	"encoding/json"
	"fmt"
	"go/types"
	"runtime"
	"strings"

	"github.com/fathom-kernel/fathom/lang/cellrt"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

// Version says what runs the cells.
func (e *Engine) Version() string {
	how := "cells are compiled"
	if e.builder == nil {
		how = fmt.Sprintf("cells are interpreted only: %v", e.opt.KitError)
	}
	return fmt.Sprintf("Fathom on %s %s/%s; %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, how)
}

// typeText writes a type as a user would in a cell.
func typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == unitPath {
			return ""
		}
		return p.Name()
	})
}

// runTimed compiles an expression over the session and hands its value back.
func (e *Engine) runTimed(ctx context.Context, name, code string, out display.Sink, into *[]float64) *Error {
	t := &text{Name: name, Code: code}
	e.mu.Lock()
	_, l, ds := e.prepare(t)
	e.mu.Unlock()
	if len(ds) > 0 {
		return compileError(ds)
	}
	entry, _, err := e.build(ctx, l, planAuto)
	if err != nil {
		return buildError(err)
	}
	var got []float64
	o := e.callWith(ctx, name, entry, out, func(cell *cellrt.Cell) {
		cell.Show = func(values []any) {
			if len(values) == 1 {
				got, _ = values[0].([]float64)
			}
		}
	})
	*into = got
	return e.outcomeError(o)
}

// snapshotData is what Restore needs of a session: every live declaration, in
// the text of its cell.
type snapshotData struct {
	Imports map[string]string
	Dots    []string
	Cells   map[string]string // name -> code, of the cells that declarations come from
	Decls   []snapshotDecl
	Vars    []string
}

type snapshotDecl struct {
	Kind       declKind
	Name, Recv string
	Names      []string
	Cell       string
	Start, End int
	Prefix     string
	Imports    map[string]string
	Dots       []string
}

func (e *Engine) snapshot() []byte {
	s := e.session
	data := snapshotData{Imports: s.imports, Dots: s.dots, Cells: map[string]string{}, Vars: sortedKeys(s.vars)}
	for _, d := range s.all() {
		data.Cells[d.cell.Name] = d.cell.Code
		data.Decls = append(data.Decls, snapshotDecl{d.kind, d.name, d.recv, d.names, d.cell.Name, d.start, d.end, d.prefix, d.imports, d.dots})
	}
	b, err := json.Marshal(data)
	if err != nil {
		return nil
	}
	return b
}

// Restore declares again what a snapshot of another process describes. Nothing
// is compiled until it is used. Functions that use lost variables are lost too.
func (e *Engine) Restore(ctx context.Context, snapshot []byte) (lost []string, err error) {
	if len(snapshot) == 0 {
		return nil, nil
	}
	var data snapshotData
	if err := json.Unmarshal(snapshot, &data); err != nil {
		return nil, fmt.Errorf("lang: the snapshot cannot be read: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	texts := map[string]*text{}
	for name, code := range data.Cells {
		texts[name] = &text{Name: name, Code: code}
		e.cells[name] = texts[name]
	}
	e.session.imports = data.Imports
	if e.session.imports == nil {
		e.session.imports = map[string]string{}
	}
	e.session.dots = data.Dots
	none := &text{Name: "restore"}
	c := &checker{s: e.session, fset: e.fset, imp: withModules{e}, opt: &e.opt, cell: none, strict: false}
	for _, d := range data.Decls {
		cell := texts[d.Cell]
		if cell == nil || d.Start < 0 || d.End > len(cell.Code) || d.Start > d.End {
			continue
		}
		c.carried = append(c.carried, &decl{kind: d.Kind, name: d.Name, recv: d.Recv, names: d.Names, cell: cell,
			start: d.Start, end: d.End, prefix: d.Prefix, imports: d.Imports, dots: d.Dots})
	}
	if ds := c.run(); len(ds) > 0 {
		return data.Vars, fmt.Errorf("lang: the declarations do not check any more: %s", ds[0].msg)
	}
	l := c.lower(false)
	e.commit(c, l, nil)
	lost = data.Vars
	for _, n := range sortedKeys(c.dropped) {
		lost = append(lost, n)
	}
	return lost, nil
}

// inspectName shows what is known of a name.
func (e *Engine) inspectName(name string, source bool, out display.Sink) *Error {
	detail := 0
	if source {
		detail = 1
	}
	b := e.Inspect(context.Background(), name, len(name), detail)
	if b.IsZero() {
		return failed(fmt.Errorf("nothing is known of %s", strings.TrimSpace(name)))
	}
	out.Display(b, "")
	return nil
}

// Comm takes a comm message from the front end: what a widget of a cell is told.
func (e *Engine) Comm(m display.CommMessage, out display.Sink) { display.HandleComm(m, out) }
