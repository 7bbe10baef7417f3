/*
 * Part of symgen's engines; plain C, the same for all of them.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", 2nd ed. 1993, sections
 * II.4, II.6 and II.10, code DOP853
 */
/* Explicit Runge-Kutta steps of equal length, or as long as a tolerance allows; samples come from an interpolant.
 *
 * An engine defines `struct motion`, whatever it needs to know of what moves, and the functions that are declared below
 * without a body. */
#ifndef SYMGEN_STEPS_H
#define SYMGEN_STEPS_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "symgen_status.h"

#define MOST_SLOPES 16       /* of a scheme */
#define WEIGHTS_ROUNDED 1e-9 /* how far the sum of the weights of a scheme may be from 1 */
#define SAFETY 0.9           /* of the step that an error estimate promises, this part is taken */
#define MOST_FACTOR 6.0      /* of a step from one to the next */
#define LEAST_FACTOR 0.2
#define NEARLY_ALL 0.999999  /* a step of more than this part of what is left goes to the end */
#define SHORTEST_STEP 1e-9   /* part of the time below which a step is too short */
#define WILD 1e2             /* way of an unknown in one step [rad or units of length] that no motion goes */
#define BLOCK 256            /* numbers that are summed up at a time: they stay in the cache */

typedef struct motion motion;

typedef struct {
    /* the scheme */
    int32_t stages;       /* slopes of a step; the next slope is at its end, further ones are for the interpolant */
    int32_t width;        /* number of slopes */
    const double *nodes;  /* [width] time of each slope, as a fraction of the step */
    const double *slopes; /* [width][width] weights of the slopes before each; row `stages` holds those of the step */
    const double *fine;   /* [width] weights of the error estimate of order 5 */
    const double *coarse; /* [width] weights of the estimate of order 3 */
    const double *dense;  /* [4][width] weights of the interpolant */
    /* what is asked for; times in s */
    double start;
    double end;
    double tolerance; /* for the error of a step; 0: fixed steps */
    int64_t samples;  /* spans between samples */
    int64_t every;    /* fixed steps in each span */
    int64_t most;     /* steps */
    /* numbers of a state; arrays of as many */
    int64_t size;
    double *state;  /* where the step starts */
    double *slope;  /* [width] rows */
    double *next;   /* where the step ends */
    double *within; /* a state within it; with fixed steps the same as `next` */
    double *terms;  /* 7 rows: of the interpolant; not used with fixed steps */
    volatile int64_t *progress; /* [0] written: millionths done; [1] read: not 0 to stop */
    /* where it is */
    double time;
    double step; /* next one to try, with automatic steps */
    int64_t steps;
    int64_t refused;
} explicit_steps;

/* What an engine says of its motion. Rates of a state at a time: */
static symgen_status rates_at(motion *m, double time, const double *state, double *slope);

/* Correct a state at the end of a step, or a sample within one, for what rates cannot hold: lengths, loops. */
static symgen_status correct_state(motion *m, double time, double *state, int32_t at_end);

/* Error of one number of a state that is allowed in a step; `value` is its size. */
static double allowed_error(const motion *m, int64_t i, double value, double tolerance);

/* Whether a step of length h, from `state` to `next`, was a motion. */
static symgen_status check_step(motion *m, const explicit_steps *x, double h);

/* A step is accepted: before samples are taken in it, and after. */
static void keep_step(motion *m);
static void accept_step(motion *m);

/* Write a sample. The last slope that was found is of this state; `at_end` of a step, or within it. */
static symgen_status record_sample(motion *m, const double *state, const double *slope, int32_t at_end, int64_t row);

/* A step was not taken; `status` OK: its error was too large. Tell whether to try a shorter one. */
static int32_t refuse_step(motion *m, const explicit_steps *x, symgen_status status);

/* Steps became too short: tell why. */
static symgen_status name_cause(motion *m, const explicit_steps *x);

