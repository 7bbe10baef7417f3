/*
 * Part of symgen's special engines of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */

/* planar trees of bodies on pins.
 *
 * Bodies with absolute angles, each carried by one pin: by the ground or by another body. A pin passes on
 * a force and no moment, q = S a + e, so the Riccati recursion works with 2 x 2 matrices; three entries of
 * the symmetric S are stored. One evaluation takes time in proportion to the number of bodies.
 *
 * No allocation; all data are in the caller's workspace. Memory is read along the bodies, once from the tips to the
 * roots and once back.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>

#include "transfer_planar.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-tree-slp-vectorize")
#endif

#if DBL_MANT_DIG != 53
#error "double does not have 53 bits of mantissa here"
#endif

#include "transfer_planar_kernels.h"

#define VALUES 2
#define FIRST_RATE 1
#define ROWS 2
#define TURNS 1
#define LOWER 3
#define solve_column_out solve_pin_column_out
#define solve_column_cross solve_pin_column_cross
#define solve_column_back solve_pin_column_back
#define solve_loop_close solve_pin_loop_close
#define solve_loop_other solve_pin_loop_other
#define solve_loop_pair solve_pin_loop_pair
#define solve_loop_force solve_pin_loop_force
#define solve_loop_share solve_pin_loop_share

#include "transfer_special_loops.h"

typedef symgen_transfer_planar_system tree;

typedef struct {     /* data of a body from the sweep to the roots, for the sweep back */
    double turn[2];  /* its angular acceleration per unit acceleration of its pin */
    double rest[2];  /* constant part; in the sweep back, then the acceleration of its pin */
    double lever[2]; /* from its pin to that of the body that carries it, world */
} body_data;

typedef struct {     /* a tree of bodies whose carrier has not been reached: the force at its pin is */
    double slope[3]; /* a symmetric matrix, lower triangle, times the pin's acceleration */
    double rest[2];  /* plus this */
    int64_t body;    /* the tree's root */
} waiting_tree;

/* Number of strands of all loops, and of numbers needed to close them again. */
static int64_t strands(const tree *system)
{
    return system->loops.loops ? system->loops.first[system->bodies + 1] : 0;
}

static int64_t spares(const tree *system)
{
    return system->loops.loops ? (int64_t)system->bodies*(VALUES + 2*ROWS) : 0;
}

typedef struct {
    loop_work loops;
    double *spare;        /* rates of a state, then position and velocity of each body, to close loops again */
    body_data *body;
    waiting_tree *waiting;    /* a stack, as deep as the branching of the tree needs */
} layout;

/* The workspace: bodies, the stack, data of loops, then data of an integration. */
static double *lay_out(const tree *system, void *workspace, layout *work)
{
    const int64_t pairs = (int64_t)system->loops.loops*system->loops.loops*ROWS*ROWS;
    work->body = (body_data *)workspace;
    work->waiting = (waiting_tree *)(void *)(work->body + system->bodies);
    work->loops.strand = (strand_data *)(void *)(work->waiting + system->bodies);
    work->loops.loop = (loop_data *)(void *)(work->loops.strand + strands(system));
    work->loops.side = (double *)(void *)(work->loops.loop + system->loops.loops);
    work->loops.share = work->loops.side + pairs;
    work->spare = work->loops.share + pairs;
    return work->spare + spares(system);
}

/* Total number of bytes. */
static int64_t layout_size(const tree *system)
{
    const int64_t pairs = (int64_t)system->loops.loops*system->loops.loops*ROWS*ROWS;
    const int64_t bodies = (int64_t)system->bodies*(int64_t)(sizeof(body_data) + sizeof(waiting_tree));
    const int64_t loops = (int64_t)sizeof(loop_data)*system->loops.loops;
    const int64_t kept = strands(system)*(int64_t)sizeof(strand_data) + loops;
    return bodies + kept + (2*pairs + spares(system))*(int64_t)sizeof(double);
}

/* Force and torque at the centre of mass; zero if only gaps are closed. */
static double find_wrench(const tree *system, int64_t i, int32_t moving, double *force)
{
    const int32_t pushed = system->wrench && moving;
    for (int32_t k = 0; k < 2; ++k) {
        force[k] = (moving ? system->body[i].mass*system->gravity[k] : 0) + (pushed ? system->wrench[3*i + k] : 0);
    }
    return pushed ? system->wrench[3*i + 2] : 0;
}

/* Angles need no normalisation. */
static void make_unit(const tree *system, double *state)
{
    (void)system;
    (void)state;
}

