package display

import (
	"fmt"
	"reflect"
	"strings"
)

// TableView is a value shown as a table. Its fields may be set before it is
// shown; the value is read when it is drawn, and not copied.
type TableView struct {
	Caption  string            // above the table, "" for none
	Columns  []string          // the columns to show, in this order; nil means all
	Units    map[string]string // units by column, over those of tags
	PageSize int               // rows of a page, 0 means 20

	frame *frame
	quiet bool   // no methods of cells are asked, because one of them blocked
	plain string // what is said of a value that is no table
}

// Table returns v as a table: a slice, array or map of structs; a slice of maps
// with string keys; a map; a slice of slices; a struct or map of equally long
// slices (a time series); a gonum matrix or vector; or a slice of scalars, one
// to a row. Struct tags name a column and give its unit:
//
//	type Run struct {
//		Name string
//		Time float64 `display:"time" unit:"ms"`
//		note string  // not exported, not shown
//	}
//
// In a notebook the first rows stand there at once and the rest is reached by
// paging, sorting and searching in the page, up to 200 kB of HTML however many
// rows there are; what is left out is counted. In a terminal the columns are
// aligned and the middle of a long table is left out.
//
// Any other value gives a table that shows the value's text.
func Table(v any) *TableView {
	if f := frameOf(v); f != nil {
		return &TableView{frame: f}
	}
	if f := scalarFrame(v); f != nil {
		return &TableView{frame: f}
	}
	return &TableView{plain: goText(newGuard(), v, "")}
}

// view is the frame after Columns and Units.
func (t *TableView) view() *frame {
	f := *t.frame
	f.columns = append([]column(nil), t.frame.columns...)
	if t.Columns != nil {
		var pick []int
		f.columns = nil
		for _, name := range t.Columns {
			for j, c := range t.frame.columns {
				if c.name == name {
					pick = append(pick, j)
					f.columns = append(f.columns, c)
					break
				}
			}
		}
		all := t.frame.cell
		f.cell = func(i, j int) reflect.Value { return all(i, pick[j]) }
	}
	for j, c := range f.columns {
		if u, ok := t.Units[c.name]; ok {
			f.columns[j].unit = u
		}
	}
	return &f
}

// Rows returns the number of rows of the value.
func (t *TableView) Rows() int {
	if t.frame == nil {
		return 0
	}
	return t.frame.rows
}

// MIME returns the table as HTML and as aligned text.
func (t *TableView) MIME() Bundle {
	b := Text(t.String())
	if t.frame != nil {
		b.Data["text/html"] = t.HTML()
	}
	return b
}

// Bounds of the text form.
const (
	textWidth = 100 // columns of a terminal
	textHead  = 12  // rows before the gap
	textTail  = 4   // rows after it
)

// String returns the table as aligned text, 100 columns wide at most; the
// middle rows and columns of a larger one are left out and counted.
func (t *TableView) String() string {
	if t.frame == nil {
		return t.plain
	}
	f := t.view()
	rows := make([]int, 0, textHead+textTail)
	gap := -1
	for i := range f.readable() {
		if i == textHead && f.readable() > textHead+textTail+1 {
			gap = i
			break
		}
		rows = append(rows, i)
	}
	if gap >= 0 {
		for i := f.readable() - textTail; i < f.readable(); i++ {
			rows = append(rows, i)
		}
	}
	grid := make([][]string, 0, len(f.columns)+1)
	atRight := make([]bool, 0, len(f.columns)+1)
	if f.index {
		names := []string{""}
		for _, i := range rows {
			names = append(names, fmt.Sprint(i))
		}
		grid, atRight = append(grid, names), append(atRight, true)
	}
	for j, c := range f.columns {
		texts, unit, r := columnTexts(f, j, rows, !t.quiet)
		if unit == "" { // durations say their own
			unit = c.unit
		}
		head := oneLine(c.name, 40)
		if unit != "" {
			head += " (" + oneLine(unit, 20) + ")"
		}
		grid, atRight = append(grid, append([]string{head}, texts...)), append(atRight, r)
	}
	out := alignColumns(grid, atRight, gap)
	if t.Caption != "" {
		out = oneLine(t.Caption, 300) + "\n" + out
	}
	if left := f.rows - len(rows); left > 0 || len(f.columns) == maxColumns {
		out += fmt.Sprintf("\n%s rows × %d columns of %s", thousands(f.rows), len(f.columns), f.kind)
	}
	return out
}

// columnTexts are the cells of a column as lines, the unit that they settled
// on, and whether they stand right.
func columnTexts(f *frame, j int, rows []int, methods bool) (texts []string, unit string, atRight bool) {
	cells := make([]cell, len(rows))
	for k, i := range rows {
		cells[k] = cellOf(f.cell(i, j), methods)
	}
	unit = settle(cells)
	format := formatOf(cells)
	texts = make([]string, len(rows))
	for k, c := range cells {
		if texts[k] = oneLine(c.text, 40); c.kind == number {
			texts[k] = format.text(c)
		}
	}
	return texts, unit, right(cells)
}

// alignColumns sets columns of equal height side by side, a line under their
// heads, and a gap before row gap (-1 for none). The middle columns of a table
// wider than textWidth become one of dots.
func alignColumns(grid [][]string, atRight []bool, gap int) string {
	widths := make([]int, len(grid))
	total := 0
	for j, col := range grid {
		for _, s := range col {
			widths[j] = max(widths[j], screenWidth(s))
		}
		total += widths[j] + 2
	}
	last := len(grid) - 1
	skipFrom, skipTo := -1, -1
	if total-2 > textWidth && len(grid) > 3 {
		used := widths[last] + 2 + 3
		j := 0
		for ; j < last && (j < 2 || used+widths[j]+2 <= textWidth); j++ {
			used += widths[j] + 2
		}
		if j < last {
			skipFrom, skipTo = j, last
		}
	}
	var w strings.Builder
	line := func(pick func(j int) string, rule bool) {
		var l strings.Builder
		for j := range grid {
			if j >= skipFrom && j < skipTo {
				if j == skipFrom {
					l.WriteString("…  ")
				}
				continue
			}
			s := pick(j)
			pad := strings.Repeat(" ", widths[j]-screenWidth(s))
			if rule {
				s, pad = strings.Repeat("─", widths[j]), ""
			}
			if atRight[j] {
				l.WriteString(pad + s + "  ")
			} else {
				l.WriteString(s + pad + "  ")
			}
		}
		w.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	line(func(j int) string { return grid[j][0] }, false)
	line(func(int) string { return "" }, true)
	for i := range len(grid[0]) - 1 {
		if i == gap {
			w.WriteString("⋮\n")
		}
		line(func(j int) string { return grid[j][i+1] }, false)
	}
	return strings.TrimSuffix(w.String(), "\n")
}

// screenWidth is the number of terminal columns that s takes.
func screenWidth(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r >= 0x300 && r <= 0x36F, r >= 0x200B && r <= 0x200F, r >= 0xFE00 && r <= 0xFE0F:
		case r >= 0x1100 && r <= 0x115F, r >= 0x2E80 && r <= 0xA4CF, r >= 0xAC00 && r <= 0xD7A3,
			r >= 0xF900 && r <= 0xFAFF, r >= 0xFE30 && r <= 0xFE6F, r >= 0xFF00 && r <= 0xFF60,
			r >= 0xFFE0 && r <= 0xFFE6, r >= 0x1F300 && r <= 0x1F9FF, r >= 0x20000 && r <= 0x3FFFD:
			n += 2
		default:
			n++
		}
	}
	return n
}

// thousands writes a count with separators.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
