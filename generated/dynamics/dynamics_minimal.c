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

/* Explicit integration with fixed steps, or with steps chosen from error estimates; samples come from the interpolant.
 * */

int64_t symgen_dynamics_minimal_workspace_size(void)
{
    return (int64_t)sizeof(symgen_dynamics_minimal_workspace);
}

/* Write one sample of the motion that `find_slope` has found. */
static void record(
    const symgen_dynamics_minimal_workspace *w, const double *place, const symgen_dynamics_minimal_samples *out,
    int64_t row)
{
    for (int32_t c = 0; c < COORDINATES; ++c) {
        out->places[COORDINATES*row + c] = place[c];
    }
    double *scalar = out->scalars + 5*row;
    scalar[0] = 0;
    for (int32_t b = 0; b < BODIES; ++b) {
        double energy = 0;
        (void)solve_kinetic(MASS[b], w->now.pose[b] + 3, w->twist[b], INERTIA[b], &energy);
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

/* New values from slopes times a step; `weights` of the first `count` slopes. */
static void combine(
    const symgen_dynamics_minimal_workspace *w, const double *weights, int32_t count, double h,
    const double *from, double *to)
{
    double sum[AT_LEAST_1(2*COORDINATES)];
    for (int32_t i = 0; i < 2*COORDINATES; ++i) {
        sum[i] = 0;
    }
    for (int32_t j = 0; j < count; ++j) {
        if (weights[j] > 0 || weights[j] < 0) {
            for (int32_t i = 0; i < 2*COORDINATES; ++i) {
                sum[i] += weights[j]*w->slope[j][i];
            }
        }
    }
    for (int32_t i = 0; i < 2*COORDINATES; ++i) {
        to[i] = from[i] + h*sum[i];
    }
}

/* Slopes first..last; the values at the last one are left in `try_place`. */
static symgen_status find_slopes(
    symgen_dynamics_minimal_workspace *w, const symgen_dynamics_minimal_scheme *scheme, int32_t first, int32_t last,
    double time, double h, const symgen_dynamics_minimal_state *state, const int32_t *active)
{
    for (int32_t s = first; s <= last; ++s) {
        combine(w, scheme->slopes + scheme->width*s, s, h, state->place, w->try_place);
        const symgen_status status = find_slope(
            w, time + scheme->nodes[s]*h, w->try_place, state->angle, active, w->slope[s]);
        if (status != SYMGEN_OK) {
            return status;
        }
    }
    return SYMGEN_OK;
}

/* Error of a step divided by the tolerance; rates are taken relative to 1 m/s or rad/s, or to themselves if larger. */
static double find_error(
    const symgen_dynamics_minimal_workspace *w, const symgen_dynamics_minimal_scheme *scheme, double h,
    double tolerance, const symgen_dynamics_minimal_state *state)
{
    double zero[AT_LEAST_1(2*COORDINATES)] = {0};
    double one[AT_LEAST_1(2*COORDINATES)];
    double two[AT_LEAST_1(2*COORDINATES)];
    double fine = 0;
    double coarse = 0;
    combine(w, scheme->fine, scheme->stages, h, zero, one);
    combine(w, scheme->coarse, scheme->stages, h, zero, two);
    for (int32_t i = 0; i < 2*COORDINATES; ++i) {
        const double size = fabs(state->place[i]);
        const double scale = i < COORDINATES || size < 1 ? tolerance : tolerance*size;
        fine += one[i]/scale*(one[i]/scale);
        coarse += two[i]/scale*(two[i]/scale);
    }
    const double both = fine + coarse/100;
    return both > 0 ? fine/sqrt(both*AT_LEAST_1(2*COORDINATES)) : both;
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
                const double speed = w->column[c][b][i]/REACH[0];
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

/* The interpolant of a step from `state->place` to `end` (Hairer, Norsett, Wanner 1993, II.6). */
static void prepare_dense(
    symgen_dynamics_minimal_workspace *w, const symgen_dynamics_minimal_scheme *scheme, double h,
    const symgen_dynamics_minimal_state *state, const double *end)
{
    double zero[AT_LEAST_1(2*COORDINATES)] = {0};
    for (int32_t i = 0; i < 2*COORDINATES; ++i) {
        const double first = h*w->slope[0][i];
        const double last = h*w->slope[scheme->stages][i];
        const double grown = end[i] - state->place[i];
        w->dense[0][i] = grown;
        w->dense[1][i] = first - grown;
        w->dense[2][i] = 2*grown - (last + first);
    }
    for (int32_t k = 0; k < 4; ++k) {
        combine(w, scheme->dense + scheme->width*k, scheme->width, h, zero, w->dense[3 + k]);
    }
}

static void interpolate(
    const symgen_dynamics_minimal_workspace *w, double share, const double *from, double *place)
{
    for (int32_t i = 0; i < 2*COORDINATES; ++i) {
        double sum = 0;
        for (int32_t k = 6; k >= 0; --k) {
            sum = (sum + w->dense[k][i])*(k%2 == 0 ? share : 1 - share);
        }
        place[i] = from[i] + sum;
    }
}

/* Write the samples from `row` on that lie before the end of a step; returns the next row. */
static symgen_status sample_step(
    symgen_dynamics_minimal_workspace *w, const symgen_dynamics_minimal_scheme *scheme,
    const symgen_dynamics_minimal_settings *settings, double h, symgen_dynamics_minimal_state *state,
    const double *end, const int32_t *active, const symgen_dynamics_minimal_samples *out, int64_t *row)
{
    const double span = (settings->end - settings->start)/(double)settings->samples;
    double place[AT_LEAST_1(2*COORDINATES)];
    double slope[AT_LEAST_1(2*COORDINATES)];
    int32_t ready = 0;
    for (; *row < settings->samples; ++*row) {
        const double time = settings->start + (double)*row*span;
        if (time > state->time + h) {
            return SYMGEN_OK;
        }
        symgen_status status = SYMGEN_OK;
        if (!ready) {
            status = find_slopes(w, scheme, scheme->stages + 1, scheme->width - 1, state->time, h, state, active);
            prepare_dense(w, scheme, h, state, end);
            ready = 1;
        }
        if (status == SYMGEN_OK) {
            interpolate(w, (time - state->time)/h, state->place, place);
            status = find_slope(w, time, place, state->angle, active, slope);
        }
        if (status != SYMGEN_OK) {
            return status;
        }
        record(w, place, out, *row);
    }
    return SYMGEN_OK;
}

/* Accept a step: its end is the start of the next one. */
static void accept(
    symgen_dynamics_minimal_workspace *w, const symgen_dynamics_minimal_scheme *scheme, symgen_dynamics_minimal_state *state,
    double time, const double *end)
{
    for (int32_t i = 0; i < 2*COORDINATES; ++i) {
        state->place[i] = end[i];
        w->slope[0][i] = w->slope[scheme->stages][i];
    }
    for (int32_t j = 0; j < JOINT_FORCES; ++j) {
        state->angle[j] = w->angle_before[j];
    }
    state->time = time;
    ++state->steps;
}

/* Fixed steps. */
static symgen_status run_equal(
    symgen_dynamics_minimal_workspace *w, const symgen_dynamics_minimal_scheme *scheme,
    const symgen_dynamics_minimal_settings *settings, symgen_dynamics_minimal_state *state, const int32_t *active,
    const symgen_dynamics_minimal_samples *out, volatile int64_t *progress)
{
    const int64_t steps = settings->samples*settings->every;
    const double h = (settings->end - settings->start)/(double)steps;
    for (int64_t n = 1; n <= steps; ++n) {
        if (progress[1]) { /* the caller asked to stop */
            return SYMGEN_NOT_CONVERGED;
        }
        const symgen_status status = find_slopes(w, scheme, 1, scheme->stages, state->time, h, state, active);
        if (status != SYMGEN_OK) {
            return status;
        }
        state->body = find_jump(w, h);
        if (state->body >= 0) {
            return SYMGEN_BRANCH_LOST;
        }
        const double time = n < steps ? settings->start + (double)n*h : settings->end;
        keep_end(w);
        accept(w, scheme, state, time, w->try_place);
        if (n%settings->every == 0) {
            record(w, state->place, out, n/settings->every);
        }
        *progress = (int64_t)(1e6*(double)n/(double)steps);
    }
    return SYMGEN_OK;
}

/* Steps as long as the tolerance allows; a step that cannot be solved is tried again with a smaller one. If steps
 * become too small, a group that recently could not be solved is the cause. */
static symgen_status run_chosen(
    symgen_dynamics_minimal_workspace *w, const symgen_dynamics_minimal_scheme *scheme,
    const symgen_dynamics_minimal_settings *settings, symgen_dynamics_minimal_state *state, const int32_t *active,
    const symgen_dynamics_minimal_samples *out, volatile int64_t *progress)
{
    const double span = settings->end - settings->start;
    double end[AT_LEAST_1(2*COORDINATES)];
    double most = MOST_GROWTH;
    double lost_time = 0;
    symgen_status lost = SYMGEN_NOT_CONVERGED;
    int32_t lost_group = 0;
    int32_t lost_crowded = 0;
    int64_t row = 1;
    for (int64_t n = 0; n < settings->most; ++n) {
        if (progress[1]) { /* the caller asked to stop */
            return SYMGEN_NOT_CONVERGED;
        }
        const double left = settings->end - state->time;
        const int32_t last = !(state->step < NEARLY_ALL*left);
        const double h = last ? left : state->step;
        symgen_status status = find_slopes(w, scheme, 1, scheme->stages, state->time, h, state, active);
        double error = status == SYMGEN_OK ? find_error(w, scheme, h, settings->tolerance, state) : 0;
        const int32_t jump = status == SYMGEN_OK && error <= 1 ? find_jump(w, h) : -1;
        if (jump >= 0) {
            const int32_t group = BODY_GROUP[jump];
            status = SYMGEN_BRANCH_LOST;
            w->group = group + 1;
        }
        if (status == SYMGEN_OK && error <= 1) {
            keep_end(w);
            for (int32_t i = 0; i < 2*COORDINATES; ++i) {
                end[i] = w->try_place[i];
            }
            if (last) {
                record(w, end, out, settings->samples);
            }
            status = sample_step(w, scheme, settings, h, state, end, active, out, &row);
            if (status != SYMGEN_OK) {
                return status;
            }
            accept(w, scheme, state, last ? settings->end : state->time + h, end);
            *progress = (int64_t)(1e6*(state->time - settings->start)/span);
            const double growth = error > 0 ? SAFETY/sqrt(sqrt(sqrt(error))) : most;
            state->step = (last && state->step > h ? state->step : h)*(growth < most ? growth : most);
            most = MOST_GROWTH;
            if (last) {
                return SYMGEN_OK;
            }
            continue;
        }
        const double growth = status == SYMGEN_OK && error <= DBL_MAX ? SAFETY/sqrt(sqrt(sqrt(error))) : 0;
        state->step = h*(growth > LEAST_GROWTH ? growth : LEAST_GROWTH);
        most = 1;
        ++state->refused;
#if BRANCHED
        w->here = w->kept; /* stages too far ahead may have lost the branch */
        w->examined = 0;
#endif
        if (status != SYMGEN_OK) {
            lost = status;
            lost_group = w->group;
            lost_crowded = w->crowded;
            lost_time = state->time;
        }
        if (!(state->step > SHORTEST_STEP*(span + fabs(state->time)))) {
            const int32_t near = state->time - lost_time < LATELY*span;
            w->group = near ? lost_group : 0;
            w->crowded = near ? lost_crowded : 0;
            state->body = near ? -1 : find_fastest(w);
            return near ? lost : SYMGEN_NOT_CONVERGED;
        }
    }
    return SYMGEN_NOT_CONVERGED;
}

/* Whether numbers are finite. */
static int32_t are_finite(const double *values, int64_t count)
{
    int32_t finite = 1;
    for (int64_t k = 0; k < count; ++k) {
        finite &= fabs(values[k]) <= DBL_MAX;
    }
    return finite;
}

/* Whether a table is a scheme with at most MOST_SLOPES slopes; for automatic steps it must have error estimates.
 * */
static int32_t is_scheme(const symgen_dynamics_minimal_scheme *scheme, int32_t chosen)
{
    const int32_t width = scheme->width;
    const int32_t stages = scheme->stages;
    double weights = 0;
    double errors = 0;
    if (stages < 1 || stages >= width || width > MOST_SLOPES || !scheme->nodes || !scheme->slopes) {
        return 0;
    }
    if (!are_finite(scheme->nodes, width) || !are_finite(scheme->slopes, (int64_t)width*width)) {
        return 0;
    }
    for (int32_t k = 0; k < stages; ++k) {
        weights += scheme->slopes[width*stages + k];
    }
    if (!(fabs(weights - 1) <= WEIGHTS_ROUNDED)) { /* for a step with equal slopes */
        return 0;
    }
    if (!chosen) {
        return 1;
    }
    if (!scheme->fine || !scheme->coarse || !scheme->dense || !are_finite(scheme->fine, width)
        || !are_finite(scheme->coarse, width) || !are_finite(scheme->dense, 4*(int64_t)width)) {
        return 0;
    }
    for (int32_t k = 0; k < stages; ++k) {
        errors += fabs(scheme->fine[k]);
    }
    return errors > 0;
}

/* Whether the settings of a time span are valid; with automatic steps, `step` is the first one. */
static int32_t is_request(const symgen_dynamics_minimal_settings *settings, double step)
{
    const double tolerance = settings->tolerance;
    if (!(fabs(settings->start) <= DBL_MAX/2) || !(fabs(settings->end) <= DBL_MAX/2)
        || !(settings->end > settings->start)) {
        return 0;
    }
    if (!(tolerance >= 0 && tolerance <= DBL_MAX) || settings->samples < 1 || settings->every < 1) {
        return 0;
    }
    if (tolerance > 0) {
        return settings->most >= 1 && step > 0 && step <= DBL_MAX;
    }
    return settings->samples <= settings->most/settings->every;
}

symgen_status symgen_dynamics_run_minimal(
    symgen_dynamics_minimal_workspace *w, const symgen_dynamics_minimal_scheme *scheme,
    const symgen_dynamics_minimal_settings *settings, symgen_dynamics_minimal_state *state, const int32_t *active,
    const symgen_dynamics_minimal_samples *out, volatile int64_t *progress)
{
    if (!is_request(settings, state->step) || !is_scheme(scheme, settings->tolerance > 0)
        || !are_finite(state->place, 2*COORDINATES) || !are_finite(state->angle, JOINT_FORCES)) {
        return SYMGEN_BAD_INPUT;
    }
    state->time = settings->start;
    state->steps = state->refused = 0;
    state->body = -1;
    w->crowded = 0;
#if BRANCHED
    w->started = 0;
#endif
    for (int32_t g = 0; g < GROUPS; ++g) {
        w->branch_before[g] = state->branch[g];
    }
    symgen_status status = find_slope(w, state->time, state->place, state->angle, active, w->slope[0]);
    if (status == SYMGEN_OK) {
        for (int32_t j = 0; j < JOINT_FORCES; ++j) {
            state->angle[j] = w->angle[j];
        }
        record(w, state->place, out, 0);
        keep_end(w);
        status = settings->tolerance > 0 ? run_chosen(w, scheme, settings, state, active, out, progress)
                                         : run_equal(w, scheme, settings, state, active, out, progress);
    }
    for (int32_t g = 0; g < GROUPS; ++g) {
        state->branch[g] = w->branch_before[g];
    }
    state->group = w->group;
    state->crowded = w->crowded;
    return status;
}
