package kernel

import (
	"context"
	"errors"
)

// Options sets up a Jupyter kernel.
type Options struct {
	Session SessionOptions
	// Version of the product, as kernel_info_reply shows it.
	Version string
	// Banner greets in a console; empty means one line with Version.
	Banner string
	// HistoryFile keeps the input of all sessions; empty means
	// fathom/history.jsonl in the user's data directory, "-" keeps none.
	HistoryFile string
	// Log receives one line per event worth knowing; nil means standard error.
	Log func(format string, args ...any)
}

// Run serves the Jupyter protocol at the ports of the connection file until a
// client shuts the kernel down, the parent process ends, or ctx does.
func Run(ctx context.Context, connectionFile string, opt Options) error {
	return errors.New("kernel: not built yet")
}
