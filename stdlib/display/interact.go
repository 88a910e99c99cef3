package display

import (
	"fmt"
	"reflect"
)

// Interact shows a control for each parameter of f, and the result of f, which
// is computed again whenever a control changes:
//
//	display.Interact(func(x float64, n int) any {
//		return plotOf(x, n)
//	}, display.Slider("x", 0, 10, 1), display.IntSlider("n", 1, 5, 2))
//
// Parameters are float64, int, string or bool. One without a control of its own
// gets a slider over [0, 1], a slider from 0 to 10, a text field or a checkbox.
// A result that is an error is shown as its text, and so is a panic. While f
// runs, changes are gathered: it is called next with the latest values.
//
// The result is an ordinary output, so a saved notebook shows the last one.
// What f is called with is what the controls show; Interact fails where f is
// not such a function or a control is not of its parameter's kind.
func Interact(f any, controls ...*Widget) error {
	fn := reflect.ValueOf(f)
	if fn.Kind() != reflect.Func || fn.IsNil() || fn.Type().IsVariadic() {
		return fmt.Errorf("display: Interact takes a function without …, not a %T; give func(x float64) any", f)
	}
	t := fn.Type()
	if len(controls) > t.NumIn() {
		return fmt.Errorf("display: Interact has %d controls for %d parameters; give one for each at most", len(controls), t.NumIn())
	}
	all := make([]*Widget, t.NumIn())
	for i := range all {
		if i < len(controls) && controls[i] != nil {
			all[i] = controls[i]
			if v := controls[i].Value(); v == nil || reflect.TypeOf(v).Kind() != t.In(i).Kind() {
				return fmt.Errorf("display: parameter %d of Interact's function is a %v, its control a %s of %T; give a control of that kind",
					i+1, t.In(i), controls[i].kind, v)
			}
			continue
		}
		label := fmt.Sprintf("argument %d", i+1)
		switch t.In(i).Kind() {
		case reflect.Float64:
			all[i] = Slider(label, 0, 1, 0.5)
		case reflect.Int:
			all[i] = IntSlider(label, 0, 10, 1)
		case reflect.String:
			all[i] = TextField(label, "")
		case reflect.Bool:
			all[i] = Checkbox(label, false)
		default:
			return fmt.Errorf("display: parameter %d of Interact's function is a %v; float64, int, string and bool have controls", i+1, t.In(i))
		}
	}
	compute := func() (b Bundle) {
		defer func() {
			if p := recover(); p != nil {
				b = Text("panic: " + panicText(p))
			}
		}()
		in := make([]reflect.Value, len(all))
		for i, w := range all {
			in[i] = reflect.ValueOf(w.Value()).Convert(t.In(i))
		}
		out := fn.Call(in)
		values := make([]Value, len(out))
		for i, v := range out {
			values[i] = Value{V: v.Interface(), Type: typeName(t.Out(i))}
		}
		return RenderAll(values...)
	}
	Show(Box(all...))
	h := Start(compute())
	if len(all) == 0 {
		return nil
	}
	again := make(chan struct{}, 1)
	for _, w := range all {
		w.OnChange(func(any) {
			select {
			case again <- struct{}{}:
			default: // the next call reads the latest values anyway
			}
		})
	}
	go func() {
		for range again {
			h.Update(compute())
		}
	}()
	return nil
}
