package lang

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// embedPatterns returns the patterns of the //go:embed lines before a
// declaration.
func embedPatterns(src string) []string {
	var patterns []string
	for line := range strings.Lines(src) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:embed ")
		if !ok {
			continue
		}
		for _, p := range strings.Fields(rest) {
			patterns = append(patterns, strings.Trim(p, "\"`"))
		}
	}
	return patterns
}

// embedConfig is what the Go compiler wants to know of embedded files: which
// files a pattern means, relative to the working folder.
type embedConfig struct {
	Patterns map[string][]string
	Files    map[string]string
}

// embedFiles finds the files of the patterns as the go command does: a folder
// stands for all below it but names that begin with a dot or an underscore.
func embedFiles(patterns []string) ([]byte, error) {
	cfg := embedConfig{map[string][]string{}, map[string]string{}}
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for _, pattern := range patterns {
		glob, all := strings.CutPrefix(pattern, "all:")
		matches, err := filepath.Glob(filepath.FromSlash(glob))
		if err != nil || len(matches) == 0 {
			return nil, fmt.Errorf("go:embed %s: no matching files in %s", pattern, wd)
		}
		for _, m := range matches {
			err := filepath.WalkDir(m, func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				if name := d.Name(); path != m && !all && (name[0] == '.' || name[0] == '_') {
					if d.IsDir() {
						return fs.SkipDir
					}
					return nil
				}
				if !d.Type().IsRegular() {
					return nil
				}
				slash := filepath.ToSlash(path)
				cfg.Patterns[pattern] = append(cfg.Patterns[pattern], slash)
				cfg.Files[slash] = filepath.Join(wd, path)
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return json.Marshal(cfg)
}
