package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
)

// mayImport says which way imports run. A package falls under the first entry
// whose folder it is in, and may import the standard library, its own folder,
// and what the entry names: folders of this module (from /) and modules of
// others. Tests may join what the product keeps apart.
var mayImport = []struct {
	folder string
	what   []string
}{
	{"/kernel", []string{"/stdlib/display", "github.com/yuin/goldmark", "golang.org/x/term", "golang.org/x/sys"}},
	{"/lang", []string{"/stdlib/display", "golang.org/x/tools", "golang.org/x/sys"}},
	{"/stdlib/symbols", []string{"/stdlib", "gonum.org/v1", "golang.org/x/tools"}},
	{"/stdlib/display", []string{"/stdlib/internal", "gonum.org/v1"}},
	{"/stdlib/plot", []string{"/stdlib/display", "/stdlib/internal", "gonum.org/v1", "golang.org/x/image"}},
	{"/stdlib/internal", []string{"gonum.org/v1", "golang.org/x/sys"}},
	{"/stdlib", []string{"/stdlib/display", "/stdlib/internal", "gonum.org/v1"}}, // each library alone
	{"/notebooks", nil},
	{"", []string{"/kernel", "/lang", "/stdlib/symbols", "/stdlib/display"}}, // package main
}

type listed struct {
	ImportPath, Dir, Name string
	Imports               []string
	Standard              bool
	Module                *struct{ Path string }
}

func list(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Dir,Name,Imports,Standard,Module"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// folderOf is the package's place in this module, "" for its root; ok is false
// for packages of others.
func folderOf(path string) (folder string, ok bool) {
	folder, ok = strings.CutPrefix(path, module)
	return folder, ok && (folder == "" || folder[0] == '/')
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// forbidden returns why the import is against the rule, "" where it is not.
func forbidden(from, to string) string {
	source, _ := folderOf(from)
	target, ours := folderOf(to)
	if !ours {
		target = to
		if first, _, _ := strings.Cut(to, "/"); !strings.Contains(first, ".") {
			return "" // the standard library
		}
	}
	for _, rule := range mayImport {
		if !within(source, rule.folder) {
			continue
		}
		own := rule.folder
		if rule.folder == "/stdlib" {
			own = "/stdlib/" + strings.SplitN(source+"//", "/", 4)[2]
		}
		if ours && own != "" && within(target, own) {
			return ""
		}
		for _, allowed := range rule.what {
			if within(target, allowed) {
				return ""
			}
		}
		return fmt.Sprintf("%s must not import %s", from, to)
	}
	return fmt.Sprintf("%s is in no layer", from)
}

func TestImportsRunOneWay(t *testing.T) {
	packages := list(t, "./...")
	if len(packages) < 4 {
		t.Fatalf("only %d packages", len(packages))
	}
	for _, p := range packages {
		for _, to := range p.Imports {
			if why := forbidden(p.ImportPath, to); why != "" {
				t.Error(why)
			}
		}
	}
	// The rule itself: what it must refuse and allow.
	for _, c := range []struct {
		from, to string
		refused  bool
	}{
		{"/kernel", "/lang", true}, {"/kernel", "golang.org/x/tools/go/ssa", true}, {"/kernel/notebook", "/stdlib/ring", true},
		{"/lang", "/kernel", true}, {"/lang", "/stdlib/symbols", true}, {"/lang/interp", "/stdlib/bound", true},
		{"/stdlib/ring", "/stdlib/bound", true}, {"/stdlib/ring", "/kernel", true}, {"/stdlib/ring", "/stdlib/symbols", true}, {"/stdlib/ring", "golang.org/x/tools/go/packages", true},
		{"/stdlib/display", "/stdlib/ring", true}, {"", "/stdlib/ring", true}, {"/kernelish", "/kernel", false},
		{"/kernel", "/stdlib/display", false}, {"/kernel/command", "/kernel/notebook", false}, {"/lang", "golang.org/x/tools/go/ssa", false},
		{"/stdlib/ring/sub", "/stdlib/ring", false}, {"/stdlib/ring", "/stdlib/internal/num", false}, {"/stdlib/symbols", "/stdlib/ring", false}, {"", "/lang", false},
	} {
		to := c.to
		if strings.HasPrefix(to, "/") {
			to = module + to
		}
		if why := forbidden(module+c.from, to); (why != "") != c.refused {
			t.Errorf("%q to %q: %q", c.from, c.to, why)
		}
	}
}

// Each module that the product imports is explained in ARCHITECTURE.md.
func TestDependenciesAreExplained(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	direct := map[string]bool{}
	for _, p := range list(t, "./...") {
		for _, to := range p.Imports {
			if _, ours := folderOf(to); !ours {
				direct[to] = true
			}
		}
	}
	var paths []string
	for path := range direct {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)
	for _, p := range list(t, paths...) {
		if p.Module != nil && !bytes.Contains(text, []byte("`"+p.Module.Path+"`")) {
			t.Errorf("ARCHITECTURE.md has no line on %s", p.Module.Path)
		}
	}
}

var (
	generated = regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.$`)
	mentions  = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
)

// ceiling is how many lines a file written by hand may have.
const ceiling = 800

func TestGoFiles(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name == "node_modules" || len(name) > 1 && name[0] == '.' {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		files++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		first, _, _ := strings.Cut(string(data), "\n")
		head, _, _ := bytes.Cut(data, []byte("\npackage "))
		isGenerated := generated.MatchString(first)
		named := regexp.MustCompile(`(_gen|^gen)(_[a-z0-9]+)*\.go$`).MatchString(filepath.Base(path)) && filepath.Base(path) != "gen.go"
		if !isGenerated && (named || mentions.Match(head)) {
			t.Errorf("%s: generated, but its first line does not say so: // Code generated by … DO NOT EDIT.", path)
		}
		if lines := bytes.Count(data, []byte("\n")); !isGenerated && lines > ceiling {
			t.Errorf("%s: %d lines, more than %d; a file holds one idea", path, lines, ceiling)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("only %d Go files looked at", files)
	}
}

// topLevel is all that may lie in the root of the repository.
var topLevel = strings.Fields(`.ci .gitignore ARCHITECTURE.md CHANGELOG.md GLOSSARY.md LICENSE README.md
	deps_test.go go.mod go.sum install.sh kernel lang main.go notebooks stdlib test.sh`)

func TestTopLevel(t *testing.T) {
	out, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		t.Skipf("absent: a git checkout (%v)", err)
	}
	allowed := map[string]bool{}
	for _, name := range topLevel {
		allowed[name] = true
	}
	seen := map[string]bool{}
	for _, file := range strings.Fields(string(out)) {
		top, _, _ := strings.Cut(file, "/")
		if !allowed[top] && !seen[top] {
			t.Errorf("%s does not belong into the root of the repository", top)
		}
		seen[top] = true
	}
}
