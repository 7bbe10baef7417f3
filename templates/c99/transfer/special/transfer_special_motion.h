/*
 * Part of symgen's special engines of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
/* Steps of a tree, the same for every special engine. The including file defines VALUES (numbers of the state per
 * body), FIRST_RATE (the first rate of these), `tree`, `layout` and `write_sample`. */
#ifndef SYMGEN_TRANSFER_SPECIAL_MOTION_H
#define SYMGEN_TRANSFER_SPECIAL_MOTION_H

#include "transfer_special_closing.h"

struct motion {
    const tree *system;
    symgen_transfer_special_run *run;
    const symgen_transfer_special_samples *out;
    const layout *work;
};

static symgen_status rates_at(motion *m, double time, const double *state, double *slope)
{
    (void)time;
    return find_rates(m->system, state, slope, m->work, &m->run->body);
}

static symgen_status correct_state(motion *m, double time, double *state, int32_t at_end)
{
    (void)time;
    (void)at_end;
    return close_gaps(m->system, state, m->work, &m->run->body);
}

/* Values are taken relative to 1, or to themselves if larger. */
static double allowed_error(const motion *m, int64_t i, double value, double tolerance)
{
    (void)m;
    (void)i;
    return value > 1 ? tolerance*value : tolerance;
}

/* With fixed steps the integration is unstable if it leaves what is finite, or if bodies turn further in a step than
 * any motion can. */
static symgen_status check_step(motion *m, const explicit_steps *x, double h)
{
    int32_t good = x->tolerance > 0 || are_finite(x->slope + x->stages*x->size, x->size);
    (void)m;
    for (int64_t i = 0; i < x->size && good && !(x->tolerance > 0); ++i) {
        good = i%VALUES < FIRST_RATE || h*fabs(x->next[i]) <= WILD;
    }
    return good ? SYMGEN_OK : SYMGEN_NOT_CONVERGED;
}

static void keep_step(motion *m)
{
    (void)m;
}

static void accept_step(motion *m)
{
    (void)m;
}

static symgen_status record_sample(motion *m, const double *state, const double *slope, int32_t at_end, int64_t row)
{
    (void)at_end;
    write_sample(m->system, state, slope, m->out, row);
    return SYMGEN_OK;
}

/* Loops that cannot be closed ask for shorter steps; a tree that cannot be solved will not be. */
static int32_t refuse_step(motion *m, const explicit_steps *x, symgen_status status)
{
    (void)m;
    (void)x;
    return status == SYMGEN_OK || status == SYMGEN_NOT_CONVERGED;
}

static symgen_status name_cause(motion *m, const explicit_steps *x)
{
    (void)m;
    (void)x;
    return SYMGEN_NOT_CONVERGED;
}

/* Calculate a whole trajectory, from the initial state to samples. `memory`: what follows the recursion's workspace. */
static symgen_status integrate(
    const tree *system, const symgen_transfer_special_scheme *scheme, const symgen_transfer_special_settings *settings,
    symgen_transfer_special_run *run, const symgen_transfer_special_samples *out, const layout *work, double *memory,
    volatile int64_t *progress)
{
    motion m = {system, run, out, work};
    explicit_steps x = {
        /* the scheme */
        scheme->stages, scheme->width, scheme->nodes, scheme->slopes, scheme->fine, scheme->coarse, scheme->dense,
        /* what is asked for */
        settings->start, settings->end, settings->tolerance, settings->samples, settings->every, settings->most,
        /* memory: laid out below */
        0, 0, 0, 0, 0, 0, progress,
        /* where it is */
        settings->start, run->step, 0, 0};
    if (!is_request(&x) || !is_scheme(&x)) {
        return SYMGEN_BAD_INPUT;
    }
    lay_out_steps(&x, (int64_t)system->bodies*VALUES, run->state, memory);
    run->time = settings->start;
    run->body = -1;
    run->steps = run->refused = 0;
    if (!are_finite(run->state, x.size)) {
        return SYMGEN_BAD_INPUT;
    }
    symgen_status status = rates_at(&m, x.time, run->state, x.slope);
    if (status != SYMGEN_OK) {
        return status;
    }
    write_sample(system, run->state, x.slope, out, 0);
    status = take_steps(&x, &m);
    run->time = x.time;
    run->step = x.step;
    run->steps = x.steps;
    run->refused = x.refused;
    return status;
}

#endif /* SYMGEN_TRANSFER_SPECIAL_MOTION_H */
