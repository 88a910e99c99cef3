package command

import (
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/kernel/notebook/page"
)

// colours reports whether the file is a terminal whose user wants colours.
func colours(f *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

func dim(f *os.File, s string) string {
	if !colours(f) {
		return s
	}
	return "\x1b[2m" + s + "\x1b[0m"
}

// errorText is what a terminal shows of a cell's error.
func errorText(f *os.File, e *kernel.Error) string {
	text := strings.Join(e.Traceback, "\n")
	if text == "" {
		text = e.Name + ": " + e.Value
	}
	if !colours(f) {
		text = page.PlainText(text)
	}
	return text
}
