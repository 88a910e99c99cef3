package bound

import (
	"math"
	"math/bits"
)

// stream is a sequence of random numbers that belongs to one draw of the
// calibration. Its start depends on the seed and on the index of the draw
// alone, never on the goroutine that runs it: so one core and many give the
// same bits, and the first 1,000 draws of 10,000 are the 1,000 draws.
//
// The generator is SplitMix64 (Steele, Lea and Flood 2014): a counter and a
// mixing function, so that the processor works on several numbers at once.
type stream struct{ s uint64 }

const gamma = 0x9e3779b97f4a7c15

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// newStream returns the stream of a draw.
func newStream(seed, draw uint64) stream {
	return stream{mix(mix(seed+gamma) + draw*0xd1342543de82ef95)}
}

func (r *stream) uint64() uint64 {
	r.s += gamma
	return mix(r.s)
}

// float returns a uniform number in (0, 1), never 0 or 1.
func (r *stream) float() float64 {
	return (float64(r.uint64()>>12) + 0.5) / (1 << 52)
}

// intn returns a uniform number in 0…n−1; its bias is below n/2⁶⁴.
func (r *stream) intn(n int) int {
	hi, _ := bits.Mul64(r.uint64(), uint64(n))
	return int(hi)
}

// The ziggurat of Marsaglia and Tsang (2000) with 256 layers of equal area
// under the half density exp(−x²/2).
const zigTail = 3.6541528853610088

var (
	zigW [256]float64 // width of a layer over 2⁵³
	zigK [256]uint64  // below this the point lies under the curve for sure
	zigF [256]float64 // density at the layer's outer edge
)

func init() {
	const area = 0.00492867323399
	f := math.Exp(-zigTail * zigTail / 2)
	x := zigTail
	zigW[0] = area / f / (1 << 53)
	zigK[0] = uint64(zigTail * f / area * (1 << 53))
	zigF[0] = 1
	zigW[255] = zigTail / (1 << 53)
	zigF[255] = f
	for i := 254; i > 0; i-- {
		inner := math.Sqrt(-2 * math.Log(area/x+f))
		zigK[i+1] = uint64(inner / x * (1 << 53))
		x, f = inner, math.Exp(-inner*inner/2)
		zigW[i], zigF[i] = x/(1<<53), f
	}
	zigK[1] = 0
}

// norm returns a standard normal number.
func (r *stream) norm() float64 {
	r.s += gamma
	u := mix(r.s)
	i := u & 255
	j := int64(u) >> 10 // sign and 53 bits
	m := uint64(j)
	if j < 0 {
		m = uint64(-j)
	}
	if m < zigK[i] {
		return float64(j) * zigW[i]
	}
	return r.normSlow(i, j)
}

// normSlow decides the 1 % of points near the curve and in the tail.
func (r *stream) normSlow(i uint64, j int64) float64 {
	for {
		x := float64(j) * zigW[i]
		if i == 0 {
			for {
				a := -math.Log(r.float()) / zigTail
				b := -math.Log(r.float())
				if b+b >= a*a {
					if j < 0 {
						return -zigTail - a
					}
					return zigTail + a
				}
			}
		}
		if zigF[i]+r.float()*(zigF[i-1]-zigF[i]) < math.Exp(-x*x/2) {
			return x
		}
		u := r.uint64()
		i, j = u&255, int64(u)>>10
		m := uint64(j)
		if j < 0 {
			m = uint64(-j)
		}
		if m < zigK[i] {
			return float64(j) * zigW[i]
		}
	}
}

// norms fills dst with standard normal numbers, the same as norm in a loop:
// the counter stays in a register and the common case inline.
func (r *stream) norms(dst []float64) {
	s := r.s
	for k := range dst {
		s += gamma
		u := mix(s)
		i := u & 255
		j := int64(u) >> 10
		sign := j >> 63
		if m := uint64((j ^ sign) - sign); m < zigK[i] {
			dst[k] = float64(j) * zigW[i]
			continue
		}
		slow := stream{s}
		dst[k] = slow.normSlow(i, j)
		s = slow.s
	}
	r.s = s
}

// chi2 returns a chi-square number with df > 0 degrees of freedom, by the
// squeeze of Marsaglia and Tsang (2000) for the gamma distribution.
func (r *stream) chi2(df float64) float64 {
	a := df / 2
	boost := 1.0
	if a < 1 {
		boost = math.Pow(r.float(), 1/a)
		a++
	}
	d := a - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.norm()
		t := 1 + c*x
		if t <= 0 {
			continue
		}
		t = t * t * t
		u := r.float()
		if u < 1-0.0331*x*x*x*x || math.Log(u) < x*x/2+d*(1-t+math.Log(t)) {
			return 2 * d * t * boost
		}
	}
}

// binomial draws counts of one fixed distribution Bin(n, q) by inversion of
// its table, cut where the probability falls under 1e-18 of the mode's.
type binomial struct {
	first int       // the count of cum[0]
	cum   []float64 // P(count ≤ first+i)
}

func newBinomial(n int, q float64) binomial {
	if q <= 0 {
		return binomial{0, []float64{1}}
	}
	if q >= 1 {
		return binomial{n, []float64{1}}
	}
	mode := int(float64(n+1) * q)
	if mode > n {
		mode = n
	}
	var down, up []float64 // relative to the mode
	for k, w := mode, 1.0; k > 0; k-- {
		w *= float64(k) / float64(n-k+1) * (1 - q) / q
		if w < 1e-18 {
			break
		}
		down = append(down, w)
	}
	for k, w := mode, 1.0; k < n; k++ {
		w *= float64(n-k) / float64(k+1) * q / (1 - q)
		if w < 1e-18 {
			break
		}
		up = append(up, w)
	}
	cum := make([]float64, 0, len(down)+1+len(up))
	sum := 0.0
	for i := len(down) - 1; i >= 0; i-- {
		sum += down[i]
		cum = append(cum, sum)
	}
	sum++
	cum = append(cum, sum)
	for _, w := range up {
		sum += w
		cum = append(cum, sum)
	}
	for i := range cum {
		cum[i] /= sum
	}
	cum[len(cum)-1] = 1
	return binomial{mode - len(down), cum}
}

func (d binomial) draw(r *stream) int {
	u := r.float()
	lo, hi := 0, len(d.cum)-1
	for lo < hi {
		m := (lo + hi) / 2
		if u < d.cum[m] {
			hi = m
		} else {
			lo = m + 1
		}
	}
	return d.first + lo
}
