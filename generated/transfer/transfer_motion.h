/*
 * Part of symgen's engine of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
/* Where bodies are and how they move at given rates. */
#ifndef SYMGEN_TRANSFER_MOTION_H
#define SYMGEN_TRANSFER_MOTION_H

#include "transfer_workspace.h"

#if BEAMS
/* The far end of beam k from its floating frame; `swept`: its acceleration without second rates. */
static void pass_beam(
    const configuration *c, const double *rates, int32_t k, const double *frame, const double *omega,
    bent_beam *bent, double *out, double *swept)
{
    const int32_t *beam = BEAM[k];
    double slope[3] = {0, 0, 0};
    double spin[3] = {0, 0, 0};
    section s;
    find_section(c, rates, k, STATIONS, &s);
    for (int32_t j = 0; j < beam[5]; ++j) {
        for (int32_t i = 0; i < 3; ++i) {
            slope[i] += END_SLOPE[beam[4] + j][i]*c->value[beam[2] + j];
            spin[i] += END_SLOPE[beam[4] + j][i]*rates[beam[3] + j];
        }
    }
    (void)solve_beam_end(frame, s.at, s.rate, s.drawn, slope, spin, omega, out, bent->about, swept, bent->held);
}

/* Pose and columns of a body that is the far end of beam k. */
static void place_far_end(symgen_transfer_workspace *w, int32_t k)
{
    configuration *c = &w->now;
    const int32_t *beam = BEAM[k];
    const int32_t b = beam[1];
    bent_beam *bent = w->bent + k;
    double out[7];
    double swept[6];
    section s;
    (void)solve_compose(c->pose[beam[0]], BEFORE[b], w->floating[k]);
    pass_beam(c, w->rate, k, w->floating[k], NOTHING, bent, out, swept);
    (void)solve_compose(out, AFTER[b], c->pose[b]);
    find_section(c, w->rate, k, STATIONS, &s);
    for (int32_t j = 0; j < beam[5]; ++j) {
        (void)solve_beam_end_mode(
            bent->held, bent->held + 3, bent->held + 6, bent->about,
            SECTION_SHAPE[(STATIONS + 1)*(beam[4] + j) + STATIONS], s.draws[j], END_SLOPE[beam[4] + j],
            c->column[beam[3] + j]);
    }
}

/* Acceleration of the far end of beam k relative to its carrier at constant rates. */
static void sweep_far_end(symgen_transfer_workspace *w, int32_t k)
{
    double out[7];
    pass_beam(&w->now, w->rate, k, w->floating[k], w->twist[BEAM[k][0]] + 3, w->bent + k, out, w->swept[BEAM[k][1]]);
}
#endif

/* Read values, ball quaternions (normalised) and rates from a configuration. */
static void take_place(symgen_transfer_workspace *w, const double *place)
{
    configuration *c = &w->now;
    for (int32_t m = 0; m < MOTIONS; ++m) {
        c->value[m] = place[m];
    }
    for (int32_t k = 0; k < BALLS; ++k) {
        const double *q = place + MOTIONS + 4*k;
        const double scale = 1/sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]);
        for (int32_t i = 0; i < 4; ++i) {
            c->ball[k][i] = scale*q[i];
        }
    }
    for (int32_t k = 0; k < UNKNOWNS; ++k) {
        w->rate[k] = place[MOTIONS + 4*BALLS + k];
    }
    for (int32_t i = 0; i < 7; ++i) {
        c->pose[GROUND][i] = i == 3;
    }
}

static void keep_place(const symgen_transfer_workspace *w, double *place)
{
    for (int32_t m = 0; m < MOTIONS; ++m) {
        place[m] = w->now.value[m];
    }
    for (int32_t k = 0; k < 4*BALLS; ++k) {
        place[MOTIONS + k] = w->now.ball[k/4][k%4];
    }
    for (int32_t k = 0; k < UNKNOWNS; ++k) {
        place[MOTIONS + 4*BALLS + k] = w->rate[k];
    }
}

