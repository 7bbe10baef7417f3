/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
/* What every part of the engine is given: the mechanism (problem.h), derived kernels, numbers. To be included first: it
 * also sees to it that every machine gives the same bits. */
#ifndef SYMGEN_DYNAMICS_GIVEN_H
#define SYMGEN_DYNAMICS_GIVEN_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "symgen_status.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-tree-slp-vectorize")
#endif

#if DBL_MANT_DIG != 53
#error "double does not have 53 bits of mantissa here"
#endif

#define AT_LEAST_1(n) ((n) > 0 ? (n) : 1) /* C has no empty arrays */

#include "dynamics_tables.h"
#include "problem.h"

#ifndef BEAMS
#define BEAMS 0 /* flexible */
#endif

/* Whether a mechanism may have something: where numbers are constants, code for what it has none of is left out. */
#ifdef ROOM_BODIES
#define MAY_HAVE(n) 1
#else
#define MAY_HAVE(n) (n > 0)
#endif

/* Arrays have room for a mechanism's own numbers of things, or for more where problem.h says so: there the numbers are
 * variables. */
#ifndef ROOM_BODIES
#define ROOM_BODIES AT_LEAST_1(BODIES)
#define ROOM_MOTIONS AT_LEAST_1(MOTIONS)
#define ROOM_BALLS AT_LEAST_1(BALLS)
#define ROOM_MOST_MOTIONS AT_LEAST_1(MOST_MOTIONS)
#define ROOM_ROWS AT_LEAST_1(ROWS)
#define ROOM_SPRINGS AT_LEAST_1(SPRINGS)
#define ROOM_JOINT_FORCES AT_LEAST_1(JOINT_FORCES)
#define ROOM_WATCHED AT_LEAST_1(WATCHED)
#define ROOM_UNKNOWNS AT_LEAST_1(UNKNOWNS)
#define ROOM_FREEDOMS AT_LEAST_1(FREEDOMS)
#define ROOM_RANK AT_LEAST_1(RANK)
#define ROOM_LAWS AT_LEAST_1(LAWS)
#endif
#define ROOM_BEAMS AT_LEAST_1(BEAMS)
#define ROOM_MOST_MODES AT_LEAST_1(MOST_MODES)

#define GROUND BODIES
#define DAMPERS (SPRINGS + JOINT_FORCES)
#define ROOM_DAMPERS (ROOM_SPRINGS + ROOM_JOINT_FORCES)

#include "dynamics_constants.h"
#include "dynamics_kernels.h"

#endif /* SYMGEN_DYNAMICS_GIVEN_H */
