/*
 * Part of symgen's special engines of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
/* Loops closed again, and whether tables of loops are valid. The including file defines `tree`, `layout`, `sweep`,
 * `make_unit`, `find_positions`, `find_end` and `add_turns`. */
#ifndef SYMGEN_TRANSFER_SPECIAL_CLOSING_H
#define SYMGEN_TRANSFER_SPECIAL_CLOSING_H

#include "symgen_steps.h"

#define CLOSE_ENOUGH 1e-15  /* part of the largest coordinate that a gap may be */
#define NEARLY_CLOSED 1e-9  /* a gap below this part that no longer shrinks is rounding */
#define MOST_CLOSINGS 8     /* rounds */

/* Store the gaps of all loops, of positions or velocities; returns the largest one divided by the largest coordinate.
 * */
static double find_gaps(const tree *system, const double *state, const layout *work, int32_t of_rates)
{
    double largest = 0;
    double reach = 0;
    const double *centres = work->spare + VALUES*(int64_t)system->bodies + ROWS*of_rates;
    for (int64_t i = 0; i < system->bodies; ++i) {
        for (int32_t k = 0; k < ROWS; ++k) {
            const double size = fabs(centres[2*ROWS*i + k]);
            reach = size > reach ? size : reach;
        }
    }
    for (int32_t o = 0; o < system->loops.loops; ++o) {
        double ends[2][2][ROWS];
        for (int32_t end = 0; end < 2; ++end) {
            find_end(system, state, work, o, end, ends[end][0], ends[end][1]);
        }
        for (int32_t k = 0; k < ROWS; ++k) {
            const double one = ends[0][of_rates][k];
            const double two = ends[1][of_rates][k];
            const double gap = fabs(two - one);
            work->loops.loop[o].rest[k] = two - one;
            largest = gap > largest ? gap : largest;
        }
    }
    return largest > 0 ? largest/reach : largest;
}

/* Normalise orientations and close the loops again: positions, then velocities, by the motion of least kinetic energy.
 * */
static symgen_status close_gaps(const tree *system, double *state, const layout *work, int32_t *failed)
{
    make_unit(system, state);
    if (system->loops.loops) {
        find_positions(system, state, work);
    }
    double before = DBL_MAX;
    for (int32_t round = 0, of_rates = 0; system->loops.loops; ++round) {
        const double gap = find_gaps(system, state, work, of_rates);
        /* a gap that no longer shrinks is rounding */
        if (gap <= CLOSE_ENOUGH || (gap <= NEARLY_CLOSED && gap > before/4)) {
            if (of_rates) {
                return SYMGEN_OK;
            }
            of_rates = 1;
            round = -1;
            before = DBL_MAX;
            continue;
        }
        before = gap;
        if (round == MOST_CLOSINGS || !(gap <= DBL_MAX)) {
            return SYMGEN_NOT_CONVERGED;
        }
        const symgen_status status = sweep(system, state, 0, work->spare, work, failed);
        if (status != SYMGEN_OK) {
            return status;
        }
        add_turns(system, work->spare, of_rates, state);
        make_unit(system, state);
        find_positions(system, state, work);
    }
    return SYMGEN_OK;
}

/* Rates of a state in motion. */
static symgen_status find_rates(
    const tree *system, const double *state, double *rate, const layout *work, int32_t *failed)
{
    for (int32_t o = 0; o < system->loops.loops; ++o) {
        for (int32_t k = 0; k < ROWS; ++k) {
            work->loops.loop[o].rest[k] = 0;
        }
    }
    return sweep(system, state, 1, rate, work, failed);
}

/* Whether the tables of the loops are consistent; a carried body has a smaller number than its carrier. */
static int32_t check_loops(const tree *system)
{
    const symgen_transfer_special_loops *loops = &system->loops;
    int32_t good = loops->loops == 0 || loops->first[0] == 0;
    for (int32_t o = 0; o < loops->loops && good; ++o) {
        const symgen_transfer_special_loop *loop = loops->loop + o;
        for (int32_t end = 0; end < 2; ++end) {
            good = good && loop->body[end] >= -1 && loop->body[end] < system->bodies;
            good = good && are_finite(loop->point[end], 3);
        }
    }
    for (int32_t i = 0; i <= system->bodies && loops->loops && good; ++i) {
        good = loops->first[i + 1] >= loops->first[i];
        for (int32_t s = loops->first[i]; s < loops->first[i + 1] && good; ++s) {
            const symgen_transfer_special_strand *strand = loops->strand + s;
            good = strand->loop >= 0 && strand->loop < loops->loops;
            for (int32_t end = 0; end < 2; ++end) {
                const int32_t source = strand->source[end];
                const int32_t input = strand->input[end];
                good = good && source >= -2 && source < loops->first[i];
                good = good && (source < 0 || (input >= 0 && input < i)) && (source != -2 || i < system->bodies);
            }
        }
    }
    return good;
}

#endif /* SYMGEN_TRANSFER_SPECIAL_CLOSING_H */
