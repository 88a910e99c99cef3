package lang

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// completeMagic completes the name of a magic at the beginning of a line, and
// what comes after %env, %cd and %load. ok is false where the cursor is not in
// such a place.
func (e *Engine) completeMagic(src string, cursor int) (c Completion, ok bool) {
	lineStart := strings.LastIndexByte(src[:cursor], '\n') + 1
	at := lineStart + len(src[lineStart:cursor]) - len(strings.TrimLeft(src[lineStart:cursor], " \t"))
	line := src[at:cursor]
	if !strings.HasPrefix(line, "%") || !e.magicLine(src, at) {
		return c, false
	}
	word, _ := splitWord(strings.TrimLeft(line, "%"))
	if !strings.ContainsAny(line, " \t") {
		end := cursor
		for end < len(src) && isWordByte(src[end]) {
			end++
		}
		c.Start, c.End = at, end
		first := strings.TrimSpace(src[:at]) == ""
		offer := func(sign string, table map[string]magicCommand) {
			for _, name := range sortedKeys(table) {
				if text := sign + name; strings.HasPrefix(text, line) {
					c.Matches = append(c.Matches, Match{text, "keyword", table[name].usage + ": " + table[name].help})
				}
			}
		}
		if !strings.HasPrefix(line, "%%") {
			offer("%", lineMagics)
		}
		if first {
			offer("%%", cellMagics)
		}
		return c, true
	}
	arg := cursor - len(line[strings.LastIndexAny(line, " \t")+1:])
	c.Start, c.End = arg, cursor
	typed := src[arg:cursor]
	switch word {
	case "env":
		if strings.Contains(typed, "=") {
			return c, true
		}
		for _, kv := range os.Environ() {
			if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, typed) {
				c.Matches = append(c.Matches, Match{name, "variable", ""})
			}
		}
	case "cd", "load", "writefile", "export":
		c.Matches = files(typed, word == "cd" || word == "export")
	default:
		return c, false
	}
	sort.Slice(c.Matches, func(i, j int) bool { return c.Matches[i].Text < c.Matches[j].Text })
	return c, true
}

// magicLine reports whether a line that begins with % at the offset is a magic,
// not the rest of an expression.
func (e *Engine) magicLine(src string, at int) bool {
	if strings.HasPrefix(src[at:], "%%") {
		return strings.TrimSpace(src[:at]) == ""
	}
	for _, s := range cut(src, e.isShell) {
		if s.magic && s.start == at {
			return true
		}
	}
	return false
}

// files returns the files and folders that begin with what is typed.
func files(typed string, foldersOnly bool) []Match {
	dir, _ := filepath.Split(typed)
	from := dir
	if from == "" {
		from = "."
	} else if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(from, "~/") {
		from = home + from[1:]
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil
	}
	var out []Match
	for _, f := range entries {
		name := dir + f.Name()
		if !strings.HasPrefix(name, typed) || strings.HasPrefix(f.Name(), ".") && !strings.HasPrefix(typed[len(dir):], ".") {
			continue
		}
		if f.IsDir() {
			name += "/"
		} else if foldersOnly {
			continue
		}
		out = append(out, Match{name, "variable", "file"})
		if len(out) == maxMatches {
			break
		}
	}
	return out
}
