// Package plot draws the figures that gonum/plot has no plotter for, in a theme
// made for notebooks, and shows every *plot.Plot in one.
//
// Each function returns a *plot.Plot of gonum.org/v1/plot, to which more can be
// added as ever:
//
//	Line, Lines, Scatter, Bar   quick forms
//	Histogram                   with reference lines
//	CDF                         empirical distribution functions
//	Band                        a curve in its confidence band
//	Heat                        a matrix as colours, with a scale bar
//	Gantt                       bars over time
//	Network, Ring               nodes and links
//	Region                      the feasible region of a linear program in the plane
//	VegaLite                    the static form of a simple Vega-Lite chart
//
// Importing the package makes stdlib/display draw *plot.Plot, slices of them,
// and what a value's Plot method returns: as SVG up to 5,000 points, above that
// as PNG with two pixels to each of the screen's. Whatever style the plot was
// not given by its maker is the theme's: sans-serif text legible at 640 pixels,
// quiet axes and grid, round ticks, a white ground that also reads on a dark
// page, and colours that colour-blind people can tell apart.
package plot
