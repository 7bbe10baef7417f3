/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
/* Accelerations of the coordinates by virtual power. */
#ifndef SYMGEN_DYNAMICS_VIRTUAL_H
#define SYMGEN_DYNAMICS_VIRTUAL_H

#include "dynamics_branches.h"

/* Mass matrix of a body times a twist. */
static void weigh(double mass, const double *inertia, const double *twist, double *found)
{
    const double *w = twist + 3;
    for (int32_t i = 0; i < 3; ++i) {
        found[i] = mass*twist[i];
    }
    found[3] = inertia[0]*w[0] + inertia[3]*w[1] + inertia[4]*w[2];
    found[4] = inertia[3]*w[0] + inertia[1]*w[1] + inertia[5]*w[2];
    found[5] = inertia[4]*w[0] + inertia[5]*w[1] + inertia[2]*w[2];
}

static double power_of(double (*wrench)[6], double (*twist)[6])
{
    double sum = 0;
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            sum += wrench[b][i]*twist[b][i];
        }
    }
    return sum;
}

/* Solve a symmetric positive definite system in place, scaled to a unit diagonal; false if it is not definite. */
static int32_t solve_definite(
    double matrix[AT_LEAST_1(COORDINATES)][AT_LEAST_1(COORDINATES)], double *right)
{
    double scale[AT_LEAST_1(COORDINATES)];
    for (int32_t i = 0; i < COORDINATES; ++i) {
        if (!(matrix[i][i] > 0)) {
            return 0;
        }
        scale[i] = 1/sqrt(matrix[i][i]);
        right[i] *= scale[i];
    }
    for (int32_t i = 0; i < COORDINATES; ++i) {
        for (int32_t j = 0; j <= i; ++j) {
            double sum = matrix[i][j]*scale[i]*scale[j];
            for (int32_t k = 0; k < j; ++k) {
                sum -= matrix[i][k]*matrix[j][k];
            }
            if (j < i) {
                matrix[i][j] = sum/matrix[j][j];
            } else if (sum > INDEFINITE) {
                matrix[i][i] = sqrt(sum);
            } else {
                return 0;
            }
        }
        for (int32_t k = 0; k < i; ++k) {
            right[i] -= matrix[i][k]*right[k];
        }
        right[i] /= matrix[i][i];
    }
    for (int32_t i = COORDINATES - 1; i >= 0; --i) {
        for (int32_t k = i + 1; k < COORDINATES; ++k) {
            right[i] -= matrix[k][i]*right[k];
        }
        right[i] /= matrix[i][i];
    }
    for (int32_t i = 0; i < COORDINATES; ++i) {
        right[i] *= scale[i];
    }
    return 1;
}

/* Motion of all bodies for driven freedoms, left in `moving`. */
static symgen_status find_followed(
    symgen_dynamics_minimal_workspace *w, const double *u, const double *ud, const double *udd)
{
#if BRANCHED
    return find_near(w, &w->here, u, ud, udd, w->branch);
#else
    for (int32_t g = 0; g < GROUPS; ++g) {
        w->branch[g] = w->branch_before[g];
    }
    return find_motion(u, ud, udd, w->branch, &w->moving, &w->group);
#endif
}

#if COORDINATES == 1 && DRIVES == 1
/* As below, if a single coordinate is all that moves: twists are proportional to its rate, and the remaining
 * accelerations (there are no laws) to its square. */
static symgen_status find_columns(symgen_dynamics_minimal_workspace *w, const double *state)
{
    const double one = 1;
    const double none = 0;
    const double rate = state[1];
    w->rate[0] = rate;
#if BRANCHED
    const symgen_status there = move_region(w, state);
    if (there != SYMGEN_OK) {
        return there;
    }
    const symgen_status status = w->blurred ? find_limit(w, state, &one, &none) : find_followed(w, state, &one, &none);
#else
    const symgen_status status = find_followed(w, state, &one, &none);
#endif
    if (status != SYMGEN_OK) {
        return status;
    }
#if BRANCHED
    if (!w->blurred)
#endif
    {
        take_poses(&w->moving, &w->now);
        take_rates(&w->moving, 0, w->column[0]);
        take_rates(&w->moving, 1, w->acceleration);
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            w->twist[b][i] = rate*w->column[0][b][i];
            w->acceleration[b][i] *= rate*rate;
        }
    }
    return SYMGEN_OK;
}
#else
/* Values, rates and accelerations of all driven freedoms: coordinates, and those that have a law. */
static void set_inputs(const double *law, const double *state, double *u, double *ud, double *udd)
{
    for (int32_t k = 0; k < DRIVES; ++k) {
        const int32_t own = DRIVE[k].coordinate;
        const int32_t other = DRIVE[k].law;
        u[k] = own >= 0 ? state[own] : law[other];
        ud[k] = own >= 0 ? state[COORDINATES + own] : law[RATES + other];
        udd[k] = own >= 0 ? 0 : law[SECONDS + other];
    }
}

/* Motion of all bodies from coordinates and rates, their accelerations due to the laws alone, and twists of unit rates.
 * */
