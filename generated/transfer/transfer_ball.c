/*
 * Part of symgen's special engines of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */

/* trees of bodies on ball joints.
 *
 * Bodies with absolute orientations (quaternions), each carried by one ball joint: by the ground or another
 * body. A ball joint passes on a force and no moment, q = S a + e, so the Riccati recursion works
 * with 3 x 3 matrices; six entries of the symmetric S are stored. One evaluation takes time in proportion
 * to the number of bodies.
 *
 * No allocation; all data are in the caller's workspace. Memory is read along the bodies, once from the tips to the
 * roots and once back.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>

#include "transfer_ball.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-tree-slp-vectorize")
#endif

#if DBL_MANT_DIG != 53
#error "double does not have 53 bits of mantissa here"
#endif

#include "transfer_ball_kernels.h"

#define VALUES 7
#define FIRST_RATE 4
#define ROWS 3
#define TURNS 3
#define LOWER 6
#define solve_column_out solve_ball_column_out
#define solve_column_cross solve_ball_column_cross
#define solve_column_back solve_ball_column_back
#define solve_loop_close solve_ball_loop_close
#define solve_loop_other solve_ball_loop_other
#define solve_loop_pair solve_ball_loop_pair
#define solve_loop_force solve_ball_loop_force
#define solve_loop_share solve_ball_loop_share

#include "transfer_special_loops.h"

typedef symgen_transfer_ball_system tree;

typedef struct {     /* data of a body from the sweep to the roots, for the sweep back */
    double turn[9];  /* its angular acceleration per unit acceleration of its joint */
    double rest[3];  /* constant part; in the sweep back, then the acceleration of its joint */
    double lever[3]; /* from its joint to that of the body that carries it, world */
} body_data;

typedef struct {     /* a tree of bodies whose carrier has not been reached: the force at its joint is */
    double slope[6]; /* a symmetric matrix, lower triangle, times the joint's acceleration */
    double rest[3];  /* plus this */
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
static void find_wrench(const tree *system, int64_t i, int32_t moving, double *force, double *torque)
{
    for (int32_t k = 0; k < 3; ++k) {
        force[k] = moving ? system->body[i].mass*system->gravity[k] : 0;
        torque[k] = 0;
    }
    if (system->wrench && moving) {
        for (int32_t k = 0; k < 3; ++k) {
            force[k] += system->wrench[6*i + k];
            torque[k] += system->wrench[6*i + 3 + k];
        }
    }
}

/* Scale the quaternions of a state to length 1. */
static void make_unit(const tree *system, double *state)
{
    for (int64_t i = 0; i < system->bodies; ++i) {
        double *q = state + VALUES*i;
        const double shrink = 1/sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]);
        for (int32_t k = 0; k < 4; ++k) {
            q[k] *= shrink;
        }
    }
}

static void find_lever(const double *q, const double *point, const double *reference, double *lever)
{
    (void)solve_turned_lever(q, point, reference, lever);
}

static void join_column(const double *column, const double *lever, const double *omega, double *turn,
    double *rest)
{
    (void)solve_ball_column_input(column, lever, omega, turn, rest);
}

/* A column through the joint of a body: as a body's blocks, with the gap in place of the force. */
static void close_column(const double *compliance, const double *turn, const double *c, const double *rest,
    const double *e_m, double *more_compliance, double *more_rest, double *gain)
{
    double idle[3];
    double pivots[3];
    double scales[3];
    (void)solve_ball_close(compliance, turn, c, rest, e_m, more_compliance, more_rest, gain, idle, pivots, scales);
}

#include "transfer_special_columns.h"

/* Reduce a body, all it carries and the loops that it closes, to its joint; pops the bodies it carries from the stack.
 * Returns whether there is inertia about its joint. */
