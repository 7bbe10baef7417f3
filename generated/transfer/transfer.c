/*
 * Part of symgen's engine of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */

/* Dynamics of mechanisms by the Riccati form of the transfer matrices.
 *
 * At the centre of mass of every body the wrench on its joint is w = S a + e + G lambda. S is minus the articulated
 * inertia, lambda are the multipliers of the loops that are open there. One sweep from the tips to the ground
 * eliminates the unknowns of every joint and closes each loop where both of its ends have been reached; one sweep back
 * gives all accelerations. Work and memory are proportional to the number of bodies.
 *
 * The mechanism is in problem.h (sizes, tree, masses, forces, laws) and loops.h (order of the sweep, open loops).
 * No allocation; all data are in the caller's workspace.
 */
#include "transfer.h"

#include "transfer_sweep.h"

int64_t symgen_transfer_workspace_size(void)
{
    return (int64_t)sizeof(symgen_transfer_workspace);
}

#if BEAMS
/* Write the part of a sample for beam k: energies, values of the modes, joint wrenches at its held end. */
static void record_beam(
    const symgen_transfer_workspace *w, int32_t k, const symgen_transfer_samples *out, int64_t row)
{
    const beam_row *beam = BEAM + k;
    const int32_t count = beam->modes;
    const bent_beam *bent = w->bent + k;
    const double *value = w->now.value + beam->motion;
    const double *rate = w->rate + beam->unknown;
    const double *accelerations = w->coordinate_acceleration + beam->unknown;
    double *modes = out->modes + 3*MODES*row;
    double *reaction = out->reactions + 6*(BODIES*row + beam->held);
    double momentum[6] = {0, 0, 0, 0, 0, 0};
    double kinetic;
    double potential;
    double held[6];
    (void)solve_riccati_swept(bent->inertia, NOTHING, w->acceleration[beam->held], held);
    for (int32_t i = 0; i < 6; ++i) {
        reaction[i] += held[(i + 3)%6] - bent->load[i];
    }
    for (int32_t j = 0; j < count; ++j) {
        modes[beam->mode + j] = value[j];
        modes[MODES + beam->mode + j] = rate[j];
        modes[2*MODES + beam->mode + j] = accelerations[j];
        for (int32_t i = 0; i < 6; ++i) {
            momentum[i] += bent->coupling[j][(i + 3)%6]*rate[j];
            reaction[i] += bent->coupling[j][(i + 3)%6]*accelerations[j];
        }
    }
    (void)solve_beam_energy(
        bent->inertia, w->twist[beam->held], momentum, w->now.pose[beam->held], GRAVITY, &kinetic, &potential);
    for (int32_t j = 0; j < count; ++j) {
        double moved = 0;
        double alone;
        double elastic;
        for (int32_t i = 0; i < count; ++i) {
            moved += bent->mass[i > j ? i : j][i > j ? j : i]*rate[i];
        }
        (void)solve_beam_mode_energy(BEAM_MODE[beam->mode + j].stiffness, value[j], rate[j], moved, &alone, &elastic);
        kinetic += alone;
        potential += elastic;
    }
    out->scalars[5*row] += kinetic;
    out->scalars[5*row + 1] += potential;
}

#endif
/* Write one sample of the motion whose rates have been found last; it counts only if its energies are finite. */
static symgen_status record(
    const symgen_transfer_workspace *w, const double *watched, const symgen_transfer_samples *out, int64_t row)
{
    double *scalar = out->scalars + 5*row;
    double *angles = out->angles + WATCHED*row;
    for (int32_t k = 0; k < WATCHED; ++k) {
        angles[k] = watched[k];
    }
    watch_angles(&w->now, angles);
    scalar[0] = 0;
    for (int32_t b = 0; b < BODIES; ++b) {
        const double *wrench = w->wrench[b];
        const double *a = w->acceleration[b];
        double energy = 0;
        (void)solve_kinetic(BODY[b].mass, w->now.pose[b] + 3, w->twist[b], BODY[b].inertia, &energy);
        scalar[0] += energy;
        for (int32_t i = 0; i < 7; ++i) {
            out->poses[7*(BODIES*row + b) + i] = w->now.pose[b][i];
        }
        for (int32_t i = 0; i < 6; ++i) {
            out->twists[6*(BODIES*row + b) + i] = w->twist[b][i];
            out->accelerations[6*(BODIES*row + b) + i] = a[i];
        }
        (void)solve_riccati_reaction(
            BODY[b].mass, w->turning[b], w->twist[b] + 3, wrench, wrench + 3, a, out->reactions + 6*(BODIES*row + b));
    }
    scalar[1] = w->potential;
#if BEAMS
    for (int32_t k = 0; k < BEAMS; ++k) {
        record_beam(w, k, out, row);
    }
#endif
    scalar[2] = find_violation(&w->now, w->law);
    scalar[3] = scalar[4] = 0;
    return fabs(scalar[0] + scalar[1]) <= DBL_MAX ? SYMGEN_OK : SYMGEN_NOT_CONVERGED;
}

