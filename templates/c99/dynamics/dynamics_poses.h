/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
#ifndef SYMGEN_DYNAMICS_POSES_H
#define SYMGEN_DYNAMICS_POSES_H

#include "dynamics_given.h"

/* Configurations of the mechanism as poses of all bodies: every joint is rows of constraints. */

typedef struct {
    double pose[ROOM_BODIES + 1][7]; /* of the centres of mass; the last is the ground */
} configuration;

static void copy_configuration(const configuration *from, configuration *to)
{
    memcpy(to->pose, from->pose, (size_t)(BODIES + 1)*sizeof to->pose[0]);
}

static void find_poses(configuration *c, const double *law)
{
    (void)c;
    (void)law;
}

/* Add steps of the unknowns: for each body a displacement and a small rotation. */
static void advance(configuration *c, const double *step)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        double *pose = c->pose[b];
        const double before[4] = {pose[3], pose[4], pose[5], pose[6]};
        for (int32_t i = 0; i < 3; ++i) {
            pose[i] += step[6*b + i];
        }
        (void)solve_spin(before, step + 6*b + 3, pose + 3);
    }
}

/* Twists of all bodies from steps of the unknowns. */
static void spread(const configuration *c, const double *step, double (*twist)[6])
{
    (void)c;
    for (int32_t k = 0; k < UNKNOWNS; ++k) {
        twist[k/6][k%6] = step[k];
    }
}

/* Generalised forces on the unknowns from wrenches on the bodies. */
static inline void gather(const configuration *c, double (*wrench)[6], double *found)
{
    (void)c;
    for (int32_t k = 0; k < UNKNOWNS; ++k) {
        found[k] = wrench[k/6][k%6];
    }
}

/* Add the generalised forces of wrenches on one body to as many rows of constraints (`count`). */
static inline void add_rows(
    const configuration *c, int32_t body, int32_t meet, int32_t count, double (*wrench)[6],
    double (*row)[ROOM_UNKNOWNS])
{
    (void)c;
    (void)meet;
    for (int32_t r = 0; body != GROUND && r < count; ++r) {
        for (int32_t i = 0; i < 6; ++i) {
            row[r][6*body + i] += wrench[r][i];
        }
    }
}

/* The largest coordinate: corrections below its rounding count as zero. */
static inline double find_reach(const configuration *c)
{
    double far = 0;
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 3; ++i) {
            const double size = fabs(c->pose[b][i]);
            far = size > far ? size : far;
        }
    }
    return far;
}

/* Poses have no angles that could grow over many turns. */
static void shorten_turns(configuration *before, configuration *now, double *taken)
{
    (void)before;
    (void)now;
    (void)taken;
}

static inline void return_turns(const double *taken, double *watched)
{
    (void)taken;
    (void)watched;
}

static void return_turns_to_state(const double *taken, symgen_dynamics_state *state)
{
    (void)taken;
    (void)state;
}

/* Read the poses from a state. */
static void read_state(const symgen_dynamics_state *state, configuration *c)
{
    for (int32_t k = 0; k < 7*BODIES; ++k) {
        c->pose[k/7][k%7] = state->coordinates[k];
    }
    for (int32_t i = 0; i < 7; ++i) {
        c->pose[GROUND][i] = i == 3;
    }
}

static void write_state(const configuration *c, symgen_dynamics_state *state)
{
    for (int32_t k = 0; k < 7*BODIES; ++k) {
        state->coordinates[k] = c->pose[k/7][k%7];
    }
}

/* Rates of the unknowns over a span of time. */
static void find_rates(const configuration *one, const configuration *two, double span, double *rate)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        double half[3];
        double cosine;
        (void)solve_world_turn(one->pose[b] + 3, two->pose[b] + 3, half, &cosine);
        for (int32_t i = 0; i < 3; ++i) {
            rate[6*b + i] = (two->pose[b][i] - one->pose[b][i])/span;
            rate[6*b + 3 + i] = 2*half[i]/span;
        }
    }
}

static void driven_twists(const configuration *c, const double *law, double (*twist)[6])
{
    (void)c;
    (void)law;
    for (int32_t k = 0; k < 6*BODIES; ++k) {
        twist[k/6][k%6] = 0;
    }
}

static void find_bias(
    const configuration *c, const double *law, const double *rate, double (*twist)[6], double (*bias)[6])
{
    (void)rate;
    (void)twist;
    driven_twists(c, law, bias);
}

#endif /* SYMGEN_DYNAMICS_POSES_H */