static symgen_status find_columns(symgen_dynamics_minimal_workspace *w, const double *state)
{
    double u[AT_LEAST_1(DRIVES)];
    double ud[AT_LEAST_1(DRIVES)];
    double udd[AT_LEAST_1(DRIVES)];
    set_inputs(w->law, state, u, ud, udd);
    for (int32_t k = 0; k < DRIVES; ++k) {
        w->rate[k] = ud[k];
    }
    symgen_status status = SYMGEN_OK;
#if BRANCHED
    status = move_region(w, u);
    if (status != SYMGEN_OK) {
        return status;
    }
    if (w->blurred) {
        return find_limit(w, u, ud, udd);
    }
#endif
    status = find_followed(w, u, ud, udd);
    if (status != SYMGEN_OK) {
        return status;
    }
    take_poses(&w->moving, &w->now);
    take_rates(&w->moving, 0, w->twist);
    take_rates(&w->moving, 1, w->acceleration);
    for (int32_t k = 0; k < DRIVES; ++k) {
        ud[k] = udd[k] = 0;
    }
    for (int32_t c = 0; c < COORDINATES; ++c) {
        ud[INPUT[c]] = 1;
        status = find_motion(u, ud, udd, w->branch, &w->moving, &w->group);
        if (status != SYMGEN_OK) {
            return status;
        }
        take_rates(&w->moving, 0, w->column[c]);
        ud[INPUT[c]] = 0;
    }
    return SYMGEN_OK;
}
#endif

/* All forces except those of joints; dampers and gyroscopic torques are included. */
static void find_wrenches(symgen_dynamics_minimal_workspace *w, const double *angle, const int32_t *active)
{
    for (int32_t j = 0; j < JOINT_FORCES; ++j) {
        w->angle[j] = angle[j];
    }
    w->potential = find_forces(&w->now, w->law, active, w->angle, w->twist, w->wrench, w->dampers);
    for (int32_t d = 0; d < DAMPERS; ++d) {
        const double size = -w->dampers[d].damping*speed_of(w->dampers + d, w->twist);
        load(w->wrench, w->dampers[d].body_1, w->dampers[d].row_1, size);
        load(w->wrench, w->dampers[d].body_2, w->dampers[d].row_2, size);
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        double torque[3];
        (void)solve_gyroscopic(w->now.pose[b] + 3, w->twist[b] + 3, BODY[b].inertia, torque);
        (void)solve_body_inertia(w->now.pose[b] + 3, BODY[b].inertia, w->inertia[b]);
        for (int32_t i = 0; i < 3; ++i) {
            w->wrench[b][3 + i] -= torque[i];
        }
    }
}

/* Rates of coordinates and of their rates; joint wrenches are left in `residual`. */
static symgen_status find_slope(
    symgen_dynamics_minimal_workspace *w, double time, const double *state, const double *angle,
    const int32_t *active, double *slope)
{
    double mass[AT_LEAST_1(COORDINATES)][AT_LEAST_1(COORDINATES)];
    double weight[BODIES][6];
    double *found = slope + COORDINATES;
    w->group = 0;
    find_laws(time, w->law);
    const symgen_status status = find_columns(w, state);
    if (status != SYMGEN_OK) {
        return status;
    }
    find_wrenches(w, angle, active);
    if (!have_values(w->wrench, w->potential)) {
        return SYMGEN_BAD_INPUT;
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        weigh(BODY[b].mass, w->inertia[b], w->acceleration[b], w->residual[b]);
        for (int32_t i = 0; i < 6; ++i) {
            w->residual[b][i] -= w->wrench[b][i];
        }
    }
    for (int32_t c = 0; c < COORDINATES; ++c) {
        for (int32_t b = 0; b < BODIES; ++b) {
            weigh(BODY[b].mass, w->inertia[b], w->column[c][b], weight[b]);
        }
        for (int32_t d = 0; d <= c; ++d) {
            mass[c][d] = power_of(weight, w->column[d]);
        }
        found[c] = -power_of(w->residual, w->column[c]);
        slope[c] = state[COORDINATES + c];
    }
    if (COORDINATES > 0 && !solve_definite(mass, found)) {
        return SYMGEN_SINGULAR;
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        double change[6];
        for (int32_t i = 0; i < 6; ++i) {
            for (int32_t c = 0; c < COORDINATES; ++c) {
                w->acceleration[b][i] += found[c]*w->column[c][b][i];
            }
        }
        weigh(BODY[b].mass, w->inertia[b], w->acceleration[b], change);
        for (int32_t i = 0; i < 6; ++i) {
            w->residual[b][i] = change[i] - w->wrench[b][i];
        }
    }
    for (int32_t c = 0; c < COORDINATES; ++c) {
        if (!(fabs(found[c]) <= DBL_MAX)) {
            return SYMGEN_BAD_INPUT;
        }
    }
    return SYMGEN_OK;
}

#endif /* SYMGEN_DYNAMICS_VIRTUAL_H */
