// Package display shows values: as tables, plots, mathematics, pictures,
// progress bars and widgets in a notebook, as aligned text in a terminal.
//
// # How a value shows itself
//
// Render asks a value one ordered question, "what can you show yourself as?",
// and keeps the first answer for every MIME type:
//
//  1. MIME() Bundle, Render() Data, SimpleRender() MIMEMap: several types at once.
//  2. HTML(), SVG(), Markdown(), Latex(), JavaScript() string; PNG(), JPEG(),
//     PDF() []byte; JSON() map[string]any. Each may also return an error.
//  3. image.Image, as PNG.
//  4. Renderers that other packages registered: stdlib/plot draws *plot.Plot,
//     and what a value's Plot() method returns.
//  5. Tables: slices of structs and of maps, maps, [][]T, matrices, vectors.
//  6. error, fmt.Stringer, fmt.GoStringer, and last a text in Go syntax.
//
// "text/plain" is always there. A method that panics or takes more than two
// seconds costs its own representation only, and the text says so. What is
// shown is the same for the same value: map keys are sorted, pointers are
// followed and never printed, and time and size are bounded.
//
// # Where output goes
//
// Show, Start, Clear, Input, Progress and the widgets write to the Sink of the
// cell that the calling goroutine belongs to; the kernel's worker tells which,
// by SetHost. Outside a notebook it is a terminal.
//
// # Widgets
//
// Slider, Select, Button and their like are controls over comms; Interact joins
// them to a function whose result follows. The front end's comm messages are
// handed to HandleComm.
//
// # Raw and escaped
//
// Only HTML, SVG, Markdown and JavaScript take markup as it is. Everything made
// from values (tables, text, labels) is escaped.
package display
