package kernel

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// defaultOutput is how many bytes of stream text a cell may show.
const defaultOutput = 10 << 20

// maxStack is how deep a goroutine's stack may grow in a worker of a memory
// limit: half of Go's own limit, so that endless recursion ends in a second,
// and little enough that the stack and its copy fit.
func maxStack(memory int64) int64 {
	const most = 512 << 20
	if memory > 0 {
		return min(most, memory/4)
	}
	return most
}

// parseBytes reads a size such as 512MB, 1.5 GiB, 1000000, or "none" (-1).
// Units are powers of 1024.
func parseBytes(s string) (int64, error) {
	t := strings.ToUpper(strings.TrimSpace(s))
	if t == "NONE" || t == "-1" {
		return -1, nil
	}
	unit := int64(1)
	t = strings.TrimSuffix(strings.TrimSuffix(t, "B"), "I")
	if i := strings.IndexAny("KMGT", lastLetter(t)); i >= 0 {
		unit = 1 << (10 * (i + 1))
		t = t[:len(t)-1]
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
	if err != nil || !(n >= 0 && n*float64(unit) < 1<<62) {
		return 0, fmt.Errorf("kernel: %q is not a size; write 512MB, 8GB or none", s)
	}
	return int64(n * float64(unit)), nil
}

func lastLetter(s string) string {
	if s == "" {
		return "?"
	}
	return s[len(s)-1:]
}

// byteText writes a size with two digits or so.
func byteText(n int64) string {
	units := []string{"bytes", "KB", "MB", "GB", "TB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f /= 1024
		i++
	}
	return strconv.FormatFloat(f, 'g', 4, 64) + " " + units[i]
}

// limit resolves an option: itself, or the environment's word, or a default.
func limit(option int64, variable string, otherwise int64, log func(string, ...any)) int64 {
	if option != 0 {
		return option
	}
	if s := os.Getenv(variable); s != "" {
		n, err := parseBytes(s)
		if err == nil && n != 0 {
			return n
		}
		log("kernel: %s: %q is not a size; write 512MB, 8GB or none", variable, s)
	}
	return otherwise
}
