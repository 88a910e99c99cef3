package ring

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// ReadGML returns the delay network of a GML file: one node for every node,
// delays as all-pairs shortest paths over its edges. An edge's length in km is
// its distance attribute or, where no edge has one and all nodes have
// Longitude and Latitude (as in the Internet Topology Zoo), the great circle.
// Options choose the delay model, which the network's Note repeats:
//
//	PerLink: shortest path of links of MsPerKm·km + PerHop each (the default)
//	PerPath: MsPerKm·(shortest path in km) + PerHop once
//
// Nodes are numbered in the order of their labels, numeric where all are
// numbers. Duplicate ids or labels, a missing distance and a disconnected
// network are errors that name the culprit. Cost O(n·m log n) by Dijkstra from
// every node.
func ReadGML(path string, opt *Options) (*Network, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("ring: cannot read the network: %w", err)
	}
	w, err := ParseGML(string(text), opt)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, filepath.Base(path))
	}
	w.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return w, nil
}

// ParseGML is ReadGML for the text of a file.
func ParseGML(text string, opt *Options) (*Network, error) {
	if opt == nil {
		opt = &Options{}
	}
	doc, err := parseGML(text)
	if err != nil {
		return nil, err
	}
	g, err := graphOf(doc)
	if err != nil {
		return nil, err
	}
	return g.network(opt)
}

// gmlValue is a number, a string or a list of pairs.
type gmlValue struct {
	num   float64
	text  string
	list  []gmlPair
	isNum bool
}

type gmlPair struct {
	key string
	val gmlValue
}

// get returns the first value of a key, in any letter case.
func (v gmlValue) get(key string) (gmlValue, bool) {
	for _, p := range v.list {
		if strings.EqualFold(p.key, key) {
			return p.val, true
		}
	}
	return gmlValue{}, false
}

const gmlDepth = 100 // nesting beyond this is no graph

// parseGML reads GML: key-value pairs whose values are numbers, strings or
// bracketed lists of pairs.
func parseGML(s string) (gmlValue, error) {
	var stack []*gmlValue
	root := &gmlValue{}
	top := root
	key := ""
	line := 1
	fail := func(what string) (gmlValue, error) {
		return gmlValue{}, fmt.Errorf("ring: GML line %d: %s; the file must be key-value pairs with [ ] around lists", line, what)
	}
	put := func(v gmlValue) {
		top.list = append(top.list, gmlPair{key, v})
		key = ""
	}
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case c == '[':
			if key == "" {
				return fail("a list without a key")
			}
			if len(stack) == gmlDepth {
				return fail("lists nested too deep")
			}
			put(gmlValue{})
			stack = append(stack, top)
			top = &top.list[len(top.list)-1].val
			i++
		case c == ']':
			if key != "" {
				return fail(fmt.Sprintf("key %q has no value", key))
			}
			if len(stack) == 0 {
				return fail("] without [")
			}
			top = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			i++
		case c == '"':
			j := strings.IndexByte(s[i+1:], '"')
			if j < 0 {
				return fail("a string without its end")
			}
			if key == "" {
				return fail("a string where a key should be")
			}
			v := s[i+1 : i+1+j]
			line += strings.Count(v, "\n")
			put(gmlValue{text: v})
			i += j + 2
		default:
			j := i
			for j < len(s) && !strings.ContainsRune(" \t\r\n[]\"#", rune(s[j])) {
				j++
			}
			word := s[i:j]
			i = j
			if key == "" {
				key = word
				continue
			}
			x, err := strconv.ParseFloat(word, 64)
			put(gmlValue{num: x, text: word, isNum: err == nil})
		}
	}
	if len(stack) > 0 {
		return fail("[ without ]")
	}
	if key != "" {
		return fail(fmt.Sprintf("key %q has no value", key))
	}
	return *root, nil
}

// graph is what a GML file says about links.
type graph struct {
	labels []string
	where  [][2]float64
	links  [][]halfLink
}

type halfLink struct {
	to int
	km float64
}

