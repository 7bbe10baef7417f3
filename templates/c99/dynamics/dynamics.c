/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */

/* dynamics of mechanisms: the engine.
 *
 * The engine integrates any mechanism: central differences of the Newton-Euler equations in quaternions, projected on
 * the directions that the constraints leave free, solved by Newton's method in every step. Unknowns are the coordinates
 * of a spanning tree (loops are closed by rows of constraints, open trees eliminated body by body), or the poses of all
 * bodies.
 *
 * The mechanism is in problem.h: in exports as constants, its laws as a function of time; where tables are data
 * (SYMGEN_TABLES_ARE_DATA) as static tables that are filled before a run, so that a loaded copy makes one run at a time.
 * No allocation; data kept from step to step are in the caller's workspace.
 */
#include "dynamics.h"

#include "dynamics_given.h"
#include "dynamics_linear.h"

#if TREE
#include "dynamics_tree_space.h"
#else
#include "dynamics_poses.h"
#endif

#include "dynamics_rows.h"
#include "dynamics_forces.h"
#include "dynamics_momenta.h"

#if ELIMINATION
#include "dynamics_elimination.h"
#else
#include "dynamics_reduced.h"
#endif

/* Integration over time: known momenta, Newton's iteration, results at sample times. */

struct symgen_dynamics_workspace {
    configuration stored[3];
    /* these, in turn */
    configuration *before;
    configuration *now;
    configuration *next;
    reduced_system system;
    body_matrices matrices;
    damper dampers[ROOM_DAMPERS];
    double law_now[ROOM_LAWS];
    double law_next[ROOM_LAWS];
    double half_turn[ROOM_BODIES][3];    /* of the step to the present configuration, world axes */
    double end_momentum[ROOM_BODIES][6]; /* discrete momenta at the end of that step */
    double wrench[ROOM_BODIES][6];
    double known[ROOM_BODIES][6];
    double residual[ROOM_BODIES][6];
    double twist[ROOM_BODIES][6];
    double taken[ROOM_MOTIONS];       /* whole turns to be added to the tree's angles */
    double angle[ROOM_JOINT_FORCES];
    double watched[ROOM_WATCHED];
    double step[ROOM_UNKNOWNS];
    double rate[ROOM_UNKNOWNS];
    double bias[ROOM_BODIES][6];
    double acceleration[ROOM_BODIES][6];
    /* rates of the last steps, and the times at their middles */
    double past[3][ROOM_UNKNOWNS];
    double middle[3];
    int32_t known_rates;
    double potential;
    double correction;
    /* in this step; in all steps since the last sample */
    int32_t iterations;
    int32_t most_iterations;
};

int64_t symgen_dynamics_workspace_size(void)
{
    return (int64_t)sizeof(symgen_dynamics_workspace);
}

/* The next configuration becomes the present one; what `next` holds then is of no use. */
static void go_on(symgen_dynamics_workspace *w)
{
    configuration *spare = w->before;
    w->before = w->now;
    w->now = w->next;
    w->next = spare;
}

/* Tell whether forces and laws have values: a law may end, or the two points of a spring may coincide. Laws of forces
 * and torques need none at a time at which they do not act. */
static int32_t has_values(
    symgen_dynamics_workspace *w, const double *law, const int32_t *active, int32_t with_forces)
{
    double total = w->potential + size_of_drives(law);
    (void)active;
    (void)with_forces;
#if MAY_HAVE(JOINT_FORCES)
    for (int32_t j = 0; with_forces && j < JOINT_FORCES; ++j) {
        total += fabs(law[JOINT_FORCE[j].law]);
    }
#endif
#if MAY_HAVE(PUSHES)
    for (int32_t k = 0; with_forces && k < 3*PUSHES; ++k) {
        total += active[k/3] ? fabs(law[PUSH[k/3].law + k%3]) : 0;
    }
#endif
    return have_values(w->wrench, total);
}

