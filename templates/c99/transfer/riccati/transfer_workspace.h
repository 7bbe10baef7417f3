/*
 * Part of symgen's engine of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
#ifndef SYMGEN_TRANSFER_WORKSPACE_H
#define SYMGEN_TRANSFER_WORKSPACE_H

#include "dynamics_given.h"

#include "loops.h"

#ifndef ROOM_OPEN
#define ROOM_OPEN AT_LEAST_1(OPEN)
#define ROOM_SLOTS AT_LEAST_1(SLOTS)
#define ROOM_CLOSINGS AT_LEAST_1(CLOSINGS)
#define ROOM_INVERSES AT_LEAST_1(INVERSES)
#define ROOM_INFLUENCES AT_LEAST_1(INFLUENCES)
#define ROOM_MOST_CLOSED AT_LEAST_1(MOST_CLOSED)
#endif

#define COORDINATES_AND_RATES (MOTIONS + 4*BALLS + UNKNOWNS)
#define ROOM_COORDINATES_AND_RATES (ROOM_MOTIONS + 4*ROOM_BALLS + ROOM_UNKNOWNS)

#ifdef SYMGEN_TABLES_ARE_DATA
#elif SYMGEN_TRANSFER_COORDINATES_AND_RATES != COORDINATES_AND_RATES || SYMGEN_TRANSFER_BODIES != BODIES
#error "transfer_sizes.h is of another mechanism than problem.h"
#endif

#include "transfer_numbers.h"
#include "transfer_riccati_kernels.h"
#include "dynamics_tree.h"
#include "dynamics_elements.h"
#include "dynamics_forces.h"
#include "symgen_steps.h"

#if BEAMS
/* A section of a bent beam: s + u, v, w of its centre with rates, the shortening with both derivatives, and each mode's
 * contribution to it. */
typedef struct {
    double at[3];
    double rate[3];
    double drawn[3];
    double draws[ROOM_MOST_MODES];
} section;

/* Coupling of the modes of a beam to its held end and to the joint at its far end; wrenches are [m q]. */
typedef struct {
    /* about the held end: rows [q m]; [q m] */
    double inertia[21];
    double load[6];
    double coupling[ROOM_MOST_MODES][6]; /* between frame and modes, at the held end */
    double felt[ROOM_MOST_MODES][6];     /* the same at the far end */
    /* lower triangles; Cholesky's of D */
    double mass[ROOM_MOST_MODES][ROOM_MOST_MODES];
    double factor[ROOM_MOST_MODES][ROOM_MOST_MODES];
    double driving[ROOM_MOST_MODES]; /* generalised forces on the modes */
    /* axes of the floating frame; of the turns of the far end */
    double held[9];
    double about[9];
} bent_beam;

/* Section p of beam k: of mass point p, or the far end. */
static void find_section(const configuration *c, const double *rates, int32_t k, int32_t p, section *s)
{
    const beam_row *beam = BEAM + k;
    const int32_t count = beam->modes;
    const double *value = c->value + beam->motion;
    const double *rate = rates + beam->unknown;
    const double *draws = SECTION_DRAWS + beam->draws + p*count*count;
    for (int32_t i = 0; i < 3; ++i) {
        s->at[i] = s->rate[i] = s->drawn[i] = 0;
    }
    s->at[0] = SECTION_PLACE[k][p];
    for (int32_t j = 0; j < count; ++j) {
        const double *shape = SECTION_SHAPE[(STATIONS + 1)*(beam->mode + j) + p];
        double sum = 0;
        double speed = 0;
        for (int32_t i = 0; i < 3; ++i) {
            s->at[i] += shape[i]*value[j];
            s->rate[i] += shape[i]*rate[j];
        }
        for (int32_t i = BEAM_MODE[beam->mode + j].first_drawn; i < BEAM_MODE[beam->mode + j].end_drawn; ++i) {
            sum += draws[count*j + i]*value[i];
            speed += draws[count*j + i]*rate[i];
        }
        s->draws[j] = sum;
        s->drawn[0] += sum*value[j]/2;
        s->drawn[1] += sum*rate[j];
        s->drawn[2] += speed*rate[j];
    }
}
#endif

/* Columns of a pseudo-inverse that are found together. */
#define COLUMNS_AT_ONCE 4

/* Stored data: the configuration, the results of the sweeps for every body, joint and loop, and memory for steps. */

