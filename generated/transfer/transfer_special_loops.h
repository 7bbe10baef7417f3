/*
 * Part of symgen's special engines of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
/* Loops, the same for every special engine: columns of multipliers that follow the recursion, closed where both ends
 * are carried. The including file defines ROWS (multipliers of a loop), TURNS (of a body), LOWER (a triangle of ROWS)
 * and the names of the kernels. */
#ifndef SYMGEN_TRANSFER_SPECIAL_LOOPS_H
#define SYMGEN_TRANSFER_SPECIAL_LOOPS_H

#include "transfer_special.h"

#define NO_PIVOT 1e-12 /* part of the terms of a pivot that is rounding */

typedef struct {              /* data of a loop that is open at a body's joint */
    double column[ROWS*ROWS]; /* derivative of the gap: acceleration of the joint */
    double gain[TURNS*ROWS];  /* angular acceleration of the body per multiplier */
} strand_data;

typedef struct {              /* a loop, at the body that the recursion is at */
    /* derivatives of the gap: linear and angular acceleration of the output */
    double column[ROWS*ROWS];
    double turn[ROWS*TURNS];
    double compliance[LOWER]; /* the loop's own multipliers */
    double rest[ROWS];        /* constant part of the gap */
    /* where it is closed */
    double stiff[LOWER];
    double by_place[ROWS*ROWS];
    double by_turn[ROWS*TURNS];
    double start[ROWS];
    double force[ROWS];       /* its multipliers */
} loop_data;

typedef struct {
    strand_data *strand;
    loop_data *loop;
    double *side;         /* ROWS by ROWS for each pair of loops, the smaller number first: block of the compliance */
    double *share;        /* for each closed loop and another one: its multipliers per unit of the other's */
} loop_work;

static double *pair_of(double *blocks, const symgen_transfer_special_loops *system, int32_t one, int32_t two)
{
    return blocks + ((int64_t)one*system->loops + two)*ROWS*ROWS;
}

static void add(const double *more, int32_t count, double *sum)
{
    for (int32_t k = 0; k < count; ++k) {
        sum[k] += more[k];
    }
}

static void copy(const double *from, int32_t count, double *to)
{
    for (int32_t k = 0; k < count; ++k) {
        to[k] = from[k];
    }
}

/* Number of loops at a body; row `bodies` is the ground. */
static int32_t strands_at(const symgen_transfer_special_loops *system, int64_t i)
{
    return system->loops ? system->first[i + 1] - system->first[i] : 0;
}

/* Coupling block of two loops; its rows belong to the first one. */
static void read_side(
    const symgen_transfer_special_loops *system, const loop_work *work, int32_t one, int32_t two, double *side)
{
    const double *kept = pair_of(work->side, system, one < two ? one : two, one < two ? two : one);
    for (int32_t i = 0; i < ROWS; ++i) {
        for (int32_t j = 0; j < ROWS; ++j) {
            side[ROWS*i + j] = one < two ? kept[ROWS*i + j] : kept[ROWS*j + i];
        }
    }
}

/* Before a sweep: set compliances to zero; the remaining gaps are kept. */
static void clear_loops(const symgen_transfer_special_loops *system, const loop_work *work)
{
    for (int32_t o = 0; o < system->loops; ++o) {
        for (int32_t p = o + 1; p < system->loops; ++p) {
            double *side = pair_of(work->side, system, o, p);
            for (int32_t k = 0; k < ROWS*ROWS; ++k) {
                side[k] = 0;
            }
        }
        for (int32_t k = 0; k < LOWER; ++k) {
            work->loop[o].compliance[k] = 0;
        }
    }
}

/* Coupling of two open loops at a joint. */
static void cross_columns(const symgen_transfer_special_loops *system, const loop_work *work, int32_t s, int32_t t)
{
    const int32_t one = system->strand[s].loop;
    const int32_t two = system->strand[t].loop;
    double more[ROWS*ROWS];
    (void)solve_column_cross(
        work->loop[one < two ? one : two].turn, work->strand[one < two ? t : s].gain, more);
    add(more, ROWS*ROWS, pair_of(work->side, system, one < two ? one : two, one < two ? two : one));
}

