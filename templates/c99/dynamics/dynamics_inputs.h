/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
#ifndef SYMGEN_DYNAMICS_INPUTS_H
#define SYMGEN_DYNAMICS_INPUTS_H

#include "dynamics_given.h"

/* Configurations of the mechanism from its inputs: the module of its groups calculates the motion of all bodies. */

typedef struct {
    double pose[BODIES + 1][7]; /* of the centres of mass; the last is the ground */
} configuration;

#if PLANAR
#define POINTS 4                    /* of each body: its centre of mass, and 1 m along its x axis from there */
#else
#define POINTS 3                    /* its centre of mass */
#endif

typedef struct {                    /* results of the groups; bodies in the order of the file */
    double points[BODIES*POINTS];
    double point_velocities[BODIES*POINTS];
    double point_accelerations[BODIES*POINTS];
#if !PLANAR
    double poses[BODIES*7];
    double twists[BODIES*6];
    double accelerations[BODIES*6];
#endif
} group_motion;

typedef struct {                    /* rows of constraints; here only their residual is used */
    double row[ROOM_ROWS][ROOM_UNKNOWNS];
} row_factors;

#include "mechanism.h"

#include "inputs.h"

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

/* Poses of the centres of mass. */
static void take_poses(const group_motion *m, configuration *c)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        const double *point = m->points + POINTS*MODULE_BODY[b];
        double *found = c->pose[b];
        found[0] = point[0];
        found[1] = point[1];
#if PLANAR
        const double cosine = point[2] - point[0];
        const double sine = point[3] - point[1];
        const double larger = sqrt((1 + fabs(cosine))/2);
        const double smaller = sine/(2*larger);
        found[2] = LIFT[b];
        found[3] = cosine > 0 ? larger : smaller;
        found[4] = found[5] = 0;
        found[6] = cosine > 0 ? smaller : larger;
#else
        found[2] = point[2];
        for (int32_t i = 3; i < 7; ++i) {
            found[i] = m->poses[7*MODULE_BODY[b] + i];
        }
#endif
    }
    for (int32_t i = 0; i < 7; ++i) {
        c->pose[GROUND][i] = i == 3;
    }
}

/* Twists (or accelerations, `of_acceleration`) of the centres of mass. */
static void take_rates(const group_motion *m, int32_t of_acceleration, double (*found)[6])
{
    const double *points = of_acceleration ? m->point_accelerations : m->point_velocities;
    for (int32_t b = 0; b < BODIES; ++b) {
        const double *rate = points + POINTS*MODULE_BODY[b];
        found[b][0] = rate[0];
        found[b][1] = rate[1];
#if PLANAR
        /* the x axis e turns with e' = w z x e, e'' = al z x e - w^2 e */
        const double *point = m->points + POINTS*MODULE_BODY[b];
        found[b][2] = found[b][3] = found[b][4] = 0;
        found[b][5] = (point[2] - point[0])*(rate[3] - rate[1]) - (point[3] - point[1])*(rate[2] - rate[0]);
#else
        const double *frame = (of_acceleration ? m->accelerations : m->twists) + 6*MODULE_BODY[b];
        found[b][2] = rate[2];
        for (int32_t i = 3; i < 6; ++i) {
            found[b][i] = frame[i];
        }
#endif
    }
}

#endif /* SYMGEN_DYNAMICS_INPUTS_H */