static int32_t close_body(const tree *system, int64_t i, const double *state, int32_t moving, double mass,
    const layout *work, int64_t *height, waiting_tree *closed)
{
    const symgen_transfer_ball_body *body = system->body + i;
    const double *at = state + VALUES*i;
    const double q[4] = {at[0], at[1], at[2], at[3]};
    const double omega[3] = {moving ? at[4] : 0, moving ? at[5] : 0, moving ? at[6] : 0};
    double inertia[6];
    double d[3];
    double force[3];
    double torque[3];
    double a[6];
    double b[9];
    double c[6];
    double e_q[3];
    double e_m[3];
    double pivots[3];
    double scales[3];
    (void)solve_turned_body(q, body->inertia, body->output, inertia, d);
    find_wrench(system, i, moving, force, torque);
    (void)solve_ball_body(body->mass, inertia, d, omega, force, torque, a, b, c, e_q, e_m);
    for (int32_t k = 0; k < body->inputs; ++k) {
        const waiting_tree *carried = work->waiting + --*height;
        double lever[3];
        double more_a[6];
        double more_b[9];
        double more_c[6];
        double more_q[3];
        double more_m[3];
        (void)solve_turned_lever(q, system->body[carried->body].input, body->output, lever);
        (void)solve_ball_input(carried->slope, carried->rest, lever, omega, more_a, more_b, more_c, more_q, more_m);
        for (int32_t m = 0; m < 9; ++m) {
            b[m] += more_b[m];
        }
        for (int32_t m = 0; m < 6; ++m) {
            a[m] += more_a[m];
            c[m] += more_c[m];
        }
        for (int32_t m = 0; m < 3; ++m) {
            e_q[m] += more_q[m];
            e_m[m] += more_m[m];
            work->body[carried->body].lever[m] = lever[m];
        }
    }
    body_data *here = work->body + i;
    const int32_t looped = strands_at(&system->loops, i);
    if (looped) {
        gather_columns(system, i, q, omega, work);
        closed->body = close_loops(system, i, work, 1/mass, a, b, c, e_q, e_m);
        if (closed->body >= 0) {
            closed->body = -2 - system->loops.strand[closed->body].loop;
            return 0;
        }
    }
    (void)solve_ball_close(a, b, c, e_q, e_m, closed->slope, closed->rest, here->turn, here->rest, pivots, scales);
    closed->body = i;
    if (looped) {
        pass_on(system, i, work, c, e_m);
    }
    int32_t good = 1;
    for (int32_t k = 0; k < 3; ++k) {
        good &= pivots[k] > NO_PIVOT*scales[k];
    }
    return good;
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
    const double rest[3] = {0, 0, 0};
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
            for (int32_t k = 0; k < 3; ++k) {
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
        double acceleration[3] = {0, 0, 0};
        double alpha[3];
        if (p >= 0) {
            const double *alpha_p = rate + VALUES*p + 4;
            const double *omega_p = moving ? state + VALUES*p + 4 : rest;
            (void)solve_ball_input_back(work->body[p].rest, alpha_p, here->lever, omega_p, acceleration);
        }
        (void)solve_ball_back(here->turn, here->rest, acceleration, alpha);
        if (strands_at(&system->loops, i)) {
            add_open(&system->loops, &work->loops, i, alpha);
            find_forces(&system->loops, &work->loops, i, acceleration, alpha);
        }
        (void)solve_quaternion_rate(state + VALUES*i, moving ? state + VALUES*i + 4 : alpha, rate + VALUES*i);
        for (int32_t k = 0; k < 3; ++k) {
            here->rest[k] = acceleration[k];
            rate[VALUES*i + 4 + k] = alpha[k];
        }
    }
    return SYMGEN_OK;
}

/* Positions and velocities of the centres of mass, stored after the spare rates; roots to tips. */
static void find_positions(const tree *system, const double *state, const layout *work)
{
    const int64_t first = VALUES*(int64_t)system->bodies;
    const double none[3] = {0};
    for (int64_t i = system->bodies - 1; i >= 0; --i) {
        const symgen_transfer_ball_body *body = system->body + i;
        double *here = work->spare + first + 6*i;
        const double *q = state + VALUES*i;
        const double *omega = q + 4;
        double lever[3];
        double r[3] = {body->input[0], body->input[1], body->input[2]};
        double v[3] = {0, 0, 0};
        double a[3];
        if (body->parent >= 0) {
            const double *q_p = state + VALUES*body->parent;
            const double *centre_p = work->spare + first + 6*body->parent;
            (void)solve_turned_lever(q_p, body->input, none, lever);
            (void)solve_reached_motion(centre_p, centre_p + 3, none, none, q_p + 4, lever, r, v, a);
        }
        (void)solve_turned_lever(q, none, body->output, lever);
        (void)solve_reached_motion(r, v, none, none, omega, lever, here, here + 3, a);
    }
}

/* Position and velocity of an end of a loop. */
static void find_end(const tree *system, const double *state, const layout *work, int32_t loop, int32_t end,
    double *there, double *velocity)
{
    const double none[3] = {0, 0, 0};
    const double *at = system->loops.loop[loop].point[end];
    const int64_t i = system->loops.loop[loop].body[end];
    double lever[3];
    double a[3];
    for (int32_t k = 0; k < 3; ++k) {
        there[k] = at[k];
        velocity[k] = 0;
    }
    if (i >= 0) {
        const double *q = state + VALUES*i;
        const double *held = work->spare + VALUES*(int64_t)system->bodies + 6*i;
        (void)solve_turned_lever(q, at, none, lever);
        (void)solve_reached_motion(held, held + 3, none, none, q + 4, lever, there, velocity, a);
    }
}

