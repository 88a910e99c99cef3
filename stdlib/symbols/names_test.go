package symbols

import (
	"slices"
	"sort"
	"strings"
	"testing"
)

// names.txt has an entry for each name that several packages have, and for no
// other.
func TestAmbiguousNamesAreDecided(t *testing.T) {
	for name, paths := range named() {
		decision, decided := preferred()[name]
		switch {
		case len(paths) > 1 && !decided:
			t.Errorf("names.txt does not say what %s means: %v", name, paths)
		case len(paths) == 1 && decided:
			t.Errorf("names.txt decides %s, which only %s has", name, paths[0])
		case decided && decision != "-" && paths[0] != decision:
			t.Errorf("names.txt prefers %s for %s, which is none of %v", decision, name, paths)
		}
	}
	for name := range preferred() {
		if Named(name) == nil {
			t.Errorf("names.txt decides %s, which no package has", name)
		}
	}
	if len(preferred()) < 10 {
		t.Errorf("only %d decisions read", len(preferred()))
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ name, path string }{
		{"strings", "strings"}, {"rand", "math/rand/v2"}, {"template", "text/template"}, {"plot", "gonum.org/v1/plot"},
		{"mat", "gonum.org/v1/gonum/mat"}, {"distuv", "gonum.org/v1/gonum/stat/distuv"}, {"http", "net/http"}, {"ring", own + "ring"},
		{"bound", own + "bound"}, {"display", own + "display"}, {"unsafe", "unsafe"},
		{"gonum", ""}, {"transform", ""}, {"nosuch", ""}, {"", ""}, {"main", ""},
	} {
		if path, ok := Unique(c.name); path != c.path || ok != (c.path != "") {
			t.Errorf("%q means %q, %v; want %q", c.name, path, ok, c.path)
		}
	}
	for _, c := range []struct{ name, member, path string }{
		{"rand", "IntN", "math/rand/v2"}, {"rand", "Intn", "math/rand"}, {"rand", "Prime", "crypto/rand"},
		{"rand", "Int", "math/rand/v2"}, {"rand", "N", "math/rand/v2"}, // in both, the first preferred; generic
		{"rand", "Read", ""}, // of math/rand and of crypto/rand: too different to guess
		{"ring", "BTSP", own + "ring"}, {"palette", "Plan9", "image/color/palette"},
		{"constant", "MakeInt64", "go/constant"}, {"constant", "Planck", "gonum.org/v1/gonum/unit/constant"},
		{"slices", "Sort", "slices"}, {"template", "HTML", "html/template"}, {"draw", "Canvas", "gonum.org/v1/plot/vg/draw"},
		{"expvar", "NewInt", "expvar"}, {"heap", "Interface", "container/heap"}, {"heap", "_Interface", ""},
		{"gonum", "Implementation", ""}, {"strings", "Nosuch", ""}, {"nosuch", "X", ""},
	} {
		if path, ok := Resolve(c.name, c.member); path != c.path || ok != (c.path != "") {
			t.Errorf("%s.%s is of %q, %v; want %q", c.name, c.member, path, ok, c.path)
		}
	}
	for short, full := range map[string]string{
		"ring": own + "ring", "display/gonbui": own + "display/gonbui", "bound": own + "bound", "plot": own + "plot",
		"fmt": "fmt", "container/ring": "container/ring", own + "ring": own + "ring", "nosuch": "nosuch", "": "",
	} {
		if got := Canonical(short); got != full {
			t.Errorf("%q is short for %q, want %q", short, got, full)
		}
	}
}

// Every package of ours is predeclared, unless names.txt gives its name away,
// and its short path leads to it.
func TestPredeclared(t *testing.T) {
	have := Predeclared()
	for _, path := range Paths() {
		short, ours := strings.CutPrefix(path, own)
		if !ours {
			continue
		}
		if Canonical(short) != path {
			t.Errorf("%q does not lead to %s, but to %s", short, path, Canonical(short))
		}
		name := Name(path)
		if preferredPath := preferred()[name]; preferredPath == "" || preferredPath == path {
			if have[name] != path {
				t.Errorf("%s is not predeclared as %s", path, name)
			}
		} else if have[name] != "" {
			t.Errorf("%s is predeclared, and means %s", name, preferredPath)
		}
	}
	for name, path := range have {
		if Name(path) != name || !strings.HasPrefix(path, own) {
			t.Errorf("%s is predeclared as %s", path, name)
		}
	}
}

func TestPaths(t *testing.T) {
	paths := Paths()
	if !sort.StringsAreSorted(paths) || len(slices.Compact(slices.Clone(paths))) != len(paths) {
		t.Error("the paths are not sorted, or one is there twice")
	}
	for _, path := range paths {
		if !Has(path) || Name(path) == "" {
			t.Errorf("%s is listed and not there", path)
		}
		if strings.Contains("/"+path+"/", "/internal/") || strings.HasPrefix(path, own+"symbols") {
			t.Errorf("%s is listed", path)
		}
	}
	for _, path := range strings.Fields("iter slices maps cmp unique weak math/rand/v2 sync/atomic log/slog encoding/json net/http os/exec runtime testing unsafe " +
		"gonum.org/v1/gonum/optimize/convex/lp gonum.org/v1/gonum/stat/sampleuv gonum.org/v1/gonum/mathext gonum.org/v1/plot/palette/moreland gonum.org/v1/plot/tools/bezier") {
		if !Has(path) {
			t.Errorf("%s is not at hand", path)
		}
	}
}
