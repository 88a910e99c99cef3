package ring

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Task is a learning problem spread over nodes. Make one with Quadratic or
// Logistic.
type Task struct {
	Name   string
	Nodes  int
	Step   float64 // step size η
	Rounds int     // of training
	Batch  int     // examples a step, Logistic only; 0 means all of the node's

	width  int
	target [][]float64 // Quadratic: the optimum of each node
	data   [][]example // Logistic: examples of each node
	class  int
	dim    int
}

type example struct {
	x     []float64
	label int
}

// Quadratic returns the task of nodes with losses ½‖x − b_u‖², where b_u is
// normal with the given spread: the least mean loss is at the mean of the b_u,
// so every quantity has a closed form. Step 0.1, 300 rounds.
func Quadratic(nodes, width int, spread float64, seed uint64) (*Task, error) {
	if nodes < 1 || width < 1 || !(spread >= 0) {
		return nil, fmt.Errorf("ring: quadratic task of %d nodes, width %d, spread %v; sizes are positive and spread at least 0", nodes, width, spread)
	}
	t := &Task{Name: "quadratic", Nodes: nodes, Step: 0.1, Rounds: 300, width: width}
	rng := rand.New(rand.NewPCG(seed, 11))
	for u := 0; u < nodes; u++ {
		b := make([]float64, width)
		for k := range b {
			b[k] = 1 + spread*rng.NormFloat64()
		}
		t.target = append(t.target, b)
	}
	return t, nil
}

// Logistic returns the task of multinomial logistic regression on 64 examples a
// node: 10 classes of unit normal points around random centres in 16
// dimensions. Label skew: the classes of each node are drawn from a Dirichlet
// distribution of parameter alpha (0.1: one or two classes a node; 100: nearly
// all alike). Step 0.2, batches of 16, 300 rounds.
func Logistic(nodes int, alpha float64, seed uint64) (*Task, error) {
	if nodes < 1 || !(alpha > 0) {
		return nil, fmt.Errorf("ring: logistic task of %d nodes with Dirichlet parameter %v; both must be positive", nodes, alpha)
	}
	t := &Task{Name: fmt.Sprintf("logistic, Dirichlet %g", alpha), Nodes: nodes, Step: 0.2, Rounds: 300, Batch: 16, class: 10, dim: 16}
	t.width = t.class * (t.dim + 1)
	rng := rand.New(rand.NewPCG(seed, 12))
	centre := make([][]float64, t.class)
	for c := range centre {
		centre[c] = make([]float64, t.dim)
		for k := range centre[c] {
			centre[c][k] = rng.NormFloat64()
		}
	}
	for u := 0; u < nodes; u++ {
		share := make([]float64, t.class)
		sum := 0.0
		for c := range share {
			share[c] = gammaDraw(rng, alpha)
			sum += share[c]
		}
		var data []example
		for k := 0; k < 64; k++ {
			r := rng.Float64() * sum
			c := 0
			for c < t.class-1 && r >= share[c] {
				r -= share[c]
				c++
			}
			x := make([]float64, t.dim)
			for i := range x {
				x[i] = centre[c][i] + rng.NormFloat64()
			}
			data = append(data, example{x, c})
		}
		t.data = append(t.data, data)
	}
	return t, nil
}

// gammaDraw returns a gamma number of shape a by Marsaglia and Tsang (2000).
func gammaDraw(rng *rand.Rand, a float64) float64 {
	boost := 1.0
	if a < 1 {
		boost = math.Pow(rng.Float64(), 1/a)
		a++
	}
	d := a - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < x*x/2+d*(1-v+math.Log(v)) {
			return max(d*v*boost, 1e-300)
		}
	}
}

