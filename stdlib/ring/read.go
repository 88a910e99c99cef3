package ring

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ReadMatrix returns the network of a measured table: a text file with one row
// a node, entries separated by blanks, tabs, commas or semicolons, in ms. "inf"
// stands for a missing link. A first row of names, or a first column of names,
// becomes the labels. Errors name the line.
func ReadMatrix(path string) (*Network, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("ring: cannot read the delays: %w", err)
	}
	defer f.Close()
	w, err := ParseMatrix(f)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, filepath.Base(path))
	}
	w.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return w, nil
}

// ParseMatrix is ReadMatrix for a stream.
func ParseMatrix(r io.Reader) (*Network, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<16), 1<<26)
	var rows [][]float64
	var head, side []string
	for line := 1; sc.Scan(); line++ {
		text := strings.TrimSpace(sc.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		var f []string
		if strings.ContainsAny(text, ",;") {
			f = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' })
			for i := range f {
				f[i] = strings.TrimSpace(f[i])
			}
		} else {
			f = strings.Fields(text)
		}
		if len(rows) == 0 && head == nil && len(f) > 1 {
			// A header has a word beyond its first field; a row of numbers with a name has not.
			if _, err := strconv.ParseFloat(f[1], 64); err != nil {
				head = f
				continue
			}
		}
		if len(f) > 0 {
			if _, err := strconv.ParseFloat(f[0], 64); err != nil {
				side = append(side, f[0])
				f = f[1:]
			}
		}
		row := make([]float64, len(f))
		for i, s := range f {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil && !math.IsInf(x, 0) {
				return nil, fmt.Errorf("ring: line %d, entry %d is %q; it must be a delay in ms, or inf for a missing link", line, i+1, s)
			}
			row[i] = x
		}
		if len(rows) > 0 && len(row) != len(rows[0]) {
			return nil, fmt.Errorf("ring: line %d has %d delays and the first row %d; the matrix must be square", line, len(row), len(rows[0]))
		}
		rows = append(rows, row)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("ring: cannot read the delays: %w", err)
	}
	w, err := Matrix(rows)
	if err != nil {
		return nil, err
	}
	labels := side
	if len(labels) == 0 {
		labels = head
		if len(labels) == w.n+1 {
			labels = labels[1:]
		}
	}
	if len(labels) == 0 {
		return w, nil
	}
	return w.Rename("", labels)
}

// ReadTSPLIB returns the delays of a TSPLIB instance: a *Cloud for EUC_2D,
// CEIL_2D and ATT, a *Network for EXPLICIT weights (FULL_MATRIX, UPPER_ROW,
// LOWER_ROW, UPPER_DIAG_ROW, LOWER_DIAG_ROW). They are the public yardstick of
// tour searches; distances are TSPLIB's integers.
func ReadTSPLIB(path string) (Delays, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("ring: cannot read the instance: %w", err)
	}
	defer f.Close()
	d, err := ParseTSPLIB(f)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, filepath.Base(path))
	}
	return d, nil
}

// ParseTSPLIB is ReadTSPLIB for a stream.
func ParseTSPLIB(r io.Reader) (Delays, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<16), 1<<26)
	head := map[string]string{}
	section := ""
	var xy [][]float64
	var weights []float64
	n := 0
	for line := 1; sc.Scan(); line++ {
		text := strings.TrimSpace(sc.Text())
		if text == "" {
			continue
		}
		if text == "EOF" {
			break
		}
		if key, val, ok := strings.Cut(text, ":"); ok || strings.HasSuffix(text, "_SECTION") {
			section = strings.TrimSpace(key)
			head[section] = strings.TrimSpace(val)
			if section == "DIMENSION" {
				var err error
				if n, err = strconv.Atoi(head[section]); err != nil || n < 1 || n > 10_000_000 {
					return nil, fmt.Errorf("ring: TSPLIB line %d: DIMENSION %q is no number of nodes", line, head[section])
				}
			}
			continue
		}
		f := strings.Fields(text)
		nums := make([]float64, len(f))
		for i, s := range f {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return nil, fmt.Errorf("ring: TSPLIB line %d: %q is no number", line, s)
			}
			nums[i] = x
		}
		switch section {
		case "NODE_COORD_SECTION":
			if len(nums) != 3 {
				return nil, fmt.Errorf("ring: TSPLIB line %d: a node takes a number and two coordinates, not %d fields", line, len(nums))
			}
			xy = append(xy, nums[1:])
		case "EDGE_WEIGHT_SECTION":
			weights = append(weights, nums...)
			if len(weights) > n*n {
				return nil, fmt.Errorf("ring: TSPLIB line %d: more weights than %d nodes have", line, n)
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("ring: cannot read the instance: %w", err)
	}
	if n == 0 {
		return nil, fmt.Errorf("ring: TSPLIB instance has no DIMENSION; it must be there before the sections")
	}
	round, known := map[string]rounding{"EUC_2D": nearest, "CEIL_2D": upward, "ATT": pseudo}[head["EDGE_WEIGHT_TYPE"]]
	switch {
	case known:
		if len(xy) != n {
			return nil, fmt.Errorf("ring: TSPLIB instance has %d coordinates for DIMENSION %d", len(xy), n)
		}
		c, err := Points(xy)
		if err != nil {
			return nil, err
		}
		c.Name, c.round = head["NAME"], round
		return c, nil
	case head["EDGE_WEIGHT_TYPE"] == "EXPLICIT":
		w, err := explicit(n, weights, head["EDGE_WEIGHT_FORMAT"])
		if err != nil {
			return nil, err
		}
		w.Name = head["NAME"]
		return w, nil
	}
	return nil, fmt.Errorf("ring: TSPLIB EDGE_WEIGHT_TYPE %q is not read; use EUC_2D, CEIL_2D, ATT or EXPLICIT", head["EDGE_WEIGHT_TYPE"])
}

// explicit spreads TSPLIB's list of weights over a matrix.
func explicit(n int, weights []float64, format string) (*Network, error) {
	if err := fits(n, 0); err != nil {
		return nil, err
	}
	first, last := func(u int) int { return 0 }, func(u int) int { return n }
	switch format {
	case "FULL_MATRIX":
	case "UPPER_ROW":
		first = func(u int) int { return u + 1 }
	case "UPPER_DIAG_ROW":
		first = func(u int) int { return u }
	case "LOWER_ROW":
		last = func(u int) int { return u }
	case "LOWER_DIAG_ROW":
		last = func(u int) int { return u + 1 }
	default:
		return nil, fmt.Errorf("ring: TSPLIB EDGE_WEIGHT_FORMAT %q is not read; use FULL_MATRIX or a triangle by rows", format)
	}
	d := make([]float64, n*n)
	k := 0
	for u := 0; u < n; u++ {
		for v := first(u); v < last(u); v++ {
			if k == len(weights) {
				return nil, fmt.Errorf("ring: TSPLIB has %d weights, too few for DIMENSION %d", k, n)
			}
			d[u*n+v] = weights[k]
			if format != "FULL_MATRIX" {
				d[v*n+u] = weights[k]
			}
			k++
		}
	}
	if k != len(weights) {
		return nil, fmt.Errorf("ring: TSPLIB has %d weights, not the %d of DIMENSION %d", len(weights), k, n)
	}
	return newNetwork(n, d)
}
