package page

import "strings"

// symbols maps a command to its element.
var symbols = map[string]string{}

func init() {
	fill := func(element string, list string) {
		fields := strings.Fields(list)
		for i := 0; i+1 < len(fields); i += 2 {
			symbols[fields[i]] = "<" + element + ">" + escape(fields[i+1]) + "</" + strings.Fields(element)[0] + ">"
		}
	}
	fill("mi", `alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
		kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ
		phi ϕ varphi φ chi χ psi ψ omega ω ell ℓ hbar ℏ imath ı jmath ȷ wp ℘ Re ℜ Im ℑ aleph ℵ partial ∂ infty ∞
		emptyset ∅ varnothing ∅ nabla ∇ top ⊤ bot ⊥ angle ∠ triangle △ square □ blacksquare ■ diamond ⋄ star ⋆ degree °
		clubsuit ♣ heartsuit ♡ spadesuit ♠ diamondsuit ♢ checkmark ✓ dagger † ddagger ‡ S §`)
	fill(`mi mathvariant="normal"`, `Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω`)
	fill("mo", `pm ± mp ∓ times × div ÷ cdot ⋅ ast ∗ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ wedge ∧ land ∧ vee ∨ lor ∨
		cap ∩ cup ∪ setminus ∖ sqcap ⊓ sqcup ⊔ uplus ⊎ amalg ⨿
		le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ ll ≪ gg ≫ ne ≠ neq ≠ equiv ≡ sim ∼ simeq ≃ approx ≈ cong ≅ propto ∝ asymp ≍
		prec ≺ preceq ⪯ succ ≻ succeq ⪰ doteq ≐ triangleq ≜ lesssim ≲ gtrsim ≳ lt < gt >
		in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ subsetneq ⊊ supset ⊃ supseteq ⊇ supsetneq ⊋ mid ∣ nmid ∤ parallel ∥ perp ⊥ models ⊨ vdash ⊢ dashv ⊣
		forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ therefore ∴ because ∵
		to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ implies ⟹ Leftarrow ⇐ Leftrightarrow ⇔ iff ⟺ mapsto ↦
		longrightarrow ⟶ longleftarrow ⟵ Longrightarrow ⟹ longmapsto ⟼ uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ nearrow ↗ searrow ↘ hookrightarrow ↪
		rightharpoonup ⇀ leadsto ⇝ rightsquigarrow ⇝
		ldots … dots … dotsc … dotso … cdots ⋯ dotsb ⋯ dotsm ⋯ vdots ⋮ ddots ⋱ colon : prime ′ backprime ‵ surd √ complement ∁`)
	fill(`mo stretchy="false"`, `{ { } } lbrace { rbrace } langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ vert | lvert | rvert | Vert ‖ lVert ‖ rVert ‖ | ‖ lbrack [ rbrack ] backslash \`)
	for _, c := range "%&#_$" {
		symbols[string(c)] = "<mi>" + escape(string(c)) + "</mi>"
	}
}

var delimiters = map[string]string{
	"{": "{", "}": "}", "lbrace": "{", "rbrace": "}", "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
	"vert": "|", "lvert": "|", "rvert": "|", "Vert": "‖", "lVert": "‖", "rVert": "‖", "|": "‖", "lbrack": "[", "rbrack": "]",
	"uparrow": "↑", "downarrow": "↓", "backslash": `\`,
}

var bigOperators = map[string]string{
	"sum": "∑", "prod": "∏", "coprod": "∐", "int": "∫", "iint": "∬", "iiint": "∭", "oint": "∮",
	"bigcup": "⋃", "bigcap": "⋂", "bigvee": "⋁", "bigwedge": "⋀", "bigoplus": "⨁", "bigotimes": "⨂", "bigsqcup": "⨆", "biguplus": "⨄",
}

// functions are upright names; true says that scripts go below in a block.
var functions = map[string]bool{
	"sin": false, "cos": false, "tan": false, "cot": false, "sec": false, "csc": false, "arcsin": false, "arccos": false, "arctan": false,
	"sinh": false, "cosh": false, "tanh": false, "coth": false, "exp": false, "log": false, "ln": false, "lg": false, "dim": false, "ker": false,
	"deg": false, "hom": false, "arg": false, "det": true, "gcd": true, "lim": true, "limsup": true, "liminf": true, "max": true, "min": true,
	"sup": true, "inf": true, "Pr": true, "argmax": true, "argmin": true,
}

func longNames(name string) string {
	switch name {
	case "limsup":
		return "lim sup"
	case "liminf":
		return "lim inf"
	case "argmax":
		return "arg max"
	case "argmin":
		return "arg min"
	}
	return name
}

var accents = map[string]string{
	"hat": "^", "widehat": "^", "bar": "¯", "overline": "¯", "tilde": "~", "widetilde": "~", "vec": "→", "overrightarrow": "→", "overleftarrow": "←",
	"dot": "˙", "ddot": "¨", "check": "ˇ", "breve": "˘", "acute": "´", "grave": "`", "mathring": "˚", "overbrace": "⏞",
}

var fonts = map[string]string{
	"mathrm": "rm", "mathup": "rm", "mathbf": "bf", "boldsymbol": "bi", "bm": "bi", "pmb": "bf", "mathit": "", "mathnormal": "",
	"mathbb": "bb", "mathds": "bb", "mathcal": "cal", "mathscr": "cal", "mathfrak": "frak", "mathsf": "sf", "mathtt": "tt",
}

var spaces = map[string]string{
	",": "0.167em", ":": "0.222em", ">": "0.222em", ";": "0.278em", "!": "-0.167em", " ": "0.33em", "quad": "1em", "qquad": "2em",
	"enspace": "0.5em", "thinspace": "0.167em", "medspace": "0.222em", "thickspace": "0.278em", "\n": "0.33em", "\t": "0.33em",
}

// alphabet returns the text in one of Unicode's mathematical alphabets, for
// the letters and digits that it has there.
func alphabet(s, font string) string {
	font, onlyGreek := strings.CutSuffix(font, "-greek") // leaves markup alone
	a, ok := alphabets[font]
	if !ok {
		return s
	}
	return strings.Map(func(r rune) rune {
		if special, ok := a.holes[r]; ok && !onlyGreek {
			return special
		}
		switch {
		case onlyGreek && r < 'α':
			return r
		case r >= 'A' && r <= 'Z':
			return a.upper + r - 'A'
		case r >= 'a' && r <= 'z' && a.lower != 0:
			return a.lower + r - 'a'
		case r >= '0' && r <= '9' && a.digit != 0:
			return a.digit + r - '0'
		case r >= 'α' && r <= 'ω' && a.greek != 0:
			return a.greek + r - 'α'
		}
		return r
	}, s)
}

// alphabets gives the first letter of each; holes are letters that Unicode had
// elsewhere before.
var alphabets = map[string]struct {
	upper, lower, digit, greek rune
	holes                      map[rune]rune
}{
	"bf":   {0x1D400, 0x1D41A, 0x1D7CE, 0x1D6C2, nil},
	"it":   {0x1D434, 0x1D44E, 0, 0x1D6FC, map[rune]rune{'h': 'ℎ'}},
	"bi":   {0x1D468, 0x1D482, 0x1D7CE, 0x1D736, nil},
	"sf":   {0x1D5A0, 0x1D5BA, 0x1D7E2, 0, nil},
	"tt":   {0x1D670, 0x1D68A, 0x1D7F6, 0, nil},
	"bb":   {0x1D538, 0x1D552, 0x1D7D8, 0, map[rune]rune{'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'}},
	"cal":  {0x1D49C, 0x1D4B6, 0, 0, map[rune]rune{'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ'}},
	"frak": {0x1D504, 0x1D51E, 0, 0, map[rune]rune{'C': 'ℭ', 'H': 'ℌ', 'I': 'ℑ', 'R': 'ℜ', 'Z': 'ℨ'}},
}
