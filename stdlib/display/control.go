package display

import (
	"fmt"
	"math"
	"strings"
)

// control makes a widget with a layout and a style of its own, as every view
// needs them. styles are the model names of its style in the two protocols.
func control(kind, model, label string, value any, styles [2]string, state map[string]any) *Widget {
	layout := (&Widget{kind: "layout",
		modern:  modelForm{model: "LayoutModel", view: "LayoutView", module: baseModule, version: modernVersion},
		classic: modelForm{model: "LayoutModel", view: "LayoutView", module: classicModule, version: classicVersion}}).open()
	w := &Widget{kind: kind, value: value,
		modern:  modelForm{model + "Model", model + "View", controlsModule, modernVersion, map[string]any{}, ""},
		classic: modelForm{model + "Model", model + "View", classicModule, classicVersion, map[string]any{}, ""}}
	state["layout"] = modelReferences + layout.id
	if label != "" {
		state["description"] = strings.ToValidUTF8(label, "\uFFFD")
	}
	for k, v := range state {
		w.modern.state[k], w.classic.state[k] = v, v
	}
	if styles[0] != "" {
		style := (&Widget{kind: "style",
			modern:  modelForm{styles[0], "StyleView", controlsModule, modernVersion, map[string]any{}, baseModule},
			classic: modelForm{model: styles[1], module: classicModule, version: classicVersion}}).open()
		if strings.HasPrefix(styles[0], "Slider") || strings.HasPrefix(styles[0], "Text") || strings.HasPrefix(styles[0], "Desc") {
			style.modern.state["description_width"] = "initial"
		}
		w.modern.state["style"] = modelReferences + style.id
		if styles[1] != "StyleModel" {
			w.classic.state["style"] = modelReferences + style.id
		}
	}
	return w
}

var (
	sliderStyles = [2]string{"SliderStyleModel", "SliderStyleModel"}
	textStyles   = [2]string{"TextStyleModel", "StyleModel"}
	plainStyles  = [2]string{"DescriptionStyleModel", "StyleModel"}
	checkStyles  = [2]string{"CheckboxStyleModel", "StyleModel"}
	buttonStyles = [2]string{"ButtonStyleModel", "ButtonStyleModel"}
)

// Slider returns a slider over [low, high] in a hundred steps of round size,
// at value, which is moved into the range.
func Slider(label string, low, high, value float64) *Widget {
	if !(low < high) || math.IsInf(high-low, 0) {
		low, high = 0, 1
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/50)))
	decimals := max(0, -int(math.Floor(math.Log10(step))))
	value = max(low, min(high, value))
	return control("slider", "FloatSlider", label, value, sliderStyles, map[string]any{
		"min": low, "max": high, "step": step, "readout": true, "readout_format": fmt.Sprintf(".%df", min(decimals, 12)),
		"continuous_update": true, "orientation": "horizontal"}).open()
}

// IntSlider returns a slider over the whole numbers from low to high, at value,
// which is moved into the range.
func IntSlider(label string, low, high, value int) *Widget {
	if low >= high {
		high = low + 1
	}
	return control("slider", "IntSlider", label, max(low, min(high, value)), sliderStyles, map[string]any{
		"min": low, "max": high, "step": 1, "readout": true, "readout_format": "d",
		"continuous_update": true, "orientation": "horizontal"}).open()
}

// Number returns a field for a number.
func Number(label string, value float64) *Widget {
	return control("number", "FloatText", label, value, plainStyles, map[string]any{"step": nil}).open()
}

// IntNumber returns a field for a whole number.
func IntNumber(label string, value int) *Widget {
	return control("number", "IntText", label, value, plainStyles, map[string]any{"step": 1}).open()
}

// TextField returns a field for a line of text.
func TextField(label, value string) *Widget {
	return control("text", "Text", label, value, textStyles, map[string]any{"placeholder": ""}).open()
}

// Select returns a choice of one of the options, at first the first.
func Select(label string, options ...string) *Widget {
	if len(options) == 0 {
		options = []string{""}
	}
	labels := make([]any, len(options))
	for i, o := range options {
		labels[i] = strings.ToValidUTF8(o, "\uFFFD")
	}
	w := control("select", "Dropdown", label, options[0], plainStyles, map[string]any{"_options_labels": labels})
	w.labels = options
	return w.open()
}

// Checkbox returns a box to tick.
func Checkbox(label string, value bool) *Widget {
	return control("checkbox", "Checkbox", label, value, checkStyles, map[string]any{"indent": false}).open()
}

// Button returns a button that has f called at each click; clicks that come
// while f runs count as one. A nil f may be given later, by OnChange.
func Button(label string, f func()) *Widget {
	w := control("button", "Button", label, nil, buttonStyles, map[string]any{"tooltip": "", "icon": "", "button_style": ""}).open()
	if f != nil {
		w.OnChange(func(any) { f() })
	}
	return w
}

// Box returns widgets one under the other.
func Box(children ...*Widget) *Widget { return box("box", "VBox", children) }

// HBox returns widgets side by side.
func HBox(children ...*Widget) *Widget { return box("row", "HBox", children) }

func box(kind, model string, children []*Widget) *Widget {
	var kept []*Widget
	refs := []any{}
	for _, c := range children {
		if c != nil {
			kept, refs = append(kept, c), append(refs, modelReferences+c.id)
		}
	}
	w := control(kind, model, "", nil, [2]string{}, map[string]any{"children": refs, "box_style": ""})
	w.children = kept
	return w.open()
}

// An Area is a place in the page that shows values, one in place of the other.
// It is a widget, so it can stand in a Box.
type Area struct{ *Widget }

// Output returns an empty Area.
func Output() *Area {
	w := control("output", "HTML", "", "", [2]string{}, map[string]any{"placeholder": ""})
	w.modern = modelForm{model: "OutputModel", view: "OutputView", module: outputModule, version: "1.0.0",
		state: map[string]any{"layout": w.modern.state["layout"], "msg_id": "", "outputs": []any{}}}
	return &Area{w.open()}
}

// Show shows values in the area, in place of what it showed.
func (a *Area) Show(values ...any) {
	outputs, page, texts := []any{}, "", []string{}
	for _, v := range values {
		b := Render(v)
		metadata := b.Metadata
		if metadata == nil {
			metadata = map[string]any{}
		}
		outputs = append(outputs, map[string]any{"output_type": "display_data", "data": b.Wire(), "metadata": metadata})
		page += "<div>" + Fragment(b) + "</div>\n"
		texts = append(texts, asString(b.Data[MIMETypeText]))
	}
	a.mu.Lock()
	a.value = page
	modern := map[string]any{}
	for k, v := range a.modern.state {
		modern[k] = v
	}
	modern["outputs"] = outputs
	a.modern.state = modern
	a.mu.Unlock()
	// Current front ends draw outputs, the classic one the HTML in value.
	a.send(map[string]any{"method": "update", "buffer_paths": []any{}, "state": map[string]any{"outputs": outputs, "value": page}})
}
