/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
#ifndef SYMGEN_DYNAMICS_MOMENTA_H
#define SYMGEN_DYNAMICS_MOMENTA_H

#include "dynamics_given.h"

enum { START, CENTRAL, VARIATIONAL }; /* how a step is made */

/* Discrete momenta of the bodies at the start of the step from the present configuration to the next one, and their
 * dependence on that. */

typedef struct {
    double step;                      /* h */
    int32_t damped;                   /* velocities, and so dampers, depend on the next configuration */
    double mass[ROOM_BODIES];         /* m/h */
    double turn[ROOM_BODIES][9];      /* of the angular momentum, for a small rotation of the next configuration */
    double inertia[ROOM_BODIES][6];   /* of the present configuration, world axes */
    double half_turn[ROOM_BODIES][3]; /* Vec(q+ conj(q)), world axes */
    double cosine[ROOM_BODIES];
} body_matrices;

static void turn_inertias(const configuration *now, body_matrices *m)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        (void)solve_body_inertia(now->pose[b] + 3, BODY[b].inertia, m->inertia[b]);
    }
}

/* Discrete momenta of all bodies at the start of the step minus `known`, after `turn_inertias`. `before`: half turns of
 * the previous step. */
static void find_momentum_residual(
    int32_t form, double h, const configuration *now, const configuration *next, double (*before)[3],
    double (*known)[6], body_matrices *m, double (*residual)[6])
{
    m->step = h;
    m->damped = form == CENTRAL && DAMPERS > 0;
    for (int32_t b = 0; b < BODIES; ++b) {
        const double *one = now->pose[b];
        const double *two = next->pose[b];
        double spin[3];
        m->mass[b] = BODY[b].mass/h;
        switch (form) {
        case CENTRAL:
            (void)solve_central_departure_world(
                one + 3, two + 3, before[b], m->inertia[b], h, spin, m->turn[b], m->half_turn[b]);
            break;
        case START:
            (void)solve_start_departure_world(
                one + 3, two + 3, m->inertia[b], h, spin, m->turn[b], m->half_turn[b]);
            break;
        default:
            (void)solve_variational_departure_world(one + 3, two + 3, m->inertia[b], h, spin, m->turn[b]);
            break;
        }
        for (int32_t i = 0; i < 3; ++i) {
            residual[b][i] = m->mass[b]*(two[i] - one[i]) - known[b][i];
            residual[b][3 + i] = spin[i] - known[b][3 + i];
        }
        if (m->damped) {
            (void)solve_world_turn(one + 3, two + 3, m->half_turn[b], &m->cosine[b]);
        }
    }
}

/* Twists at the present configuration, from the previous and the next one. */
static void mean_twist(
    double h, const configuration *before, const configuration *next, double (*half_before)[3],
    double (*half_next)[3], double (*twist)[6])
{
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 3; ++i) {
            twist[b][i] = (next->pose[b][i] - before->pose[b][i])/(2*h);
            twist[b][3 + i] = (half_before[b][i] + half_next[b][i])/h;
        }
    }
}

/* Add the damper forces at the velocity of the next configuration to the residual. */
static void add_damping(double h, const damper *dampers, double (*twist)[6], double (*residual)[6])
{
    for (int32_t d = 0; d < DAMPERS; ++d) {
        const double impulse = h*dampers[d].damping*speed_of(dampers + d, twist);
        load(residual, dampers[d].body_1, dampers[d].row_1, impulse);
        load(residual, dampers[d].body_2, dampers[d].row_2, impulse);
    }
}

/* Jacobian of the residual times small twists of the next configuration. */
static void apply(const body_matrices *m, const damper *dampers, double (*twist)[6], double (*wrench)[6])
{
    for (int32_t b = 0; b < BODIES; ++b) {
        const double *t = twist[b];
        const double *turn = m->turn[b];
        for (int32_t i = 0; i < 3; ++i) {
            wrench[b][i] = m->mass[b]*t[i];
            wrench[b][3 + i] = turn[3*i]*t[3] + turn[3*i + 1]*t[4] + turn[3*i + 2]*t[5];
        }
    }
    if (m->damped) {
        double change[ROOM_BODIES][6]; /* of the twists at the present configuration */
        for (int32_t b = 0; b < BODIES; ++b) {
            const double *t = twist[b];
            const double *p = m->half_turn[b];
            const double scale = 1/(2*m->step);
            const double s = m->cosine[b];
            for (int32_t i = 0; i < 3; ++i) {
                change[b][i] = scale*t[i];
            }
            change[b][3] = scale*(s*t[3] - p[1]*t[5] + p[2]*t[4]);
            change[b][4] = scale*(s*t[4] - p[2]*t[3] + p[0]*t[5]);
            change[b][5] = scale*(s*t[5] - p[0]*t[4] + p[1]*t[3]);
        }
        add_damping(m->step, dampers, change, wrench);
    }
}

#endif /* SYMGEN_DYNAMICS_MOMENTA_H */
