package ring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Gaia returns the delays between 11 data centres on five continents, in ms,
// under the delay model PerLink of ReadGML. Distances: the "gaia" network of
// Marfoq et al., "Throughput-Optimal Topology Design for Cross-Silo Federated
// Learning" (2020), there after Hsieh et al. (2017).
func Gaia() *Network {
	return builtin("Gaia", gaiaLabels, gaiaKm)
}

// AWS returns the delays between 22 data centres in North America, in ms: the
// "amazon_us" network of Marfoq et al. (2020), modelled as in Gaia.
func AWS() *Network {
	return builtin("AWS North America", awsLabels, awsKm)
}

// Geant returns the delays between the 40 nodes of the European research
// network Géant of 2012, in ms: links of the Internet Topology Zoo with the
// distances of Marfoq et al. (2020), modelled as in Gaia.
func Geant() *Network {
	return builtin("Géant", geantLabels, geantKm)
}

// Ebone returns the delays between 87 routers of the European provider Ebone,
// in ms: links measured by Rocketfuel, distances of Marfoq et al. (2020),
// modelled as in Gaia.
func Ebone() *Network {
	return builtin("Ebone", eboneLabels, eboneKm)
}

// builtin makes a network of the lists of networks_data.go, which a test holds
// against the public files.
func builtin(name, labels, km string) *Network {
	g := &graph{}
	for _, l := range strings.Split(labels, "|") {
		g.labels = append(g.labels, strings.TrimSpace(l))
	}
	n := len(g.labels)
	g.links = make([][]halfLink, n)
	link := func(a, b int, length string) {
		x, err := strconv.ParseFloat(length, 64)
		if err != nil {
			x = math.Inf(1)
		}
		g.links[a] = append(g.links[a], halfLink{b, x})
		g.links[b] = append(g.links[b], halfLink{a, x})
	}
	if strings.Contains(km, ",") {
		for _, s := range strings.Split(km, ",") {
			f := strings.Fields(s)
			a, _ := strconv.Atoi(f[0])
			b, _ := strconv.Atoi(f[1])
			link(a, b, f[2])
		}
	} else {
		f := strings.Fields(km)
		k := 0
		for a := 0; a < n; a++ {
			for b := a + 1; b < n; b++ {
				link(a, b, f[k])
				k++
			}
		}
	}
	w, err := g.network(&Options{Workers: 1})
	if err != nil {
		return &Network{Name: name, Note: err.Error()}
	}
	w.Name = name
	return w
}

// Synthetic returns n points of a family of layouts, in a square of side 100
// (delay units), the same for the same seed:
//
//	"uniform"     independent points
//	"regions"     eight normal clusters of standard deviation 4
//	"powerlaw"    distances from the centre with a heavy tail, cut at 50
//	"continents"  two normal clusters of standard deviation 8, 80 apart
//
// n is at least 1; another family is an error that lists the four.
func Synthetic(family string, n int, seed uint64) (*Cloud, error) {
	if n < 1 {
		return nil, fmt.Errorf("ring: %d points; at least 1 is needed", n)
	}
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	var centre [8][2]float64
	for k := range centre {
		centre[k] = [2]float64{10 + 80*rng.Float64(), 10 + 80*rng.Float64()}
	}
	c := &Cloud{Name: fmt.Sprintf("%s %d", family, n), x: make([]float64, n), y: make([]float64, n)}
	for u := range c.x {
		switch family {
		case "uniform":
			c.x[u], c.y[u] = 100*rng.Float64(), 100*rng.Float64()
		case "regions":
			k := rng.IntN(8)
			c.x[u], c.y[u] = centre[k][0]+4*rng.NormFloat64(), centre[k][1]+4*rng.NormFloat64()
		case "powerlaw":
			r := min(50, math.Pow(1-rng.Float64(), -1/1.5)-1)
			a := 2 * math.Pi * rng.Float64()
			c.x[u], c.y[u] = 50+r*math.Cos(a), 50+r*math.Sin(a)
		case "continents":
			c.x[u], c.y[u] = 10+80*float64(rng.IntN(2))+8*rng.NormFloat64(), 50+8*rng.NormFloat64()
		default:
			return nil, fmt.Errorf("ring: no family %q of points; use uniform, regions, powerlaw or continents", family)
		}
	}
	return c, nil
}
