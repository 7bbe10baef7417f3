/*
 * Part of symgen's engine of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
#ifndef SYMGEN_TRANSFER_SWEEP_H
#define SYMGEN_TRANSFER_SWEEP_H

#include "transfer_joints.h"

/* From the tips to the ground: articulated inertias, and the terms of open loops; loads of the bodies are set from the
 * last wrenches. False if a joint moves no mass. Call after `find_loop_rows`. */
static int32_t factorise(symgen_transfer_workspace *w)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        const double *wrench = w->wrench[b];
        (void)solve_body_inertia(w->now.pose[b] + 3, BODY[b].inertia, w->turning[b]);
        (void)solve_riccati_centre(
            BODY[b].mass, w->turning[b], w->twist[b] + 3, wrench, wrench + 3, w->inertia[b], w->load[b]);
        w->size[b][0] = w->size[b][1] = 0;
    }
#if BEAMS
    add_beams(w);
#endif
    w->least = 1;
    for (int32_t r = 0; r < ROWS; ++r) {
        w->terms[r] = 0;
    }
    for (int32_t index = 0; index < BODIES; ++index) {
        const int32_t b = SWEEP[index];
        for (int32_t o = LOOPS_AT[b].first_open; o < LOOPS_AT[b].end_open; ++o) {
            for (int32_t s = 0; OPEN_ROW[o].fresh && s < SLOTS; ++s) {
                w->link[LOOP_ROW[OPEN_ROW[o].row].slot][s] = w->link[s][LOOP_ROW[OPEN_ROW[o].row].slot] = 0;
            }
        }
        for (int32_t k = LOOPS_AT[b].first_closing; k < LOOPS_AT[b].end_closing; ++k) {
            close_loops(w, k);
        }
        double made[2]; /* sizes of the terms of the next inertia: its rounding */
        (void)solve_riccati_size(w->inertia[b], made);
        if (!eliminate_joint(w, b)) {
            return 0;
        }
        w->size[b][0] = made[0];
        w->size[b][1] = made[1];
        pass_on(w, b);
        for (int32_t k = LOOPS_AT[b].first_at_ground; k < LOOPS_AT[b].end_at_ground; ++k) {
            close_loops(w, k);
        }
    }
    return 1;
}

/* Contribution of loops that close at a body to its load and to rows that stay open. */
static void settle_loops(symgen_transfer_workspace *w, int32_t k)
{
    const closing_row *closing = CLOSING + k;
    const int32_t *rows = CLOSING_ROW + closing->first;
    const int32_t body = closing->body;
    const int32_t count = closing->count;
    const int32_t open = closing->open;
    const double *inverse = w->inverse + closing->inverse;
    const double *influence = w->influence + closing->influence;
    for (int32_t i = 0; i < count; ++i) {
        double sum = 0;
        for (int32_t m = 0; m < count; ++m) {
            sum += inverse[count*i + m]*w->term[rows[m]];
        }
        w->offset[rows[i]] = sum;
    }
    for (int32_t i = 0; body != GROUND && i < count; ++i) {
        const double term = w->term[rows[i]];
        (void)solve_loop_load_close(w->load[body], w->by_acceleration[rows[i]], term, w->load[body]);
        for (int32_t o = 0; o < open; ++o) {
            double *left = w->term + OPEN_ROW[LOOPS_AT[body].end_open - open + o].row;
            (void)solve_loop_row_close(*left, influence[open*i + o], term, left);
        }
    }
}

/* Multipliers of loops that close at a body, once its acceleration is known. */
static void find_multipliers(symgen_transfer_workspace *w, int32_t k)
{
    const closing_row *closing = CLOSING + k;
    const int32_t *rows = CLOSING_ROW + closing->first;
    const int32_t body = closing->body;
    const int32_t count = closing->count;
    const int32_t open = closing->open;
    const double *influence = w->influence + closing->influence;
    for (int32_t i = 0; i < count; ++i) {
        double *found = w->multiplier + rows[i];
        (void)solve_loop_multiplier(
            w->by_acceleration[rows[i]], body != GROUND ? w->acceleration[body] : NOTHING, w->offset[rows[i]], found);
        for (int32_t o = 0; body != GROUND && o < open; ++o) {
            const double known = w->multiplier[OPEN_ROW[LOOPS_AT[body].end_open - open + o].row];
            (void)solve_loop_row_close(*found, influence[open*i + o], known, found);
        }
    }
}

/* Loads through a joint, and l of the rows that are open there. */
static void carry_through(symgen_transfer_workspace *w, int32_t b)
{
    double *load = w->load[b];
    for (int32_t end = BODY[b].end_unknown; end > BODY[b].first_unknown;) {
        const int32_t left = end - BODY[b].first_unknown;
        const int32_t count = left%3 > 0 ? left%3 : 3;
        double lack[3];
        end -= count;
        pass_joint(
            count, load, w->hinge + 6*end, w->gain + 6*end, w->root[end], load, lack, w->shift + end);
        for (int32_t o = LOOPS_AT[b].first_kept; o < LOOPS_AT[b].end_open; ++o) {
            pass_row(count, w->along[o] + end - BODY[b].first_unknown, w->shift + end, w->term + OPEN_ROW[o].row);
        }
    }
}

