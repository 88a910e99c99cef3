package display

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

type link struct {
	From  string
	Delay float64 `display:"delay" unit:"ms"`
	Hops  int
	Took  time.Duration
	At    time.Time
	Note  any
	Tags  []string
	Skip  string `display:"-"`
	inner int
}

// payload returns the options, columns and rows that the table's script gets.
func payload(t *testing.T, html string) (options map[string]any, columns []columnSpec, rows [][]any) {
	t.Helper()
	i, j := strings.LastIndex(html, "})({"), strings.LastIndex(html, ")</script>")
	if i < 0 || j < 0 {
		t.Fatal("the page has no script")
	}
	var args []json.RawMessage
	if err := json.Unmarshal([]byte("["+html[i+3:j]+"]"), &args); err != nil {
		t.Fatalf("the script's arguments are no JSON: %v", err)
	}
	for k, into := range []any{&options, &columns, &rows} {
		if err := json.Unmarshal(args[k], into); err != nil {
			t.Fatal(err)
		}
	}
	return options, columns, rows
}

// The oracle is the value itself: every number of the data that the page holds
// is the number of the slice, digit by digit.
func TestTableDataIsTheValue(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	in := make([]link, 300)
	for i := range in {
		in[i] = link{From: fmt.Sprint("dc", i), Delay: r.NormFloat64() * math.Pow(10, float64(r.Intn(12)-4)), Hops: r.Intn(9) - 4}
	}
	options, columns, rows := payload(t, Table(in).HTML())
	if len(rows) != len(in) || options["total"] != float64(len(in)) {
		t.Fatalf("%d rows in the page, options %v", len(rows), options)
	}
	if columns[1].Name != "delay" || columns[1].Unit != "ms" || !columns[1].Right || columns[0].Right {
		t.Errorf("columns are %+v", columns)
	}
	for i, row := range rows {
		if row[0] != in[i].From || row[1] != in[i].Delay || row[2] != float64(in[i].Hops) {
			t.Fatalf("row %d is %v, want %v", i, row, in[i])
		}
	}
	for _, c := range columns {
		if c.Name == "Skip" || c.Name == "inner" {
			t.Errorf("column %s must not be shown", c.Name)
		}
	}
}