/* Rotate the bodies by the result of a sweep, or change their angular velocities by it. */
static void add_turns(const tree *system, const double *found, int32_t of_rates, double *state)
{
    for (int64_t i = 0; i < system->bodies; ++i) {
        for (int32_t k = of_rates ? 4 : 0; k < (of_rates ? 7 : 4); ++k) {
            state[VALUES*i + k] += found[VALUES*i + k];
        }
    }
}

#include "transfer_special_closing.h"

/* Motion of the centres of mass, roots to tips: from a body to the joint, from the joint to the next body. */
void symgen_transfer_ball_sample(
    const symgen_transfer_ball_system *system, const double *state, const double *rate, double *poses,
    double *twists, double *accelerations)
{
    const double centre[3] = {0, 0, 0};
    for (int64_t i = system->bodies - 1; i >= 0; --i) {
        const symgen_transfer_ball_body *body = system->body + i;
        const double *q = state + VALUES*i;
        const double *omega = q + 4;
        const double *alpha = rate + VALUES*i + 4;
        double *pose = poses + 7*i;
        double *twist = twists + 6*i;
        double *acceleration = accelerations + 6*i;
        double lever[3];
        double r[3] = {body->input[0], body->input[1], body->input[2]};
        double v[3] = {0, 0, 0};
        double a[3] = {0, 0, 0};
        if (body->parent >= 0) {
            const double *q_p = state + VALUES*body->parent;
            const double *r_p = poses + 7*body->parent;
            const double *v_p = twists + 6*body->parent;
            const double *a_p = accelerations + 6*body->parent;
            (void)solve_turned_lever(q_p, body->input, centre, lever);
            (void)solve_reached_motion(r_p, v_p, a_p, a_p + 3, v_p + 3, lever, r, v, a);
        }
        (void)solve_turned_lever(q, centre, body->output, lever);
        (void)solve_reached_motion(r, v, a, alpha, omega, lever, pose, twist, acceleration);
        for (int32_t k = 0; k < 4; ++k) {
            pose[3 + k] = q[k];
        }
        for (int32_t k = 0; k < 3; ++k) {
            twist[3 + k] = omega[k];
            acceleration[3 + k] = alpha[k];
        }
    }
}

static void write_sample(
    const tree *system, const double *state, const double *rate, const symgen_transfer_special_samples *out,
    int64_t row)
{
    const int64_t first = row*system->bodies;
    symgen_transfer_ball_sample(
        system, state, rate, out->poses + 7*first, out->twists + 6*first, out->accelerations + 6*first);
}

#include "transfer_special_motion.h"

int64_t symgen_transfer_ball_workspace_size(
    const symgen_transfer_ball_system *system, int32_t width, int32_t chosen)
{
    const int64_t size = (int64_t)system->bodies*VALUES;
    return layout_size(system) + NUMBERS_OF_STEPS(size, width, chosen)*(int64_t)sizeof(double);
}

symgen_status symgen_transfer_ball_check(
    const symgen_transfer_ball_system *system, void *workspace, int32_t *failed)
{
    layout work;
    int64_t height = 0;
    (void)lay_out(system, workspace, &work);
    for (int32_t i = 0; i < system->bodies; ++i) {
        const symgen_transfer_ball_body *body = system->body + i;
        int32_t good = body->inputs >= 0 && body->inputs <= height && body->mass >= 0;
        *failed = i;
        for (int32_t k = 0; k < body->inputs && good; ++k) {
            good = system->body[work.waiting[--height].body].parent == i;
        }
        good = good && (body->parent == -1 || (body->parent > i && body->parent < system->bodies));
        good = good && are_finite(&body->mass, 1) && are_finite(body->inertia, 6);
        good = good && are_finite(body->output, 3) && are_finite(body->input, 3);
        good = good && (!system->wrench || are_finite(system->wrench + 6*(int64_t)i, 6));
        if (!good) {
            return SYMGEN_BAD_INPUT;
        }
        if (body->parent >= 0) {
            work.waiting[height++].body = i;
        }
    }
    return height == 0 && are_finite(system->gravity, 3) && check_loops(system) ? SYMGEN_OK : SYMGEN_BAD_INPUT;
}

symgen_status symgen_transfer_ball_accelerations(
    const symgen_transfer_ball_system *system, const double *state, double *rate, void *workspace,
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

symgen_status symgen_transfer_ball_run(
    const symgen_transfer_ball_system *system, const symgen_transfer_special_scheme *scheme,
    const symgen_transfer_special_settings *settings, symgen_transfer_special_run *run,
    const symgen_transfer_special_samples *out, void *workspace, volatile int64_t *progress)
{
    layout work;
    double *memory = lay_out(system, workspace, &work);
    return integrate(system, scheme, settings, run, out, &work, memory, progress);
}