/* Loads and open rows from the tips to the ground; `swept`: bodies also have accelerations at constant rates, and eta
 * of their joints is minus these. */
static void carry_loads(symgen_transfer_workspace *w, int32_t swept)
{
    for (int32_t index = 0; index < BODIES; ++index) {
        const int32_t b = SWEEP[index];
        const int32_t parent = BODY[b].parent;
        for (int32_t k = LOOPS_AT[b].first_closing; k < LOOPS_AT[b].end_closing; ++k) {
            settle_loops(w, k);
        }
#if BEAMS
        if (BEAM_AT[b] >= 0) {
            carry_through_modes(w, b, swept);
        } else {
            carry_through(w, b);
        }
#else
        carry_through(w, b);
#endif
        for (int32_t o = LOOPS_AT[b].first_kept; swept && o < LOOPS_AT[b].end_open; ++o) {
            double *term = w->term + OPEN_ROW[o].row;
            (void)solve_loop_row_swept(*term, w->unit_wrench[o], w->swept[b], term);
        }
        if (parent != GROUND) {
            double *load = w->load[b];
            double moved[6];
            if (swept) {
                (void)solve_riccati_swept(w->inertia[b], load, w->swept[b], load);
            }
            (void)solve_loop_column_shift(load, w->lever[b], moved);
            add_to(w->load[parent], moved, 6);
        }
        for (int32_t k = LOOPS_AT[b].first_at_ground; k < LOOPS_AT[b].end_at_ground; ++k) {
            settle_loops(w, k);
        }
    }
}

/* Accelerations of a joint's unknowns, and the acceleration after it from that before it. */
static void spread_joint(symgen_transfer_workspace *w, int32_t b, double *found)
{
#if BEAMS
    if (BEAM_AT[b] >= 0) {
        spread_modes(w, b, found);
        return;
    }
#endif
    for (int32_t first = BODY[b].first_unknown, count; first < BODY[b].end_unknown; first += count) {
        const int32_t all = BODY[b].end_unknown - first;
        const double *h = w->hinge + 6*first;
        const double *ka = w->gain + 6*first;
        const double *k0 = w->shift + first;
        const double *di = w->root[first];
        /* r^T lambda */
        double held[3] = {0, 0, 0};
        double *accelerations = w->coordinate_acceleration + first;
        count = all < 3 ? all : 3;
        for (int32_t o = LOOPS_AT[b].first_kept; o < LOOPS_AT[b].end_open; ++o) {
            for (int32_t k = 0; k < count; ++k) {
                held[k] += w->along[o][first - BODY[b].first_unknown + k]*w->multiplier[OPEN_ROW[o].row];
            }
        }
#if AT_ONCE > 2
        if (count == 3) {
            (void)solve_riccati_back_3(found, h, ka, k0, di, held, accelerations, found);
        } else
#endif
#if AT_ONCE > 1
        if (count == 2) {
            (void)solve_riccati_back_2(found, h, ka, k0, di, held, accelerations, found);
        } else
#endif
        {
            (void)solve_riccati_back_1(found, h, ka, k0, di, held, accelerations, found);
        }
    }
}

/* Accelerations of unknowns and bodies from the ground to the tips. */
static void spread_accelerations(symgen_transfer_workspace *w, int32_t swept, double (*acceleration)[6])
{
    for (int32_t index = BODIES - 1; index >= 0; --index) {
        const int32_t b = SWEEP[index];
        const int32_t parent = BODY[b].parent;
        double *found = acceleration[b];
        for (int32_t k = LOOPS_AT[b].first_at_ground; k < LOOPS_AT[b].end_at_ground; ++k) {
            find_multipliers(w, k);
        }
        set_to(found, swept ? w->swept[b] : NOTHING);
        if (parent != GROUND) {
            double carried[6];
            (void)solve_riccati_input_back(acceleration[parent], w->lever[b], carried);
            add_to(found, carried, 6);
        }
        spread_joint(w, b, found);
        for (int32_t k = LOOPS_AT[b].first_closing; k < LOOPS_AT[b].end_closing; ++k) {
            find_multipliers(w, k);
        }
    }
}

/* Solve for the loads and terms that are set; call after `factorise`. */
static void solve_sweeps(symgen_transfer_workspace *w, int32_t swept)
{
    carry_loads(w, swept);
    spread_accelerations(w, swept, w->acceleration);
}

/* All wrenches [force, torque] except those of joints: forces and dampers. */
static void find_wrenches(symgen_transfer_workspace *w, const double *angle, const int32_t *active)
{
    for (int32_t j = 0; j < JOINT_FORCES; ++j) {
        w->angle[j] = angle[j];
    }
    w->potential = find_forces(&w->now, w->law, active, w->angle, w->twist, w->wrench, w->dampers);
    for (int32_t d = 0; d < DAMPERS; ++d) {
        double size;
        (void)solve_damper_force(w->dampers[d].damping, speed_of(w->dampers + d, w->twist), &size);
        load(w->wrench, w->dampers[d].body_1, w->dampers[d].row_1, size);
        load(w->wrench, w->dampers[d].body_2, w->dampers[d].row_2, size);
    }
}