struct motion {
    symgen_transfer_workspace *w;
    const symgen_transfer_settings *settings;
    symgen_transfer_state *state;
    const int32_t *active;
    const symgen_transfer_samples *out;
    symgen_status lost; /* why the last step could not be taken */
};

static symgen_status rates_at(motion *m, double time, const double *state, double *slope)
{
    return find_slope(m->w, m->settings->recall, time, state, m->state->angle, m->active, slope);
}

/* Quaternions are normalised, loops closed. */
static symgen_status correct_state(motion *m, double time, double *state, int32_t at_end)
{
    if (at_end) {
        read_state(m->w, state);
        write_state(m->w, state);
    }
    return ROWS > 0 && m->settings->project ? project(m->w, time, state) : SYMGEN_OK;
}

/* The unit of length for lengths and their rates, else 1. */
static void find_units(symgen_transfer_workspace *w, double length)
{
    for (int32_t i = 0; i < COORDINATES_AND_RATES; ++i) {
        w->unit[i] = 1;
    }
    for (int32_t m = 0; m < MOTIONS; ++m) {
        const int32_t kind = MOTION[m].kind;
        if (((kind >= SLIDE_X && kind <= SLIDE_Z) || kind == MODE) && MOTION[m].unknown >= 0) {
            w->unit[m] = w->unit[MOTIONS + 4*BALLS + MOTION[m].unknown] = length;
        }
    }
}

/* Rates are taken relative to 1 m/s or rad/s, or to themselves if larger. */
static double allowed_error(const motion *m, int64_t i, double value, double tolerance)
{
    const double unit = m->w->unit[i];
    const double size = unit*value;
    return (i < MOTIONS + 4*BALLS || size < 1 ? tolerance : tolerance*size)/unit;
}

/* With fixed steps the integration is unstable if unknowns change more in a step than any motion can. */
static symgen_status check_step(motion *m, const explicit_steps *x, double h)
{
    (void)m;
    for (int32_t k = 0; k < UNKNOWNS && !(x->tolerance > 0); ++k) {
        if (!(h*fabs(x->next[MOTIONS + 4*BALLS + k]) <= WILD)) {
            return SYMGEN_NOT_CONVERGED;
        }
    }
    return SYMGEN_OK;
}

/* Update the whole turns of angles for forces and results, before samples are taken. */
static void keep_step(motion *m)
{
    symgen_transfer_workspace *w = m->w;
    for (int32_t j = 0; j < JOINT_FORCES; ++j) {
        w->angle_before[j] = w->angle[j];
    }
    watch_angles(&w->now, w->watched);
}

static void accept_step(motion *m)
{
    for (int32_t j = 0; j < JOINT_FORCES; ++j) {
        m->state->angle[j] = m->w->angle_before[j];
    }
    for (int32_t k = 0; k < WATCHED; ++k) {
        m->state->watched[k] = m->w->watched[k];
    }
}

static symgen_status record_sample(motion *m, const double *state, const double *slope, int32_t at_end, int64_t row)
{
    (void)state;
    (void)slope;
    return record(m->w, at_end ? m->w->watched : m->state->watched, m->out, row);
}

static int32_t refuse_step(motion *m, const explicit_steps *x, symgen_status status)
{
    (void)x;
    m->lost = status != SYMGEN_OK ? status : m->lost;
    return 1;
}

static symgen_status name_cause(motion *m, const explicit_steps *x)
{
    (void)x;
    return m->lost;
}