static void find_lever(const double *turned, const double *point, const double *reference, double *lever)
{
    (void)solve_turned_lever_planar(turned, point, reference, lever);
}

static void join_column(const double *column, const double *lever, const double *omega, double *turn,
    double *rest)
{
    (void)solve_pin_column_input(column, lever, *omega, turn, rest);
}

/* A column through the pin of a body: as a body's blocks, with the gap in place of the force. */
static void close_column(const double *compliance, const double *turn, const double *c, const double *rest,
    const double *e_m, double *more_compliance, double *more_rest, double *gain)
{
    double idle[1];
    (void)solve_pin_close(compliance, turn, *c, rest, *e_m, more_compliance, more_rest, gain, idle);
}

#include "transfer_special_columns.h"

/* Reduce a body, all it carries and the loops that it closes, to its pin; pops the bodies it carries from the stack.
 * Returns whether there is inertia about its pin. */
static int32_t close_body(const tree *system, int64_t i, const double *state, int32_t moving, double mass,
    const layout *work, int64_t *height, waiting_tree *closed)
{
    const symgen_transfer_planar_body *body = system->body + i;
    const double angle = state[VALUES*i];
    const double omega = moving ? state[VALUES*i + 1] : 0;
    const double centre[2] = {0, 0};
    double turned[2];
    double d[2];
    double force[2];
    double a[3];
    double b[2];
    double c[1];
    double e_q[2];
    double e_m[1];
    (void)solve_direction(angle, turned);
    (void)solve_turned_lever_planar(turned, centre, body->output, d);
    const double torque = find_wrench(system, i, moving, force);
    (void)solve_pin_body(body->mass, body->inertia, d, omega, force, torque, a, b, c, e_q, e_m);
    for (int32_t k = 0; k < body->inputs; ++k) {
        const waiting_tree *carried = work->waiting + --*height;
        double lever[2];
        double more_a[3];
        double more_b[2];
        double more_c[1];
        double more_q[2];
        double more_m[1];
        (void)solve_turned_lever_planar(turned, system->body[carried->body].input, body->output, lever);
        (void)solve_pin_input(carried->slope, carried->rest, lever, omega, more_a, more_b, more_c, more_q, more_m);
        for (int32_t m = 0; m < 3; ++m) {
            a[m] += more_a[m];
        }
        for (int32_t m = 0; m < 2; ++m) {
            b[m] += more_b[m];
            e_q[m] += more_q[m];
            work->body[carried->body].lever[m] = lever[m];
        }
        c[0] += more_c[0];
        e_m[0] += more_m[0];
    }
    body_data *here = work->body + i;
    const int32_t looped = strands_at(&system->loops, i);
    if (looped) {
        gather_columns(system, i, turned, &omega, work);
        closed->body = close_loops(system, i, work, 1/mass, a, b, c, e_q, e_m);
        if (closed->body >= 0) {
            closed->body = -2 - system->loops.strand[closed->body].loop;
            return 0;
        }
    }
    (void)solve_pin_close(a, b, c[0], e_q, e_m[0], closed->slope, closed->rest, here->turn, here->rest);
    closed->body = i;
    if (looped) {
        pass_on(system, i, work, c, e_m);
    }
    return c[0] < 0;
}

/* Close the loops that end at the ground. */
static int32_t close_on_ground(const tree *system, double mobility, const layout *work)
{
    double a[LOWER] = {0};
    double b[ROWS*TURNS] = {0};
    double c[TURNS*(TURNS + 1)/2] = {0};
    double e_q[ROWS] = {0};
    double e_m[TURNS] = {0};
    const double rdd[ROWS] = {0};
    const double wd[TURNS] = {0};
    const double attitude[4] = {1, 0, 0, 0};
    const double omega[TURNS] = {0};
    gather_columns(system, system->bodies, attitude, omega, work);
    const int32_t strand = close_loops(system, system->bodies, work, mobility, a, b, c, e_q, e_m);
    find_forces(&system->loops, &work->loops, system->bodies, rdd, wd);
    return strand;
}

/* Rates of a state: tips to roots, then roots to tips. If not `moving`: the correction that closes the stored gaps of
 * the loops. */
