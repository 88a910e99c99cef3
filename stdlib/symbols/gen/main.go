// Command gen writes what cells know of compiled packages: reflect tables,
// types, docs and source text, from one run of the go command. The packages are
// listed in ../packages.txt.
//
//	go run ./stdlib/symbols/gen
//
// The same inputs give the same bytes.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	verbose := flag.Bool("v", false, "print the time that each step takes")
	flag.Parse()
	if err := run(*verbose); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(verbose bool) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	begun := time.Now()
	files, err := generate(root, func(step string) {
		if verbose {
			fmt.Fprintf(os.Stderr, "%6.2f s  %s\n", time.Since(begun).Seconds(), step)
		}
	})
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "stdlib", "symbols")
	stale, err := generatedFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range stale {
		if files[name] == nil {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	for name, data := range files {
		if err := write(filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	return nil
}

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("gen: go env GOMOD: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// write leaves files alone that hold the data already, so that nothing is
// rebuilt for them.
func write(name string, data []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// generatedFiles returns the generated files in dir, relative to it: all in the
// folders of the groups, and two texts.
func generatedFiles(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(filepath.Join(dir, "internal"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if ext := filepath.Ext(name); ext == ".zip" || strings.HasSuffix(name, "_gen.go") {
			names = append(names, name)
		}
		return err
	})
	for _, name := range []string{leftOutFile, manifestFile} {
		if _, statErr := os.Stat(filepath.Join(dir, name)); statErr == nil {
			names = append(names, name)
		}
	}
	return names, err
}
