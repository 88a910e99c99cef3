package main

import (
	"context"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/lang"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

// adapter makes a lang.Engine what the kernel wants. The two packages have
// types of their own, alike field for field, so that neither imports the other.
type adapter struct{ e *lang.Engine }

func (a adapter) Execute(ctx context.Context, cell kernel.Cell, out display.Sink) kernel.Result {
	r := a.e.Execute(ctx, lang.Cell(cell), out)
	res := kernel.Result{Err: kernelError(r.Err), Snapshot: r.Snapshot, Payload: r.Payload}
	if r.Expressions != nil {
		res.Expressions = map[string]kernel.ExpressionResult{}
		for k, v := range r.Expressions {
			res.Expressions[k] = kernel.ExpressionResult{Value: v.Value, Err: kernelError(v.Err)}
		}
	}
	return res
}

func (a adapter) Complete(ctx context.Context, code string, cursor int) kernel.Completion {
	c := a.e.Complete(ctx, code, cursor)
	out := kernel.Completion{Start: c.Start, End: c.End}
	for _, m := range c.Matches {
		out.Matches = append(out.Matches, kernel.Match(m))
	}
	return out
}

func (a adapter) Inspect(ctx context.Context, code string, cursor, detail int) display.Bundle {
	return a.e.Inspect(ctx, code, cursor, detail)
}

func (a adapter) IsComplete(code string) kernel.Completeness {
	return kernel.Completeness(a.e.IsComplete(code))
}

func (a adapter) Comm(m display.CommMessage, out display.Sink) { a.e.Comm(m, out) }

func (a adapter) Restore(ctx context.Context, snapshot []byte) ([]string, error) {
	return a.e.Restore(ctx, snapshot)
}

func (a adapter) Close() error { return a.e.Close() }

func kernelError(e *lang.Error) *kernel.Error {
	if e == nil {
		return nil
	}
	k := kernel.Error(*e)
	return &k
}
