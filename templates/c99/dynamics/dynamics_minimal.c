/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */

/* dynamics of mechanisms in minimal coordinates, compiled for one mechanism with the module that solves all its groups.
 *
 * Coordinates u are freedoms of joints that are driven. The groups give poses, twists J u' + j and accelerations
 * J u'' + b of all bodies; virtual power with the virtual velocities J gives J^T M J u'' = J^T (F - M b - gyroscopic).
 * The mechanism is in problem.h (sizes, masses, forces, laws), mechanism.h (its groups) and inputs.h (their
 * inputs). No allocation.
 */
#include "dynamics_minimal.h"

#include "dynamics_given.h"
#include "dynamics_virtual.h"

int64_t symgen_dynamics_minimal_workspace_size(void)
{
    return (int64_t)sizeof(symgen_dynamics_minimal_workspace);
}

/* Write one sample of the motion whose rates have been found last. */
static void record(
    const symgen_dynamics_minimal_workspace *w, const double *coordinates, const symgen_dynamics_minimal_samples *out,
    int64_t row)
{
    for (int32_t c = 0; c < COORDINATES; ++c) {
        out->coordinates[COORDINATES*row + c] = coordinates[c];
    }
    double *scalar = out->scalars + 5*row;
    scalar[0] = 0;
    for (int32_t b = 0; b < BODIES; ++b) {
        double energy = 0;
        (void)solve_kinetic(BODY[b].mass, w->now.pose[b] + 3, w->twist[b], BODY[b].inertia, &energy);
        scalar[0] += energy;
        for (int32_t i = 0; i < 7; ++i) {
            out->poses[7*(BODIES*row + b) + i] = w->now.pose[b][i];
        }
        for (int32_t i = 0; i < 6; ++i) {
            out->twists[6*(BODIES*row + b) + i] = w->twist[b][i];
            out->accelerations[6*(BODIES*row + b) + i] = w->acceleration[b][i];
            out->reactions[6*(BODIES*row + b) + i] = w->residual[b][i];
        }
    }
    scalar[1] = w->potential;
    scalar[2] = find_violation(&w->now, w->law);
    scalar[3] = scalar[4] = 0;
}

/* Whether a driven freedom turned back in a step and velocities jump: they change by more than half, and not by
 * acceleration. This happens to a group that was moved to a fold and back. Returns its body, else -1. */
static int32_t find_jump(const symgen_dynamics_minimal_workspace *w, double h)
{
    int32_t turned = 0;
    for (int32_t k = 0; k < DRIVES; ++k) {
        turned = turned || w->rate[k]*w->rate_before[k] <= 0;
    }
    for (int32_t b = 0; turned && b < BODIES; ++b) {
        for (int32_t part = 0; part < 6; part += 3) {
            double gap = 0;
            double size = 0;
            for (int32_t i = part; i < part + 3; ++i) {
                const double before = w->twist_before[b][i];
                const double after = w->twist[b][i];
                const double left = after - before - h/2*(w->acceleration_before[b][i] + w->acceleration[b][i]);
                gap += left*left;
                size += before*before + after*after;
            }
            if (sqrt(gap) > JUMP*sqrt(size) + LEAST_JUMP) {
                return b;
            }
        }
    }
    return -1;
}

/* The body that moves fastest for unit rates of the coordinates: near a singular position it belongs to the singular
 * group. */
static int32_t find_fastest(const symgen_dynamics_minimal_workspace *w)
{
    double fastest = 0;
    int32_t body = -1;
    for (int32_t b = 0; b < BODIES; ++b) {
        double sum = 0;
        for (int32_t c = 0; c < COORDINATES; ++c) {
            for (int32_t i = 0; i < 3; ++i) {
                const double speed = w->column[c][b][i]/REACH;
                const double spin = w->column[c][b][3 + i];
                sum += speed*speed + spin*spin;
            }
        }
        if (sum > fastest) {
            fastest = sum;
            body = b;
        }
    }
    return body;
}

/* Keep the motion at the end of a step, before samples are taken. */
static void keep_end(symgen_dynamics_minimal_workspace *w)
{
#if BRANCHED
    w->kept = w->here;
#endif
    for (int32_t g = 0; g < GROUPS; ++g) {
        w->branch_before[g] = w->branch[g];
    }
    for (int32_t k = 0; k < DRIVES; ++k) {
        w->rate_before[k] = w->rate[k];
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            w->twist_before[b][i] = w->twist[b][i];
            w->acceleration_before[b][i] = w->acceleration[b][i];
        }
    }
    for (int32_t j = 0; j < JOINT_FORCES; ++j) {
        w->angle_before[j] = w->angle[j];
    }
}

struct motion {
    symgen_dynamics_minimal_workspace *w;
    symgen_dynamics_minimal_state *state;
    const int32_t *active;
    const symgen_dynamics_minimal_samples *out;
    /* why a step could not be taken, when, at which group */
    symgen_status lost;
    double lost_time;
    int32_t lost_group;
    int32_t lost_crowded;
};

