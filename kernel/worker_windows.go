package kernel

import (
	"context"
	"errors"
	"os"
)

// There is no worker on Windows yet: see spawn.

var errWindows = errors.New("kernel: Windows is not supported; run it in WSL")

type stdio struct{}

func openPipes() (requests, events *os.File, err error) { return nil, nil, errWindows }
func takeStdio(string) (*stdio, error)                  { return nil, errWindows }
func prepareWorker(int64)                               {}
func endWorker()                                        { os.Exit(0) }
func lockFile(*os.File) error                           { return nil }

func (*stdio) print(int, string) error { return errWindows }
func (*stdio) fence() uint64           { return 0 }
func (*stdio) restore()                {}
func (*stdio) watchInput(context.Context, func(context.Context) (string, error), func(string)) func() {
	return func() {}
}