// Train simulates decentralised SGD on a placement,
//
//	x_i ← Σ_j W_ij (x_j − η ∇f_j(x_j)),
//
// with the task's data of physical node pi[i] at position i, from x = 0, and
// returns loss, accuracy and consensus error against simulated ms. Compute time
// is not counted. Batches are drawn from streams of the seed by node and round,
// so the run repeats on any number of cores.
func Train(ctx context.Context, d Delays, g Topology, pi []int, task *Task, opt *Options) (*Run, error) {
	t, set, durations, err := simulation(d, g, pi, opt)
	if err != nil {
		return nil, err
	}
	if task == nil || task.Nodes != t.n {
		nodes := 0
		if task != nil {
			nodes = task.Nodes
		}
		return nil, fmt.Errorf("ring: the task has %d nodes and the delays have %d; make it with n = %d", nodes, t.n, t.n)
	}
	if !(task.Step > 0) || task.Rounds < 0 {
		return nil, fmt.Errorf("ring: task with step %v and %d rounds; the step must be positive and rounds at least 0", task.Step, task.Rounds)
	}
	defer set.watch(ctx, "ring: Train")()
	report := set.reporter()
	x := newModels(t.n, task.width)
	run := &Run{Name: g.Name, Round: durations}
	record := func(ms float64) {
		mean := x.mean()
		loss, right := task.evaluate(mean)
		norm := 0.0
		for _, v := range mean {
			norm += v * v
		}
		run.Ms = append(run.Ms, ms)
		run.Loss = append(run.Loss, loss)
		if task.data != nil {
			run.Accuracy = append(run.Accuracy, right)
		}
		run.Error = append(run.Error, x.deviation()/max(math.Sqrt(norm*float64(t.n)), 1e-300))
	}
	record(0)
	run.Error[0] = 0
	for r := 0; r < task.Rounds; r++ {
		if err := ctx.Err(); err != nil {
			return run, err
		}
		parallel(t.n, set.Workers, func(i int) {
			rng := set.random(uint64(r)<<32 | uint64(pi[i]) | 1<<63)
			task.descend(x.row(i), pi[i], rng)
		})
		x.mix(g.Rounds[r%len(g.Rounds)], set.Workers)
		record(run.Ms[r] + durations[r%len(durations)])
		report(float64(r)/float64(task.Rounds), run.Loss[r+1])
	}
	return run, nil
}

// descend makes one gradient step of node u.
func (t *Task) descend(x []float64, u int, rng *rand.Rand) {
	if t.target != nil {
		for k := range x {
			x[k] -= t.Step * (x[k] - t.target[u][k])
		}
		return
	}
	data := t.data[u]
	batch := t.Batch
	if batch <= 0 || batch > len(data) {
		batch = len(data)
	}
	grad := make([]float64, len(x))
	p := make([]float64, t.class)
	for b := 0; b < batch; b++ {
		e := data[b]
		if batch < len(data) {
			e = data[rng.IntN(len(data))]
		}
		t.probabilities(x, e.x, p)
		for c := range p {
			w := p[c]
			if c == e.label {
				w--
			}
			row := grad[c*(t.dim+1) : (c+1)*(t.dim+1)]
			for i, v := range e.x {
				row[i] += w * v
			}
			row[t.dim] += w
		}
	}
	for k := range x {
		x[k] -= t.Step * grad[k] / float64(batch)
	}
}

// probabilities fills p with the class probabilities of a point.
func (t *Task) probabilities(x, point, p []float64) {
	most := math.Inf(-1)
	for c := range p {
		row := x[c*(t.dim+1) : (c+1)*(t.dim+1)]
		s := row[t.dim]
		for i, v := range point {
			s += row[i] * v
		}
		p[c] = s
		most = max(most, s)
	}
	sum := 0.0
	for c := range p {
		p[c] = math.Exp(p[c] - most)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
}

// evaluate returns the mean loss of a model over all nodes and the share of
// examples it gets right.
func (t *Task) evaluate(x []float64) (loss, right float64) {
	if t.target != nil {
		for _, b := range t.target {
			for k := range x {
				loss += (x[k] - b[k]) * (x[k] - b[k]) / 2
			}
		}
		return loss / float64(t.Nodes), 0
	}
	p := make([]float64, t.class)
	count := 0.0
	for _, data := range t.data {
		for _, e := range data {
			t.probabilities(x, e.x, p)
			loss -= math.Log(max(p[e.label], 1e-300))
			best := 0
			for c := range p {
				if p[c] > p[best] {
					best = c
				}
			}
			if best == e.label {
				right++
			}
			count++
		}
	}
	return loss / count, right / count
}
