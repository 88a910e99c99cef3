package lang

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestInspect runs the positions of testdata/inspect, which are written as
// those of TestComplete are. "detail" before the code asks for the source. Of
// the text is expected:
//
//	head LINE   the first line begins so
//	has TEXT    it holds the text, white space aside
//	not TEXT    it does not
//	none        nothing was found
func TestInspect(t *testing.T) {
	files, err := filepath.Glob("testdata/inspect/*.txtar")
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
				at := strings.Index(code, "⁁")
				if !ok || at < 0 {
					t.Fatal("no line of dashes or no cursor")
				}
				detail := 0
				if rest, ok := strings.CutPrefix(code, "detail "); ok {
					code, detail, at = rest, 1, at-len("detail ")
				}
				code = code[:at] + code[at+len("⁁"):]
				b := e.Inspect(context.Background(), code, at, detail)
				text, _ := b.Data["text/plain"].(string)
				if md, _ := b.Data["text/markdown"].(string); !b.IsZero() && md == "" {
					t.Error("no Markdown")
				}
				if strings.Contains(text, mark) || strings.Contains(text, "\x1b") {
					t.Errorf("the text shows what is ours: %q", text)
				}
				for line := range strings.Lines(expected) {
					verb, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
					switch verb {
					case "":
					case "head":
						if head, _, _ := strings.Cut(text, "\n"); !strings.HasPrefix(head, arg) {
							t.Errorf("head is %q, want %q", head, arg)
						}
					case "has":
						if !strings.Contains(squeeze(text), arg) {
							t.Errorf("no %q in\n%s", arg, text)
						}
					case "not":
						if strings.Contains(squeeze(text), arg) {
							t.Errorf("%q in\n%s", arg, text)
						}
					case "none":
						if !b.IsZero() {
							t.Errorf("found\n%s", text)
						}
					default:
						t.Fatalf("unknown expectation %q", line)
					}
				}
			})
		}
	}
	t.Logf("%d positions", positions)
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
