package kernel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
)

// history keeps the input of all sessions in a file of JSON lines that is only
// ever appended to; kernels that run at the same time share it.
type history struct {
	path string // empty: in memory only
	log  func(string, ...any)

	mu      sync.Mutex
	session int
	memory  []entry // of a history without a file
}

// entry is one line of the file: the start of a session (Line 0), the input
// of a cell, or the text of its result.
type entry struct {
	Session int    `json:"s"`
	Line    int    `json:"n,omitempty"`
	Input   string `json:"i,omitempty"`
	Output  string `json:"o,omitempty"`
}

const (
	maxHistory      = 16 << 20 // bytes of the file; then its older half is dropped
	maxHistoryInput = 256 << 10
	maxHistoryText  = 16 << 10
)

// historyPath returns the default file, "" where the user has no home.
func historyPath() string {
	dir := os.Getenv("XDG_DATA_HOME")
	if home, err := os.UserHomeDir(); dir == "" && err == nil {
		switch runtime.GOOS {
		case "darwin":
			dir = filepath.Join(home, "Library", "Application Support")
		case "windows":
			dir = os.Getenv("LOCALAPPDATA")
		default:
			dir = filepath.Join(home, ".local", "share")
		}
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "fathom", "history.jsonl")
}

// openHistory starts a session in the file of that path. Where the file cannot
// be used it says so and keeps the history in memory.
func openHistory(path string, log func(string, ...any)) *history {
	h := &history{path: path, log: log, session: 1}
	if path == "" {
		return h
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = h.locked(func(f *os.File) error {
			entries, err := readEntries(f)
			if err != nil {
				return err
			}
			for _, e := range entries {
				h.session = max(h.session, e.Session+1)
			}
			if info, err := f.Stat(); err == nil && info.Size() > maxHistory {
				if err := h.shorten(f, entries); err != nil {
					return err
				}
			}
			return appendEntry(f, entry{Session: h.session})
		})
	}
	if err != nil {
		log("kernel: no history is kept in %s: %v", path, err)
		h.path = ""
	}
	return h
}

// locked runs f with the file open for appending and locked against other
// kernels.
func (h *history) locked(f func(*os.File) error) error {
	file, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close() // unlocks
	if err := lockFile(file); err != nil {
		return err
	}
	return f(file)
}

// shorten keeps the newest entries, half the limit of them, in place: others
// hold the file open.
func (h *history) shorten(f *os.File, entries []entry) error {
	var kept [][]byte
	size := 0
	for _, e := range slices.Backward(entries) {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if size += len(line) + 1; size > maxHistory/2 {
			break
		}
		kept = append(kept, append(line, '\n'))
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	slices.Reverse(kept)
	_, err := f.Write(bytes.Join(kept, nil))
	return err
}

func appendEntry(f *os.File, e entry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	// A line that a killed kernel left unfinished must not swallow this one.
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
			b = append([]byte("\n"), b...)
		}
	}
	_, err = f.Write(append(b, '\n'))
	return err
}

// readEntries reads the whole file; lines that are not entries are skipped.
func readEntries(f *os.File) ([]entry, error) {
	if _, err := f.Seek(0, 0); err != nil {
		return nil, err
	}
	var entries []entry
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		var e entry
		if json.Unmarshal(bytes.TrimSpace(line), &e) == nil && e.Session > 0 {
			entries = append(entries, e)
		}
		if err != nil {
			return entries, nil
		}
	}
}

