package ring

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// wants fails unless err says every word.
func wants(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", words)
		return
	}
	if !strings.HasPrefix(err.Error(), "ring: ") {
		t.Errorf("error %q does not start with the package", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

type cellDelays struct{ n int }

func (c cellDelays) Len() int { return c.n }
func (c cellDelays) At(u, v int) float64 {
	return math.Abs(float64(u - v))
}

func TestBadInput(t *testing.T) {
	inf := math.Inf(1)
	_, err := Matrix([][]float64{{0, 1}, {1}})
	wants(t, err, "row 1", "square")
	_, err = Matrix([][]float64{{0, math.NaN()}, {1, 0}})
	wants(t, err, "node 0 to node 1", "NaN")
	_, err = Matrix([][]float64{{0, 1}, {-1, 0}})
	wants(t, err, "-1", "at least 0")
	_, err = Matrix(nil)
	wants(t, err, "empty")
	_, err = Points([][]float64{{1, 2, 3}})
	wants(t, err, "3 coordinates")
	_, err = Points([][]float64{{1, inf}})
	wants(t, err, "finite")
	_, err = BTSP(background, nil, nil)
	wants(t, err, "no delays")
	_, err = BTSP(background, &Network{}, nil)
	wants(t, err, "no nodes")
	_, err = BTSP(background, cellDelays{100_000}, nil)
	wants(t, err, "80.0 GB", "Points")
	_, err = BTSP(background, cellDelays{0}, nil)
	wants(t, err, "0 nodes")
	_, err = BTSP(background, Gaia(), &Options{Moves: -1})
	wants(t, err, "negative")
	_, err = Place(background, Gaia(), Ring(11), &Options{Method: 99})
	wants(t, err, "Method 99")

	d := [][]float64{{0, 1, inf, inf}, {1, 0, inf, inf}, {inf, inf, 0, 1}, {inf, inf, 1, 0}}
	w, err := mustMatrix(t, d).Rename("two", []string{"a", "b", "c", "d"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = BTSP(background, w, nil)
	wants(t, err, "disconnected", "{a, b}", "{c, d}")
	_, err = w.Rename("x", []string{"a", "b", "a", "d"})
	wants(t, err, `"a"`, "nodes 0 and 2")
	star := mustMatrix(t, [][]float64{{0, 1, 1, 1}, {1, 0, inf, inf}, {1, inf, 0, inf}, {1, inf, inf, 0}})
	_, err = BTSP(background, star, nil)
	wants(t, err, "node 1 has 1 link")
	if !errors.Is(err, ErrNoTour) {
		t.Errorf("%v is not ErrNoTour", err)
	}
	bow := mustMatrix(t, [][]float64{{0, 1, 1, 1, 1}, {1, 0, 1, inf, inf}, {1, 1, 0, inf, inf}, {1, inf, inf, 0, 1}, {1, inf, inf, 1, 0}})
	_, err = BTSP(background, bow, nil)
	wants(t, err, "without node 0", "falls apart")
	oneWay := mustMatrix(t, [][]float64{{0, 1, 1}, {inf, 0, 1}, {inf, 1, 0}})
	_, err = BTSP(background, oneWay, nil)
	wants(t, err, "no path", "strongly connected")

	_, _, err = BCD(Gaia(), Ring(5), identity(5))
	wants(t, err, "5 nodes", "11")
	_, _, err = BCD(Gaia(), Ring(11), []int{0, 1})
	wants(t, err, "2 entries")
	_, _, err = BCD(Gaia(), Ring(11), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9})
	wants(t, err, "positions 9 and 10")
	_, _, err = BCD(Gaia(), Ring(11), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11})
	wants(t, err, "node 11")
	wants(t, Ring(1).Check(), "at least 2")
	wants(t, Circulant(5, 5).Check(), "skip 0")
	wants(t, KPeer(8, 0).Check(), "no rounds")
	wants(t, Circulant(6, 2).NeedsRing(0), "divisor 2", "2 separate rings")
	if err := Circulant(7, 2).NeedsRing(0); err != nil {
		t.Error(err)
	}
	_, err = MSR(background, Gaia(), []int{1, 2}, Ring(11), nil)
	wants(t, err, "2 entries")
	_, err = Synthetic("spiral", 5, 1)
	wants(t, err, "spiral", "regions")
	_, err = Transfer(Gaia(), Ring(11), Bandwidth{Mbit: 1, Up: []float64{1, 2}, Down: []float64{1}})
	wants(t, err, "2 rates in Up")
	_, err = Transfer(Gaia(), Ring(11), Bandwidth{Mbit: 1, Up: []float64{0}, Down: []float64{1}})
	wants(t, err, "positive")
	_, err = Transfer(Gaia(), Topology{"odd", 11, [][]int{{1}, {1, 2}}}, Bandwidth{Mbit: 1, Up: []float64{1}, Down: []float64{1}})
	wants(t, err, "same number")
	task, _ := Logistic(5, 1, 1)
	_, err = Train(background, Gaia(), Ring(11), identity(11), task, nil)
	wants(t, err, "5 nodes")
	_, err = Logistic(3, 0, 1)
	wants(t, err, "Dirichlet")
	_, err = Base(0, 1)
	wants(t, err, "at least 1")
	_, err = Compare(background, Gaia(), nil, nil, nil)
	wants(t, err, "no topologies")
}

// The smallest sizes work, or say why not.
func TestTinySizes(t *testing.T) {
	for n := 1; n <= 4; n++ {
		d := make([][]float64, n)
		for u := range d {
			d[u] = make([]float64, n)
			for v := range d[u] {
				d[u][v] = float64(u + v)
			}
		}
		w := mustMatrix(t, d)
		tour, err := BTSP(background, w, nil)
		if err != nil || len(tour.Order) != n || tour.Status != Optimal {
			t.Errorf("n=%d: %v %v", n, tour, err)
		}
		_ = tour.String() + tour.HTML()
		p, err := Place(background, w, Exponential(n), nil)
		if n == 1 {
			wants(t, err, "1 nodes")
			continue
		}
		if err != nil || p.Status != Optimal {
			t.Errorf("n=%d: %v %v", n, p, err)
		}
		if _, err := Consensus(background, w, OnePeer(n), p.Pi, nil); err != nil {
			t.Error(err)
		}
		p.Plot()
		tour.Plot()
	}
}

// Missing links are respected: the only rings use none.
func TestMissingLinks(t *testing.T) {
	n := 24
	d := make([][]float64, n)
	for u := range d {
		d[u] = make([]float64, n)
		for v := range d[u] {
			d[u][v] = math.Inf(1)
			if k := fold((v-u+n)%n, n); k <= 2 {
				d[u][v] = float64(k)
			}
		}
	}
	w := mustMatrix(t, d)
	tour, err := BTSP(background, w, nil)
	if err != nil || tour.Worst != 1 {
		t.Errorf("%v %v", tour, err)
	}
	p, err := Place(background, w, Circulant(n, 1, 2), nil)
	if err != nil || p.BCD != 2 || p.Status != Optimal {
		t.Errorf("%v %v: skips 1 and 2 just fit", p, err)
	}
	// Skip 5 as well cannot be served by four links a node.
	p, err = Place(background, w, Circulant(n, 1, 2, 5), &Options{Moves: 2000})
	if err == nil {
		t.Errorf("%v uses missing links", p)
	} else {
		wants(t, err, "no placement")
	}
}

const square4 = `graph [
 node [ id 0 label "a" ] node [ id 1 label "b" ] node [ id 2 label "c" ] node [ id 3 label "d" ]
 edge [ source 0 target 1 distance 1000 ] edge [ source 1 target 2 distance 2000 ]
 edge [ source 2 target 3 distance 1000 ] edge [ source 3 target 0 distance 500 ] ]`

func TestGML(t *testing.T) {
	w, err := ParseGML(square4, nil)
	if err != nil {
		t.Fatal(err)
	}
	// a→c by d: (500 + 1000)·0.0085 + 2·4; by b it would be longer.
	if got := w.At(0, 2); !near(got, 12.75+8) || w.At(2, 0) != got {
		t.Errorf("a→c takes %v ms per link", got)
	}
	if !strings.Contains(w.Note, "per link") {
		t.Errorf("note %q does not name the delay model", w.Note)
	}
	w, _ = ParseGML(square4, &Options{Model: PerPath, PerHop: 3, MsPerKm: 0.01})
	if got := w.At(0, 2); !near(got, 15+3) || !strings.Contains(w.Note, "per path") {
		t.Errorf("a→c takes %v ms per path (%s)", got, w.Note)
	}
	w, _ = ParseGML(square4, &Options{PerHop: -1})
	if got := w.At(0, 1); !near(got, 8.5) {
		t.Errorf("without a fixed delay a→b takes %v", got)
	}
	places := `graph [ node [ id 0 Longitude 0 Latitude 0 ] node [ id 1 Longitude 90 Latitude 0 ] edge [ source 0 target 1 ] ]`
	w, err = ParseGML(places, &Options{PerHop: -1, MsPerKm: 1})
	if err != nil || !near(w.At(0, 1), 6371*math.Pi/2) {
		t.Errorf("a quarter of the equator: %v %v", w, err)
	}
	for text, words := range map[string][]string{
		`graph [ node [ id 0 label "x" ] node [ id 1 label "x" ] ]`:                                 {`label "x"`, "differ"},
		`graph [ node [ id 0 ] node [ id 0 ] ]`:                                                     {"two nodes with id 0"},
		`graph [ node [ id 0 label "p" ] node [ id 1 label "q" ] edge [ source 0 target 1 ] ]`:      {"p–q", "no distance"},
		`graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 7 distance 1 ] ]`:               {"target", `"7"`},
		`graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 distance -5 ] ]`:              {"-5"},
		`graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 distance "far" ] ]`:           {"far"},
		`graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 distance 1 ] ]`: {"2 parts", "{0, 1}", "{2}"},
		`graph [ node [ label "x" ] ]`:                                                              {"no id"},
		`graph [`:                                                                                   {"without ]"},
		`graph ]`:                                                                                   {"no value"},
		`node 5`:                                                                                    {"no graph"},
		`graph [ ]`:                                                                                 {"no nodes"},
		"graph [\n\n label \"x ]":                                                                   {"line 3", "without its end"},
	} {
		_, err := ParseGML(text, nil)
		wants(t, err, words...)
	}
	_, err = ReadGML(filepath.Join(t.TempDir(), "absent.gml"), nil)
	wants(t, err, "cannot read")
}

func TestReadMatrixAndTSPLIB(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "x.txt")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	w, err := ReadMatrix(write("0 1 inf\n1 0 2\n3 2 0\n"))
	if err != nil || w.At(0, 2) != math.Inf(1) || w.At(2, 0) != 3 {
		t.Errorf("%v %v", w, err)
	}
	w, err = ReadMatrix(write("node,a,b\na,0,1\nb,1,0\n"))
	if err != nil || w.Label(1) != "b" || w.At(0, 1) != 1 {
		t.Errorf("named table: %v %v", w, err)
	}
	_, err = ReadMatrix(write("0 1\n1 x\n"))
	wants(t, err, "line 2", `"x"`)
	_, err = ReadMatrix(write("0 1\n1 0 2\n"))
	wants(t, err, "line 2", "square")
	_, err = ReadMatrix(write("0 nan\n1 0\n"))
	wants(t, err, "NaN")

	d, err := ReadTSPLIB(write("NAME: t\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n3 0 1.4\nEOF\n"))
	if err != nil || d.At(0, 1) != 5 || d.At(0, 2) != 1 {
		t.Errorf("EUC_2D: %v %v", d, err)
	}
	d, err = ReadTSPLIB(write("DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: LOWER_DIAG_ROW\nEDGE_WEIGHT_SECTION\n0 7 0 8 9 0\nEOF\n"))
	if err != nil || d.At(0, 1) != 7 || d.At(2, 0) != 8 || d.At(1, 2) != 9 {
		t.Errorf("EXPLICIT: %v %v", d, err)
	}
	_, err = ReadTSPLIB(write("DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n"))
	wants(t, err, "1 coordinates", "3")
	_, err = ReadTSPLIB(write("DIMENSION: 3\nEDGE_WEIGHT_TYPE: XRAY1\n"))
	wants(t, err, "XRAY1")
	_, err = ReadTSPLIB(write("DIMENSION: many\n"))
	wants(t, err, "many")
}

// Cancelling gives the best so far, a valid one, with the context's error.
func TestCancel(t *testing.T) {
	c, _ := Synthetic("regions", 200, 1)
	for _, m := range []Method{Best, BTSPMSR, TourOnly, Greedy, Anneal, Exact} {
		for _, after := range []time.Duration{0, 30 * time.Millisecond} {
			ctx, cancel := context.WithCancel(context.Background())
			if after == 0 {
				cancel()
			}
			time.AfterFunc(after, cancel)
			begin := time.Now()
			p, err := Place(ctx, c, OnePeer(200), &Options{Method: m, Moves: 1 << 40})
			if (m == Best || m == Anneal || m == Exact) && !errors.Is(err, context.Canceled) {
				t.Errorf("%v after %v: error %v", m, after, err)
			}
			if p == nil {
				t.Errorf("%v after %v: nothing so far", m, after)
				continue
			}
			if e := permutation(p.Pi, 200); e != nil {
				t.Error(e)
			}
			if v := mustBCD(t, c, OnePeer(200), p.Pi); v != p.BCD {
				t.Errorf("%v reports %v, its placement has %v", m, p.BCD, v)
			}
			if d := time.Since(begin); d > 20*time.Second {
				t.Errorf("%v took %v to stop", m, d)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if tour, err := BTSP(ctx, c, nil); tour == nil || permutation(tour.Order, 200) != nil || (tour.Status != Optimal && err == nil) {
		t.Errorf("cancelled tour: %v %v", tour, err)
	}
}

// One seed gives the same bits on one core and on several.
func TestParallelEqualsSerial(t *testing.T) {
	c, _ := Synthetic("powerlaw", 70, 2)
	for _, g := range []Topology{Exponential(70), OnePeer(70)} {
		var first *Placement
		for _, workers := range []int{1, 2, 5} {
			p, err := Place(background, c, g, &Options{Moves: 3000, Workers: workers, Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = p
				continue
			}
			same := p.BCD == first.BCD && p.Lower == first.Lower && len(p.Trace) == len(first.Trace) && p.C == first.C
			for i := range p.Pi {
				same = same && p.Pi[i] == first.Pi[i]
			}
			if !same {
				t.Errorf("%s: %d workers give %v, one gives %v", g.Name, workers, p, first)
			}
		}
	}
	task, _ := Logistic(70, 0.1, 1)
	task.Rounds = 5
	a, err1 := Train(background, c, OnePeer(70), identity(70), task, &Options{Workers: 1})
	b, err2 := Train(background, c, OnePeer(70), identity(70), task, &Options{Workers: 3})
	if err1 != nil || err2 != nil || a.Loss[5] != b.Loss[5] || a.Error[5] != b.Error[5] {
		t.Errorf("training differs with the number of workers: %v, %v", a, b)
	}
}

func FuzzParseGML(f *testing.F) {
	f.Add(square4)
	f.Add("graph [ node [ id 0 ] ]")
	f.Add(`graph [ x "y" # z` + "\n node [ id 1 label \"&#233;\" Longitude 1e3 Latitude -2 ] ]")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "node") > 200 {
			return
		}
		w, err := ParseGML(text, nil)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "ring: ") {
				t.Errorf("error %q", err)
			}
			return
		}
		for u := 0; u < w.Len(); u++ {
			for v := 0; v < w.Len(); v++ {
				if x := w.At(u, v); !(x >= 0) || math.IsInf(x, 0) || x != w.At(v, u) {
					t.Errorf("delay %d→%d is %v", u, v, x)
				}
			}
		}
	})
}

func FuzzParseMatrix(f *testing.F) {
	f.Add("0 1\n1 0\n")
	f.Add("n,a,b\na,0,inf\nb,1,0\n")
	f.Add("# comment\n0;1e-3\n1;0")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := ParseMatrix(strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "ring: ") {
				t.Errorf("error %q", err)
			}
			return
		}
		for u := 0; u < w.Len(); u++ {
			if w.At(u, u) != 0 {
				t.Errorf("diagonal entry %v", w.At(u, u))
			}
		}
	})
}

func FuzzParseTSPLIB(f *testing.F) {
	f.Add("DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\nEOF\n")
	f.Add("EDGE_WEIGHT_TYPE:EXPLICIT\nEDGE_WEIGHT_FORMAT:FULL_MATRIX")
	f.Add("DIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 1 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseTSPLIB(strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "ring: ") {
				t.Errorf("error %q", err)
			}
			return
		}
		if d.Len() < 1 {
			t.Errorf("instance of %d nodes", d.Len())
		}
	})
}
