package lang

import (
	"go/format"
	"os"
	"path/filepath"
)

// formatted is gofmt's form of the source, or the source where that fails.
func formatted(src string) string {
	out, err := format.Source([]byte(src))
	if err != nil {
		return src
	}
	return string(out)
}

// writeFile writes a file under a temporary name and renames it.
func writeFile(name, text string) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".new*")
	if err != nil {
		return err
	}
	_, err = tmp.WriteString(text)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