/* Tell whether a correction is no more than the rounding of what it corrects. */
static int32_t is_rounding(double size, const symgen_dynamics_settings *settings, const configuration *next)
{
    return size <= settings->coarse*settings->coarse && size <= ROUNDED*find_reach(next);
}

/* A converged step is also closed, unless the rows of constraints are dependent to within their tolerance. */
static symgen_status check_closed(symgen_dynamics_workspace *w, const symgen_dynamics_settings *settings)
{
    const double gap = find_gap(&w->system);
    if (gap <= STAYS_OPEN + 10*settings->tolerance || gap <= ROUNDED*find_reach(w->next)) {
        return SYMGEN_OK;
    }
    w->correction = gap;
    return SYMGEN_DEGENERATE;
}

/* Store the rates that led to the next configuration; `time` is that of the present one. */
static void remember_rates(symgen_dynamics_workspace *w, double time, double h)
{
    for (int32_t k = 2; k > 0; --k) {
        w->middle[k] = w->middle[k - 1];
        for (int32_t i = 0; i < UNKNOWNS; ++i) {
            w->past[k][i] = w->past[k - 1][i];
        }
    }
    w->middle[0] = time + h/2;
    find_rates(w->now, w->next, h, w->past[0]);
    w->known_rates = w->known_rates < 3 ? w->known_rates + 1 : 3;
}

/* First guess of the next configuration: the rates of the last steps, extrapolated to the middle of this one. */
static void guess_next(symgen_dynamics_workspace *w, double time, double h)
{
    for (int32_t i = 0; i < UNKNOWNS; ++i) {
        w->step[i] = w->known_rates > 0 ? 0 : h*w->rate[i];
    }
    for (int32_t k = 0; k < w->known_rates; ++k) {
        double weight = h;
        for (int32_t l = 0; l < w->known_rates; ++l) {
            weight *= l != k ? (time + h/2 - w->middle[l])/(w->middle[k] - w->middle[l]) : 1;
        }
        for (int32_t i = 0; i < UNKNOWNS; ++i) {
            w->step[i] += weight*w->past[k][i];
        }
    }
    copy_configuration(w->now, w->next);
    advance(w->next, w->step);
}

/* Newton's iteration for the next configuration, from the guess in it; `form` says which discretisation. */
static symgen_status find_next(
    symgen_dynamics_workspace *w, int32_t form, double h, const symgen_dynamics_settings *settings)
{
    find_poses(w->next, w->law_next);
    double before = 0;
    for (w->iterations = 1; w->iterations <= settings->most_iterations; ++w->iterations) {
        find_momentum_residual(form, h, w->now, w->next, w->half_turn, w->known, &w->matrices, w->residual);
        if (w->matrices.damped) {
            mean_twist(h, w->before, w->next, w->half_turn, w->matrices.half_turn, w->twist);
            add_damping(h, w->dampers, w->twist, w->residual);
        }
        renew_directions(&w->system, w->next, w->law_next);
        if (!find_step(&w->system, w->now, w->next, &w->matrices, w->dampers, w->residual, w->step)) {
            return SYMGEN_SINGULAR;
        }
        double size = 0;
        for (int32_t k = 0; k < UNKNOWNS; ++k) {
            const double change = fabs(w->step[k]);
            if (!(change <= UNBOUNDED)) { /* NaN too */
                w->correction = change;
                return SYMGEN_NOT_CONVERGED;
            }
            size = change > size ? change : size;
        }
        advance(w->next, w->step);
        find_poses(w->next, w->law_next);
        w->correction = size;
        w->most_iterations = w->iterations > w->most_iterations ? w->iterations : w->most_iterations;
        /* rounding is large near a singular position: corrections this small that no longer shrink are rounding */
        const int32_t stalled = w->iterations > 3 && size <= 100*settings->tolerance && size > before/4;
        if (size <= settings->tolerance || stalled || is_rounding(size, settings, w->next)) {
            /* directions are from one correction ago: accurate enough if it was small */
            if (size > settings->renewal) {
                renew_directions(&w->system, w->next, w->law_next);
            }
            return check_closed(w, settings);
        }
        if (w->iterations > 4 && size > before && size > settings->coarse) {
            return SYMGEN_NOT_CONVERGED;
        }
        before = size;
    }
    return SYMGEN_NOT_CONVERGED;
}

