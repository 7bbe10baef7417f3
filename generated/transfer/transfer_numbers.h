/*
 * Part of symgen's engine of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
/* Numbers of the engines of transfer matrices. Those in NumPy read them here (symgen/simulate/constants.py): a name and
 * a number in a line. */
#ifndef SYMGEN_TRANSFER_NUMBERS_H
#define SYMGEN_TRANSFER_NUMBERS_H

#define DEPENDENT 1e-11   /* pivots of the multipliers' matrix, scaled, below which rows depend on each other */
#define PIVOT_NOISE 1e-13 /* rounding of these pivots, times the least pivot taken before */
#define IDLE 1e-14        /* part of what an inertia was made of below which it is none */
#define MOST_ROUNDS 6     /* of the closing of loops */
#define WIDEST_OPEN 0.1   /* how far open loops may be before they are closed [rad or units of length] */
#define LOOSE 1e-8        /* how far open they may stay */

#endif /* SYMGEN_TRANSFER_NUMBERS_H */
