package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// packageList is packages.txt, and what became of it.
type packageList struct {
	groups   []string
	patterns map[string][]string // by group
	without  []rule              // -, ~ and @

	packages []*pkg // sorted by path
	leftOut  []string
	deps     []listed // all that the packages need
}

// rule is a line of packages.txt that starts with -, ~ or @.
type rule struct {
	kind   byte
	path   string
	below  bool
	reason string
	used   bool
}

func (r *rule) matches(path string) bool {
	return path == r.path || r.below && strings.HasPrefix(path, r.path+"/")
}

// pkg is a listed package and all that is generated for it.
type pkg struct {
	group, path string
	linked      bool
	local       bool // linked on the generator's system only
	listed
	types *types.Package
	err   error

	code, elsewhere, export, doc, source []byte
	leftOut                              []omission
}

type omission struct{ name, reason string }

// listed is what the go command says of a package.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles, CgoFiles             []string
	Standard                      bool
	Module                        *struct {
		Path, Version, Sum string
		Main               bool
	}
	Error *struct{ Err string }
}

// readList reads packages.txt.
func readList(name string) (*packageList, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parseList(filepath.Base(name), string(data))
}

func parseList(name, text string) (*packageList, error) {
	list := &packageList{patterns: map[string][]string{}}
	group := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		bad := func(what string) error { return fmt.Errorf("gen: %s:%d: %s (%s)", name, i+1, what, line) }
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			group = strings.Trim(line, "[]")
			if group == "" || strings.Trim(group, "abcdefghijklmnopqrstuvwxyz") != "" || list.patterns[group] != nil {
				return nil, bad("a group is [lower-case letters], once")
			}
			list.groups = append(list.groups, group)
			list.patterns[group] = []string{}
		case line[0] == '-' || line[0] == '~' || line[0] == '@':
			path, reason, _ := strings.Cut(line[1:], " ")
			if path == "" || strings.TrimSpace(reason) == "" {
				return nil, bad("no path, or no reason")
			}
			below := strings.HasSuffix(path, "/...")
			list.without = append(list.without, rule{kind: line[0], path: strings.TrimSuffix(path, "/..."), below: below, reason: strings.TrimSpace(reason)})
		case group == "":
			return nil, bad("no [group] before it")
		case strings.ContainsAny(line, " \t"):
			return nil, bad("a pattern has no spaces")
		default:
			list.patterns[group] = append(list.patterns[group], line)
		}
	}
	return list, nil
}

// expand finds the packages behind the patterns.
func (list *packageList) expand(root string) error {
	seen := map[string]bool{}
	for _, group := range list.groups {
		found, err := goList(root, append([]string{"-e", "-json=ImportPath,Name"}, list.patterns[group]...)...)
		if err != nil {
			return err
		}
		for _, l := range found {
			if seen[l.ImportPath] {
				continue
			}
			seen[l.ImportPath] = true
			kind, reason := list.decide(l)
			if kind != '+' {
				list.leftOut = append(list.leftOut, l.ImportPath+"\t"+reason)
			}
			if kind != '-' {
				list.packages = append(list.packages, &pkg{group: group, path: l.ImportPath, linked: kind != '~', local: kind == '@'})
			}
		}
	}
	for _, r := range list.without {
		if !r.used {
			return fmt.Errorf("gen: packages.txt: no package matches %c%s; take the line out", r.kind, r.path)
		}
	}
	sort.Slice(list.packages, func(i, j int) bool { return list.packages[i].path < list.packages[j].path })
	return nil
}

// decide returns + for a package with a table, and @, ~ or - with the reason.
func (list *packageList) decide(l listed) (kind byte, reason string) {
	for i := range list.without {
		if r := &list.without[i]; r.matches(l.ImportPath) {
			r.used = true
			switch r.kind {
			case '~':
				return '~', "types and docs only: " + r.reason
			case '@':
				return '@', "types and docs only, but for " + system + ": " + r.reason
			}
			return '-', r.reason
		}
	}
	for _, element := range strings.Split(l.ImportPath, "/") {
		switch element {
		case "internal":
			return '-', "internal"
		case "vendor":
			return '-', "vendored"
		}
	}
	if l.Name == "main" {
		return '-', "a command"
	}
	return '+', ""
}

// goList runs go list and decodes what it prints.
func goList(root string, args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("gen: go list: %w\n%s", err, stderr.Bytes())
	}
	var all []listed
	for d := json.NewDecoder(bufio.NewReader(bytes.NewReader(out))); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("gen: go list: %w", err)
		}
		all = append(all, l)
	}
}
