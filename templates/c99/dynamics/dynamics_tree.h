/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
#ifndef SYMGEN_DYNAMICS_TREE_H
#define SYMGEN_DYNAMICS_TREE_H

#include "dynamics_given.h"

/* Configurations of the mechanism in the coordinates of its spanning tree: poses by recursion from the ground, one
 * column of the tree's Jacobian for each unknown. Tree joints close exactly; cut joints are rows of constraints. */

typedef struct {
    double value[ROOM_MOTIONS];      /* of each motion, from the ground outwards */
    double ball[ROOM_BALLS][4];      /* rotation of each ball joint */
    double pose[ROOM_BODIES + 1][7]; /* of the centres of mass; the last is the ground */
    double column[ROOM_UNKNOWNS][6]; /* twist at the body's centre of mass for each unknown */
    double driven[ROOM_MOTIONS][6];  /* the same for each driven motion */
} configuration;

/* Move a joint frame by one motion. */
static void move_frame(const configuration *c, int32_t motion, const double *frame, double *moved)
{
    const motion_row *own = MOTION + motion;
    const double value = c->value[motion];
    switch (own->kind) {
    case TURN_X:
        (void)solve_turn_x(frame, value, moved);
        break;
    case TURN_Y:
        (void)solve_turn_y(frame, value, moved);
        break;
    case TURN_Z:
        (void)solve_turn_z(frame, value, moved);
        break;
    case SLIDE_X:
        (void)solve_slide_x(frame, value, moved);
        break;
    case SLIDE_Y:
        (void)solve_slide_y(frame, value, moved);
        break;
    case SLIDE_Z:
        (void)solve_slide_z(frame, value, moved);
        break;
    case SCREW_Z:
        (void)solve_screw_z(frame, value, MOTION[motion].pitch, moved);
        break;
    default:
        (void)solve_ball(frame, c->ball[own->ball], moved);
        break;
    }
}

/* The columns of one motion at a point; `before` and `after` are the joint frame on both sides of it. */
static void find_columns(
    const double *before, const double *after, int32_t motion, const double *point, double (*column)[6])
{
    switch (MOTION[motion].kind) {
    case TURN_X:
        (void)solve_turn_column_x(after, point, column[0]);
        break;
    case TURN_Y:
        (void)solve_turn_column_y(after, point, column[0]);
        break;
    case TURN_Z:
        (void)solve_turn_column_z(after, point, column[0]);
        break;
    case SLIDE_X:
        (void)solve_slide_column_x(after, column[0]);
        break;
    case SLIDE_Y:
        (void)solve_slide_column_y(after, column[0]);
        break;
    case SLIDE_Z:
        (void)solve_slide_column_z(after, column[0]);
        break;
    case SCREW_Z:
        (void)solve_screw_column_z(after, point, MOTION[motion].pitch, column[0]);
        break;
    default:
        (void)solve_turn_column_x(before, point, column[0]);
        (void)solve_turn_column_y(before, point, column[1]);
        (void)solve_turn_column_z(before, point, column[2]);
        break;
    }
}

/* Add steps of the unknowns. */
static void advance(configuration *c, const double *step)
{
    for (int32_t m = 0; m < MOTIONS; ++m) {
        const motion_row *own = MOTION + m;
        if (own->unknown < 0) {
            continue;
        }
        if (own->kind == BALL) {
            const double *ball = c->ball[own->ball];
            const double before[7] = {0, 0, 0, ball[0], ball[1], ball[2], ball[3]};
            (void)solve_spin(before + 3, step + own->unknown, c->ball[own->ball]);
        } else {
            c->value[m] += step[own->unknown];
        }
    }
}

#endif /* SYMGEN_DYNAMICS_TREE_H */