// add appends the input of a cell, and its result where that is not empty.
func (h *history) add(line int, input, output string) {
	if len(input) > maxHistoryInput {
		return
	}
	if len(output) > maxHistoryText {
		output = output[:maxHistoryText]
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e := entry{h.session, line, input, output}
	if h.path == "" {
		h.memory = append(h.memory, e)
		return
	}
	if err := h.locked(func(f *os.File) error { return appendEntry(f, e) }); err != nil {
		h.log("kernel: history: %v", err)
	}
}

// entries returns all cells, oldest first, each with its result joined.
func (h *history) entries() []entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := slices.Clone(h.memory)
	if h.path != "" {
		err := h.locked(func(f *os.File) (err error) { all, err = readEntries(f); return })
		if err != nil {
			h.log("kernel: history: %v", err)
		}
	}
	var cells []entry
	at := map[[2]int]int{}
	for _, e := range all {
		key := [2]int{e.Session, e.Line}
		i, ok := at[key]
		switch {
		case e.Line == 0:
		case !ok:
			at[key] = len(cells)
			cells = append(cells, e)
		default:
			if e.Input != "" {
				cells[i].Input = e.Input
			}
			if e.Output != "" {
				cells[i].Output = e.Output
			}
		}
	}
	return cells
}

// historyRequest is the content of a history_request.
type historyRequest struct {
	Output  bool   `json:"output"`
	Raw     bool   `json:"raw"`
	Access  string `json:"hist_access_type"`
	Session int    `json:"session"`
	Start   int    `json:"start"`
	Stop    *int   `json:"stop"`
	N       int    `json:"n"`
	Pattern string `json:"pattern"`
	Unique  bool   `json:"unique"`
}

var errHistory = errors.New("kernel: hist_access_type must be range, tail or search")

// find answers a history_request: the last n cells, the cells of a session
// (0 is this one, -1 the one before) from start to before stop, or the last n
// that match a glob pattern.
func (h *history) find(q historyRequest) ([]entry, error) {
	cells := h.entries()
	switch q.Access {
	case "tail":
	case "search":
		pattern := q.Pattern
		if pattern == "" {
			pattern = "*"
		}
		cells = slices.DeleteFunc(cells, func(e entry) bool { return !glob(pattern, e.Input) })
	case "range":
		session := q.Session
		if session <= 0 {
			session += h.session
		}
		cells = slices.DeleteFunc(cells, func(e entry) bool {
			return e.Session != session || e.Line < q.Start || q.Stop != nil && e.Line >= *q.Stop
		})
		return cells, nil
	default:
		return nil, fmt.Errorf("%w, not %q", errHistory, q.Access)
	}
	if q.Unique { // the newest of equal inputs stays
		seen := map[string]bool{}
		slices.Reverse(cells)
		cells = slices.DeleteFunc(cells, func(e entry) bool {
			was := seen[e.Input]
			seen[e.Input] = true
			return was
		})
		slices.Reverse(cells)
	}
	if q.N > 0 && len(cells) > q.N {
		cells = cells[len(cells)-q.N:]
	}
	return cells, nil
}

// glob reports whether s matches a pattern of *, ? and [set], in which * also
// matches line ends.
func glob(pattern, s string) bool {
	p, t := []rune(pattern), []rune(s)
	star, mark := -1, 0 // where the last * was, and what it has taken
	i, j := 0, 0
	for j < len(t) {
		if i < len(p) && p[i] == '*' {
			star, mark = i, j
			i++
			continue
		}
		if n, ok := globOne(p[i:], t[j]); ok {
			i += n
			j++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		i, j = star+1, mark
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// globOne matches one rune and returns how much of the pattern that took.
func globOne(p []rune, r rune) (int, bool) {
	switch {
	case len(p) == 0:
		return 0, false
	case p[0] == '?':
		return 1, true
	case p[0] != '[':
		return 1, p[0] == r
	}
	i, not, in := 1, false, false
	if i < len(p) && (p[i] == '^' || p[i] == '!') {
		not = true
		i++
	}
	for first := true; i < len(p) && (first || p[i] != ']'); first = false {
		if i+2 < len(p) && p[i+1] == '-' && p[i+2] != ']' {
			in = in || p[i] <= r && r <= p[i+2]
			i += 3
			continue
		}
		in = in || p[i] == r
		i++
	}
	if i >= len(p) { // no closing bracket: an ordinary character
		return 1, r == '['
	}
	return i + 1, in != not
}