/* Whether a state is valid: numbers finite, values not too large for their rounding, quaternions of unit length. */
static int32_t is_state(const symgen_transfer_state *state)
{
    if ((COORDINATES_AND_RATES > 0 && !state->coordinates_and_rates) || (JOINT_FORCES > 0 && !state->angle)
        || (WATCHED > 0 && !state->watched)
        || (CLOSINGS > 0 && !state->rank)) {
        return 0;
    }
    if (!are_finite(state->coordinates_and_rates, COORDINATES_AND_RATES) || !are_finite(state->angle, JOINT_FORCES)
        || !are_finite(state->watched, WATCHED)) {
        return 0;
    }
    for (int32_t m = 0; m < MOTIONS; ++m) {
        if (!(fabs(state->coordinates_and_rates[m]) <= FARTHEST)) {
            return 0;
        }
    }
    for (int32_t k = 0; k < BALLS; ++k) {
        const double *q = state->coordinates_and_rates + MOTIONS + 4*k;
        if (!(fabs(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3] - 1) <= NEARLY_UNIT)) {
            return 0;
        }
    }
    for (int32_t k = 0; k < CLOSINGS; ++k) {
        if (state->rank[k] < -1 || state->rank[k] > CLOSING[k].count) {
            return 0;
        }
    }
    return 1;
}

/* Whether there are arrays for samples. */
static int32_t is_room(const symgen_transfer_samples *out)
{
#if SYMGEN_TRANSFER_MODES > 0
    if (!out->modes) {
        return 0;
    }
#endif
    return out->poses && out->twists && out->accelerations && out->reactions && out->scalars
        && (WATCHED == 0 || out->angles);
}

/* Whether all arguments of a run are valid. */
static int32_t is_run(
    const symgen_transfer_workspace *w, const symgen_transfer_scheme *scheme,
    const symgen_transfer_settings *settings, const symgen_transfer_state *state, const int32_t *active,
    const symgen_transfer_samples *out, const volatile int64_t *progress)
{
    if (!w || !scheme || !settings || !state || !out || !progress || (PUSHES > 0 && !active)) {
        return 0;
    }
    return settings->length > 0 && settings->length <= DBL_MAX && settings->recall >= 0
        && settings->recall <= DBL_MAX && is_state(state) && is_room(out);
}

symgen_status symgen_transfer_run(
    symgen_transfer_workspace *w, const symgen_transfer_scheme *scheme, const symgen_transfer_settings *settings,
    symgen_transfer_state *state, const int32_t *active, const symgen_transfer_samples *out,
    volatile int64_t *progress)
{
    if (!is_run(w, scheme, settings, state, active, out, progress)) {
        return SYMGEN_BAD_INPUT;
    }
    motion m = {w, settings, state, active, out, SYMGEN_NOT_CONVERGED};
    explicit_steps x = {
        /* the scheme */
        scheme->stages, scheme->width, scheme->nodes, scheme->slopes, scheme->fine, scheme->coarse, scheme->dense,
        /* what is asked for */
        settings->start, settings->end, settings->tolerance, settings->samples, settings->every, settings->most,
        /* memory: laid out below */
        0, 0, 0, 0, 0, 0, progress,
        /* where it is */
        settings->start, state->step, 0, 0};
    if (!is_request(&x) || !is_scheme(&x)) {
        return SYMGEN_BAD_INPUT;
    }
    lay_out_steps(&x, COORDINATES_AND_RATES, state->coordinates_and_rates, w->steps);
    w->body = -1;
    w->opened = 0;
    find_units(w, settings->length);
    for (int32_t k = 0; k < WATCHED; ++k) {
        w->watched[k] = state->watched[k];
    }
    for (int32_t k = 0; k < CLOSINGS; ++k) {
        w->rank[k] = state->rank[k];
    }
    symgen_status status = rates_at(&m, x.time, state->coordinates_and_rates, x.slope);
    if (status == SYMGEN_OK) {
        keep_step(&m);
        for (int32_t k = 0; k < CLOSINGS; ++k) {
            state->rank[k] = w->rank[k];
        }
        for (int32_t j = 0; j < JOINT_FORCES; ++j) {
            state->angle[j] = w->angle[j];
        }
        status = record(w, w->watched, out, 0);
    }
    if (status == SYMGEN_OK) {
        status = take_steps(&x, &m);
    }
    for (int32_t k = 0; k < WATCHED; ++k) {
        state->watched[k] = w->watched[k];
    }
    state->time = x.time;
    state->step = x.step;
    state->steps = x.steps;
    state->refused = x.refused;
    state->body = status == SYMGEN_SINGULAR ? w->body : -1;
    state->opened = w->opened;
    return status;
}
