package main

import (
	"bytes"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// The committed files are what the generator makes of the packages as they are.
func TestCurrent(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Skipf("absent: the go command (%v)", err)
	}
	dir := filepath.Join(root, "stdlib", "symbols")
	old, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		t.Fatal(err)
	}
	now, err := new(packageList).manifest(root)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(now)) {
		if !strings.Contains(string(old), line) && line != "\n" {
			t.Skipf("absent: the toolchain that the tables were made with: %s is not in the manifest", strings.TrimSpace(line))
		}
	}

	files, err := generate(root, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	present, err := generatedFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	stale := map[string]bool{}
	for _, name := range present {
		if files[name] == nil {
			stale[name] = true
		}
	}
	for name, data := range files {
		if committed, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(committed, data) {
			stale[name] = true
		}
	}
	if len(stale) > 0 {
		var names []string
		for name := range stale {
			names = append(names, name)
		}
		sort.Strings(names)
		t.Errorf("not current: %s; run go generate ./stdlib/symbols", strings.Join(names, ", "))
	}
	if len(files) < 250 {
		t.Errorf("only %d files", len(files))
	}
}

func TestParseList(t *testing.T) {
	list, err := parseList("x", "# comment\n\n[a]\nstd\n-time/tzdata too large\n~plugin why\n@syscall differs\n[b]\nexample.com/...\n-example.com/x/... tests\n")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(list.groups, " ") != "a b" || len(list.patterns["a"]) != 1 || len(list.without) != 4 {
		t.Errorf("%+v", list)
	}
	for path, want := range map[string]string{
		"fmt": "+", "time/tzdata": "-too large", "time/tzdata/x": "+", "plugin": "~types and docs only: why", "syscall": "@types and docs only, but for linux/amd64: differs", "example.com/x": "-tests", "example.com/x/y": "-tests",
		"example.com/xy": "+", "a/internal/b": "-internal", "internal": "-internal", "vendor/a": "-vendored", "internally": "+",
	} {
		kind, reason := list.decide(listed{ImportPath: path})
		if got := string(kind) + reason; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if kind, _ := list.decide(listed{ImportPath: "x", Name: "main"}); kind != '-' {
		t.Error("a command is listed")
	}
	for _, bad := range []string{"std\n", "[a]\n[a]\n", "[]\n", "[A]\n", "[a]\n-x\n", "[a]\n- reason\n", "[a]\nx y\n"} {
		if _, err := parseList("x", bad); err == nil || !strings.Contains(err.Error(), "x:") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseList(f *testing.F) {
	f.Add("[a]\nstd\n-x/... y\n~z w\n")
	f.Add("[[a]]\n-\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseList("x", text)
		if err != nil {
			return
		}
		for _, r := range list.without {
			if r.path == "" && !r.below || r.reason == "" {
				t.Errorf("rule without path or reason: %+v", r)
			}
		}
		for _, g := range list.groups {
			if list.patterns[g] == nil {
				t.Errorf("group %q has no list", g)
			}
		}
		list.decide(listed{ImportPath: text})
	})
}

// What cannot be spelled outside its package is found, and nothing else.
func TestHidden(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Skipf("absent: the go command (%v)", err)
	}
	list, err := parseList("x", "[a]\nio\nnet/http\nreflect\nencoding/json\nsync/atomic\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := list.expand(root); err != nil {
		t.Fatal(err)
	}
	if err := list.load(root); err != nil {
		t.Fatal(err)
	}
	for _, p := range list.packages {
		w := &writer{p: p, imports: map[string]string{}, names: map[string]bool{}}
		for name, want := range map[string]string{
			"io.Reader": "", "io.Copy": "", "net/http.Handler": "", "net/http.HandlerFunc": "", "encoding/json.Unmarshal": "", "sync/atomic.SwapPointer": "",
			"reflect.Copy": "", "reflect.VisibleFields": "",
		} {
			if object, ok := strings.CutPrefix(name, p.path+"."); ok {
				if got := w.hidden(p.types.Scope().Lookup(object).Type()); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		}
		if p.path == "reflect" {
			if got := w.hidden(p.types.Scope().Lookup("Type").Type().Underlying()); !strings.HasPrefix(got, "an interface with the method") {
				t.Errorf("the inside of reflect.Type: %q", got)
			}
		}
	}
}
