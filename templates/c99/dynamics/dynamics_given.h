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

/* Arrays have room for a mechanism's own numbers of things; for more where problem.h says so, and numbers are variables. */
#ifndef ROOM_BODIES
#define ROOM_BODIES BODIES
#define ROOM_MOTIONS MOTIONS
#define ROOM_BALLS BALLS
#define ROOM_MOST_MOTIONS MOST_MOTIONS
#define ROOM_ELEMENTS ELEMENTS
#define ROOM_ROWS ROWS
#define ROOM_SPRINGS SPRINGS
#define ROOM_JOINT_FORCES JOINT_FORCES
#define ROOM_PUSHES PUSHES
#define ROOM_WATCHED WATCHED
#define ROOM_UNKNOWNS UNKNOWNS
#define ROOM_FREEDOMS FREEDOMS
#define ROOM_RANK RANK
#define ROOM_LAWS LAWS
#endif
#define ROOM_BEAMS BEAMS
#define ROOM_MOST_MODES MOST_MODES

#define GROUND BODIES
#define DAMPERS (SPRINGS + JOINT_FORCES)
#define ROOM_DAMPERS (ROOM_SPRINGS + ROOM_JOINT_FORCES)

#include "dynamics_constants.h"
#include "dynamics_kernels.h"

#endif /* SYMGEN_DYNAMICS_GIVEN_H */