/* Known part of the momenta at the first time: h/2 times the forces and the gyroscopic torque. */
static void set_known_terms_start(symgen_dynamics_workspace *w, double h)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        double spin[3];
        (void)solve_start_momentum_world(w->twist[b] + 3, w->matrices.inertia[b], h, spin);
        for (int32_t i = 0; i < 3; ++i) {
            w->known[b][i] = BODY[b].mass*w->twist[b][i] + h/2*w->wrench[b][i];
            w->known[b][3 + i] = spin[i] + h/2*w->wrench[b][3 + i];
        }
    }
    for (int32_t d = 0; d < DAMPERS; ++d) {
        const double impulse = -h/2*w->dampers[d].damping*speed_of(w->dampers + d, w->twist);
        load(w->known, w->dampers[d].body_1, w->dampers[d].row_1, impulse);
        load(w->known, w->dampers[d].body_2, w->dampers[d].row_2, impulse);
    }
}

/* Known part of the momenta at a later time. */
static void set_known_terms_central(symgen_dynamics_workspace *w, double h)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        double spin[3];
        (void)solve_central_arrival_world(w->half_turn[b], w->matrices.inertia[b], h, spin);
        for (int32_t i = 0; i < 3; ++i) {
            w->known[b][i] = BODY[b].mass*(w->now->pose[b][i] - w->before->pose[b][i])/h + h*w->wrench[b][i];
            w->known[b][3 + i] = spin[i] + h*w->wrench[b][3 + i];
        }
    }
}

/* Kinetic energy from twists of the present configuration. */
static double find_kinetic(const configuration *now, double (*twist)[6])
{
    double total = 0;
    for (int32_t b = 0; b < BODIES; ++b) {
        double energy = 0;
        (void)solve_kinetic(BODY[b].mass, now->pose[b] + 3, twist[b], BODY[b].inertia, &energy);
        total += energy;
    }
    return total;
}

/* Write one sample; the residual of the momenta is the impulse of the reactions, over half a step at the start. */
static void record_central(
    symgen_dynamics_workspace *w, double h, int32_t starting, const symgen_dynamics_samples *out, int64_t row)
{
    double *pose = out->poses + 7*BODIES*row;
    double *twist = out->twists + 6*BODIES*row;
    double *acceleration = out->accelerations + 6*BODIES*row;
    double *reaction = out->reactions + 6*BODIES*row;
    const double share = starting ? 2/h : 1/h;
    if (w->matrices.damped) {
        add_damping(h, w->dampers, w->twist, w->residual);
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        const double *one = w->before->pose[b];
        const double *two = w->now->pose[b];
        const double *three = w->next->pose[b];
        for (int32_t i = 0; i < 7; ++i) {
            pose[7*b + i] = two[i];
        }
        for (int32_t i = 0; i < 3; ++i) {
            const double ahead = three[i] - two[i];
            acceleration[6*b + i] =
                starting ? 2*(ahead - h*w->twist[b][i])/(h*h) : (ahead - (two[i] - one[i]))/(h*h);
            acceleration[6*b + 3 + i] =
                (w->matrices.half_turn[b][i] - w->half_turn[b][i])*(starting ? 4 : 2)/(h*h);
        }
        for (int32_t i = 0; i < 6; ++i) {
            twist[6*b + i] = w->twist[b][i];
            reaction[6*b + i] = share*w->residual[b][i];
        }
    }
    for (int32_t k = 0; k < WATCHED; ++k) {
        out->angles[WATCHED*row + k] = w->watched[k];
    }
    double *scalar = out->scalars + 5*row;
    scalar[0] = find_kinetic(w->now, w->twist);
    scalar[1] = w->potential;
    scalar[2] = find_violation(w->now, w->law_now);
    scalar[3] = w->most_iterations;
    w->most_iterations = 0;
    scalar[4] = w->correction;
}

