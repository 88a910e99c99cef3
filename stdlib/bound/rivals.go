package bound

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// scheffe returns the critical value that protects all linear contrasts:
// √χ²_{p,1−α} for intervals; for one side the quantile of √Σ(g_i)²₊, which
// protects all contrasts without negative weights (a chi-bar-square).
func scheffe(p int, alpha float64, sides Sides) float64 {
	if sides == Both {
		return math.Sqrt(distuv.ChiSquared{K: float64(p)}.Quantile(1 - alpha))
	}
	if p > 4000 {
		// Σ(g_i)²₊ has mean p/2, variance 5p/4 and third cumulant 11p/2:
		// Cornish and Fisher's expansion is exact to 1e-4 here.
		u := distuv.UnitNormal.Quantile(1 - alpha)
		n := float64(p)
		skew := 5.5 * n / math.Pow(1.25*n, 1.5)
		return math.Sqrt(n/2 + math.Sqrt(1.25*n)*(u+skew/6*(u*u-1)))
	}
	lp, _ := math.Lgamma(float64(p + 1))
	above := func(t float64) float64 {
		sum := 0.0
		for j := 1; j <= p; j++ {
			a, _ := math.Lgamma(float64(j + 1))
			b, _ := math.Lgamma(float64(p - j + 1))
			w := math.Exp(lp - a - b - float64(p)*math.Ln2)
			if w > 1e-17 {
				sum += w * mathext.GammaIncRegComp(float64(j)/2, t/2)
			}
		}
		return sum
	}
	lo, hi := 0.0, 4*float64(p)+60-8*math.Log(alpha)
	for range 60 {
		if m := (lo + hi) / 2; above(m) > alpha {
			lo = m
		} else {
			hi = m
		}
	}
	return math.Sqrt((lo + hi) / 2)
}

// bonferroni returns the normal critical value at level α over exp(logSets)
// sets, and over twice as many statements for intervals.
func bonferroni(logSets, alpha float64, sides Sides) float64 {
	target := math.Log(alpha) - logSets
	if sides == Both {
		target -= math.Ln2
	}
	lo, hi := -40.0, math.Sqrt(max(-2*target, 0))+10
	for range 80 {
		if m := (lo + hi) / 2; logUpperTail(m) > target {
			lo = m
		} else {
			hi = m
		}
	}
	return (lo + hi) / 2
}

// logUpperTail is ln P(g > x), by the asymptotic series where erfc is 0.
func logUpperTail(x float64) float64 {
	if x < 20 {
		return math.Log(upperTail(x))
	}
	q := 1 / (x * x)
	return -x*x/2 - math.Log(x*math.Sqrt(2*math.Pi)) + math.Log1p(-q+3*q*q-15*q*q*q)
}

// theory bounds the error of the coverage for the user's data by a theorem
// derived here (the paper has one of its own, whose constants we could not
// read): errors that are means of n_i independent units of kurtosis at most
// κ are coupled to normal ones within Δ² = C₀κΣ1/n_i, and the maximum crosses
// a strip of width ε with probability at most Aε, so that the coverage is off
// by at most 1.9(AΔ)^{2/3}. The absolute constant C₀ is known to exist, not
// its value; C₀ = 1 is taken. A value of 1 means that the theorem says
// nothing, which is common: the measured coverage is far better.
func theory(v []float64, n []int, kurt float64, logSets float64, all bool, sides Sides) float64 {
	if n == nil {
		return math.NaN()
	}
	sum, total, least, inv := 0, 0.0, math.Inf(1), 0.0
	for i, x := range v {
		if x <= 0 {
			continue
		}
		sum++
		total += x
		least = min(least, x)
		inv += 1 / float64(n[i])
	}
	if sum == 0 {
		return math.NaN()
	}
	a := 2 + math.Sqrt(2*max(logSets, 0))
	if all && sides == Both {
		a = min(a, 0.8*math.Sqrt(2*(1+math.Log(total/least))))
	}
	delta := math.Sqrt(kurt * inv)
	return min(1.9*math.Pow(a*delta, 2.0/3), 1)
}
