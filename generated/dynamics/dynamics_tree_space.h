/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
/* The tree's coordinates as unknowns: poses, states, rows of constraints and biases in columns of the tree. */
#ifndef SYMGEN_DYNAMICS_TREE_SPACE_H
#define SYMGEN_DYNAMICS_TREE_SPACE_H

#include "dynamics_tree.h"

/* Copy a configuration, without what its arrays have room for beside. */
static void copy_configuration(const configuration *from, configuration *to)
{
    memcpy(to->value, from->value, (size_t)MOTIONS*sizeof to->value[0]);
    memcpy(to->ball, from->ball, (size_t)BALLS*sizeof to->ball[0]);
    memcpy(to->pose, from->pose, (size_t)(BODIES + 1)*sizeof to->pose[0]);
    memcpy(to->column, from->column, (size_t)UNKNOWNS*sizeof to->column[0]);
    memcpy(to->driven, from->driven, (size_t)MOTIONS*sizeof to->driven[0]);
}

/* Poses and columns from values and ball quaternions; driven motions follow their laws. */
static void find_poses(configuration *c, const double *law)
{
    for (int32_t b = 0; b < BODIES; ++b) {
        double frame[ROOM_MOST_MOTIONS + 1][7];
        (void)solve_compose(c->pose[BODY[b].parent], BODY[b].before, frame[0]);
        const int32_t first = BODY[b].first_motion;
        const int32_t end = BODY[b].end_motion;
        for (int32_t m = first; m < end; ++m) {
            if (MOTION[m].law >= 0) {
                c->value[m] = MOTION[m].sign*law[MOTION[m].law];
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

/* From the parent's centre of mass to the body's. */
static void find_lever(const configuration *c, int32_t body, double *lever)
{
    for (int32_t i = 0; i < 3; ++i) {
        lever[i] = c->pose[body][i] - c->pose[BODY[body].parent][i];
    }
}

/* The twist of a body at rest relative to its carrier. */
static void carried_twist(const configuration *c, int32_t body, double (*twist)[6])
{
    double *t = twist[body];
    if (BODY[body].parent == GROUND) {
        for (int32_t i = 0; i < 6; ++i) {
            t[i] = 0;
        }
    } else {
        double lever[3];
        find_lever(c, body, lever);
        (void)solve_shift(twist[BODY[body].parent], lever, t);
    }
}

/* Twists of all bodies from steps of the unknowns. */
static void spread(const configuration *c, const double *step, double (*twist)[6])
{
    for (int32_t b = 0; b < BODIES; ++b) {
        double *t = twist[b];
        carried_twist(c, b, twist);
        for (int32_t k = BODY[b].first_unknown; k < BODY[b].end_unknown; ++k) {
            for (int32_t i = 0; i < 6; ++i) {
                t[i] += c->column[k][i]*step[k];
            }
        }
    }
}

/* Transfer a wrench from a body's centre of mass to its parent's. */
static inline void pass_on(const configuration *c, int32_t body, const double *wrench, double *carrier)
{
    double l[3];
    find_lever(c, body, l);
    carrier[0] += wrench[0];
    carrier[1] += wrench[1];
    carrier[2] += wrench[2];
    carrier[3] += wrench[3] + l[1]*wrench[2] - l[2]*wrench[1];
    carrier[4] += wrench[4] + l[2]*wrench[0] - l[0]*wrench[2];
    carrier[5] += wrench[5] + l[0]*wrench[1] - l[1]*wrench[0];
}

/* Generalised forces on the unknowns from wrenches on the bodies; the wrenches are overwritten. */
static inline void gather(const configuration *c, double (*wrench)[6], double *found)
{
    for (int32_t b = BODIES - 1; b >= 0; --b) {
        for (int32_t k = BODY[b].first_unknown; k < BODY[b].end_unknown; ++k) {
            double sum = 0;
            for (int32_t i = 0; i < 6; ++i) {
                sum += c->column[k][i]*wrench[b][i];
            }
            found[k] = sum;
        }
        if (BODY[b].parent != GROUND) {
            pass_on(c, b, wrench[b], wrench[BODY[b].parent]);
        }
    }
}

/* Add the generalised forces of wrenches on one body to as many rows of constraints (`count`), up to the body where both
 * sides meet; the wrenches are overwritten. All rows go from body to body together: none waits for another. */
static inline void add_rows(
    const configuration *c, int32_t body, int32_t meet, int32_t count, double (*wrench)[6],
    double (*row)[ROOM_UNKNOWNS])
{
    for (int32_t level = 0; level < BODIES && body != meet; ++level) {
        const int32_t parent = BODY[body].parent;
        for (int32_t k = BODY[body].first_unknown; k < BODY[body].end_unknown; ++k) {
            for (int32_t r = 0; r < count; ++r) {
                double sum = row[r][k];
                for (int32_t i = 0; i < 6; ++i) {
                    sum += c->column[k][i]*wrench[r][i];
                }
                row[r][k] = sum;
            }
        }
        for (int32_t r = 0; parent != GROUND && r < count; ++r) {
            double above[6] = {0, 0, 0, 0, 0, 0};
            pass_on(c, body, wrench[r], above);
            for (int32_t i = 0; i < 6; ++i) {
                wrench[r][i] = above[i];
            }
        }
        body = parent;
    }
}

/* The largest coordinate: corrections below its rounding count as zero. */
static inline double find_reach(const configuration *c)
{
    double far = 0;
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 3; ++i) {
            const double size = fabs(c->pose[b][i]);
            far = size > far ? size : far;
        }
    }
    for (int32_t m = 0; m < MOTIONS; ++m) {
        const double size = fabs(c->value[m]);
        far = size > far ? size : far;
    }
    return far;
}

/* Read values and ball quaternions from a state. */
static void read_state(const symgen_dynamics_state *state, configuration *c)
{
    for (int32_t m = 0; m < MOTIONS; ++m) {
        c->value[m] = state->coordinates[m];
    }
    for (int32_t k = 0; k < 4*BALLS; ++k) {
        c->ball[k/4][k%4] = state->coordinates[MOTIONS + k];
    }
    for (int32_t i = 0; i < 7; ++i) {
        c->pose[GROUND][i] = i == 3;
    }
}

static void write_state(const configuration *c, symgen_dynamics_state *state)
{
    for (int32_t m = 0; m < MOTIONS; ++m) {
        state->coordinates[m] = c->value[m];
    }
    for (int32_t k = 0; k < 4*BALLS; ++k) {
        state->coordinates[MOTIONS + k] = c->ball[k/4][k%4];
    }
}

/* Rates of the unknowns over a span of time. */
static void find_rates(const configuration *one, const configuration *two, double span, double *rate)
{
    for (int32_t m = 0; m < MOTIONS; ++m) {
        const motion_row *own = MOTION + m;
        if (own->unknown < 0) {
            continue;
        }
        if (own->kind == BALL) {
            double half[3];
            double cosine;
            (void)solve_half_turn(one->ball[own->ball], two->ball[own->ball], half, &cosine);
            for (int32_t i = 0; i < 3; ++i) {
                rate[own->unknown + i] = 2*half[i]/span;
            }
        } else {
            rate[own->unknown] = (two->value[m] - one->value[m])/span;
        }
    }
}

/* Twists of all bodies from the rates of driven motions alone. */
static void driven_twists(const configuration *c, const double *law, double (*twist)[6])
{
    for (int32_t b = 0; b < BODIES; ++b) {
        carried_twist(c, b, twist);
        for (int32_t m = BODY[b].first_motion; m < BODY[b].end_motion; ++m) {
            for (int32_t i = 0; MOTION[m].law >= 0 && i < 6; ++i) {
                twist[b][i] += MOTION[m].sign*law[RATES + MOTION[m].law]*c->driven[m][i];
            }
        }
    }
}

/* Where one motion begins: its frame, that frame's angular velocity and the velocity of its origin. */
typedef struct {
    double frame[7];
    double omega[3];
    double speed[3];
} carrier_motion;

/* Subtract pairs of whole turns from the angles of the present and the previous configuration: small angles have less
 * rounding, and so have the momenta calculated from their differences. After a single turn quaternions would change
 * their signs. */
static void shorten_turns(configuration *before, configuration *now, double *taken)
{
    for (int32_t m = 0; m < MOTIONS; ++m) {
        const motion_row *own = MOTION + m;
        if (own->unknown >= 0 && own->kind <= TURN_Z && fabs(now->value[m]) > TWO_PI) {
            const double turns = 2*TWO_PI*floor(now->value[m]/(2*TWO_PI) + 0.5);
            now->value[m] -= turns;
            before->value[m] -= turns;
            taken[m] += turns;
        }
    }
}

/* Add the whole turns to the watched angles again, after `watch_angles`, or to those of the state. */
static inline void return_turns(const double *taken, double *watched)
{
    (void)taken;
    (void)watched;
    for (int32_t k = 0; k < WATCHED; ++k) {
        const int32_t m = WATCH[k].motion;
        watched[k] += m >= 0 ? MOTION[m].sign*taken[m] : 0;
    }
}

static void return_turns_to_state(const double *taken, symgen_dynamics_state *state)
{
    for (int32_t m = 0; m < MOTIONS; ++m) {
        state->coordinates[m] += taken[m];
    }
}

/* Add the change of the columns of one motion times its rates, and advance the carrier by this motion. */
static void add_column_rates(
    const configuration *c, int32_t m, const double *point, const double *point_speed,
    const double *rate, double acceleration, carrier_motion *carrier, double *bias)
{
    double moved[7];
    double column[3][6];
    double lever[3];
    double lever_rate[3];
    double way[3];
    double omega[3];
    const int32_t kind = MOTION[m].kind;
    const int32_t count = kind == BALL ? 3 : 1;
    const int32_t turns = kind <= TURN_Z || kind == BALL || kind == SCREW_Z;
    const int32_t slides = !turns || kind == SCREW_Z;
    move_frame(c, m, carrier->frame, moved);
    find_columns(carrier->frame, moved, m, point, column);
    for (int32_t i = 0; i < 3; ++i) {
        lever[i] = point[i] - carrier->frame[i];
        lever_rate[i] = point_speed[i] - carrier->speed[i];
        way[i] = moved[i] - carrier->frame[i];
        omega[i] = carrier->omega[i];
    }
    for (int32_t k = 0; k < count; ++k) {
        const double *axis = turns ? column[k] + 3 : column[k];
        double change[6] = {0, 0, 0, 0, 0, 0};
        double along[6] = {0, 0, 0, omega[0], omega[1], omega[2]};
        double slid[6];
        if (turns) {
            (void)solve_turn_column_rate(axis, lever, omega, lever_rate, change);
        }
        (void)solve_shift(along, axis, slid); /* omega x axis */
        const double pitch = kind == SCREW_Z ? MOTION[m].pitch : 1;
        for (int32_t i = 0; i < 3; ++i) {
            change[i] += slides ? pitch*slid[i] : 0;
            carrier->speed[i] += slides ? pitch*axis[i]*rate[k] : 0;
            carrier->omega[i] += turns ? axis[i]*rate[k] : 0;
        }
        for (int32_t i = 0; i < 6; ++i) {
            bias[i] += change[i]*rate[k] + column[k][i]*acceleration;
        }
    }
    carrier->speed[0] += omega[1]*way[2] - omega[2]*way[1];
    carrier->speed[1] += omega[2]*way[0] - omega[0]*way[2];
    carrier->speed[2] += omega[0]*way[1] - omega[1]*way[0];
    for (int32_t i = 0; i < 7; ++i) {
        carrier->frame[i] = moved[i];
    }
}

/* Accelerations of all bodies while the unknowns have no second derivative. */
static void find_bias(
    const configuration *c, const double *law, const double *rate, double (*twist)[6], double (*bias)[6])
{
    for (int32_t b = 0; b < BODIES; ++b) {
        const int32_t held = BODY[b].parent != GROUND;
        double lever[3] = {0, 0, 0};
        double carrier_twist[6] = {0, 0, 0, 0, 0, 0};
        double at_joint[6];
        double arm[3];
        carrier_motion carrier;
        carried_twist(c, b, bias);
        (void)solve_compose(c->pose[BODY[b].parent], BODY[b].before, carrier.frame);
        for (int32_t i = 0; i < 6 && held; ++i) {
            carrier_twist[i] = twist[BODY[b].parent][i];
        }
        for (int32_t i = 0; i < 3; ++i) {
            lever[i] = held ? twist[b][i] - carrier_twist[i] : 0; /* rate of the lever between the centres of mass */
            arm[i] = carrier.frame[i] - c->pose[BODY[b].parent][i];
        }
        (void)solve_shift(carrier_twist, arm, at_joint);
        for (int32_t i = 0; i < 3; ++i) {
            carrier.speed[i] = at_joint[i];
            carrier.omega[i] = at_joint[3 + i];
        }
        double whirl[6] = {0, 0, 0, carrier_twist[3], carrier_twist[4], carrier_twist[5]};
        double swept[6];
        (void)solve_shift(whirl, lever, swept); /* omega x lever rate */
        for (int32_t i = 0; i < 3; ++i) {
            bias[b][i] += swept[i];
        }
        for (int32_t m = BODY[b].first_motion; m < BODY[b].end_motion; ++m) {
            const int32_t k = MOTION[m].law;
            const double driven = k >= 0 ? MOTION[m].sign*law[RATES + k] : 0;
            add_column_rates(
                c, m, c->pose[b], twist[b], k >= 0 ? &driven : rate + MOTION[m].unknown,
                k >= 0 ? MOTION[m].sign*law[SECONDS + k] : 0, &carrier, bias[b]);
        }
    }
}

#endif /* SYMGEN_DYNAMICS_TREE_SPACE_H */
