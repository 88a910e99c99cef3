package lang

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// text is the source of one cell, to which positions that a user sees refer.
type text struct {
	Name string // cell[7]
	Code string
}

// position is a place in a cell: line and column count from 1, columns in
// Unicode code points.
type position struct {
	Cell      *text
	Offset    int
	Line, Col int
}

func (p position) String() string {
	if p.Cell == nil {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", p.Cell.Name, p.Line, p.Col)
}

// at returns the position of a byte offset.
func (t *text) at(offset int) position {
	offset = max(0, min(offset, len(t.Code)))
	before := t.Code[:offset]
	line := 1 + strings.Count(before, "\n")
	bol := strings.LastIndexByte(before, '\n') + 1
	return position{t, offset, line, 1 + utf8.RuneCountInString(before[bol:])}
}

// line returns the text of a line, counted from 1.
func (t *text) line(n int) string {
	lines := strings.Split(t.Code, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// goFile is a Go file that we compose of literal text and of pieces of cells.
// It knows for every byte of a piece which byte of which cell that is.
type goFile struct {
	name   string
	buf    strings.Builder
	pieces []piece
}

type piece struct {
	at, n  int // in the file
	cell   *text
	offset int // in the cell
}

// lit appends text of ours.
func (f *goFile) lit(s string) { f.buf.WriteString(s) }

// cut appends cell.Code[start:end].
func (f *goFile) cut(cell *text, start, end int) {
	if start >= end {
		return
	}
	f.pieces = append(f.pieces, piece{f.buf.Len(), end - start, cell, start})
	f.buf.WriteString(cell.Code[start:end])
}

// lineOf starts a new line whose compiled positions are those of the offset.
func (f *goFile) lineOf(cell *text, offset int) {
	p := cell.at(offset)
	// Columns of a line directive count bytes.
	col := offset - strings.LastIndexByte(cell.Code[:offset], '\n')
	fmt.Fprintf(&f.buf, "\n//line %s:%d:%d\n", cell.Name, p.Line, col)
}

func (f *goFile) String() string { return f.buf.String() }

// locate returns the cell position of a byte of the file; what lies in our own
// text counts as the nearest piece before it.
func (f *goFile) locate(offset int) (position, bool) {
	var best *piece
	for i := range f.pieces {
		p := &f.pieces[i]
		if p.at > offset {
			break
		}
		best = p
	}
	if best == nil {
		if len(f.pieces) == 0 {
			return position{}, false
		}
		best = &f.pieces[0]
		return best.cell.at(best.offset), false
	}
	inside := offset >= best.at && offset < best.at+best.n
	return best.cell.at(best.offset + min(offset-best.at, best.n)), inside
}

// after returns the cell position of the first piece that begins at the offset
// of the file or later.
func (f *goFile) after(offset int) position {
	for _, p := range f.pieces {
		if p.at >= offset {
			return p.cell.at(p.offset)
		}
	}
	return position{}
}
