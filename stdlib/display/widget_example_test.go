package display_test

import (
	"fmt"
	"math"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// The plot follows the sliders; in a terminal the first result stands.
func ExampleInteract() {
	err := display.Interact(func(x float64, n int) any {
		return math.Round(100*math.Pow(x, float64(n))) / 100
	}, display.Slider("x", 0, 10, 1.5), display.IntSlider("n", 1, 5, 2))
	fmt.Println(err)
	// Output:
	// box
	// slider x = 1.5
	// slider n = 2
	// 2.25
	// <nil>
}

func ExampleSlider() {
	s := display.Slider("temperature", 0, 100, 120)
	fmt.Println(s.Float(), s)
	// Output: 100 slider temperature = 100
}

func ExampleIntSlider() {
	n := display.IntSlider("n", 1, 5, 2)
	fmt.Println(n.Int(), n.Set(4), n.Value(), n.Set("five"))
	// Output: 2 <nil> 4 display: a slider takes no string (five); give a value like 4
}

func ExampleNumber() {
	fmt.Println(display.Number("tolerance", 1e-6).Float())
	// Output: 1e-06
}

func ExampleIntNumber() {
	fmt.Println(display.IntNumber("seed", 7).Int())
	// Output: 7
}

func ExampleTextField() {
	fmt.Println(display.TextField("name", "Ada").Value())
	// Output: Ada
}

func ExampleSelect() {
	s := display.Select("policy", "fcfs", "edf")
	s.Set("edf")
	fmt.Println(s)
	// Output: select policy = edf
}

func ExampleCheckbox() {
	fmt.Println(display.Checkbox("verbose", true).Bool())
	// Output: true
}

func ExampleButton() {
	runs := 0
	display.Show(display.Button("run again", func() { runs++ }))
	// Output: button run again
}

func ExampleBox() {
	display.Show(display.Box(display.Checkbox("a", false), display.Checkbox("b", true)))
	// Output:
	// box
	// checkbox a = false
	// checkbox b = true
}

func ExampleHBox() {
	display.Show(display.HBox(display.IntNumber("from", 1), display.IntNumber("to", 9)))
	// Output:
	// row
	// number from = 1
	// number to = 9
}

func ExampleOutput() {
	area := display.Output()
	area.Show("a value", display.Markdown("*another*"))
	fmt.Println(area)
	// Output: output
}

func ExampleHandleComm() {
	// A kernel hands every comm message of the front end over.
	s := display.Slider("x", 0, 1, 0.5)
	display.HandleComm(display.CommMessage{Kind: "comm_msg", ID: s.ID(), Data: map[string]any{
		"method": "update", "state": map[string]any{"value": 0.75},
	}}, display.Current())
	fmt.Println(s.Float())
	// Output: 0.75
}