/* Number of double values that steps need beside a state of `size`; `chosen` not 0 for automatic steps. */
#define NUMBERS_OF_STEPS(size, width, chosen) ((size)*((width) + 1 + ((chosen) ? 8 : 0)))

/* Give steps their memory. */
static inline void lay_out_steps(explicit_steps *x, int64_t size, double *state, double *memory)
{
    x->size = size;
    x->state = state;
    x->slope = memory;
    x->next = x->slope + size*x->width;
    x->within = x->tolerance > 0 ? x->next + size : x->next;
    x->terms = x->within + size;
}

/* Whether numbers are finite. */
static inline int32_t are_finite(const double *values, int64_t count)
{
    int32_t finite = 1;
    for (int64_t k = 0; k < count; ++k) {
        finite &= fabs(values[k]) <= DBL_MAX;
    }
    return finite;
}

/* Whether the scheme is one, with at most MOST_SLOPES slopes; for automatic steps it must have error estimates. */
static inline int32_t is_scheme(const explicit_steps *x)
{
    const int32_t width = x->width;
    const int32_t stages = x->stages;
    double weights = 0;
    double errors = 0;
    if (stages < 1 || stages >= width || width > MOST_SLOPES || !x->nodes || !x->slopes) {
        return 0;
    }
    if (!are_finite(x->nodes, width) || !are_finite(x->slopes, (int64_t)width*width)) {
        return 0;
    }
    for (int32_t k = 0; k < stages; ++k) {
        weights += x->slopes[width*stages + k];
    }
    if (!(fabs(weights - 1) <= WEIGHTS_ROUNDED)) { /* for a step with equal slopes */
        return 0;
    }
    if (!(x->tolerance > 0)) {
        return 1;
    }
    if (!x->fine || !x->coarse || !x->dense || !are_finite(x->fine, width) || !are_finite(x->coarse, width)
        || !are_finite(x->dense, 4*(int64_t)width)) {
        return 0;
    }
    for (int32_t k = 0; k < stages; ++k) {
        errors += fabs(x->fine[k]);
    }
    return errors > 0;
}

/* Whether what is asked for is valid; with automatic steps, `step` is the first one. */
static inline int32_t is_request(const explicit_steps *x)
{
    if (!(fabs(x->start) <= DBL_MAX/2) || !(fabs(x->end) <= DBL_MAX/2) || !(x->end > x->start)) {
        return 0;
    }
    if (!(x->tolerance >= 0 && x->tolerance <= DBL_MAX) || x->samples < 1 || x->every < 1) {
        return 0;
    }
    if (x->tolerance > 0) {
        return x->most >= 1 && x->step > 0 && x->step <= DBL_MAX;
    }
    return x->samples <= x->most/x->every;
}

/* A state plus a sum of slopes times a step; `from` null: only the sum. */
static inline void combine(
    const explicit_steps *x, const double *weights, int32_t count, double h, const double *from, double *to)
{
    for (int64_t start = 0; start < x->size; start += BLOCK) {
        const int64_t length = x->size - start < BLOCK ? x->size - start : BLOCK;
        double sum[BLOCK];
        for (int64_t i = 0; i < length; ++i) {
            sum[i] = 0;
        }
        for (int32_t j = 0; j < count; ++j) {
            const double weight = weights[j];
            if (weight > 0 || weight < 0) {
                const double *slope = x->slope + j*x->size + start;
                for (int64_t i = 0; i < length; ++i) {
                    sum[i] += weight*slope[i];
                }
            }
        }
        for (int64_t i = 0; i < length; ++i) {
            to[start + i] = (from ? from[start + i] : 0) + h*sum[i];
        }
    }
}

/* Slopes first..last within a step. */
static inline symgen_status find_slopes(explicit_steps *x, motion *m, int32_t first, int32_t last, double h)
{
    for (int32_t s = first; s <= last; ++s) {
        combine(x, x->slopes + x->width*s, s, h, x->state, x->within);
        const symgen_status status = rates_at(m, x->time + x->nodes[s]*h, x->within, x->slope + s*x->size);
        if (status != SYMGEN_OK) {
            return status;
        }
    }
    return SYMGEN_OK;
}

