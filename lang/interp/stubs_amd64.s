#include "textflag.h"

// methodStubs is a table of method entries, 16 bytes apart. Entry i goes to the
// function value in stubTable[i], with that value as the context, and leaves
// every argument register alone: the arguments of the method are those of the
// function value, whose first parameter is the receiver's word. An entry finds
// its number from its own address, which the CALL pushes.

#define E1 CALL ·stubJump(SB); PCALIGN $16;
#define E4 E1 E1 E1 E1
#define E16 E4 E4 E4 E4
#define E64 E16 E16 E16 E16
#define E256 E64 E64 E64 E64
#define E1024 E256 E256 E256 E256
#define E4096 E1024 E1024 E1024 E1024

TEXT ·methodStubs(SB),NOSPLIT|NOFRAME,$0
	PCALIGN $16
	E4096
	E4096
	RET

TEXT ·stubJump(SB),NOSPLIT|NOFRAME,$0
	POPQ R12
	LEAQ ·methodStubs(SB), R13
	SUBQ R13, R12
	SHRQ $4, R12
	LEAQ ·stubTable(SB), R13
	MOVQ (R13)(R12*8), DX
	MOVQ (DX), R13
	JMP  R13

TEXT ·stubBase(SB),NOSPLIT,$0-8
	LEAQ ·methodStubs(SB), AX
	MOVQ AX, ret+0(FP)
	RET