static symgen_status sweep(const tree *system, const double *state, int32_t moving, double *rate,
    const layout *work, int32_t *failed)
{
    int64_t height = 0;
    double mass = 0;
    clear_loops(&system->loops, &work->loops);
    for (int64_t i = 0; i < system->bodies; ++i) {
        waiting_tree closed;
        mass += system->body[i].mass;
        if (!close_body(system, i, state, moving, mass, work, &height, &closed)) {
            *failed = (int32_t)closed.body;
            return SYMGEN_SINGULAR;
        }
        if (system->body[i].parent >= 0) {
            work->waiting[height++] = closed;
        } else {
            for (int32_t k = 0; k < 2; ++k) {
                work->body[i].lever[k] = 0;
            }
        }
    }
    if (strands_at(&system->loops, system->bodies)) {
        const int32_t strand = close_on_ground(system, 1/mass, work);
        if (strand >= 0) {
            *failed = -2 - system->loops.strand[strand].loop;
            return SYMGEN_SINGULAR;
        }
    }
    for (int64_t i = system->bodies - 1; i >= 0; --i) {
        body_data *here = work->body + i;
        const int64_t p = system->body[i].parent;
        double acceleration[2] = {0, 0};
        double alpha[1];
        if (p >= 0) {
            const double omega_p = moving ? state[VALUES*p + 1] : 0;
            const double alpha_p = rate[VALUES*p + 1];
            (void)solve_pin_input_back(work->body[p].rest, alpha_p, here->lever, omega_p, acceleration);
        }
        (void)solve_pin_back(here->turn, here->rest[0], acceleration, alpha);
        if (strands_at(&system->loops, i)) {
            add_open(&system->loops, &work->loops, i, alpha);
            find_forces(&system->loops, &work->loops, i, acceleration, alpha);
        }
        here->rest[0] = acceleration[0];
        here->rest[1] = acceleration[1];
        rate[VALUES*i] = moving ? state[VALUES*i + 1] : alpha[0];
        rate[VALUES*i + 1] = alpha[0];
    }
    return SYMGEN_OK;
}

/* Positions and velocities of the centres of mass, stored after the spare rates; roots to tips. */
static void find_positions(const tree *system, const double *state, const layout *work)
{
    const int64_t first = VALUES*(int64_t)system->bodies;
    const double none[2] = {0};
    for (int64_t i = system->bodies - 1; i >= 0; --i) {
        const symgen_transfer_planar_body *body = system->body + i;
        double *here = work->spare + first + 4*i;
        const double angle = state[VALUES*i];
        const double omega = state[VALUES*i + 1];
        double turned[2];
        double lever[2];
        double r[2] = {body->input[0], body->input[1]};
        double v[2] = {0, 0};
        double a[2];
        if (body->parent >= 0) {
            const double *at_p = state + VALUES*body->parent;
            const double *centre_p = work->spare + first + 4*body->parent;
            (void)solve_direction(at_p[0], turned);
            (void)solve_turned_lever_planar(turned, body->input, none, lever);
            (void)solve_reached_motion_planar(centre_p, centre_p + 2, none, 0, at_p[1], lever, r, v, a);
        }
        (void)solve_direction(angle, turned);
        (void)solve_turned_lever_planar(turned, none, body->output, lever);
        (void)solve_reached_motion_planar(r, v, none, 0, omega, lever, here, here + 2, a);
    }
}

/* Position and velocity of an end of a loop. */
static void find_end(const tree *system, const double *state, const layout *work, int32_t loop, int32_t end,
    double *there, double *velocity)
{
    const double none[2] = {0, 0};
    const double *at = system->loops.loop[loop].point[end];
    const int64_t i = system->loops.loop[loop].body[end];
    double turned[2];
    double lever[2];
    double a[2];
    for (int32_t k = 0; k < 2; ++k) {
        there[k] = at[k];
        velocity[k] = 0;
    }
    if (i >= 0) {
        const double *held = work->spare + VALUES*(int64_t)system->bodies + 4*i;
        (void)solve_direction(state[VALUES*i], turned);
        (void)solve_turned_lever_planar(turned, at, none, lever);
        (void)solve_reached_motion_planar(held, held + 2, none, 0, state[VALUES*i + 1], lever, there, velocity, a);
    }
}

/* Rotate the bodies by the result of a sweep, or change their angular velocities by it. */
static void add_turns(const tree *system, const double *found, int32_t of_rates, double *state)
{
    for (int64_t i = 0; i < system->bodies; ++i) {
        for (int32_t k = of_rates ? 1 : 0; k < (of_rates ? 2 : 1); ++k) {
            state[VALUES*i + k] += found[VALUES*i + k];
        }
    }
}

#include "transfer_special_closing.h"

