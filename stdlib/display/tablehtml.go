package display

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"html"
	"math"
	"strings"
)

// Bounds of the HTML form, which add up to less than 200 kB: the rows that
// stand in the page, the data that the script pages through, and of both the
// part that folded values may take.
const (
	pageRows    = 20
	maxRows     = 10_000
	htmlColumns = 60
	staticBytes = 40 << 10
	dataBytes   = 120 << 10
	foldBytes   = 24 << 10
)

//go:embed table.js
var tableSource string

//go:embed table.css
var tableStyle string

// tableScript is table.js without comments and indentation; tablePageStyle is
// table.css with a class said thrice, which outweighs what front ends and
// nbconvert say of every table.
var (
	tableScript    = compact(tableSource)
	tablePageStyle = strings.ReplaceAll(compact(tableStyle), ".T", ".fathom-table.fathom-table.fathom-table")
)

func compact(source string) string {
	var lines []string
	for line := range strings.Lines(source) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "/*") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// A columnSpec is what the script must know of a column.
type columnSpec struct {
	Name     string `json:"n"`
	Unit     string `json:"u,omitempty"`
	Right    bool   `json:"r,omitempty"`
	Decimals int    `json:"d"`
	Digits   int    `json:"g,omitempty"`
}

// HTML returns the table as a page fragment of at most 200 kB: the first rows,
// and a script that pages, sorts, searches and copies as CSV. Without scripts
// (on GitHub, in print) the first rows remain. The fragment needs nothing from
// outside, and is the same for the same value.
func (t *TableView) HTML() string {
	if t.frame == nil {
		return "<pre>" + html.EscapeString(t.plain) + "</pre>"
	}
	f := t.view()
	page := t.PageSize
	if page <= 0 {
		page = pageRows
	}
	columns := min(len(f.columns), htmlColumns)
	rows := min(f.readable(), maxRows)

	cells := make([][]cell, 0, min(rows, 1024))
	size, folds := 0, foldBytes
	for i := range rows {
		row := make([]cell, columns)
		for j := range columns {
			c := cellOf(f.cell(i, j), !t.quiet)
			if c.full != "" {
				if cost := 4 * len(c.full); cost > folds {
					c.full = ""
				} else {
					folds -= cost
				}
			}
			row[j] = c
			size += 4 + len(c.raw) + 2*len(c.text) + len(c.full)
		}
		if size > dataBytes*2 && i > 0 { // no later row can be sent
			break
		}
		cells = append(cells, row)
	}
	specs := make([]columnSpec, columns)
	formats := make([]numberFormat, columns)
	for j := range columns {
		column := make([]cell, len(cells))
		for i := range cells {
			column[i] = cells[i][j]
		}
		unit := settle(column)
		for i := range cells {
			cells[i][j] = column[i]
		}
		if unit == "" { // durations say their own
			unit = f.columns[j].unit
		}
		formats[j] = formatOf(column)
		specs[j] = columnSpec{Name: oneLine(f.columns[j].name, 40), Unit: oneLine(unit, 20),
			Right: right(column), Decimals: formats[j].decimals, Digits: formats[j].digits}
	}

	var data, body strings.Builder
	sent, shown := 0, 0
	for i, row := range cells {
		line := rowJSON(row)
		if data.Len()+len(line) > dataBytes && i > 0 {
			break
		}
		if i > 0 {
			data.WriteByte(',')
		}
		data.WriteString(line)
		sent++
		if shown == i && i < page {
			tr := rowHTML(f, i, row, specs, formats)
			if body.Len()+len(tr) > staticBytes && i > 0 {
				continue
			}
			body.WriteString(tr)
			shown++
		}
	}

	head, _ := json.Marshal(specs)
	hash := fnv.New64a()
	hash.Write(head)
	hash.Write([]byte(data.String()))
	fmt.Fprint(hash, f.rows, t.Caption)
	id := fmt.Sprintf("%016x", hash.Sum64())

	var w strings.Builder
	fmt.Fprintf(&w, "<div class=\"fathom-table\" data-table=\"%s\">\n<style>%s</style>\n<table>", id, tablePageStyle)
	if t.Caption != "" {
		fmt.Fprintf(&w, "<caption>%s</caption>", html.EscapeString(oneLine(t.Caption, 300)))
	}
	w.WriteString("\n<thead><tr>")
	if f.index {
		w.WriteString("<th></th>")
	}
	for _, s := range specs {
		class := ""
		if s.Right {
			class = ` class="r"`
		}
		fmt.Fprintf(&w, "<th%s>%s", class, html.EscapeString(s.Name))
		if s.Unit != "" {
			fmt.Fprintf(&w, " <small>%s</small>", html.EscapeString(s.Unit))
		}
		w.WriteString("</th>")
	}
	fmt.Fprintf(&w, "</tr></thead>\n<tbody>\n%s</tbody></table>\n<div class=\"foot\">%s</div>\n",
		body.String(), html.EscapeString(foot(f, shown, columns)))
	options, _ := json.Marshal(map[string]any{"id": id, "page": page, "index": f.index, "total": f.rows})
	fmt.Fprintf(&w, "<script>(%s)(%s,%s,[%s])</script>\n</div>", tableScript, options, head, data.String())
	return w.String()
}

