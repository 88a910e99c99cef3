package ring_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fathom-kernel/fathom/stdlib/ring"
)

func ExampleBTSP() {
	t, err := ring.BTSP(context.Background(), ring.Gaia(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t)
	// Output: ring of 11 nodes on Gaia: slowest link Sao Paulo → Dublin 83.62 ms, optimal (lower bound: second-smallest)
}

func ExampleMSR() {
	ctx := context.Background()
	d := ring.Ebone()
	t, err := ring.BTSP(ctx, d, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := ring.MSR(ctx, d, t.Order, ring.Exponential(d.Len()), nil)
	fmt.Printf("%.2f ms with multiplier %d, %.2f without %v\n", m.BCD, m.C, m.ByC[1], err)
	// Output: 86.53 ms with multiplier 11, 90.53 without <nil>
}

func ExamplePlace() {
	d := ring.Ebone()
	p, err := ring.Place(context.Background(), d, ring.Exponential(d.Len()), nil)
	fmt.Println(p, err)
	// Output: exponential(87) on Ebone: 61.7 ms/round by best (tour and multiplier 11: 86.53), optimal (lower bound: sets of nodes) <nil>
}

func ExampleLower() {
	c, err := ring.Lower(context.Background(), ring.Gaia(), ring.SparseExponential(11), nil)
	fmt.Printf("%.2f ms by %s %v\n", c.Value, c.By, err)
	// Output: 109.26 ms by sets of nodes <nil>
}

func ExampleBCD() {
	// Four nodes on a line, one ms apart. Pi lists who sits at positions 0…3.
	d, _ := ring.Points([][]float64{{0, 0}, {1, 0}, {2, 0}, {3, 0}})
	for _, pi := range [][]int{{0, 1, 2, 3}, {0, 1, 3, 2}} {
		v, _, err := ring.BCD(d, ring.Ring(4), pi)
		fmt.Println(pi, v, err)
	}
	// Output:
	// [0 1 2 3] 3 <nil>
	// [0 1 3 2] 2 <nil>
}

func ExampleCompare() {
	d := ring.Gaia()
	topologies := []ring.Topology{ring.Exponential(11), ring.OnePeer(11)}
	c, err := ring.Compare(context.Background(), d, topologies, []ring.Method{ring.Identity, ring.BTSPMSR, ring.Best}, nil)
	for _, r := range c.Rows {
		fmt.Printf("%-18s %-8s %.1f ms\n", r.Topology, r.Method, r.BCD)
	}
	fmt.Println(err)
	// Output:
	// exponential        identity 161.5 ms
	// exponential        BTSP-MSR 159.9 ms
	// exponential        best     140.0 ms
	// 1-peer exponential identity 149.8 ms
	// 1-peer exponential BTSP-MSR 127.1 ms
	// 1-peer exponential best     112.9 ms
	// <nil>
}

func ExampleConsensus() {
	d, _ := ring.Synthetic("uniform", 16, 1)
	p, err := ring.Place(context.Background(), d, ring.OnePeer(16), &ring.Options{Moves: 2000})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := ring.Consensus(context.Background(), d, ring.OnePeer(16), p.Pi, nil)
	fmt.Println(r.Rounds(), "rounds to the exact mean", err)
	// Output: 4 rounds to the exact mean <nil>
}

func ExampleTrain() {
	d := ring.Gaia()
	task, _ := ring.Logistic(d.Len(), 0.1, 1)
	pi := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	r, err := ring.Train(context.Background(), d, ring.Exponential(d.Len()), pi, task, nil)
	fmt.Printf("accuracy above 0.9: %v after %d rounds %v\n", r.Accuracy[300] > 0.9, r.Rounds(), err)
	// Output: accuracy above 0.9: true after 300 rounds <nil>
}

func ExampleLogistic() {
	task, err := ring.Logistic(8, 0.1, 1)
	fmt.Println(task.Name, task.Nodes, task.Rounds, err)
	// Output: logistic, Dirichlet 0.1 8 300 <nil>
}

func ExampleQuadratic() {
	task, err := ring.Quadratic(11, 2, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	pi := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	r, err := ring.Train(context.Background(), ring.Gaia(), ring.Ring(11), pi, task, nil)
	fmt.Println(r.Loss[300] < r.Loss[0], err)
	// Output: true <nil>
}

func ExampleGaia() {
	fmt.Println(ring.Gaia())
	// Output: Gaia: 11 nodes, delays 11.02 to 161.5 ms (0.0085 ms/km, 4 ms per link)
}

func ExampleAWS() {
	fmt.Println(ring.AWS().Len(), ring.AWS().Label(0))
	// Output: 22 Ashburn
}

func ExampleGeant() {
	fmt.Println(ring.Geant())
	// Output: Géant: 40 nodes, delays 4.693 to 91.08 ms (0.0085 ms/km, 4 ms per link)
}

func ExampleEbone() {
	fmt.Println(ring.Ebone())
	// Output: Ebone: 87 nodes, delays 4 to 96.98 ms (0.0085 ms/km, 4 ms per link)
}

func ExampleMatrix() {
	d, err := ring.Matrix([][]float64{{0, 2, 9}, {2, 0, 4}, {9, 4, 0}})
	fmt.Println(d, err)
	_, err = ring.Matrix([][]float64{{0, 2}, {2}})
	fmt.Println(err)
	// Output:
	// 3 nodes, delays 2 to 9 ms <nil>
	// ring: row 1 of the delay matrix has 1 entries, not 2; the matrix must be square
}

func ExampleNetwork_Rename() {
	d, _ := ring.Matrix([][]float64{{0, 2}, {2, 0}})
	d, err := d.Rename("pair", []string{"Kyoto", "Oslo"})
	fmt.Println(d, d.Label(1), err)
	// Output: pair: 2 nodes, delays 2 to 2 ms Oslo <nil>
}

func ExamplePoints() {
	c, err := ring.Points([][]float64{{0, 0}, {3, 4}})
	fmt.Println(c.At(0, 1), err)
	// Output: 5 <nil>
}

func ExampleSymmetrize() {
	d, _ := ring.Matrix([][]float64{{0, 2}, {7, 0}})
	s, err := ring.Symmetrize(d)
	fmt.Println(s.At(0, 1), s.At(1, 0), err)
	// Output: 7 7 <nil>
}

func ExampleSynthetic() {
	c, err := ring.Synthetic("regions", 1000, 1)
	fmt.Println(c, err)
	// Output: regions 1000: 1000 points in the plane <nil>
}

const twoLinks = `graph [
  node [ id 0 label "Kyoto" ] node [ id 1 label "Osaka" ] node [ id 2 label "Tokyo" ]
  edge [ source 0 target 1 distance 40 ] edge [ source 0 target 2 distance 370 ] ]`

func ExampleParseGML() {
	d, err := ring.ParseGML(twoLinks, nil)
	fmt.Printf("%s→%s %.3f ms %v\n", d.Label(1), d.Label(2), d.At(1, 2), err)
	d, err = ring.ParseGML(twoLinks, &ring.Options{Model: ring.PerPath})
	fmt.Printf("%s→%s %.3f ms %v\n", d.Label(1), d.Label(2), d.At(1, 2), err)
	// Output:
	// Osaka→Tokyo 11.485 ms <nil>
	// Osaka→Tokyo 7.485 ms <nil>
}

// save writes a file that is removed when the program ends.
func save(name, text string) string {
	dir, err := os.MkdirTemp("", "ring")
	if err != nil {
		return ""
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return ""
	}
	return path
}

func ExampleReadGML() {
	path := save("kansai.gml", twoLinks)
	defer os.RemoveAll(filepath.Dir(path))
	d, err := ring.ReadGML(path, nil)
	fmt.Println(d, err)
	// Output: kansai: 3 nodes, delays 4.34 to 11.48 ms (0.0085 ms/km, 4 ms per link) <nil>
}

func ExampleReadMatrix() {
	path := save("lab.csv", "node,a,b\na,0,1.5\nb,1.5,0\n")
	defer os.RemoveAll(filepath.Dir(path))
	d, err := ring.ReadMatrix(path)
	fmt.Println(d, d.Label(1), err)
	// Output: lab: 2 nodes, delays 1.5 to 1.5 ms b <nil>
}

func ExampleParseMatrix() {
	d, err := ring.ParseMatrix(strings.NewReader("0 1 inf\n1 0 2\ninf 2 0\n"))
	fmt.Println(d, err)
	// Output: 3 nodes, delays 1 to 2 ms, 2 pairs without a link <nil>
}

const fiveCities = `NAME: five
DIMENSION: 5
EDGE_WEIGHT_TYPE: EUC_2D
NODE_COORD_SECTION
1 0 0
2 10 0
3 20 0
4 20 10
5 0 10
EOF
`

func ExampleParseTSPLIB() {
	d, err := ring.ParseTSPLIB(strings.NewReader(fiveCities))
	fmt.Println(d, err)
	// Output: five: 5 points in the plane <nil>
}

func ExampleReadTSPLIB() {
	path := save("five.tsp", fiveCities)
	defer os.RemoveAll(filepath.Dir(path))
	d, err := ring.ReadTSPLIB(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := ring.BTSP(context.Background(), d, nil)
	fmt.Println(t.Worst, t.Status, err)
	// Output: 20 optimal <nil>
}

func ExampleTransfer() {
	g := ring.Exponential(11) // 4 messages a round
	d, err := ring.Transfer(ring.Gaia(), g, ring.Bandwidth{Mbit: 8, Up: []float64{1000}, Down: []float64{1000}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := ring.Place(context.Background(), d, g, nil)
	fmt.Printf("%.1f ms %v\n", p.BCD, err)
	// Output: 172.0 ms <nil>
}

func ExampleRing() {
	fmt.Println(ring.Ring(5))
	// Output: ring(5): skips {1}
}

func ExampleExponential() {
	fmt.Println(ring.Exponential(11))
	// Output: exponential(11): skips {1 2 4 8}
}

func ExampleOnePeer() {
	fmt.Println(ring.OnePeer(11))
	// Output: 1-peer exponential(11): skips {1} {2} {4} {8}
}

func ExampleSparseExponential() {
	fmt.Println(ring.SparseExponential(87))
	// Output: sparse exponential(87): skips {1 32}
}

func ExampleCirculant() {
	fmt.Println(ring.Circulant(12, 1, -5))
	// Output: circulant(12): skips {1 7}
}

func ExampleKPeer() {
	fmt.Println(ring.KPeer(11, 3))
	// Output: 3-peer exponential(11): skips {1 2 4} {8}
}

func ExampleTopology_Check() {
	fmt.Println(ring.Circulant(6, 2, 8).Check())
	// Output: ring: round 0 of topology "circulant" has skip 2 twice; list it once
}

func ExampleTopology_RoundsTo() {
	for _, n := range []int{64, 87} {
		fmt.Println(n, ring.Ring(n).RoundsTo(1e-3), ring.Exponential(n).RoundsTo(1e-3), ring.OnePeer(n).RoundsTo(1e-3))
	}
	// Output:
	// 64 5732 21 6
	// 87 10593 17 34
}

func ExampleTopology_Spectrum() {
	fmt.Printf("%.2f\n", ring.Ring(3).Spectrum()[0])
	// Output: [(1.00+0.00i) (0.25+0.43i) (0.25-0.43i)]
}

func ExampleTopology_ConsensusError() {
	fmt.Printf("%.3f\n", ring.Exponential(11).ConsensusError(5))
	// Output: 0.028
}

func ExampleTopology_NeedsRing() {
	fmt.Println(ring.OnePeer(6).NeedsRing(1))
	// Output: ring: skip 2 has the divisor 2 in common with n = 6, so it makes 2 separate rings; a ring needs a skip coprime to n
}

func ExampleBase() {
	b, err := ring.Base(11, 1)
	fmt.Println(len(b.Rounds), "rounds of degree", b.Degree(), "to the exact mean", err)
	// Output: 7 rounds of degree 1 to the exact mean <nil>
}

func ExamplePlotRuns() {
	d := ring.Gaia()
	pi := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	var runs []*ring.Run
	for _, g := range []ring.Topology{ring.Ring(11), ring.Exponential(11)} {
		r, err := ring.Consensus(context.Background(), d, g, pi, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		runs = append(runs, r)
	}
	fmt.Println(ring.PlotRuns(runs)[0].Title.Text)
	// Output: Consensus error
}