func TestTableKinds(t *testing.T) {
	for name, c := range map[string]struct {
		v    any
		want string
	}{
		"structs": {[]link{{From: "a", Delay: 1.5, Hops: 12, Took: 1500 * time.Microsecond}, {From: "bb", Delay: 10, Took: 20 * time.Millisecond}}, `
   From  delay (ms)  Hops  Took (ms)  At  Note  Tags
─  ────  ──────────  ────  ─────────  ──  ────  ────
0  a            1.5    12        1.5
1  bb          10.0     0       20.0`},
		"pointers": {[]*struct{ X int }{{1}, nil, {3}}, `
   X
─  ─
0  1
1
2  3`},
		"records": {[]map[string]any{{"b": 1, "a": "x"}, {"c": []int{1}}}, `
   a  b  c
─  ─  ─  ────────
0  x  1
1        []int{1}`},
		"map": {map[string]float64{"z": 0.25, "a": 100}, `
key   value
───  ──────
a    100.00
z      0.25`},
		"map of structs": {map[int]struct{ A, B int }{2: {3, 4}, 1: {5, 6}}, `
key  A  B
───  ─  ─
  1  5  6
  2  3  4`},
		"grid": {[][]int{{1, 2}, {3}}, `
   0  1
─  ─  ─
0  1  2
1  3`},
		"series": {struct {
			Epoch []int
			Loss  []float64
		}{[]int{0, 1}, []float64{0.5, 1e-9}}, `
   Epoch  Loss
─  ─────  ────
0      0   0.5
1      1  1e-9`},
		"columns": {map[string][]float64{"y": {1, 2}, "x": {0.1, 0.2}}, `
     x  y
─  ───  ─
0  0.1  1
1  0.2  2`},
		"matrix": {grid2{{1, -0.5}, {math.NaN(), math.Inf(1)}}, `
     0     1
─  ───  ────
0    1  -0.5
1  NaN  +Inf`},
		"wide runes": {[]struct{ S, T string }{{"漢字", "a"}, {"x", "b"}}, `
   S     T
─  ────  ─
0  漢字  a
1  x     b`},
		"dates": {[]struct{ At time.Time }{{time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}, {}}, `
           At
─  ──────────
0  2026-01-02
1`},
	} {
		if got, want := Table(c.v).String(), strings.TrimPrefix(c.want, "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
		if Render(c.v).Data[MIMETypeHTML] == nil {
			t.Errorf("%s is not shown as a table", name)
		}
	}
}

type grid2 [][]float64

func (g grid2) Dims() (int, int)    { return len(g), len(g[0]) }
func (g grid2) At(i, j int) float64 { return g[i][j] }

type base struct{ ID int }

type around struct {
	base
	*around // its own kind, embedded
	time.Time
	time.Duration
	Name string
}

func TestEmbeddedFields(t *testing.T) {
	v := []around{{base: base{7}, Duration: 2 * time.Second, Name: "a", Time: time.Unix(0, 0).UTC()}, {around: &around{base: base{8}}}}
	var names []string
	for _, c := range frameOf(v).columns {
		names = append(names, c.name)
	}
	if got := strings.Join(names, " "); got != "ID Time Duration Name" {
		t.Errorf("columns are %s", got)
	}
	if s := Table(v).String(); !strings.Contains(s, "a") {
		t.Errorf("got\n%s", s)
	}
	type item struct {
		base
		X int `json:"x"`
	}
	if d := JSON(item{base{7}, 8}); fmt.Sprint(d.Data[MIMETypeJSON]) != "map[ID:7 x:8]" {
		t.Errorf("JSON is %v", d.Data[MIMETypeJSON])
	}
}

func TestNotTables(t *testing.T) {
	for _, v := range []any{3, "a", []int{1, 2}, []string{"a"}, []link{}, map[string]int{}, [][]byte{{1}}, link{},
		[]time.Time{time.Unix(0, 0)}, []struct{ x int }{{1}}, nilMatrix{}} {
		if b := Render(v); b.Data[MIMETypeHTML] != nil {
			t.Errorf("%T is shown as a table:\n%s", v, b.Data["text/plain"])
		}
	}
	if s := Table(3).String(); s != "3" {
		t.Errorf("Table(3) is %q", s)
	}
}

type nilMatrix struct{}

func (nilMatrix) Dims() (int, int)    { panic("nil matrix") }
func (nilMatrix) At(i, j int) float64 { return 0 }

func TestTableSizes(t *testing.T) {
	long := strings.Repeat("<&\"é\x01", 5000)
	wide := make([]map[string]any, 50)
	for i := range wide {
		wide[i] = map[string]any{}
		for j := range 300 {
			wide[i][fmt.Sprint("column ", j, long[:60])] = []any{long, map[string]any{long: long}}
		}
	}
	million := make([]link, 1_000_000)
	for i := range million {
		million[i] = link{From: strconv.Itoa(i), Delay: float64(i) / 3}
	}
	texts := make([]struct{ A, B string }, 20_000)
	for i := range texts {
		texts[i].A, texts[i].B = long, long
	}
	for name, v := range map[string]any{"wide": wide, "million": million, "texts": texts, "one": []struct{ A string }{{long}}} {
		html := Table(v).HTML()
		if len(html) > 200_000 || !utf8.ValidString(html) {
			t.Errorf("%s: %d bytes of HTML", name, len(html))
		}
		options, _, rows := payload(t, html)
		if len(rows) < 1 || options["total"] != float64(Table(v).Rows()) {
			t.Errorf("%s: %d rows, %v", name, len(rows), options)
		}
		for _, line := range strings.Split(Table(v).String(), "\n") {
			if screenWidth(line) > 125 {
				t.Errorf("%s: a line of %d columns: %s", name, screenWidth(line), line)
			}
		}
	}
	if html := Table(million).HTML(); !strings.Contains(html, "first 20 of 1,000,000 rows") {
		t.Error("what is left out is not said")
	}
	text := Table(million).String()
	if n := strings.Count(text, "\n"); n > 25 || !strings.Contains(text, "999999") || !strings.Contains(text, "1,000,000 rows × 7 columns") {
		t.Errorf("text of %d lines:\n%s", n, text)
	}
}

func TestTableColumnsUnitsAndCaption(t *testing.T) {
	v := []link{{From: "a", Delay: 1, Hops: 2}}
	view := Table(v)
	view.Columns, view.Units, view.Caption, view.PageSize = []string{"Hops", "no such", "From"}, map[string]string{"Hops": "n"}, "<links>", 5
	want := "<links>\n   Hops (n)  From\n─  ────────  ────\n0         2  a"
	if got := view.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	options, columns, rows := payload(t, view.HTML())
	if len(columns) != 2 || columns[0].Unit != "n" || rows[0][0] != 2.0 || rows[0][1] != "a" || options["page"] != 5.0 {
		t.Errorf("got %v %v %v", options, columns, rows)
	}
	if !strings.Contains(view.HTML(), "<caption>&lt;links&gt;</caption>") {
		t.Error("the caption is not escaped")
	}
}

func TestNumberFormats(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want string
	}{
		{[]float64{1, 2, 300}, "1 2 300"},
		{[]float64{1.5, 22.25, 3}, "1.50 22.25 3.00"},
		{[]float64{120.93205, 3.1}, "120.93 3.10"},
		{[]float64{0.05, 1e-8, 0.5}, "0.05 1e-8 0.5"},
		{[]float64{1e12, 2.5}, "1e12 2.5"},
		{[]float64{1.0 / 3, 2.0 / 3}, "0.33333 0.66667"},
		{[]float64{-0.00001, 5.5}, "-1e-5 5.5"},
		{[]float64{math.NaN(), 1}, "NaN 1"},
		{[]float64{0, 0}, "0 0"},
		{[]float64{123456.789, 1}, "123456.8 1.0"},
	} {
		cells := make([]cell, len(c.in))
		for i, x := range c.in {
			cells[i] = cell{kind: number, num: x, raw: strconv.FormatFloat(x, 'g', -1, 64)}
		}
		f := formatOf(cells)
		got := make([]string, len(cells))
		for i := range cells {
			got[i] = f.text(cells[i])
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v is %q, want %q (%+v)", c.in, s, c.want, f)
		}
	}
}

