/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
#ifndef SYMGEN_DYNAMICS_ELIMINATION_H
#define SYMGEN_DYNAMICS_ELIMINATION_H

#include "dynamics_given.h"

/* One Newton step of an open tree, body by body: a body passes an articulated inertia on to its parent. The work is
 * proportional to the number of bodies. Columns on the left are those of the present configuration, columns on the
 * right those of the next one. */

typedef struct {
    /* articulated, at the body's centre of mass */
    double inertia[ROOM_BODIES][36];
    double wrench[ROOM_BODIES][6];
    double gain[ROOM_UNKNOWNS][6]; /* minus the step of the unknown per twist of the carrier */
    double shift[ROOM_UNKNOWNS];
    double twist[ROOM_BODIES][6];
} reduced_system;

static void start_directions(reduced_system *s, const configuration *now, const double *law)
{
    (void)s;
    (void)now;
    (void)law;
}

static void renew_directions(reduced_system *s, const configuration *next, const double *law_next)
{
    (void)s;
    (void)next;
    (void)law_next;
}

static void set_rate_rows(reduced_system *s, const configuration *now, const double *law, double (*twist)[6])
{
    (void)s;
    (void)now;
    (void)law;
    (void)twist;
}

static void set_bias_rows(
    reduced_system *s, const configuration *now, const double *law, double (*twist)[6], double (*bias)[6])
{
    (void)s;
    (void)now;
    (void)law;
    (void)twist;
    (void)bias;
}

static void keep_directions(reduced_system *s)
{
    (void)s;
}

/* Joints of an open tree are closed. */
static double find_gap(const reduced_system *s)
{
    (void)s;
    return 0;
}

/* Transform a matrix from the twist of a body to that of its parent: columns with the next lever, rows with the present
 * one. */
static void carry_inertia(
    const double *inertia, const double *lever_now, const double *lever_next, double *carrier)
{
    double right[36];
    for (int32_t i = 0; i < 6; ++i) { /* a twist [v, w] of the carrier is [v + w x l, w] of the body */
        const double *row = inertia + 6*i;
        right[6*i] = row[0];
        right[6*i + 1] = row[1];
        right[6*i + 2] = row[2];
        right[6*i + 3] = row[3] + lever_next[1]*row[2] - lever_next[2]*row[1];
        right[6*i + 4] = row[4] + lever_next[2]*row[0] - lever_next[0]*row[2];
        right[6*i + 5] = row[5] + lever_next[0]*row[1] - lever_next[1]*row[0];
    }
    for (int32_t j = 0; j < 6; ++j) { /* a wrench [f, m] of the body is [f, m + l x f] of the carrier */
        carrier[j] += right[j];
        carrier[6 + j] += right[6 + j];
        carrier[12 + j] += right[12 + j];
        carrier[18 + j] += right[18 + j] + lever_now[1]*right[12 + j] - lever_now[2]*right[6 + j];
        carrier[24 + j] += right[24 + j] + lever_now[2]*right[j] - lever_now[0]*right[12 + j];
        carrier[30 + j] += right[30 + j] + lever_now[0]*right[6 + j] - lever_now[1]*right[j];
    }
}

/* Eliminate the unknowns of one joint; false if mass is missing. */
static int32_t eliminate(
    reduced_system *s, const configuration *now, const configuration *next, int32_t b, int32_t damped)
{
    const int32_t first = BODY[b].first_unknown;
    const int32_t count = BODY[b].end_unknown - first;
    double *inertia = s->inertia[b];
    double *wrench = s->wrench[b];
    /* inertia times columns; columns times inertia, times the wrench */
    double along[6][6];
    double matrix[36];
    double right[6*7];
    for (int32_t k = 0; k < count; ++k) {
        const double *column = next->column[first + k];
        for (int32_t i = 0; i < 6; ++i) {
            double sum = 0;
            for (int32_t j = 0; j < 6; ++j) {
                sum += inertia[6*i + j]*column[j];
            }
            along[k][i] = sum;
        }
    }
    for (int32_t k = 0; k < count; ++k) {
        const double *column = now->column[first + k];
        for (int32_t l = 0; l < count; ++l) {
            double sum = 0;
            for (int32_t i = 0; i < 6; ++i) {
                sum += column[i]*along[l][i];
            }
            matrix[6*k + l] = sum + (k == l && damped ? UNKNOWN_DAMPING[first + k]/2 : 0);
        }
        for (int32_t j = 0; j < 7; ++j) {
            double sum = 0;
            for (int32_t i = 0; i < 6; ++i) {
                sum += column[i]*(j < 6 ? inertia[6*i + j] : wrench[i]);
            }
            right[7*k + j] = sum;
        }
    }
    if (!solve_square(count, matrix, 6, right, 7)) {
        return 0;
    }
    for (int32_t k = 0; k < count; ++k) {
        for (int32_t j = 0; j < 6; ++j) {
            s->gain[first + k][j] = right[7*k + j];
        }
        s->shift[first + k] = right[7*k + 6];
        for (int32_t i = 0; i < 6; ++i) {
            for (int32_t j = 0; j < 6; ++j) {
                inertia[6*i + j] -= along[k][i]*right[7*k + j];
            }
            wrench[i] -= along[k][i]*right[7*k + 6];
        }
    }
    return 1;
}

/* Find the next step of the unknowns; false if mass is missing. `residual` holds wrenches. */
static int32_t find_step(
    reduced_system *s, const configuration *now, const configuration *next, const body_matrices *m,
    const damper *dampers, double (*residual)[6], double *step)
{
    (void)dampers;
    for (int32_t b = 0; b < BODIES; ++b) {
        double *inertia = s->inertia[b];
        for (int32_t i = 0; i < 36; ++i) {
            inertia[i] = 0;
        }
        for (int32_t i = 0; i < 3; ++i) {
            inertia[7*i] = m->mass[b];
            for (int32_t j = 0; j < 3; ++j) {
                inertia[21 + 6*i + j] = m->turn[b][3*i + j];
            }
        }
        for (int32_t i = 0; i < 6; ++i) {
            s->wrench[b][i] = residual[b][i];
        }
    }
    for (int32_t b = BODIES - 1; b >= 0; --b) {
        if (!eliminate(s, now, next, b, m->damped)) {
            return 0;
        }
        if (BODY[b].parent != GROUND) {
            double lever_now[3];
            double lever_next[3];
            find_lever(now, b, lever_now);
            find_lever(next, b, lever_next);
            carry_inertia(s->inertia[b], lever_now, lever_next, s->inertia[BODY[b].parent]);
            pass_on(now, b, s->wrench[b], s->wrench[BODY[b].parent]);
        }
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        double *t = s->twist[b];
        carried_twist(next, b, s->twist);
        for (int32_t k = BODY[b].first_unknown; k < BODY[b].end_unknown; ++k) {
            double sum = -s->shift[k];
            for (int32_t j = 0; j < 6; ++j) {
                sum -= s->gain[k][j]*t[j];
            }
            step[k] = sum;
        }
        for (int32_t k = BODY[b].first_unknown; k < BODY[b].end_unknown; ++k) {
            for (int32_t i = 0; i < 6; ++i) {
                t[i] += next->column[k][i]*step[k];
            }
        }
    }
    return 1;
}

#endif /* SYMGEN_DYNAMICS_ELIMINATION_H */
