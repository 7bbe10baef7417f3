/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
#ifndef SYMGEN_DYNAMICS_REDUCED_H
#define SYMGEN_DYNAMICS_REDUCED_H

#include "dynamics_given.h"

/* One Newton step in the directions that the constraints leave free:
 *   (N^T A N') s = -N^T (r + A p),   step = p + N' s
 * with N of the present configuration, N' and the least solution p of that which is looked for. */

typedef struct {
    row_factors factors;
    double residual[ROOM_ROWS];
    double free_now[ROOM_FREEDOMS][ROOM_UNKNOWNS];
    double free_next[ROOM_FREEDOMS][ROOM_UNKNOWNS];
    double twist[ROOM_BODIES][6];
    double wrench[ROOM_BODIES][6];
} reduced_system;


/* Make the last directions those of the present configuration. */
static void keep_directions(reduced_system *s)
{
    for (int32_t j = 0; j < FREEDOMS; ++j) {
        for (int32_t i = 0; i < UNKNOWNS; ++i) {
            s->free_now[j][i] = s->free_next[j][i];
        }
    }
}

/* Find the free directions of the next configuration. */
static void renew_directions(reduced_system *s, const configuration *next, const double *law_next)
{
    find_rows(next, law_next, &s->factors, s->residual);
    factorise_rows(&s->factors, SINGULAR_PIVOT);
    free_directions(&s->factors, s->free_now, s->free_next);
}

/* Largest residual of the rows at the last call of `renew_directions`; NaN if one is NaN. */
static double find_gap(const reduced_system *s)
{
    double gap = 0;
    for (int32_t k = 0; k < ROWS; ++k) {
        const double size = fabs(s->residual[k]);
        if (!(size <= UNBOUNDED)) { /* NaN too */
            return size;
        }
        gap = size > gap ? size : gap;
    }
    return gap;
}

/* Find the free directions at the start. */
static void start_directions(reduced_system *s, const configuration *now, const double *law)
{
    renew_directions(s, now, law);
    keep_directions(s);
}

/* Generalised forces along the free directions of the present configuration. */
static void project(reduced_system *s, const configuration *now, double *found, int32_t width)
{
    double unknown[ROOM_UNKNOWNS];
    gather(now, s->wrench, unknown);
    for (int32_t j = 0; j < FREEDOMS; ++j) {
        double sum = 0;
        for (int32_t i = 0; i < UNKNOWNS; ++i) {
            sum += s->free_now[j][i]*unknown[i];
        }
        found[j*width] = sum;
    }
}

/* Set up the rows for velocities, or accelerations, instead of steps. */
static void set_rate_rows(reduced_system *s, const configuration *now, const double *law, double (*twist)[6])
{
    find_row_rates(now, law, twist, twist, 0, s->residual);
}

static void set_bias_rows(
    reduced_system *s, const configuration *now, const double *law, double (*twist)[6], double (*bias)[6])
{
    find_row_rates(now, law, twist, bias, 1, s->residual);
}

/* Find the next step of the unknowns, after `renew_directions`; false if mass is missing. `residual` holds wrenches. */
static int32_t find_step(
    reduced_system *s, const configuration *now, const configuration *next, const body_matrices *m,
    const damper *dampers, double (*residual)[6], double *step)
{
    double matrix[ROOM_FREEDOMS*ROOM_FREEDOMS];
    double right[ROOM_FREEDOMS];
    least_solution(&s->factors, s->residual, step);
    spread(next, step, s->twist);
    apply(m, dampers, s->twist, s->wrench);
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            s->wrench[b][i] = -s->wrench[b][i] - residual[b][i];
        }
    }
    project(s, now, right, 1);
    for (int32_t j = 0; j < FREEDOMS; ++j) {
        spread(next, s->free_next[j], s->twist);
        apply(m, dampers, s->twist, s->wrench);
        project(s, now, matrix + j, FREEDOMS);
    }
    if (!solve_square(FREEDOMS, matrix, FREEDOMS, right, 1)) {
        return 0;
    }
    for (int32_t j = 0; j < FREEDOMS; ++j) {
        for (int32_t i = 0; i < UNKNOWNS; ++i) {
            step[i] += right[j]*s->free_next[j][i];
        }
    }
    return 1;
}

#endif /* SYMGEN_DYNAMICS_REDUCED_H */
