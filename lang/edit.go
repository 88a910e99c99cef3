package lang

import "sort"

// edit is one change that turns a piece of a cell into the Go that runs:
// cell.Code[at:at+n] becomes with. Edits of one piece never overlap; those at
// one place keep their order.
type edit struct {
	at, n int
	with  string
	// what says which texts the edit belongs to.
	what editKind
	// of an edit that stands for a session variable
	v *variable
	// of an edit that stands for a declared name
	d *decl
	// rank orders edits of one place: what closes comes first, then what
	// opens from the outside in, then what replaces.
	rank rank
}

type rank int8

const (
	closing  rank = iota
	opening       // the outermost: Show(
	leading       // an argument that comes first
	wrapping      // Check1(, the newest outermost
	trailing      // an argument that comes last
	replacing
)

type editKind int

const (
	ruleEdit   editKind = iota // script rules: in what is checked, run and exported
	callEdit                   // calls that a cell must not make as they are: in both engines
	runEdit                    // in what is compiled: interrupt checks, guards, prints
	declEdit                   // a name that a cell declares at its top
	renameEdit                 // names that compiled text needs other than the user's
	varEdit                    // a use of a session variable
	showEdit                   // shows the last value; in what is compiled and interpreted
	defineEdit                 // := and var of a session variable
)

// emit appends cell.Code[start:end] with the edits that keep says applied.
// with gives the text of an edit, so that an engine can have its own.
func (f *goFile) emit(cell *text, start, end int, edits []edit, with func(edit) (string, bool)) {
	sorted := make([]edit, 0, len(edits))
	for _, e := range edits {
		if e.at >= start && e.at+e.n <= end {
			sorted = append(sorted, e)
		}
	}
	sort.SliceStable(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		return a.at < b.at || a.at == b.at && a.order() < b.order()
	})
	at := start
	for _, e := range sorted {
		text, ok := with(e)
		if !ok || e.at < at {
			continue
		}
		f.cut(cell, at, e.at)
		f.lit(text)
		at = e.at + e.n
	}
	f.cut(cell, at, end)
}

// onlyRules applies what the type checker must see.
func onlyRules(e edit) (string, bool) { return e.with, e.what == ruleEdit }

func (e edit) order() rank {
	if e.n > 0 {
		return replacing
	}
	return e.rank
}
