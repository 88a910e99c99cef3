package lang

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/fathom-kernel/fathom/stdlib/symbols"
)

// symbolCatalog is the catalog of the packages at hand.
type symbolCatalog struct{}

func (symbolCatalog) Packages() []string      { return symbols.Paths() }
func (symbolCatalog) Name(path string) string { return symbols.Name(path) }
func (symbolCatalog) Doc(path, symbol string) string {
	d := symbols.Doc(path)
	if d == nil {
		return ""
	}
	if symbol == "" {
		return d.Doc
	}
	return d.Symbols[symbol].Doc
}
func (symbolCatalog) Source(path, symbol string) string { return symbols.Source(path)[symbol] }

// completionEngine returns an engine for what needs no compiled cell.
func completionEngine() *Engine {
	return New(Options{
		Importer: symbols.Importer(), Resolve: symbols.Resolve, Canonical: symbols.Canonical,
		Predeclared: map[string]string{"Display": "display.Display"}, Catalog: symbolCatalog{},
	})
}

// declare makes what a cell declares and defines the session's, without running
// it: enough for all that goes by types.
func declare(t testing.TB, e *Engine, n int, code string) {
	t.Helper()
	c, l, ds := e.prepare(&text{Name: fmt.Sprintf("cell[%d]", n), Code: code})
	if len(ds) > 0 {
		t.Fatalf("the set-up does not type-check: %s", strings.Join(render(ds, false), "\n"))
	}
	if l == nil {
		return
	}
	e.commit(c, l, nil)
	for _, v := range l.defined {
		e.session.define(v)
	}
}

// TestComplete runs the positions of testdata/complete. In each txtar file the
// comment says what it is about; a file "cell" is declared before what follows
// it; every other file is one position: the code, with the cursor at ⁁, and
// below a line of dashes what is expected:
//
//	first A B    the first matches, in this order
//	has A B      among the matches
//	not A B      not among them
//	none         no match at all
//	kind A K     the kind of match A
//	sig A TEXT   its signature
//	replaces S   the text that a match replaces
func TestComplete(t *testing.T) {
	files, err := filepath.Glob("testdata/complete/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no positions: %v", err)
	}
	positions := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e := completionEngine()
		for i, f := range a.Files {
			if f.Name == "cell" {
				declare(t, e, i+1, string(f.Data))
				continue
			}
			positions++
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+f.Name, func(t *testing.T) {
				code, expected, ok := strings.Cut(string(f.Data), "\n----\n")
				if !ok {
					t.Fatal("no line of dashes")
				}
				at := strings.Index(code, "⁁")
				if at < 0 {
					t.Fatal("no cursor")
				}
				code = code[:at] + code[at+len("⁁"):]
				c := e.Complete(context.Background(), code, at)
				checkCompletion(t, c, code, at)
				for line := range strings.Lines(expected) {
					if line = strings.TrimSpace(line); line != "" {
						expectMatches(t, c, code, line)
					}
				}
			})
		}
	}
	t.Logf("%d positions", positions)
	if positions < 150 {
		t.Errorf("%d positions, want at least 150", positions)
	}
}

var wordPattern = regexp.MustCompile(`"[^"]*"|\S+`)

func expectMatches(t *testing.T, c Completion, code, line string) {
	t.Helper()
	words := wordPattern.FindAllString(line, -1)
	for i, w := range words {
		if s, err := strconv.Unquote(w); err == nil {
			words[i] = s
		}
	}
	verb, args := words[0], words[1:]
	var texts []string
	for _, m := range c.Matches {
		texts = append(texts, m.Text)
	}
	shown := strings.Join(texts[:min(len(texts), 12)], " ")
	switch verb {
	case "first":
		if len(texts) < len(args) || !slices.Equal(texts[:len(args)], args) {
			t.Errorf("%s: the matches are %s", line, shown)
		}
	case "has":
		for _, a := range args {
			if !slices.Contains(texts, a) {
				t.Errorf("no %s in %s", a, shown)
			}
		}
	case "not":
		for _, a := range args {
			if slices.Contains(texts, a) {
				t.Errorf("%s is among the matches", a)
			}
		}
	case "none":
		if len(texts) > 0 {
			t.Errorf("matches where there should be none: %s", shown)
		}
	case "kind", "sig":
		i := slices.Index(texts, args[0])
		if i < 0 {
			t.Errorf("no %s in %s", args[0], shown)
			return
		}
		_, want, _ := strings.Cut(strings.TrimPrefix(line, verb+" "), " ")
		got := c.Matches[i].Kind
		if verb == "sig" {
			got = c.Matches[i].Signature
		}
		if got != want {
			t.Errorf("%s of %s is %q, want %q", verb, args[0], got, want)
		}
	case "replaces":
		want := strings.Join(args, " ")
		if got := code[c.Start:c.End]; got != want {
			t.Errorf("a match replaces %q, want %q", got, want)
		}
	default:
		t.Fatalf("unknown expectation %q", line)
	}
}

// checkCompletion holds what is true of every answer.
func checkCompletion(t *testing.T, c Completion, code string, cursor int) {
	t.Helper()
	if c.Start < 0 || c.Start > c.End || c.End > len(code) {
		t.Fatalf("range [%d:%d] of %d bytes", c.Start, c.End, len(code))
	}
	if at := clamp(code, cursor); c.Start > at || c.End < at {
		t.Fatalf("range [%d:%d] does not hold the cursor at %d", c.Start, c.End, at)
	}
	seen := map[Match]bool{}
	for _, m := range c.Matches {
		if m.Text == "" || !utf8.ValidString(m.Text) || strings.Contains(m.Text, mark) {
			t.Errorf("match %q", m.Text)
		}
		if strings.Contains(m.Signature, mark) {
			t.Errorf("signature %q", m.Signature)
		}
		if seen[m] {
			t.Errorf("%v is there twice", m)
		}
		seen[m] = true
		switch m.Kind {
		case "function", "variable", "field", "method", "type", "constant", "package", "keyword", "snippet":
		default:
			t.Errorf("kind %q", m.Kind)
		}
	}
}