/* Half turns of a step with the given angular velocities, world axes. */
static void start_half_turns(symgen_dynamics_workspace *w, double h)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 3; ++i) {
            w->half_turn[b][i] = h*w->twist[b][3 + i]/2;
        }
    }
}

/* Read the state, and find the directions that are free there. */
static void start_from(
    symgen_dynamics_workspace *w, const symgen_dynamics_settings *settings, const symgen_dynamics_state *state)
{
    w->before = w->stored;
    w->now = w->stored + 1;
    w->next = w->stored + 2;
    read_state(state, w->now);
    find_laws(settings->start, w->law_now);
    find_poses(w->now, w->law_now);
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            w->twist[b][i] = state->twist[6*b + i];
        }
    }
    for (int32_t j = 0; j < JOINT_FORCES; ++j) {
        w->angle[j] = state->angle[j];
    }
    for (int32_t k = 0; k < UNKNOWNS; ++k) {
        w->rate[k] = state->rate[k];
        w->step[k] = settings->step*state->rate[k];
    }
    for (int32_t k = 0; k < WATCHED; ++k) {
        w->watched[k] = state->watched[k];
    }
    watch_angles(w->now, w->watched);
    for (int32_t m = 0; m < MOTIONS; ++m) {
        w->taken[m] = 0;
    }
    w->known_rates = 0;
    copy_configuration(w->now, w->before);
    copy_configuration(w->now, w->next);
    advance(w->next, w->step);
    find_laws(settings->start + settings->step, w->law_next);
    find_poses(w->next, w->law_next);
    start_directions(&w->system, w->next, w->law_next); /* continuation from a singular position */
    start_directions(&w->system, w->now, w->law_now);
}

/* Write the state at the end of a run. */
static void end_at(const symgen_dynamics_workspace *w, symgen_dynamics_state *state)
{
    write_state(w->now, state);
    return_turns_to_state(w->taken, state);
    for (int32_t k = 0; k < UNKNOWNS; ++k) {
        state->rate[k] = w->rate[k];
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            state->twist[6*b + i] = w->twist[b][i];
        }
    }
    for (int32_t j = 0; j < JOINT_FORCES; ++j) {
        state->angle[j] = w->angle[j];
    }
    for (int32_t k = 0; k < WATCHED; ++k) {
        state->watched[k] = w->watched[k];
    }
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

static int32_t is_unit(const double *q)
{
    return fabs(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3] - 1) <= NEARLY_UNIT;
}

/* Whether a state is valid: numbers finite, values not too large for their rounding, orientations of unit length. */
static int32_t is_state(const symgen_dynamics_state *state)
{
    const int32_t count = TREE ? MOTIONS + 4*BALLS : 7*BODIES;
    if ((count > 0 && !state->coordinates) || (UNKNOWNS > 0 && !state->rate) || (BODIES > 0 && !state->twist)
        || (JOINT_FORCES > 0 && !state->angle) || (WATCHED > 0 && !state->watched)) {
        return 0;
    }
    for (int32_t k = 0; k < (TREE ? BALLS : BODIES); ++k) {
        if (!is_unit(state->coordinates + (TREE ? MOTIONS + 4*k : 7*k + 3))) {
            return 0;
        }
    }
    for (int32_t k = 0; k < count; ++k) {
        if (!(fabs(state->coordinates[k]) <= FARTHEST)) {
            return 0;
        }
    }
    return are_finite(state->rate, UNKNOWNS) && are_finite(state->twist, 6*BODIES)
        && are_finite(state->angle, JOINT_FORCES) && are_finite(state->watched, WATCHED);
}

/* Whether the settings of the steps are valid. */
static int32_t is_request(const symgen_dynamics_settings *settings)
{
    const double span = (double)settings->steps*settings->step;
    return fabs(settings->start) <= DBL_MAX && settings->step > 0 && span <= DBL_MAX
        && settings->tolerance >= 0 && settings->tolerance <= LOOSEST && settings->renewal >= 0
        && settings->renewal <= DBL_MAX && settings->coarse >= 0 && settings->coarse <= DBL_MAX
        && settings->steps >= 0 && settings->every >= 1 && settings->most_iterations >= 1;
}