/* The end of a step, and the slope there. */
static inline symgen_status finish_step(explicit_steps *x, motion *m, double h, double time)
{
    double *slope = x->slope + x->stages*x->size;
    combine(x, x->slopes + x->width*x->stages, x->stages, h, x->state, x->next);
    symgen_status status = correct_state(m, time, x->next, 1);
    if (status == SYMGEN_OK) {
        status = rates_at(m, time, x->next, slope);
    }
    return status == SYMGEN_OK ? check_step(m, x, h) : status;
}

/* Error of a step divided by what is allowed. */
static inline double find_error(const explicit_steps *x, const motion *m, double h)
{
    double fine = 0;
    double coarse = 0;
    double *one = x->terms; /* the interpolant is calculated later */
    double *two = x->terms + x->size;
    combine(x, x->fine, x->stages, h, 0, one);
    combine(x, x->coarse, x->stages, h, 0, two);
    for (int64_t i = 0; i < x->size; ++i) {
        const double scale = allowed_error(m, i, fabs(x->state[i]), x->tolerance);
        fine += one[i]/scale*(one[i]/scale);
        coarse += two[i]/scale*(two[i]/scale);
    }
    const double both = fine + coarse/100;
    return both > 0 ? fine/sqrt(both*(double)(x->size > 0 ? x->size : 1)) : both;
}

/* The interpolant of a step from `state` to `next` (section II.6). */
static inline symgen_status prepare_dense(explicit_steps *x, motion *m, double h)
{
    const int64_t size = x->size;
    const symgen_status status = find_slopes(x, m, x->stages + 1, x->width - 1, h);
    for (int64_t i = 0; i < size; ++i) {
        const double first = h*x->slope[i];
        const double last = h*x->slope[x->stages*size + i];
        const double increment = x->next[i] - x->state[i];
        x->terms[i] = increment;
        x->terms[size + i] = first - increment;
        x->terms[2*size + i] = 2*increment - (last + first);
    }
    for (int32_t k = 0; k < 4; ++k) {
        combine(x, x->dense + x->width*k, x->width, h, 0, x->terms + (3 + k)*size);
    }
    return status;
}

static inline void interpolate(const explicit_steps *x, double share, double *found)
{
    for (int64_t i = 0; i < x->size; ++i) {
        double sum = 0;
        for (int32_t k = 6; k >= 0; --k) {
            sum = (sum + x->terms[k*x->size + i])*(k%2 == 0 ? share : 1 - share);
        }
        found[i] = x->state[i] + sum;
    }
}

/* Write the samples from `row` on that lie before the end of a step. */
static inline symgen_status sample_step(explicit_steps *x, motion *m, double h, int32_t last, int64_t *row)
{
    const double span = (x->end - x->start)/(double)x->samples;
    int32_t ready = 0;
    for (; *row < x->samples; ++*row) {
        const double time = x->start + (double)*row*span;
        symgen_status status = SYMGEN_OK;
        if (!last && time > x->time + h) {
            return SYMGEN_OK;
        }
        if (!ready) {
            status = prepare_dense(x, m, h);
            ready = 1;
        }
        if (status == SYMGEN_OK) {
            interpolate(x, (time - x->time)/h, x->within);
            status = correct_state(m, time, x->within, 0);
        }
        if (status == SYMGEN_OK) { /* in place of a slope that is no longer needed */
            status = rates_at(m, time, x->within, x->slope);
        }
        if (status == SYMGEN_OK) {
            status = record_sample(m, x->within, x->slope, 0, *row);
        }
        if (status != SYMGEN_OK) {
            return status;
        }
    }
    return SYMGEN_OK;
}