struct symgen_transfer_workspace {
    configuration now;
    double frame[ROOM_MOTIONS + ROOM_BODIES][7]; /* joint frames before and after each motion of the tree */
    double law[ROOM_LAWS];
    double rate[ROOM_UNKNOWNS];
    double twist[ROOM_BODIES][6];
    double acceleration[ROOM_BODIES][6];
    double wrench[ROOM_BODIES][6];
    double swept[ROOM_BODIES][6];                /* relative to the carrier, without those of the unknowns */
    double turning[ROOM_BODIES][6];              /* inertia, world axes */
    damper dampers[ROOM_DAMPERS];
    double angle[ROOM_JOINT_FORCES];
    double angle_before[ROOM_JOINT_FORCES];
    double watched[ROOM_WATCHED];
    double potential;
    /* of each body: P S = minus its articulated inertia (lower triangle; after its joint: as its carrier sees it); e;
     * sizes of the terms of the inertia */
    double inertia[ROOM_BODIES][21];
    double load[ROOM_BODIES][6];
    double size[ROOM_BODIES][2];
    double lever[ROOM_BODIES][3]; /* from its centre of mass to its carrier's, of the inertias */
    /* of up to three unknowns, at the first of them: H, Ka, D^-1; of each unknown: K0; pivot; acceleration */
    double hinge[6*ROOM_UNKNOWNS];
    double gain[6*ROOM_UNKNOWNS];
    double root[ROOM_UNKNOWNS][6];
    double shift[ROOM_UNKNOWNS];
    double pivot[ROOM_UNKNOWNS];
    double coordinate_acceleration[ROOM_UNKNOWNS];
    /* of each row of a loop: Jacobians of both bodies, residual, terms to balance, multiplier */
    double row[ROOM_ROWS][2][6];
    double residual[ROOM_ROWS];
    double term[ROOM_ROWS];
    double multiplier[ROOM_ROWS];
    /* of each loop row open at a body: wrench of a unit multiplier there, [m q]; r and Kl of the joint's unknowns */
#if BEAMS
    double unit_wrench[ROOM_OPEN][6];
    double along[ROOM_OPEN][6 + ROOM_MOST_MODES];
    double turned[ROOM_OPEN][3 + ROOM_MOST_MODES];
    bent_beam bent[ROOM_BEAMS];
    double floating[ROOM_BEAMS][7]; /* floating frames, x along the straight beams */
#else
    double unit_wrench[ROOM_OPEN][6];
    double along[ROOM_OPEN][6];
    double turned[ROOM_OPEN][3];
#endif
    double link[ROOM_SLOTS][ROOM_SLOTS]; /* effect of multipliers on rows */
    double terms[ROOM_ROWS];             /* bound of its diagonal, from lengths */
    double least;                        /* smallest pivot so far in the closings */
    /* of each closing: pseudo-inverse, and its multipliers: by open ones, by the body's acceleration, constant part */
    double inverse[ROOM_INVERSES];
    double influence[ROOM_INFLUENCES];
    double by_acceleration[ROOM_ROWS][6];
    double offset[ROOM_ROWS];
    double factor[ROOM_MOST_CLOSED][ROOM_MOST_CLOSED]; /* its columns */
    double work[2][ROOM_MOST_CLOSED];
    double columns[ROOM_MOST_CLOSED][COLUMNS_AT_ONCE];
    double upper[ROOM_MOST_CLOSED*ROOM_MOST_CLOSED];
    int32_t picked[ROOM_MOST_CLOSED];
    int32_t rank[ROOM_CLOSINGS];
    double steps[NUMBERS_OF_STEPS(ROOM_COORDINATES_AND_RATES, MOST_SLOPES, 1)];
    double unit[ROOM_COORDINATES_AND_RATES]; /* m, for lengths in a state and their rates; 1 for others */
    double opened;
    int32_t body;             /* whose joint moves no mass, else -1 */
};

static const double NOTHING[6] = {0, 0, 0, 0, 0, 0};

static inline void set_to(double *found, const double *what)
{
    for (int32_t i = 0; i < 6; ++i) {
        found[i] = what[i];
    }
}

static inline void add_to(double *found, const double *what, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        found[i] += what[i];
    }
}

#endif /* SYMGEN_TRANSFER_WORKSPACE_H */