/* Rates of a configuration from rates and accelerations of the unknowns. */
static void write_slope(const symgen_transfer_workspace *w, const double *state, double *slope)
{
    for (int32_t m = 0; m < MOTIONS; ++m) {
        const int32_t k = MOTION[m].unknown;
        const int32_t ball = MOTION[m].ball;
        slope[m] = k >= 0 && ball < 0 ? w->rate[k] : 0;
#if MAY_HAVE(BALLS)
        if (ball >= 0) { /* its rates are in the axes of the frame before it */
            const int32_t at = MOTIONS + 4*ball;
            (void)solve_quaternion_rate(state + at, w->rate + k, slope + at);
        }
#else
        (void)state;
#endif
    }
    for (int32_t k = 0; k < UNKNOWNS; ++k) {
        slope[MOTIONS + 4*BALLS + k] = w->coordinate_acceleration[k];
    }
}

/* Rates of a configuration at a given time. */
static symgen_status find_slope(
    symgen_transfer_workspace *w, double recall, double time, const double *state, const double *angle,
    const int32_t *active, double *slope)
{
    double total = 0;
    find_laws(time, w->law);
    read_state(w, state);
    find_poses(w, w->law);
    find_twists(w, w->law);
    find_loop_rows(w);
    find_loop_terms(w, 1, recall);
    find_wrenches(w, angle, active);
    for (int32_t k = 0; k < 6*BODIES; ++k) {
        total += fabs(w->twist[k/6][k%6]);
    }
    if (!have_values(w->wrench, total + w->potential + size_of_drives(w->law))) {
        for (int32_t m = 0; m < MOTIONS; ++m) {
            if (fabs(state[m]) > FARTHEST) { /* too large for its sine */
                return SYMGEN_NOT_CONVERGED;
            }
        }
        return SYMGEN_BAD_INPUT;
    }
    if (!factorise(w)) {
        return SYMGEN_SINGULAR;
    }
    solve_sweeps(w, 1);
    for (int32_t k = 0; k < UNKNOWNS; ++k) {
        if (!(fabs(w->coordinate_acceleration[k]) <= DBL_MAX)) {
            return SYMGEN_BAD_INPUT;
        }
    }
    write_slope(w, state, slope);
    return SYMGEN_OK;
}

/* Correct the rates so that they keep the loops closed. The inertias are those of the configuration before the
 * correction, so each pass leaves a small fraction of the error. */
static void close_rates(symgen_transfer_workspace *w)
{
    double before = UNBOUNDED;
    for (int32_t round = 0; round < MOST_ROUNDS; ++round) {
        double size = 0;
        find_twists(w, w->law);
        find_loop_terms(w, 0, 0);
        for (int32_t r = 0; r < ROWS; ++r) {
            size = fabs(w->term[r]) > size ? fabs(w->term[r]) : size;
        }
        if (size > before/2) {
            return;
        }
        before = size;
        for (int32_t k = 0; k < 6*BODIES; ++k) {
            w->load[k/6][k%6] = 0;
        }
        solve_sweeps(w, 0);
        for (int32_t k = 0; k < UNKNOWNS; ++k) {
            w->rate[k] += w->coordinate_acceleration[k];
        }
        if (!(size*w->opened > ROUNDED)) {
            return;
        }
    }
}

/* Close the loops of a configuration, then correct its rates to keep them closed, with the smallest changes, weighted
 * by mass. The inertias are those of the configuration before the correction. */
static symgen_status project(symgen_transfer_workspace *w, double time, double *state)
{
    double before = UNBOUNDED;
    find_laws(time, w->law);
    read_state(w, state);
    for (int32_t round = 0; round < MOST_ROUNDS; ++round) {
        double size = 0;
        find_poses(w, w->law);
        find_loop_rows(w);
        if (round == 0 && !factorise(w)) {
            return SYMGEN_SINGULAR;
        }
        for (int32_t r = 0; r < ROWS; ++r) {
            const double gap = fabs(w->residual[r]);
            w->term[r] = w->residual[r];
            size = gap > size || !(gap <= DBL_MAX) ? gap : size;
        }
        w->opened = round == 0 ? size : w->opened;
        if (!(size <= WIDEST_OPEN)) {
            return SYMGEN_NOT_CONVERGED;
        }
        if (size <= ROUNDED || size > before/2 || round + 1 == MOST_ROUNDS) { /* the rest is rounding */
            if (size > LOOSE) {
                return SYMGEN_NOT_CONVERGED;
            }
            break;
        }
        before = size;
        for (int32_t k = 0; k < 6*BODIES; ++k) {
            w->load[k/6][k%6] = 0;
        }
        solve_sweeps(w, 0);
        advance(&w->now, w->coordinate_acceleration);
    }
    close_rates(w);
    write_state(w, state);
    w->opened = 0;
    return SYMGEN_OK;
}

#endif /* SYMGEN_TRANSFER_SWEEP_H */