/* Poses and columns from values and ball quaternions; driven motions follow their laws. */
static void place_bodies(symgen_transfer_workspace *w, const double *laws)
{
    configuration *c = &w->now;
    for (int32_t b = 0; b < BODIES; ++b) {
        const int32_t first = FIRST_MOTION[b];
        const int32_t end = FIRST_MOTION[b + 1];
        double (*frame)[7] = w->frame + first + b;
#if BEAMS
        if (BEAM_AT[b] >= 0) {
            place_far_end(w, BEAM_AT[b]);
            continue;
        }
#endif
        (void)solve_compose(c->pose[PARENT[b]], BEFORE[b], frame[0]);
        for (int32_t m = first; m < end; ++m) {
            if (MOTION[m][2] >= 0) {
                c->value[m] = MOTION_SIGN[m]*laws[MOTION[m][2]];
            }
            move_frame(c, m, frame[m - first], frame[m - first + 1]);
        }
        (void)solve_compose(frame[end - first], AFTER[b], c->pose[b]);
        for (int32_t m = first; m < end; ++m) {
            find_columns(
                frame[m - first], frame[m - first + 1], m, c->pose[b],
                MOTION[m][1] >= 0 ? c->column + MOTION[m][1] : c->driven + m);
        }
    }
}

/* Add the effect of one motion: `frame` is the twist of the frame before it, at the body's centre of mass. */
static void sweep_motion(
    const symgen_transfer_workspace *w, int32_t m, const double *laws, const double *twist, double *frame,
    double *swept)
{
    const int32_t k = MOTION[m][1];
    const int32_t law = MOTION[m][2];
    const int32_t count = MOTION[m][0] == BALL ? 3 : 1;
    const double (*column)[6] = k >= 0 ? w->now.column + k : w->now.driven + m;
    const double second = law >= 0 ? MOTION_SIGN[m]*laws[SECONDS + law] : 0;
    double behind[6];
    double added[6];
    set_to(behind, frame);
    for (int32_t j = 0; j < count; ++j) {
        const double rate = k >= 0 ? w->rate[k + j] : MOTION_SIGN[m]*laws[RATES + law];
        (void)solve_column_swept(frame, twist, column[j], rate, second, added);
        (void)solve_twist_along(behind, column[j], rate, behind);
        add_to(swept, added, 6);
    }
    set_to(frame, behind);
}

/* Twists of all bodies, and the acceleration of each relative to its carrier at constant rates of the unknowns. */
static void find_twists(symgen_transfer_workspace *w, const double *laws)
{
    const configuration *c = &w->now;
    for (int32_t b = 0; b < BODIES; ++b) {
        const int32_t parent = PARENT[b];
        const double *carrier = parent != GROUND ? w->twist[parent] : NOTHING;
        double *twist = w->twist[b];
        double *swept = w->swept[b];
        double lever[3];
        double frame[6];
        (void)solve_lever(c->pose[parent], c->pose[b], lever);
        (void)solve_shift(carrier, lever, frame);
        set_to(twist, frame);
        for (int32_t m = FIRST_MOTION[b]; m < FIRST_MOTION[b + 1]; ++m) {
            const int32_t k = MOTION[m][1];
            const int32_t count = MOTION[m][0] == BALL ? 3 : 1;
            const double (*column)[6] = k >= 0 ? c->column + k : c->driven + m;
            for (int32_t j = 0; j < count; ++j) {
                const double rate = k >= 0 ? w->rate[k + j] : MOTION_SIGN[m]*laws[RATES + MOTION[m][2]];
                (void)solve_twist_along(twist, column[j], rate, twist);
            }
        }
#if BEAMS
        if (BEAM_AT[b] >= 0) {
            sweep_far_end(w, BEAM_AT[b]);
            continue;
        }
#endif
        (void)solve_carrier_swept(carrier, twist, swept);
        for (int32_t m = FIRST_MOTION[b]; m < FIRST_MOTION[b + 1]; ++m) {
            sweep_motion(w, m, laws, twist, frame, swept);
        }
    }
}

#endif /* SYMGEN_TRANSFER_MOTION_H */