/* Effect of a closed loop on two others that stay open. */
static void close_pair(
    const symgen_transfer_special_loops *system, const loop_work *work, int32_t closed, int32_t one, int32_t two)
{
    double side[ROWS*ROWS];
    double more[ROWS*ROWS];
    double own[LOWER];
    read_side(system, work, closed, one, side);
    (void)solve_loop_pair(side, pair_of(work->share, system, closed, two), more, own);
    if (one == two) {
        add(own, LOWER, work->loop[one].compliance);
    } else {
        add(more, ROWS*ROWS, pair_of(work->side, system, one, two));
    }
}

/* Close the loop of a strand; the strands after it, up to `end`, belong to loops that are still open. Returns whether
 * it constrains anything: no pivot of its compliance may be negligible compared with the terms that cancel in it, or
 * with the compliance of the whole mass. */
static int32_t close_loop(
    const symgen_transfer_special_loops *system, const loop_work *work, int32_t s, int32_t end, double mobility,
    double *a, double *b, double *c, double *e_q, double *e_m)
{
    const int32_t closed = system->strand[s].loop;
    loop_data *here = work->loop + closed;
    double more_a[LOWER];
    double more_b[ROWS*TURNS];
    double more_c[TURNS*(TURNS + 1)/2];
    double more_q[ROWS];
    double more_m[TURNS];
    double pivots[ROWS];
    (void)solve_loop_close(here->column, here->turn, here->compliance, here->rest, here->stiff, here->by_place,
        here->by_turn, here->start, more_a, more_b, more_c, more_q, more_m, pivots);
    for (int32_t k = 0; k < ROWS; ++k) {
        if (!(pivots[k] > NO_PIVOT*(here->compliance[k*(k + 3)/2] + mobility))) {
            return 0;
        }
    }
    add(more_a, LOWER, a);
    add(more_b, ROWS*TURNS, b);
    add(more_c, TURNS*(TURNS + 1)/2, c);
    add(more_q, ROWS, e_q);
    add(more_m, TURNS, e_m);
    for (int32_t t = s + 1; t < end; ++t) {
        const int32_t o = system->strand[t].loop;
        double side[ROWS*ROWS];
        double column[ROWS*ROWS];
        double turn[ROWS*TURNS];
        double rest[ROWS];
        read_side(system, work, closed, o, side);
        (void)solve_loop_other(here->stiff, here->by_place, here->by_turn, here->start, side,
            pair_of(work->share, system, closed, o), column, turn, rest);
        add(column, ROWS*ROWS, work->loop[o].column);
        add(turn, ROWS*TURNS, work->loop[o].turn);
        add(rest, ROWS, work->loop[o].rest);
    }
    for (int32_t t = s + 1; t < end; ++t) {
        for (int32_t u = s + 1; u < end; ++u) {
            if (system->strand[t].loop <= system->strand[u].loop) {
                close_pair(system, work, closed, system->strand[t].loop, system->strand[u].loop);
            }
        }
    }
    return 1;
}

/* Contribution of loops that are open at a body's joint to its angular acceleration. */
static void add_open(const symgen_transfer_special_loops *system, const loop_work *work, int64_t i, double *wd)
{
    for (int32_t s = system->first[i]; s < system->first[i + 1]; ++s) {
        if (!system->strand[s].closes) {
            double more[TURNS];
            (void)solve_column_back(work->strand[s].gain, work->loop[system->strand[s].loop].force, more);
            add(more, TURNS, wd);
        }
    }
}

/* The multipliers of the loops that are closed at a body, the last one first: it depends on none of the others. */
static void find_forces(
    const symgen_transfer_special_loops *system, const loop_work *work, int64_t i, const double *rdd, const double *wd)
{
    for (int32_t s = system->first[i + 1] - 1; s >= system->first[i]; --s) {
        const int32_t closed = system->strand[s].loop;
        loop_data *here = work->loop + closed;
        if (!system->strand[s].closes) {
            continue;
        }
        (void)solve_loop_force(here->by_place, here->by_turn, here->start, rdd, wd, here->force);
        for (int32_t t = s + 1; t < system->first[i + 1]; ++t) {
            const int32_t o = system->strand[t].loop;
            double more[ROWS];
            (void)solve_loop_share(pair_of(work->share, system, closed, o), work->loop[o].force, more);
            add(more, ROWS, here->force);
        }
    }
}

#endif /* SYMGEN_TRANSFER_SPECIAL_LOOPS_H */
