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
/* The far end of beam k from its floating frame; `swept`: its acceleration without those of the unknowns. */
static void pass_beam(
    const configuration *c, const double *rates, int32_t k, const double *frame, const double *omega,
    bent_beam *bent, double *out, double *swept)
{
    const beam_row *beam = BEAM + k;
    double slope[3] = {0, 0, 0};
    double spin[3] = {0, 0, 0};
    section s;
    find_section(c, rates, k, STATIONS, &s);
    for (int32_t j = 0; j < beam->modes; ++j) {
        for (int32_t i = 0; i < 3; ++i) {
            slope[i] += BEAM_MODE[beam->mode + j].slope[i]*c->value[beam->motion + j];
            spin[i] += BEAM_MODE[beam->mode + j].slope[i]*rates[beam->unknown + j];
        }
    }
    (void)solve_beam_end(frame, s.at, s.rate, s.drawn, slope, spin, omega, out, bent->about, swept, bent->held);
}

/* Pose and columns of a body that is the far end of beam k. */
static void find_far_end(symgen_transfer_workspace *w, int32_t k)
{
    configuration *c = &w->now;
    const beam_row *beam = BEAM + k;
    const int32_t b = beam->far;
    bent_beam *bent = w->bent + k;
    double out[7];
    double swept[6];
    section s;
    (void)solve_compose(c->pose[beam->held], BODY[b].before, w->floating[k]);
    pass_beam(c, w->rate, k, w->floating[k], NOTHING, bent, out, swept);
    (void)solve_compose(out, BODY[b].after, c->pose[b]);
    find_section(c, w->rate, k, STATIONS, &s);
    for (int32_t j = 0; j < beam->modes; ++j) {
        (void)solve_beam_end_mode(
            bent->held, bent->held + 3, bent->held + 6, bent->about,
            SECTION_SHAPE[(STATIONS + 1)*(beam->mode + j) + STATIONS], s.draws[j], BEAM_MODE[beam->mode + j].slope,
            c->column[beam->unknown + j]);
    }
}

/* Acceleration of the far end of beam k relative to its carrier at constant rates. */
static void sweep_far_end(symgen_transfer_workspace *w, int32_t k)
{
    double out[7];
    pass_beam(&w->now, w->rate, k, w->floating[k], w->twist[BEAM[k].held] + 3, w->bent + k, out, w->swept[BEAM[k].far]);
}
#endif

/* Read values, ball quaternions (normalised) and rates from a state: coordinates, then rates of the unknowns. */
static void read_state(symgen_transfer_workspace *w, const double *state)
{
    configuration *c = &w->now;
    for (int32_t m = 0; m < MOTIONS; ++m) {
        c->value[m] = state[m];
    }
    for (int32_t k = 0; k < BALLS; ++k) {
        const double *q = state + MOTIONS + 4*k;
        const double scale = 1/sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]);
        for (int32_t i = 0; i < 4; ++i) {
            c->ball[k][i] = scale*q[i];
        }
    }
    for (int32_t k = 0; k < UNKNOWNS; ++k) {
        w->rate[k] = state[MOTIONS + 4*BALLS + k];
    }
    for (int32_t i = 0; i < 7; ++i) {
        c->pose[GROUND][i] = i == 3;
    }
}

static void write_state(const symgen_transfer_workspace *w, double *state)
{
    for (int32_t m = 0; m < MOTIONS; ++m) {
        state[m] = w->now.value[m];
    }
    for (int32_t k = 0; k < 4*BALLS; ++k) {
        state[MOTIONS + k] = w->now.ball[k/4][k%4];
    }
    for (int32_t k = 0; k < UNKNOWNS; ++k) {
        state[MOTIONS + 4*BALLS + k] = w->rate[k];
    }
}

/* Poses and columns from values and ball quaternions; driven motions follow their laws. */
static void find_poses(symgen_transfer_workspace *w, const double *laws)
{
    configuration *c = &w->now;
    for (int32_t b = 0; b < BODIES; ++b) {
        const int32_t first = BODY[b].first_motion;
        const int32_t end = BODY[b].end_motion;
        double (*frame)[7] = w->frame + first + b;
#if BEAMS
        if (BEAM_AT[b] >= 0) {
            find_far_end(w, BEAM_AT[b]);
            continue;
        }
#endif
        (void)solve_compose(c->pose[BODY[b].parent], BODY[b].before, frame[0]);
        for (int32_t m = first; m < end; ++m) {
            if (MOTION[m].law >= 0) {
                c->value[m] = MOTION[m].sign*laws[MOTION[m].law];
            }
            move_frame(c, m, frame[m - first], frame[m - first + 1]);
        }
        (void)solve_compose(frame[end - first], BODY[b].after, c->pose[b]);
        for (int32_t m = first; m < end; ++m) {
            find_columns(
                frame[m - first], frame[m - first + 1], m, c->pose[b],
                MOTION[m].unknown >= 0 ? c->column + MOTION[m].unknown : c->driven + m);
        }
    }
}

/* Add the effect of one motion: `frame` is the twist of the frame before it, at the body's centre of mass. */
static void sweep_motion(
    const symgen_transfer_workspace *w, int32_t m, const double *laws, const double *twist, double *frame,
    double *swept)
{
    const int32_t k = MOTION[m].unknown;
    const int32_t law = MOTION[m].law;
    const int32_t count = MOTION[m].kind == BALL ? 3 : 1;
    const double (*column)[6] = k >= 0 ? w->now.column + k : w->now.driven + m;
    const double acceleration = law >= 0 ? MOTION[m].sign*laws[SECONDS + law] : 0;
    double behind[6];
    double added[6];
    set_to(behind, frame);
    for (int32_t j = 0; j < count; ++j) {
        const double rate = k >= 0 ? w->rate[k + j] : MOTION[m].sign*laws[RATES + law];
        (void)solve_column_swept(frame, twist, column[j], rate, acceleration, added);
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
        const int32_t parent = BODY[b].parent;
        const double *carrier = parent != GROUND ? w->twist[parent] : NOTHING;
        double *twist = w->twist[b];
        double *swept = w->swept[b];
        double lever[3];
        double frame[6];
        (void)solve_lever(c->pose[parent], c->pose[b], lever);
        (void)solve_shift(carrier, lever, frame);
        set_to(twist, frame);
        for (int32_t m = BODY[b].first_motion; m < BODY[b].end_motion; ++m) {
            const int32_t k = MOTION[m].unknown;
            const int32_t count = MOTION[m].kind == BALL ? 3 : 1;
            const double (*column)[6] = k >= 0 ? c->column + k : c->driven + m;
            for (int32_t j = 0; j < count; ++j) {
                const double rate = k >= 0 ? w->rate[k + j] : MOTION[m].sign*laws[RATES + MOTION[m].law];
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
        for (int32_t m = BODY[b].first_motion; m < BODY[b].end_motion; ++m) {
            sweep_motion(w, m, laws, twist, frame, swept);
        }
    }
}

#endif /* SYMGEN_TRANSFER_MOTION_H */