/* Accept a step: its end is the start of the next one. */
static inline void start_next(explicit_steps *x, motion *m, double time)
{
    const double *last = x->slope + x->stages*x->size;
    for (int64_t i = 0; i < x->size; ++i) {
        x->state[i] = x->next[i];
        x->slope[i] = last[i];
    }
    accept_step(m);
    x->time = time;
    ++x->steps;
}

/* Fixed steps. */
static inline symgen_status run_equal(explicit_steps *x, motion *m)
{
    const int64_t steps = x->samples*x->every;
    const double h = (x->end - x->start)/(double)steps;
    for (int64_t n = 1; n <= steps; ++n) {
        if (x->progress[1]) { /* the caller asked to stop */
            return SYMGEN_NOT_CONVERGED;
        }
        const double time = n < steps ? x->start + (double)n*h : x->end;
        symgen_status status = find_slopes(x, m, 1, x->stages - 1, h);
        if (status == SYMGEN_OK) {
            status = finish_step(x, m, h, time);
        }
        if (status != SYMGEN_OK) {
            return status;
        }
        keep_step(m);
        start_next(x, m, time);
        if (n%x->every == 0) {
            status = record_sample(m, x->state, x->slope, 1, n/x->every);
            if (status != SYMGEN_OK) {
                return status;
            }
        }
        *x->progress = (int64_t)(1e6*(double)n/(double)steps);
    }
    return SYMGEN_OK;
}

/* Steps as long as the tolerance allows; a step that cannot be taken is tried again with a smaller one. */
static inline symgen_status run_chosen(explicit_steps *x, motion *m)
{
    const double span = x->end - x->start;
    double most = MOST_FACTOR;
    int64_t row = 1;
    for (int64_t n = 0; n < x->most; ++n) {
        if (x->progress[1]) { /* the caller asked to stop */
            return SYMGEN_NOT_CONVERGED;
        }
        const double left = x->end - x->time;
        const int32_t last = !(x->step < NEARLY_ALL*left);
        const double h = last ? left : x->step;
        const double time = last ? x->end : x->time + h;
        symgen_status status = find_slopes(x, m, 1, x->stages - 1, h);
        const double error = status == SYMGEN_OK ? find_error(x, m, h) : 0;
        if (status == SYMGEN_OK && error <= 1) {
            status = finish_step(x, m, h, time);
        }
        if (status == SYMGEN_OK && error <= 1) {
            keep_step(m);
            if (last) {
                status = record_sample(m, x->next, x->slope + x->stages*x->size, 1, x->samples);
            }
            if (status == SYMGEN_OK) {
                status = sample_step(x, m, h, last, &row);
            }
            if (status != SYMGEN_OK) {
                return status;
            }
            start_next(x, m, time);
            *x->progress = (int64_t)(1e6*(x->time - x->start)/span);
            const double factor = error > 0 ? SAFETY/sqrt(sqrt(sqrt(error))) : most;
            x->step = (last && x->step > h ? x->step : h)*(factor < most ? factor : most);
            most = MOST_FACTOR;
            if (last) {
                return SYMGEN_OK;
            }
            continue;
        }
        if (!refuse_step(m, x, status)) {
            return status;
        }
        const double factor = status == SYMGEN_OK && error <= DBL_MAX ? SAFETY/sqrt(sqrt(sqrt(error))) : 0;
        x->step = h*(factor > LEAST_FACTOR ? factor : LEAST_FACTOR);
        most = 1;
        ++x->refused;
        if (!(x->step > SHORTEST_STEP*(span + fabs(x->time)))) {
            return name_cause(m, x);
        }
    }
    return SYMGEN_NOT_CONVERGED;
}

/* From the state at `start` to `end`; its slope has been found, and the first sample is written. */
static inline symgen_status take_steps(explicit_steps *x, motion *m)
{
    return x->tolerance > 0 ? run_chosen(x, m) : run_equal(x, m);
}

#endif /* SYMGEN_STEPS_H */