/* Whether all arguments of a run are valid. */
static int32_t is_run(
    const symgen_dynamics_workspace *w, const symgen_dynamics_settings *settings, const symgen_dynamics_state *state,
    const int32_t *active, const symgen_dynamics_samples *out, const volatile int64_t *progress)
{
    if (!w || !settings || !state || !out || !progress || (PUSHES > 0 && !active)) {
        return 0;
    }
    return is_request(settings) && is_state(state) && out->poses && out->twists && out->accelerations && out->reactions
        && out->scalars && (WATCHED == 0 || out->angles);
}

symgen_status symgen_dynamics_run_central(
    symgen_dynamics_workspace *w, const symgen_dynamics_settings *settings, symgen_dynamics_state *state,
    const int32_t *active, const symgen_dynamics_samples *out, volatile int64_t *progress)
{
    if (!is_run(w, settings, state, active, out, progress)) {
        return SYMGEN_BAD_INPUT;
    }
    const double h = settings->step;
    start_from(w, settings, state);
    start_half_turns(w, h);
    w->most_iterations = 0;
    for (int64_t n = 0; n <= settings->steps; ++n) {
        if (progress[1]) { /* the caller asked to stop */
            return SYMGEN_NOT_CONVERGED;
        }
        const int32_t starting = n == 0;
        const int32_t form = starting ? START : CENTRAL;
        const double time = settings->start + (double)n*h;
        find_laws(settings->start + ((double)n + 1)*h, w->law_next);
        w->potential = find_forces(w->now, w->law_now, active, w->angle, w->twist, w->wrench, w->dampers);
        if (!has_values(w, w->law_next, active, n < settings->steps)) { /* a force may end with the last step */
            *progress = n;
            return SYMGEN_BAD_INPUT;
        }
        turn_inertias(w->now, &w->matrices);
        if (starting) {
            set_known_terms_start(w, h);
        } else {
            set_known_terms_central(w, h);
        }
        guess_next(w, time, h);
        const symgen_status status = find_next(w, form, h, settings);
        if (status != SYMGEN_OK) {
            *progress = n;
            state->correction = w->correction;
            return status;
        }
        find_momentum_residual(form, h, w->now, w->next, w->half_turn, w->known, &w->matrices, w->residual);
        if (!starting) {
            mean_twist(h, w->before, w->next, w->half_turn, w->matrices.half_turn, w->twist);
        }
        if (n%settings->every == 0) {
            record_central(w, h, starting, out, n/settings->every);
        }
        if (n == settings->steps) {
            break;
        }
        for (int32_t b = 0; b < BODIES; ++b) {
            for (int32_t i = 0; i < 3; ++i) {
                w->half_turn[b][i] = w->matrices.half_turn[b][i];
            }
        }
        remember_rates(w, time, h);
        go_on(w);
        shorten_turns(w->before, w->now, w->taken);
        watch_angles(w->now, w->watched);
        return_turns(w->taken, w->watched);
        keep_directions(&w->system);
        for (int32_t k = 0; k < LAWS; ++k) {
            w->law_now[k] = w->law_next[k];
        }
        *progress = n + 1;
    }
    find_rates(w->before, w->next, 2*h, w->rate);
    end_at(w, state);
    return SYMGEN_OK;
}

/* ---- velocities and accelerations of one configuration, by the same projection ---- */

/* Masses and inertias of the present configuration, in place of the momentum matrices. */
static void set_masses(symgen_dynamics_workspace *w)
{
    w->matrices.damped = 0;
    turn_inertias(w->now, &w->matrices);
    for (int32_t b = 0; b < BODIES; ++b) {
        double *turn = w->matrices.turn[b];
        const double *inertia = w->matrices.inertia[b];
        w->matrices.mass[b] = BODY[b].mass;
        turn[0] = inertia[0];
        turn[4] = inertia[1];
        turn[8] = inertia[2];
        turn[1] = turn[3] = inertia[3];
        turn[2] = turn[6] = inertia[4];
        turn[5] = turn[7] = inertia[5];
    }
}

