package bound

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// program is a linear program: maximise c·x subject to rows a·x ≤ b or = b,
// x ≥ 0, solved by the simplex method.
type program struct {
	c    []float64
	rows [][]float64
	b    []float64
	eq   []bool
}

func (p *program) add(b float64, eq bool, terms map[int]float64) {
	row := make([]float64, len(p.c))
	for j, v := range terms {
		row[j] = v
	}
	p.rows, p.b, p.eq = append(p.rows, row), append(p.b, b), append(p.eq, eq)
}

func (p *program) solve(t *testing.T) (float64, []float64, bool) {
	slack := 0
	for _, e := range p.eq {
		if !e {
			slack++
		}
	}
	n := len(p.c)
	a := mat.NewDense(len(p.rows), n+slack, nil)
	c := make([]float64, n+slack)
	for j, v := range p.c {
		c[j] = -v
	}
	k := n
	for i, row := range p.rows {
		for j, v := range row {
			a.Set(i, j, v)
		}
		if !p.eq[i] {
			a.Set(i, k, 1)
			k++
		}
	}
	v, x, err := lp.Simplex(c, a, p.b, 1e-10, nil)
	if err == lp.ErrInfeasible {
		return 0, nil, false
	}
	if err != nil {
		t.Fatalf("simplex: %v", err)
	}
	return -v, x, true
}

// charikar writes the densest subgraph of the positive tests as a linear
// program in y and x, with extra columns for what is added to it.
func charikar(z, v []float64, extra int) (*program, int) {
	n := len(z)
	p := &program{c: make([]float64, n+n*(n-1)/2+extra)}
	size := map[int]float64{}
	x := n
	for i := range n {
		p.c[i] = z[i] * z[i]
		size[i] = v[i]
		for j := range i {
			p.c[x] = 2 * z[i] * z[j]
			p.add(0, false, map[int]float64{x: 1, i: -1})
			p.add(0, false, map[int]float64{x: 1, j: -1})
			x++
		}
	}
	p.add(1, true, size)
	return p, x
}

// positiveTests draws n tests with positive errors.
func positiveTests(r *stream, n int) (z, v []float64) {
	z, v = make([]float64, n), make([]float64, n)
	for i := range z {
		z[i], v[i] = math.Abs(r.norm())+0.01, math.Exp(r.norm())
	}
	return z, v
}

// The linear program's value is T², and a level set of its y attains it.
func TestLinearProgramAgrees(t *testing.T) {
	for round := range 30 {
		r := newStream(14, uint64(round))
		z, v := positiveTests(&r, 1+r.intn(8))
		p, _ := charikar(z, v, 0)
		opt, y, ok := p.solve(t)
		s, err := Densest(ctx, z, v, nil, nil)
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		if math.Abs(math.Sqrt(opt)-s.Value) > 1e-7*s.Value {
			t.Fatalf("round %d: linear program %v, sort %v", round, math.Sqrt(opt), s.Value)
		}
		best := 0.0
		for _, level := range y[:len(z)] {
			var sz, sv float64
			for i := range z {
				if y[i] >= level-1e-9 && level > 1e-9 {
					sz += z[i]
					sv += v[i]
				}
			}
			best = max(best, ratio(sz, sv))
		}
		if math.Abs(best-s.Value) > 1e-7*s.Value {
			t.Fatalf("round %d: level sets attain %v, maximum %v", round, best, s.Value)
		}
	}
}

// The mixed-integer program for a family with linear constraints: s_i says
// whether test i is in the set, t is 1/V(S), and y_i = t·s_i. Branch and bound
// on s over the linear relaxation gives what the parametric search gives.
func TestMixedIntegerProgramAgrees(t *testing.T) {
	for round := range 12 {
		r := newStream(18, uint64(round))
		n := 2 + r.intn(4)
		z, v := positiveTests(&r, n)
		cost := make([]float64, n)
		least, total := math.Inf(1), 0.0
		for i := range cost {
			cost[i] = 1 + 5*r.float()
			least = min(least, v[i])
			total += cost[i]
		}
		limit := total * (0.3 + 0.5*r.float())
		u := 1 / least
		best := 0.0
		var branch func(fixed map[int]float64)
		branch = func(fixed map[int]float64) {
			p, s := charikar(z, v, n+1)
			one := s + n // the column of t
			budget := map[int]float64{}
			for i := range n {
				p.add(0, false, map[int]float64{i: 1, s + i: -u})
				p.add(0, false, map[int]float64{i: 1, one: -1})
				p.add(u, false, map[int]float64{one: 1, i: -1, s + i: u})
				if f, ok := fixed[i]; ok {
					p.add(f, true, map[int]float64{s + i: 1})
				} else {
					p.add(1, false, map[int]float64{s + i: 1})
				}
				budget[s+i] = cost[i]
			}
			p.add(limit, false, budget)
			opt, x, ok := p.solve(t)
			if !ok || opt <= best+1e-9 {
				return
			}
			for i := range n {
				if f := x[s+i]; f > 1e-7 && f < 1-1e-7 {
					for _, side := range []float64{1, 0} {
						next := map[int]float64{i: side}
						for k, f := range fixed {
							next[k] = f
						}
						branch(next)
					}
					return
				}
			}
			best = opt
		}
		branch(nil)
		d, err := Densest(ctx, z, v, Budget(cost, limit), nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(math.Sqrt(best)-d.Value) > 1e-6*max(d.Value, 1) {
			t.Fatalf("round %d: mixed-integer program %v, search %v", round, math.Sqrt(best), d.Value)
		}
	}
}
