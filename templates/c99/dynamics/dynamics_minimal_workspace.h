/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
/* What is kept from step to step in minimal coordinates. */
#ifndef SYMGEN_DYNAMICS_MINIMAL_WORKSPACE_H
#define SYMGEN_DYNAMICS_MINIMAL_WORKSPACE_H

#include "dynamics_inputs.h"
#include "dynamics_rows.h"
#include "dynamics_forces.h"
#include "symgen_steps.h"

#if BRANCHED
typedef struct {              /* poses; twists and accelerations of unit rates of each driven freedom */
    double pose[BODIES][7];
    double column[AT_LEAST_1(DRIVES)][BODIES][6];
    double bend[AT_LEAST_1(DRIVES)][BODIES][6];
} sight;

typedef struct {              /* a neighbourhood in which no branch is met */
    double u[AT_LEAST_1(DRIVES)];
    int32_t branch[GROUPS];
    sight seen;
    /* how a displacement uses it up: linear and quadratic */
    double near[AT_LEAST_1(DRIVES)];
    double bend[AT_LEAST_1(DRIVES)];
    double apart[GROUPS];     /* of each group from its nearest branch */
    double least;             /* of all, for ... */
    /* this group and branch */
    int32_t group;
    int32_t other;
    int32_t renamed;          /* 1 + group whose branch changes its number without meeting another, else 0; on ... */
    int32_t axis;             /* this driven freedom ... */
    /* its distance; displacement per unit of the freedom */
    double way;
    double size;
} region;

typedef struct {              /* where a branch of the region's centre meets another one */
    int32_t exists;
    symgen_status status;     /* SYMGEN_OK: the motion after it is known */
    /* the driven freedom along which it was found */
    int32_t group;
    int32_t axis;
    double u[AT_LEAST_1(DRIVES)];
    double slope[AT_LEAST_1(DRIVES)];
    /* of the region's centre; range of blurred numbers; displacement per unit */
    double side;
    double width;
    double size;
    double doubt;             /* uncertainty of its position: distance from the last regular one */
    region behind;
} meeting;

#define LIMIT_NUMBERS (BODIES*(19 + 6*COORDINATES))
#endif

struct symgen_dynamics_minimal_workspace {
    group_motion moving;
    configuration now;
    double law[AT_LEAST_1(LAWS)];
    double angle[AT_LEAST_1(JOINT_FORCES)];
    double angle_before[AT_LEAST_1(JOINT_FORCES)];
    double column[AT_LEAST_1(COORDINATES)][BODIES][6];       /* twists of unit rates */
    double twist[BODIES][6];
    double acceleration[BODIES][6];
    double wrench[BODIES][6];
    double residual[BODIES][6];
    double twist_before[BODIES][6];
    double acceleration_before[BODIES][6];
    /* of the driven freedoms */
    double rate[AT_LEAST_1(DRIVES)];
    double rate_before[AT_LEAST_1(DRIVES)];
    double inertia[BODIES][6];
    damper dampers[AT_LEAST_1(DAMPERS)];
    double steps[NUMBERS_OF_STEPS(AT_LEAST_1(2*COORDINATES), MOST_SLOPES, 1)];
    double potential;
    int32_t group;
    int32_t crowded;
    int32_t branch[GROUPS];
    int32_t branch_before[GROUPS];
#if BRANCHED
    int32_t started;
    int32_t examined;
    int32_t blurred;
    region here;
    region kept;
    region next;
    meeting meets;            /* of `here`, once it is examined */
    sight own;
    sight other;
    configuration tried;
    double before[3][BODIES][3][7];
    double behind[BODIES][3][7];
    double limit[2][LIMIT_NUMBERS];
    double first_pose[BODIES][7];
    double best_pose[BODIES][7];
    double best_twist[BODIES][6];
    double best_acceleration[BODIES][6];
#endif
};

#endif /* SYMGEN_DYNAMICS_MINIMAL_WORKSPACE_H */