/* Motion of the centres of mass, roots to tips: from a body to the pin, from the pin to the next body. */
void symgen_transfer_planar_sample(
    const symgen_transfer_planar_system *system, const double *state, const double *rate, double *poses,
    double *twists, double *accelerations)
{
    const double centre[2] = {0, 0};
    for (int64_t i = system->bodies - 1; i >= 0; --i) {
        const symgen_transfer_planar_body *body = system->body + i;
        const double angle = state[VALUES*i];
        const double omega = state[VALUES*i + 1];
        const double alpha = rate[VALUES*i + 1];
        double *pose = poses + 3*i;
        double *twist = twists + 3*i;
        double *acceleration = accelerations + 3*i;
        double turned[2];
        double lever[2];
        double r[2] = {body->input[0], body->input[1]};
        double v[2] = {0, 0};
        double a[2] = {0, 0};
        if (body->parent >= 0) {
            const double *r_p = poses + 3*body->parent;
            const double *v_p = twists + 3*body->parent;
            const double *a_p = accelerations + 3*body->parent;
            (void)solve_direction(r_p[2], turned);
            (void)solve_turned_lever_planar(turned, body->input, centre, lever);
            (void)solve_reached_motion_planar(r_p, v_p, a_p, a_p[2], v_p[2], lever, r, v, a);
        }
        (void)solve_direction(angle, turned);
        (void)solve_turned_lever_planar(turned, centre, body->output, lever);
        (void)solve_reached_motion_planar(r, v, a, alpha, omega, lever, pose, twist, acceleration);
        pose[2] = angle;
        twist[2] = omega;
        acceleration[2] = alpha;
    }
}

static void write_sample(
    const tree *system, const double *state, const double *rate, const symgen_transfer_special_samples *out,
    int64_t row)
{
    const int64_t first = 3*row*system->bodies;
    symgen_transfer_planar_sample(
        system, state, rate, out->poses + first, out->twists + first, out->accelerations + first);
}

#include "transfer_special_motion.h"

int64_t symgen_transfer_planar_workspace_size(
    const symgen_transfer_planar_system *system, int32_t width, int32_t chosen)
{
    const int64_t size = (int64_t)system->bodies*VALUES;
    return layout_size(system) + NUMBERS_OF_STEPS(size, width, chosen)*(int64_t)sizeof(double);
}

symgen_status symgen_transfer_planar_check(
    const symgen_transfer_planar_system *system, void *workspace, int32_t *failed)
{
    layout work;
    int64_t height = 0;
    (void)lay_out(system, workspace, &work);
    for (int32_t i = 0; i < system->bodies; ++i) {
        const symgen_transfer_planar_body *body = system->body + i;
        int32_t good = body->inputs >= 0 && body->inputs <= height && body->mass >= 0;
        *failed = i;
        for (int32_t k = 0; k < body->inputs && good; ++k) {
            good = system->body[work.waiting[--height].body].parent == i;
        }
        good = good && (body->parent == -1 || (body->parent > i && body->parent < system->bodies));
        good = good && are_finite(&body->mass, 1) && are_finite(&body->inertia, 1);
        good = good && are_finite(body->output, 2) && are_finite(body->input, 2);
        good = good && (!system->wrench || are_finite(system->wrench + 3*(int64_t)i, 3));
        if (!good) {
            return SYMGEN_BAD_INPUT;
        }
        if (body->parent >= 0) {
            work.waiting[height++].body = i;
        }
    }
    return height == 0 && are_finite(system->gravity, 2) && check_loops(system) ? SYMGEN_OK : SYMGEN_BAD_INPUT;
}

symgen_status symgen_transfer_planar_accelerations(
    const symgen_transfer_planar_system *system, const double *state, double *rate, void *workspace,
    int32_t *failed)
{
    layout work;
    (void)lay_out(system, workspace, &work);
    const symgen_status status = find_rates(system, state, rate, &work, failed);
    for (int32_t i = 0; i < system->bodies && status == SYMGEN_OK; ++i) {
        if (!are_finite(rate + VALUES*(int64_t)i, VALUES)) {
            *failed = i;
            return SYMGEN_BAD_INPUT;
        }
    }
    return status;
}

symgen_status symgen_transfer_planar_run(
    const symgen_transfer_planar_system *system, const symgen_transfer_special_scheme *scheme,
    const symgen_transfer_special_settings *settings, symgen_transfer_special_run *run,
    const symgen_transfer_special_samples *out, void *workspace, volatile int64_t *progress)
{
    layout work;
    double *memory = lay_out(system, workspace, &work);
    return integrate(system, scheme, settings, run, out, &work, memory, progress);
}