// FuzzTableEscapes holds that no text of a value becomes markup: the page has
// one script and the elements that it always has.
func FuzzTableEscapes(f *testing.F) {
	for _, s := range []string{"", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--", "]]>", "\u2028\u2029", "\"'`&", "\xff\x00", "</td></table>"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		v := []map[string]any{{a: b, "k": []any{b, a}}, {"k": map[string]string{b: a}}}
		view := Table(v)
		view.Caption = b
		html := view.HTML()
		script := strings.Index(html, "<script>")
		if strings.Count(strings.ToLower(html), "<script") != 1 || strings.Count(strings.ToLower(html), "</script") != 1 {
			t.Fatalf("more than one script in %q", html)
		}
		if strings.Contains(html[script+8:len(html)-20], "<!--") {
			t.Fatal("a comment in the script")
		}
		known := map[string]bool{}
		for _, tag := range strings.Fields("div style table caption thead tr th small tbody td details summary pre script") {
			known[tag] = true
		}
		for _, part := range strings.Split(html[:script], "<")[1:] {
			tag := strings.TrimLeft(part, "/")
			end := strings.IndexFunc(tag, func(r rune) bool { return !(r >= 'a' && r <= 'z') })
			if end < 0 || !known[tag[:end]] {
				t.Fatalf("unknown element %q", part)
			}
		}
		payload(t, html)
		if !utf8.ValidString(html) || !utf8.ValidString(view.String()) {
			t.Fatal("invalid UTF-8")
		}
	})
}
