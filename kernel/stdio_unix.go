//go:build unix

package kernel

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
)

// stdio is the worker's hold on file descriptors 0, 1 and 2, whatever cells do
// to them: it keeps duplicates of the pipes behind 1 and 2, and puts them and
// os.Stdout, os.Stderr and os.Stdin right before each cell.
type stdio struct {
	token string
	files [3]*os.File       // os.Stdin, os.Stdout, os.Stderr as they should be
	dups  [3]int            // of 1 and 2, closed on exec
	stat  [3]syscall.Stat_t // what 0, 1 and 2 should be

	mu    sync.Mutex
	count uint64 // fences written
	typed int    // the end of fd 0's pipe that typed lines go to, or -1
	used  bool   // something was typed into it, or it was closed
}

func takeStdio(token string) (*stdio, error) {
	s := &stdio{token: token, files: [3]*os.File{os.Stdin, os.Stdout, os.Stderr}, typed: -1}
	for fd := stdout; fd <= stderr; fd++ {
		syscall.ForkLock.RLock()
		dup, err := syscall.Dup(fd)
		if err == nil {
			syscall.CloseOnExec(dup)
		}
		syscall.ForkLock.RUnlock()
		if err == nil {
			err = syscall.Fstat(fd, &s.stat[fd])
		}
		if err != nil {
			return nil, err
		}
		s.dups[fd] = dup
	}
	return s, nil
}

// print writes text to the pipe behind a descriptor.
func (s *stdio) print(fd int, text string) error {
	return writeAll(s.dups[fd], []byte(text))
}

func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := syscall.Write(fd, b)
		switch {
		case errors.Is(err, syscall.EAGAIN): // user code made the pipe non-blocking
			waitWritable(fd)
		case err != nil && !errors.Is(err, syscall.EINTR):
			return err
		}
		b = b[max(n, 0):]
	}
	return nil
}

// fence marks the current place in both streams and returns the mark's
// number, 0 where user code has closed what it is written to.
func (s *stdio) fence() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	mark := appendFence(nil, s.token, s.count)
	if writeAll(s.dups[stdout], mark) != nil || writeAll(s.dups[stderr], mark) != nil {
		return 0
	}
	return s.count
}

// restore undoes what earlier cells did to the descriptors and to os.Stdin,
// os.Stdout and os.Stderr.
func (s *stdio) restore() {
	for fd := stdout; fd <= stderr; fd++ {
		if !s.is(fd) {
			dup2(s.dups[fd], fd)
		}
	}
	s.renewInput()
	names := [3]string{"/dev/stdin", "/dev/stdout", "/dev/stderr"}
	for fd, f := range s.files {
		if _, err := f.Stat(); err != nil { // closed
			s.files[fd] = os.NewFile(uintptr(fd), names[fd])
		}
	}
	os.Stdin, os.Stdout, os.Stderr = s.files[0], s.files[1], s.files[2]
}

func (s *stdio) is(fd int) bool {
	var now syscall.Stat_t
	return syscall.Fstat(fd, &now) == nil && now.Dev == s.stat[fd].Dev && now.Ino == s.stat[fd].Ino
}

// renewInput gives fd 0 a fresh pipe where the last one was used or lost.
// It blocks its readers: that is how they are found.
func (s *stdio) renewInput() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.typed >= 0 && !s.used && s.is(0) {
		return
	}
	if s.typed >= 0 {
		syscall.Close(s.typed)
		s.typed = -1
	}
	var p [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if syscall.Pipe(p[:]) != nil {
		return
	}
	syscall.CloseOnExec(p[1])
	dup2(p[0], 0)
	syscall.Close(p[0])
	s.typed, s.used = p[1], false
	syscall.Fstat(0, &s.stat[0])
}

// typeLine hands a line to whoever reads fd 0.
func (s *stdio) typeLine(line string) {
	s.mu.Lock()
	fd := s.typed
	s.used = true
	s.mu.Unlock()
	if fd >= 0 {
		writeAll(fd, []byte(line+"\n"))
	}
}

// endInput gives the readers of fd 0 the end of file.
func (s *stdio) endInput() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.typed >= 0 {
		syscall.Close(s.typed)
		s.typed, s.used = -1, true
	}
}

// watchInput asks for a line whenever somebody waits for one on fd 0, until
// the function that it returns is called. note explains an end of file. Where
// waiting readers cannot be found, fd 0 is at its end from the start.
func (s *stdio) watchInput(ctx context.Context, ask func(context.Context) (string, error), note func(string)) (stop func()) {
	if !canSeeReaders {
		s.endInput()
		return func() {}
	}
	watch, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for waitForReader(watch) {
			line, err := ask(watch)
			if err != nil && watch.Err() == nil {
				note("[stdin: " + err.Error() + "; the reader gets the end of the file]\n")
			}
			if err != nil || line == "\x04" { // ^D, as in a terminal
				s.endInput()
				return
			}
			s.typeLine(line)
		}
		if ctx.Err() != nil && readersWait() { // interrupted while somebody reads
			s.endInput()
		}
	}()
	return func() { cancel(); <-done }
}