// foot says how much of the table is seen.
func foot(f *frame, shown, columns int) string {
	s := fmt.Sprintf("%s rows × %d columns", thousands(f.rows), len(f.columns))
	if f.rows == 1 {
		s = strings.Replace(s, "rows", "row", 1)
	}
	if len(f.columns) == 1 {
		s = strings.TrimSuffix(s, "s")
	}
	if shown < f.rows {
		s = fmt.Sprintf("first %s of %s", thousands(shown), s)
	}
	if columns < len(f.columns) || len(f.columns) == maxColumns {
		s += fmt.Sprintf(", the first %d columns shown", columns)
	}
	return s
}

func rowHTML(f *frame, i int, row []cell, specs []columnSpec, formats []numberFormat) string {
	var w strings.Builder
	w.WriteString("<tr>")
	if f.index {
		fmt.Fprintf(&w, "<th>%d</th>", i)
	}
	for j, c := range row {
		s := c.text
		if c.kind == number {
			s = formats[j].text(c)
		}
		s = html.EscapeString(s)
		if c.full != "" {
			s = "<details><summary>" + s + "</summary><pre>" + html.EscapeString(c.full) + "</pre></details>"
		}
		class := ""
		if specs[j].Right {
			class = ` class="r"`
		}
		fmt.Fprintf(&w, "<td%s>%s</td>", class, s)
	}
	w.WriteString("</tr>\n")
	return w.String()
}

// rowJSON writes a row for the script: null, a number, a string, or a list of
// text, sort key and folded text. "<" is escaped, so no text ends the script.
func rowJSON(row []cell) string {
	items := make([]any, len(row))
	for j, c := range row {
		switch {
		case c.kind == absent:
		case c.kind == number && (math.IsNaN(c.num) || math.IsInf(c.num, 0)):
			items[j] = []any{numberFormat{}.text(c), infinite(c.num)}
		case c.kind == number && math.Abs(c.num) > 1<<53:
			items[j] = []any{c.raw, c.num}
		case c.kind == number:
			items[j] = json.Number(c.raw)
		case c.full != "":
			items[j] = []any{c.text, nil, c.full}
		case c.kind == moment || c.kind == span:
			items[j] = []any{c.text, c.sort}
		default:
			items[j] = c.text
		}
	}
	raw, err := json.Marshal(items)
	if err != nil {
		return "null"
	}
	return string(raw)
}

// infinite is a sort key that JSON can carry.
func infinite(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return math.Copysign(math.MaxFloat64, x)
}