// graphOf takes nodes and edges out of the document.
func graphOf(doc gmlValue) (*graph, error) {
	g, ok := doc.get("graph")
	if !ok {
		return nil, fmt.Errorf("ring: GML has no graph [ ]; is this a GML file?")
	}
	type node struct {
		id, label string
		lon, lat  gmlValue
	}
	var nodes []node
	ids, labels := map[string]bool{}, map[string]bool{}
	placed, numeric := true, true
	for _, p := range g.list {
		if !strings.EqualFold(p.key, "node") {
			continue
		}
		id, ok := p.val.get("id")
		if !ok {
			return nil, fmt.Errorf("ring: GML node %d has no id; every node needs one", len(nodes))
		}
		v := node{id: id.text, label: id.text}
		if l, ok := p.val.get("label"); ok {
			v.label = l.text
		}
		if ids[v.id] {
			return nil, fmt.Errorf("ring: GML has two nodes with id %s; ids must differ", v.id)
		}
		if labels[v.label] {
			return nil, fmt.Errorf("ring: GML has two nodes with label %q; labels must differ, rename one", v.label)
		}
		ids[v.id], labels[v.label] = true, true
		v.lon, _ = p.val.get("Longitude")
		v.lat, _ = p.val.get("Latitude")
		placed = placed && v.lon.isNum && v.lat.isNum
		if _, err := strconv.ParseFloat(v.label, 64); err != nil {
			numeric = false
		}
		nodes = append(nodes, v)
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("ring: GML graph has no nodes")
	}
	if err := fits(len(nodes), 0); err != nil {
		return nil, err
	}
	sort.SliceStable(nodes, func(i, j int) bool {
		if numeric {
			a, _ := strconv.ParseFloat(nodes[i].label, 64)
			b, _ := strconv.ParseFloat(nodes[j].label, 64)
			return a < b
		}
		return nodes[i].label < nodes[j].label
	})
	out := &graph{links: make([][]halfLink, len(nodes))}
	index := map[string]int{}
	for i, v := range nodes {
		index[v.id] = i
		out.labels = append(out.labels, v.label)
		if placed {
			out.where = append(out.where, [2]float64{v.lon.num, v.lat.num})
		}
	}
	measured := false
	for _, p := range g.list {
		if strings.EqualFold(p.key, "edge") {
			if _, ok := p.val.get("distance"); ok {
				measured = true
			}
		}
	}
	for _, p := range g.list {
		if !strings.EqualFold(p.key, "edge") {
			continue
		}
		var end [2]int
		for k, key := range []string{"source", "target"} {
			x, ok := p.val.get(key)
			if end[k], ok = index[x.text]; !ok {
				return nil, fmt.Errorf("ring: GML edge has %s %q, which is no node's id", key, x.text)
			}
		}
		a, b := end[0], end[1]
		km, ok := p.val.get("distance")
		switch {
		case ok && (!km.isNum || !(km.num >= 0) || math.IsInf(km.num, 1)):
			return nil, fmt.Errorf("ring: GML edge %s–%s has distance %q; it must be a finite number of km, at least 0", out.labels[a], out.labels[b], km.text)
		case !ok && !measured && placed:
			km.num = haversine(out.where[a], out.where[b])
		case !ok:
			return nil, fmt.Errorf("ring: GML edge %s–%s has no distance; add it, or give every node Longitude and Latitude and no edge a distance", out.labels[a], out.labels[b])
		}
		if a != b {
			out.links[a] = append(out.links[a], halfLink{b, km.num})
			out.links[b] = append(out.links[b], halfLink{a, km.num})
		}
	}
	return out, nil
}

// haversine is the great-circle distance in km, earth radius 6,371 km.
func haversine(a, b [2]float64) float64 {
	const rad = math.Pi / 180
	dx, dy := (b[0]-a[0])*rad/2, (b[1]-a[1])*rad/2
	h := math.Sin(dy)*math.Sin(dy) + math.Cos(a[1]*rad)*math.Cos(b[1]*rad)*math.Sin(dx)*math.Sin(dx)
	return 2 * 6371 * math.Asin(math.Sqrt(min(1, h)))
}

// network computes all shortest paths under the delay model.
func (g *graph) network(opt *Options) (*Network, error) {
	perKm, fixed := opt.MsPerKm, opt.PerHop
	if perKm == 0 {
		perKm = 0.0085
	}
	if fixed == 0 {
		fixed = 4
	}
	fixed = max(fixed, 0)
	if !(perKm > 0) || math.IsInf(perKm, 1) || math.IsNaN(fixed) || math.IsInf(fixed, 1) {
		return nil, fmt.Errorf("ring: MsPerKm %v and PerHop %v must be finite and MsPerKm positive; 0 means the default", opt.MsPerKm, opt.PerHop)
	}
	n := len(g.labels)
	hop := fixed
	if opt.Model == PerPath {
		hop = 0
	}
	w := &Network{n: n, d: make([]float64, n*n), Labels: g.labels, Where: g.where}
	parallel(n, opt.Workers, func(u int) {
		row := w.d[u*n : (u+1)*n]
		g.dijkstra(u, perKm, hop, row)
		if opt.Model == PerPath {
			for v := range row {
				if v != u {
					row[v] += fixed
				}
			}
		}
	})
	for u := 0; u < n; u++ { // a path summed from its other end may differ in the last bit
		for v := 0; v < u; v++ {
			x := min(w.d[u*n+v], w.d[v*n+u])
			w.d[u*n+v], w.d[v*n+u] = x, x
		}
	}
	w.Note = fmt.Sprintf("%g ms/km, %g ms %s", perKm, fixed, opt.Model)
	t := &table{n: n, d: w.d, sym: true, src: w}
	if err := t.connected(); err != nil {
		return nil, err
	}
	return w, nil
}

// dijkstra fills row with the shortest path from u to every node, links
// weighing perKm·km + hop; +Inf where no path leads.
func (g *graph) dijkstra(u int, perKm, hop float64, row []float64) {
	for v := range row {
		row[v] = math.Inf(1)
	}
	row[u] = 0
	type item struct {
		d float64
		v int
	}
	heap := []item{{0, u}}
	for len(heap) > 0 {
		top := heap[0]
		last := heap[len(heap)-1]
		heap = heap[:len(heap)-1]
		if len(heap) > 0 { // sift down
			i := 0
			for {
				c := 2*i + 1
				if c >= len(heap) {
					break
				}
				if c+1 < len(heap) && heap[c+1].d < heap[c].d {
					c++
				}
				if heap[c].d >= last.d {
					break
				}
				heap[i] = heap[c]
				i = c
			}
			heap[i] = last
		}
		if top.d > row[top.v] {
			continue
		}
		for _, e := range g.links[top.v] {
			d := top.d + perKm*e.km + hop
			if d >= row[e.to] {
				continue
			}
			row[e.to] = d
			heap = append(heap, item{d, e.to})
			for i := len(heap) - 1; i > 0; {
				p := (i - 1) / 2
				if heap[p].d <= heap[i].d {
					break
				}
				heap[p], heap[i] = heap[i], heap[p]
				i = p
			}
		}
	}
}
