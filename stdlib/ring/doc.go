// Package ring places the nodes of a network so that the slowest link is fast.
//
// In decentralised learning every node exchanges its model with a few others in
// synchronous rounds, and a round takes as long as its slowest link. Which links
// are used is a Topology: a ring, an exponential graph, a 1-peer exponential
// graph, any circulant digraph. Which node sits where in it is a placement, and
// its bottleneck communication delay (BCD) is the mean over the rounds of the
// slowest link:
//
//	BCD(π) = (1/τ) Σ_l max_{i, s∈S_l} D[π(i)][π(i+s)]
//
// The verbs:
//
//	BTSP       the best ring: a bottleneck travelling salesman tour, with proof
//	MSR        the best multiplier of a tour for a topology, by its offset profile
//	Place      BTSP, then MSR, then a polish of the true BCD, with a lower bound
//	Lower      the lower bound alone
//	BCD        the value of a given placement
//	Compare    methods side by side on some topologies
//	Consensus  averaging error against simulated time
//	Train      decentralised SGD against simulated time
//
// BTSP followed by the multiplier is the method of "Bottleneck Communication
// Delay Minimization for Communication-Efficient Decentralized Learning"
// (ICML 2026), as far as its abstract and the code named BTSP-MSR tell. The
// polish, the exact searches and the lower bounds are this package's own.
//
// Delays are in ms throughout; they come from a Matrix, Points, a GML file, a
// measured table, or the built-in networks Gaia, AWS, Geant and Ebone.
package ring