/* Twists of the present configuration that have the momenta `known` along all free directions. */
static int32_t find_velocities(symgen_dynamics_workspace *w)
{
    double (*given)[6] = w->bias;
    set_masses(w);
    driven_twists(w->now, w->law_now, given);
    apply(&w->matrices, w->dampers, given, w->residual);
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            w->residual[b][i] -= w->known[b][i];
        }
    }
    renew_directions(&w->system, w->now, w->law_now);
    set_rate_rows(&w->system, w->now, w->law_now, given);
    if (!find_step(&w->system, w->now, w->now, &w->matrices, w->dampers, w->residual, w->rate)) {
        return 0;
    }
    spread(w->now, w->rate, w->twist);
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            w->twist[b][i] += given[b][i];
        }
    }
    return 1;
}

/* Accelerations of the present configuration under `wrench`, after `find_velocities`; joint wrenches are left in
 * `residual`. */
static int32_t find_accelerations(symgen_dynamics_workspace *w)
{
    find_bias(w->now, w->law_now, w->rate, w->twist, w->bias);
    apply(&w->matrices, w->dampers, w->bias, w->residual);
    for (int32_t b = 0; b < BODIES; ++b) {
        double torque[3];
        (void)solve_gyroscopic(w->now->pose[b] + 3, w->twist[b] + 3, BODY[b].inertia, torque);
        for (int32_t i = 0; i < 3; ++i) {
            w->known[b][i] = w->wrench[b][i];
            w->known[b][3 + i] = w->wrench[b][3 + i] - torque[i];
        }
        for (int32_t i = 0; i < 6; ++i) {
            w->residual[b][i] -= w->known[b][i];
        }
    }
    set_bias_rows(&w->system, w->now, w->law_now, w->twist, w->bias);
    if (!find_step(&w->system, w->now, w->now, &w->matrices, w->dampers, w->residual, w->step)) {
        return 0;
    }
    spread(w->now, w->step, w->acceleration);
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            w->acceleration[b][i] += w->bias[b][i];
        }
    }
    apply(&w->matrices, w->dampers, w->acceleration, w->residual);
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            w->residual[b][i] -= w->known[b][i];
        }
    }
    return 1;
}

/* ---- variational integration, steps composed of stages ---- */

/* Write one sample of the twists and accelerations found. */
static void record(symgen_dynamics_workspace *w, const symgen_dynamics_samples *out, int64_t row)
{
    double *scalar = out->scalars + 5*row;
    for (int32_t k = 0; k < WATCHED; ++k) {
        out->angles[WATCHED*row + k] = w->watched[k];
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 7; ++i) {
            out->poses[7*(BODIES*row + b) + i] = w->now->pose[b][i];
        }
        for (int32_t i = 0; i < 6; ++i) {
            out->twists[6*(BODIES*row + b) + i] = w->twist[b][i];
            out->accelerations[6*(BODIES*row + b) + i] = w->acceleration[b][i];
            out->reactions[6*(BODIES*row + b) + i] = w->residual[b][i];
        }
    }
    scalar[0] = find_kinetic(w->now, w->twist);
    scalar[1] = w->potential;
    scalar[2] = find_violation(w->now, w->law_now);
    scalar[3] = w->most_iterations;
    w->most_iterations = 0;
    scalar[4] = w->correction;
}

/* Known part of the momenta in the variational form: those at the end of the last stage, and the impulse of forces. */
static void set_known_terms_variational(symgen_dynamics_workspace *w, double share)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            w->known[b][i] = w->end_momentum[b][i] + share*w->wrench[b][i];
        }
    }
}

