package display

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// GeoJSON returns a map: a GeoJSON object (RFC 7946) as JSON text or anything
// that encoding/json takes. Front ends with a map draw it; for the others a
// plain drawing of its points, lines and areas is in the bundle.
func GeoJSON(v any) Data {
	tree := jsonSafe(v)
	object, ok := tree.(map[string]any)
	if !ok {
		return toData(Text("display: GeoJSON is a JSON object; give a map or JSON text"))
	}
	text := "GeoJSON " + oneLine(fmt.Sprint(object["type"]), 40)
	if features, ok := object["features"].([]any); ok {
		text += fmt.Sprintf(" of %d features", len(features))
	}
	d := MakeData3(MIMETypeGeoJSON, text, tree)
	if svg := drawGeoJSON(object); svg != "" {
		d.Data[MIMETypeSVG] = svg
	}
	return d
}

// A geoShape is one point, line or ring, with the name of its feature.
type geoShape struct {
	points [][2]float64 // longitude, latitude, in degrees
	kind   string       // "Point", "Line", "Area"
	rings  []int        // of an area: where each ring begins in points
	name   string
}

const (
	geoPoints = 20_000 // drawn at most
	geoWidth  = 640.0
)

// drawGeoJSON draws the shapes with longitudes shortened by the cosine of the
// middle latitude; "" where there is nothing to draw.
func drawGeoJSON(object map[string]any) string {
	var shapes []geoShape
	left := geoPoints
	geoWalk(object, "", 8, &left, &shapes)
	west, east, south, north := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range shapes {
		for _, p := range s.points {
			west, east, south, north = min(west, p[0]), max(east, p[0]), min(south, p[1]), max(north, p[1])
		}
	}
	if west > east {
		return ""
	}
	squeeze := math.Max(0.05, math.Cos((south+north)/2*math.Pi/180))
	span := math.Max(1e-6, math.Max((east-west)*squeeze, (north-south)*1.6))
	scale := (geoWidth - 40) / span
	height := math.Min(1000, (north-south)*scale+40)
	x := func(lon float64) float64 { return geoWidth/2 + (lon-(west+east)/2)*squeeze*scale }
	y := func(lat float64) float64 { return height/2 - (lat-(south+north)/2)*scale }

	var w strings.Builder
	fmt.Fprintf(&w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" style="max-width:100%%;height:auto">`,
		geoWidth, height, geoWidth, height)
	w.WriteString("\n" + `<rect width="100%" height="100%" fill="#fff"/>`)
	for _, kind := range []string{"Area", "Line", "Point"} { // the small ones on top
		for _, s := range shapes {
			if s.kind != kind {
				continue
			}
			title := ""
			if s.name != "" {
				title = "<title>" + html.EscapeString(s.name) + "</title>"
			}
			if kind == "Point" {
				fmt.Fprintf(&w, "\n"+`<circle cx="%.1f" cy="%.1f" r="4" fill="#d55e00" stroke="#fff">%s</circle>`, x(s.points[0][0]), y(s.points[0][1]), title)
				continue
			}
			var path strings.Builder
			next := 0
			for i, p := range s.points {
				op := "L"
				if i == 0 || (next < len(s.rings) && i == s.rings[next]) {
					op = "M"
					if i > 0 && kind == "Area" {
						op = "ZM"
					}
				}
				for next < len(s.rings) && s.rings[next] <= i {
					next++
				}
				fmt.Fprintf(&path, "%s%.1f %.1f", op, x(p[0]), y(p[1]))
			}
			style := `fill="none" stroke="#0072b2" stroke-width="1.5"`
			if kind == "Area" {
				path.WriteByte('Z')
				style = `fill="#0072b2" fill-opacity=".18" fill-rule="evenodd" stroke="#0072b2"`
			}
			fmt.Fprintf(&w, "\n"+`<path d="%s" %s>%s</path>`, path.String(), style, title)
		}
	}
	w.WriteString("\n</svg>")
	return w.String()
}

// geoWalk gathers the shapes of an object and of what it holds.
func geoWalk(object map[string]any, name string, depth int, left *int, shapes *[]geoShape) {
	if depth == 0 || *left <= 0 {
		return
	}
	if p, ok := object["properties"].(map[string]any); ok {
		for _, key := range []string{"name", "NAME", "title"} {
			if s, ok := p[key].(string); ok {
				name = oneLine(s, 80)
				break
			}
		}
	}
	if g, ok := object["geometry"].(map[string]any); ok {
		geoWalk(g, name, depth-1, left, shapes)
	}
	for _, key := range []string{"features", "geometries"} {
		list, _ := object[key].([]any)
		for _, f := range list {
			if g, ok := f.(map[string]any); ok {
				geoWalk(g, name, depth-1, left, shapes)
			}
		}
	}
	coordinates, _ := object["coordinates"].([]any)
	add := func(kind string, lines ...[]any) {
		s := geoShape{kind: kind, name: name}
		for _, line := range lines {
			s.rings = append(s.rings, len(s.points))
			for _, c := range line {
				if p, ok := geoPoint(c); ok && *left > 0 {
					s.points = append(s.points, p)
					*left--
				}
			}
		}
		if len(s.points) > 0 {
			*shapes = append(*shapes, s)
		}
	}
	switch object["type"] {
	case "Point":
		add("Point", []any{coordinates})
	case "MultiPoint":
		for _, c := range coordinates {
			add("Point", []any{c})
		}
	case "LineString":
		add("Line", coordinates)
	case "MultiLineString":
		add("Line", lists(coordinates)...)
	case "Polygon":
		add("Area", lists(coordinates)...)
	case "MultiPolygon":
		for _, p := range lists(coordinates) {
			add("Area", lists(p)...)
		}
	}
}

// lists are the lists among the values.
func lists(values []any) [][]any {
	var all [][]any
	for _, v := range values {
		if l, ok := v.([]any); ok {
			all = append(all, l)
		}
	}
	return all
}

// geoPoint reads longitude and latitude.
func geoPoint(v any) (p [2]float64, ok bool) {
	c, ok := v.([]any)
	if !ok || len(c) < 2 {
		return p, false
	}
	for i := range 2 {
		switch x := c[i].(type) {
		case float64:
			p[i] = x
		case int64:
			p[i] = float64(x)
		default:
			return p, false
		}
		if math.IsNaN(p[i]) || math.Abs(p[i]) > 1e4 {
			return p, false
		}
	}
	return p, true
}