static symgen_status rates_at(motion *m, double time, const double *state, double *slope)
{
    return find_slope(m->w, time, state, m->state->angle, m->active, slope);
}

/* Groups close all loops. */
static symgen_status correct_state(motion *m, double time, double *state, int32_t at_end)
{
    (void)m;
    (void)time;
    (void)state;
    (void)at_end;
    return SYMGEN_OK;
}

/* Rates are taken relative to 1 m/s or rad/s, or to themselves if larger. */
static double allowed_error(const motion *m, int64_t i, double value, double tolerance)
{
    (void)m;
    return i < COORDINATES || value < 1 ? tolerance : tolerance*value;
}

/* Velocities that jump belong to another branch. */
static symgen_status check_step(motion *m, const explicit_steps *x, double h)
{
    const int32_t body = find_jump(m->w, h);
    if (body < 0) {
        return SYMGEN_OK;
    }
    if (x->tolerance > 0) {
        m->w->group = BODY_GROUP[body] + 1;
    } else {
        m->state->body = body;
    }
    return SYMGEN_BRANCH_LOST;
}

static void keep_step(motion *m)
{
    keep_end(m->w);
}

static void accept_step(motion *m)
{
    for (int32_t j = 0; j < JOINT_FORCES; ++j) {
        m->state->angle[j] = m->w->angle_before[j];
    }
}

static symgen_status record_sample(motion *m, const double *state, const double *slope, int32_t at_end, int64_t row)
{
    (void)slope;
    (void)at_end;
    record(m->w, state, m->out, row);
    return SYMGEN_OK;
}

static int32_t refuse_step(motion *m, const explicit_steps *x, symgen_status status)
{
    symgen_dynamics_minimal_workspace *w = m->w;
#if BRANCHED
    w->here = w->kept; /* stages too far ahead may have lost the branch */
    w->examined = 0;
#endif
    if (status != SYMGEN_OK) {
        m->lost = status;
        m->lost_group = w->group;
        m->lost_crowded = w->crowded;
        m->lost_time = x->time;
    }
    return 1;
}

/* If steps become too small, a group that lately could not be solved is the cause. */
static symgen_status name_cause(motion *m, const explicit_steps *x)
{
    const int32_t lately = x->time - m->lost_time < LATELY*(x->end - x->start);
    m->w->group = lately ? m->lost_group : 0;
    m->w->crowded = lately ? m->lost_crowded : 0;
    m->state->body = lately ? -1 : find_fastest(m->w);
    return lately ? m->lost : SYMGEN_NOT_CONVERGED;
}

symgen_status symgen_dynamics_run_minimal(
    symgen_dynamics_minimal_workspace *w, const symgen_dynamics_minimal_scheme *scheme,
    const symgen_dynamics_minimal_settings *settings, symgen_dynamics_minimal_state *state, const int32_t *active,
    const symgen_dynamics_minimal_samples *out, volatile int64_t *progress)
{
    motion m = {w, state, active, out, SYMGEN_NOT_CONVERGED, 0, 0, 0};
    explicit_steps x = {
        /* the scheme */
        scheme->stages, scheme->width, scheme->nodes, scheme->slopes, scheme->fine, scheme->coarse, scheme->dense,
        /* what is asked for */
        settings->start, settings->end, settings->tolerance, settings->samples, settings->every, settings->most,
        /* memory: laid out below */
        0, 0, 0, 0, 0, 0, progress,
        /* where it is */
        settings->start, state->step, 0, 0};
    if (!is_request(&x) || !is_scheme(&x) || !are_finite(state->coordinates_and_rates, 2*COORDINATES)
        || !are_finite(state->angle, JOINT_FORCES)) {
        return SYMGEN_BAD_INPUT;
    }
    lay_out_steps(&x, 2*COORDINATES, state->coordinates_and_rates, w->steps);
    state->body = -1;
    w->crowded = 0;
#if BRANCHED
    w->started = 0;
#endif
    for (int32_t g = 0; g < GROUPS; ++g) {
        w->branch_before[g] = state->branch[g];
    }
    symgen_status status = rates_at(&m, x.time, state->coordinates_and_rates, x.slope);
    if (status == SYMGEN_OK) {
        for (int32_t j = 0; j < JOINT_FORCES; ++j) {
            state->angle[j] = w->angle[j];
        }
        record(w, state->coordinates_and_rates, out, 0);
        keep_end(w);
        status = take_steps(&x, &m);
    }
    for (int32_t g = 0; g < GROUPS; ++g) {
        state->branch[g] = w->branch_before[g];
    }
    state->time = x.time;
    state->step = x.step;
    state->steps = x.steps;
    state->refused = x.refused;
    state->group = w->group;
    state->crowded = w->crowded;
    return status;
}
