package lang

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fathom-kernel/fathom/lang/cellrt"
	"github.com/fathom-kernel/fathom/lang/native"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

// Options is what an Engine is made of.
type Options struct {
	// Importer gives the type checker the packages that cells may import.
	Importer types.Importer
	// Resolve finds the import path of what a cell uses without an import:
	// of name.member, as in strings.Cut. Nil finds none.
	Resolve func(name, member string) (path string, ok bool)
	// Canonical gives the whole import path for a short one ("ring"). Nil
	// takes all paths as they are.
	Canonical func(path string) string
	// Predeclared are names that a cell has without a package: name -> the
	// qualified one, as "Display" -> "display.Display".
	Predeclared map[string]string
	// Symbols gives the interpreter a compiled package's values by name.
	Symbols func(path string) map[string]reflect.Value
	// Catalog is what is known of packages for completion and inspection; nil
	// knows none.
	Catalog Catalog
	// Kit is what cells are compiled against; nil has everything interpreted.
	Kit *native.Kit
	// KitError says why there is no kit, for the messages that matter.
	KitError error
}

// Engine runs the cells of one session.
type Engine struct {
	opt     Options
	fset    *token.FileSet
	builder *native.Builder
	interp  *interpreter

	mu      sync.Mutex // held where the session is read or changed
	session *session
	trace   string // of the newest panic, in full
	cells   map[string]*text
	modules atomic.Pointer[modules]
	label   string // marks the goroutines of this engine's cells
	plan    plan   // which engine runs cells that do not say
}

// Cell is one run of code.
type Cell struct {
	ID          string
	Count       int
	Code        string
	Silent      bool
	Expressions map[string]string
}

// Result is how a cell ended.
type Result struct {
	Err         *Error
	Expressions map[string]ExpressionResult
	Snapshot    []byte
	Payload     []map[string]any
}

// ExpressionResult is the outcome of one user expression.
type ExpressionResult struct {
	Value display.Bundle
	Err   *Error
}

// Error is what the user is shown of a failed cell.
type Error struct {
	Name      string
	Value     string
	Traceback []string
}

func (e *Error) Error() string { return e.Name + ": " + e.Value }

// New returns an Engine with an empty session.
func New(opt Options) *Engine {
	if opt.Resolve == nil {
		opt.Resolve = func(string, string) (string, bool) { return "", false }
	}
	if opt.Canonical == nil {
		opt.Canonical = func(path string) string { return path }
	}
	e := &Engine{opt: opt, fset: token.NewFileSet(), session: newSession(), cells: map[string]*text{}, label: strconv.Itoa(int(engines.Add(1)))}
	if opt.Kit != nil {
		e.builder = native.NewBuilder(opt.Kit)
	}
	e.interp = newInterpreter(opt)
	return e
}

// Close removes what the engine wrote.
func (e *Engine) Close() error {
	if e.builder != nil {
		return e.builder.Close()
	}
	return nil
}

// engines counts the engines of the process.
var engines atomic.Int32

var hostOnce sync.Once

// cellSink is the Sink of the cell that the calling goroutine belongs to, nil
// where there is none.
func cellSink() display.Sink {
	if c := cellrt.Of(); c != nil {
		if s, ok := c.Sink.(display.Sink); ok {
			return s
		}
	}
	return nil
}

// Execute runs one cell to its end.
func (e *Engine) Execute(ctx context.Context, cell Cell, out display.Sink) Result {
	hostOnce.Do(func() {
		display.SetHost(cellSink)
		// A type of a cell is T to its user, not main.T.
		display.HidePackages(func(path string) bool { return path == "main" || path == unitPath })
	})
	var res Result
	name := fmt.Sprintf("cell[%d]", cell.Count)
	code := normal(cell.Code)
	if err := e.runCode(ctx, name, code, out, nil); err != nil {
		res.Err = err
	}
	if res.Err == nil && len(cell.Expressions) > 0 {
		res.Expressions = map[string]ExpressionResult{}
		for _, k := range sortedKeys(cell.Expressions) {
			res.Expressions[k] = e.expression(ctx, cell.Expressions[k], out)
		}
	}
	e.mu.Lock()
	res.Snapshot = e.snapshot()
	e.mu.Unlock()
	return res
}

// expression evaluates one user expression, quietly.
func (e *Engine) expression(ctx context.Context, code string, out display.Sink) ExpressionResult {
	var r ExpressionResult
	r.Err = e.runCode(ctx, "expression", code, out, func(b display.Bundle) { r.Value = b })
	if r.Err == nil && r.Value.IsZero() {
		r.Value = display.Text("")
	}
	return r
}