/* Momenta from twists, without forces, as at the end of a step: a new start. */
static void set_end_momentum_of_twists(symgen_dynamics_workspace *w)
{
    turn_inertias(w->now, &w->matrices);
    for (int32_t b = 0; b < BODIES; ++b) {
        (void)solve_start_momentum_world(w->twist[b] + 3, w->matrices.inertia[b], 0, w->end_momentum[b] + 3);
        for (int32_t i = 0; i < 3; ++i) {
            w->end_momentum[b][i] = BODY[b].mass*w->twist[b][i];
        }
    }
}

/* Make the next configuration the present one, with the momenta at the end of the step: in world axes they equal those
 * at its start. */
static void complete_step(symgen_dynamics_workspace *w, double h)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        const double *one = w->now->pose[b];
        const double *two = w->next->pose[b];
        double tangent[9];
        (void)solve_variational_departure_world(
            one + 3, two + 3, w->matrices.inertia[b], h, w->end_momentum[b] + 3, tangent);
        for (int32_t i = 0; i < 3; ++i) {
            w->end_momentum[b][i] = BODY[b].mass*(two[i] - one[i])/h;
        }
    }
    go_on(w);
    shorten_turns(w->before, w->now, w->taken);
    watch_angles(w->now, w->watched);
    return_turns(w->taken, w->watched);
    keep_directions(&w->system);
    for (int32_t k = 0; k < LAWS; ++k) {
        w->law_now[k] = w->law_next[k];
    }
}

symgen_status symgen_dynamics_run_variational(
    symgen_dynamics_workspace *w, const symgen_dynamics_settings *settings, int32_t stages, const double *fractions,
    symgen_dynamics_state *state, const int32_t *active, const symgen_dynamics_samples *out, volatile int64_t *progress)
{
    if (!is_run(w, settings, state, active, out, progress) || stages < 1 || !fractions
        || !are_finite(fractions, stages)) {
        return SYMGEN_BAD_INPUT;
    }
    start_from(w, settings, state);
    set_end_momentum_of_twists(w);
    double last = 0;
    w->iterations = 0;
    w->most_iterations = 0;
    w->correction = 0;
    for (int64_t n = 0; n <= settings->steps; ++n) {
        if (progress[1]) { /* the caller asked to stop */
            return SYMGEN_NOT_CONVERGED;
        }
        w->potential = find_forces(w->now, w->law_now, active, w->angle, w->twist, w->wrench, w->dampers);
        if (!has_values(w, w->law_now, active, 1)) {
            *progress = n;
            return SYMGEN_BAD_INPUT;
        }
        if (n%settings->every == 0 || n == settings->steps) {
            set_known_terms_variational(w, last/2);
            if (!find_velocities(w) || !find_accelerations(w)) {
                *progress = n;
                return SYMGEN_SINGULAR;
            }
            if (n%settings->every == 0) {
                record(w, out, n/settings->every);
            }
        }
        if (n == settings->steps) {
            break;
        }
        double time = settings->start + (double)n*settings->step;
        for (int32_t stage = 0; stage < stages; ++stage) {
            const double h = fractions[stage]*settings->step;
            const double now = time;
            time += h;
            if (stage > 0) {
                w->potential = find_forces(w->now, w->law_now, active, w->angle, w->twist, w->wrench, w->dampers);
            }
            find_laws(stage + 1 < stages ? time : settings->start + ((double)n + 1)*settings->step, w->law_next);
            if (!has_values(w, w->law_next, active, 1)) {
                *progress = n;
                return SYMGEN_BAD_INPUT;
            }
            set_known_terms_variational(w, (last + h)/2);
            turn_inertias(w->now, &w->matrices);
            guess_next(w, now, h);
            const symgen_status status = find_next(w, VARIATIONAL, h, settings);
            if (status != SYMGEN_OK) {
                *progress = n;
                state->correction = w->correction;
                return status;
            }
            remember_rates(w, now, h);
            complete_step(w, h);
            last = h;
        }
        *progress = n + 1;
    }
    end_at(w, state);
    return SYMGEN_OK;
}