// runCode runs Go and magics. show takes the last value; nil sends it to out.
func (e *Engine) runCode(ctx context.Context, name, code string, out display.Sink, show func(display.Bundle)) *Error {
	if show == nil {
		show = out.Result
	}
	if handled, err := e.magic(ctx, name, code, out, show); handled {
		return err
	}
	return e.runGo(ctx, name, code, out, show, e.plan)
}

// runGo checks, compiles or interprets, and runs the Go of a cell.
func (e *Engine) runGo(ctx context.Context, name, code string, out display.Sink, show func(display.Bundle), plan plan) *Error {
	t := &text{Name: name, Code: code}
	e.mu.Lock()
	c, l, ds := e.prepare(t)
	e.mu.Unlock()
	if len(ds) > 0 {
		return compileError(ds)
	}
	if l == nil {
		return nil // nothing to do
	}
	for _, n := range sortedKeys(c.dropped) {
		out.Stream("stderr", fmt.Sprintf("%s no longer type-checks with what %s declares (%s); run its cell again\n", n, name, c.dropped[n]))
	}
	if l.declaresOnly() {
		e.mu.Lock()
		e.commit(c, l, nil)
		e.cells[name] = t
		e.precompile(l)
		e.mu.Unlock()
		return nil
	}
	entry, u, err := e.build(ctx, l, plan)
	if err != nil {
		return buildError(err)
	}
	e.mu.Lock()
	e.commit(c, l, u)
	e.cells[name] = t
	e.mu.Unlock()
	if entry == nil {
		return nil
	}
	o := e.call(ctx, name, entry, out, show)
	e.mu.Lock()
	e.commitVars(l, o)
	e.mu.Unlock()
	return e.outcomeError(o)
}

// maxCellItems bounds a cell: what is longer was not written by a person, and would
// take minutes to check.
const maxCellItems = 10_000

// prepare splits, parses, checks and lowers a cell. It returns no lowered cell
// where there is nothing to run.
func (e *Engine) prepare(t *text) (*checker, *lowered, []diagnostic) {
	items, final, slips := splitErrors(t.Code)
	c := &checker{s: e.session, fset: e.fset, imp: withModules{e}, opt: &e.opt, cell: t, items: items, final: final}
	if len(items) > maxCellItems {
		return c, nil, []diagnostic{c.diag(items[maxCellItems].start, 1, fmt.Sprintf("this cell has %d statements and declarations, %d are the most", len(items), maxCellItems), "put long tables into a file, long programs into a package")}
	}
	for _, it := range items {
		c.program = c.program || it.kind == clauseItem
	}
	c.items = e.session.changed(t, items)
	ds := c.run()
	for _, s := range slips {
		// The parser reports these as well, but for those outside all items.
		if len(ds) == 0 {
			ds = append(ds, c.diag(s.offset, 1, s.msg, ""))
		}
	}
	if len(ds) > 0 {
		return c, nil, ds
	}
	l := c.lower(false)
	if len(l.stmts) == 0 && len(l.decls) == 0 && len(l.own) == 0 && len(l.inits) == 0 && len(c.blanks) == 0 {
		e.session.addImports(c)
		return c, nil, nil
	}
	return c, l, nil
}

// declaresOnly reports whether the cell has nothing to run.
func (l *lowered) declaresOnly() bool {
	return len(l.stmts) == 0 && len(l.own) == 0 && len(l.inits) == 0 && !l.main && len(l.c.blanks) == 0
}

// compileError shows all diagnostics of a cell.
func compileError(ds []diagnostic) *Error {
	first := ds[0]
	value := first.msg
	if len(ds) > 1 {
		value += fmt.Sprintf(" (and %d more)", len(ds)-1)
	}
	return &Error{Name: "CompileError", Value: value, Traceback: render(ds, true)}
}

// buildError shows what went wrong between a checked cell and running it.
func buildError(err error) *Error {
	if errors.Is(err, context.Canceled) {
		return &Error{Name: "Interrupted", Value: "interrupted while compiling", Traceback: []string{"\x1b[1;31minterrupted while compiling\x1b[0m"}}
	}
	var ce *native.CompileError
	if errors.As(err, &ce) {
		lines := strings.Split(cleanNames(ce.Output), "\n")
		if len(lines) > 20 {
			lines = lines[:20]
		}
		return &Error{Name: "CompileError", Value: lines[0], Traceback: lines}
	}
	var r *refusal
	if errors.As(err, &r) {
		return &Error{Name: "CompileError", Value: r.Error(), Traceback: render([]diagnostic{r.diag}, true)}
	}
	return &Error{Name: "Error", Value: err.Error(), Traceback: []string{err.Error()}}
}
