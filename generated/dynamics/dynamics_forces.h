/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
/* Forces of a configuration: springs, dampers, forces in joints, applied forces and torques, gravity. */
#ifndef SYMGEN_DYNAMICS_FORCES_H
#define SYMGEN_DYNAMICS_FORCES_H

#include "dynamics_given.h"
#include "dynamics_kinds.h"

/* A coordinate that a spring or damper acts on: its rows for the twists of two bodies. */
typedef struct {
    int32_t body_1;
    int32_t body_2;
    double damping;
    double row_1[6];
    double row_2[6];
} damper;

/* Sum of the sizes of what drives follow, in the order of the laws: values, behind those of forces rates and
 * accelerations. It is no number where a law has no value. */
static inline double size_of_drives(const double *law)
{
    double total = 0;
    for (int32_t k = 0; k < LAWS; ++k) {
        total += k < SECONDS - RATES || k >= RATES ? fabs(law[k]) : 0;
    }
    return total;
}

/* Tell whether the wrenches of all bodies are finite, and so is what counts beside them. */
static inline int32_t have_values(double (*wrench)[6], double beside)
{
    double total = beside;
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 6; ++i) {
            total += fabs(wrench[b][i]);
        }
    }
    return fabs(total) <= DBL_MAX;
}

static void load(double (*wrench)[6], int32_t body, const double *row, double size)
{
    for (int32_t i = 0; body != GROUND && i < 6; ++i) {
        wrench[body][i] += size*row[i];
    }
}

static inline double speed_of(const damper *d, double (*twist)[6])
{
    double sum = 0;
    for (int32_t i = 0; i < 6; ++i) {
        sum += d->body_1 != GROUND ? d->row_1[i]*twist[d->body_1][i] : 0;
        sum += d->body_2 != GROUND ? d->row_2[i]*twist[d->body_2][i] : 0;
    }
    return sum;
}

/* Value of a joint's freedom and its rows; angles between -pi and pi. */
static inline double find_freedom(
    int32_t freedom, const double *pose_1, const double *frame_1, const double *pose_2,
    const double *frame_2, double *row_1, double *row_2)
{
    double value = 0;
    solve_freedom(freedom, pose_1, frame_1, pose_2, frame_2, &value, row_1, row_2);
    return value;
}

/* An angle plus the whole turns that bring it closest to another angle. */
static inline double near_to(double last, double angle)
{
    return angle + TWO_PI*floor((last - angle)/TWO_PI + 0.5);
}

/* Count the whole turns of joint angles: those of the tree's turns are known, others are followed. */
static inline void watch_angles(const configuration *c, double *watched)
{
    (void)c;
    (void)watched;
#if MAY_HAVE(WATCHED)
    for (int32_t k = 0; k < WATCHED; ++k) {
        const watch_row *watch = WATCH + k;
        double row_1[6];
        double row_2[6];
#if TREE
        if (watch->motion >= 0) {
            watched[k] = MOTION[watch->motion].sign*c->value[watch->motion];
            continue;
        }
#endif
        watched[k] = near_to(
            watched[k], find_freedom(
                watch->freedom, c->pose[watch->body_1], watch->frame_1, c->pose[watch->body_2], watch->frame_2, row_1,
                row_2));
    }
#endif
}

#if MAY_HAVE(SPRINGS)
/* Whether the points of a spring coincide to within the rounding of their positions. */
static int32_t do_meet(const configuration *c, const spring_row *spring, double length)
{
    double reach = 0;
    for (int32_t i = 0; i < 3; ++i) {
        reach += fabs(c->pose[spring->body_1][i]) + fabs(c->pose[spring->body_2][i]);
        reach += fabs(spring->point_1[i]) + fabs(spring->point_2[i]);
    }
    return !(length > ROUNDED*reach);
}

/* Rows of a spring whose points coincide: in the limit, along the velocity at which they separate; zero if they are at
 * rest. */
static void part_points(const configuration *c, const spring_row *spring, double (*twist)[6], damper *d)
{
    double along[3];
    double back[3];
    double speed = 0;
    for (int32_t i = 0; i < 3; ++i) {
        double axis[3] = {0, 0, 0};
        axis[i] = 1;
        (void)solve_push(c->pose[d->body_1], spring->point_1, axis, d->row_1);
        (void)solve_push(c->pose[d->body_2], spring->point_2, axis, d->row_2);
        along[i] = 0;
        for (int32_t k = 0; k < 6; ++k) {
            along[i] -= d->body_1 != GROUND ? d->row_1[k]*twist[d->body_1][k] : 0;
            along[i] += d->body_2 != GROUND ? d->row_2[k]*twist[d->body_2][k] : 0;
        }
        speed += along[i]*along[i];
    }
    speed = sqrt(speed);
    for (int32_t i = 0; i < 3; ++i) {
        along[i] = speed > 0 ? along[i]/speed : 0;
        back[i] = -along[i];
    }
    (void)solve_push(c->pose[d->body_1], spring->point_1, back, d->row_1);
    (void)solve_push(c->pose[d->body_2], spring->point_2, along, d->row_2);
}
#endif

/* Wrenches of all forces that do not depend on velocities, and the dampers; returns the potential energy. `angle` holds
 * the last value of each joint force's freedom, so that angles continue beyond pi; `twist` gives the direction in which
 * coincident points of a spring separate. */
static double find_forces(
    const configuration *c, const double *law, const int32_t *active, double *angle,
    double (*twist)[6], double (*wrench)[6], damper *dampers)
{
    double potential = 0;
    (void)law;
    (void)active;
    (void)angle;
    (void)twist;
    (void)dampers;
    for (int32_t b = 0; b < BODIES; ++b) {
        for (int32_t i = 0; i < 3; ++i) {
            wrench[b][i] = BODY[b].mass*GRAVITY[i];
            wrench[b][3 + i] = 0;
            potential -= BODY[b].mass*GRAVITY[i]*c->pose[b][i];
        }
    }
#if MAY_HAVE(SPRINGS)
    for (int32_t s = 0; s < SPRINGS; ++s) {
        const spring_row *spring = SPRING + s;
        damper *d = dampers + s;
        double length = 0;
        d->body_1 = spring->body_1;
        d->body_2 = spring->body_2;
        d->damping = spring->damping;
        (void)solve_length_row(
            c->pose[d->body_1], spring->point_1, c->pose[d->body_2], spring->point_2, &length, d->row_1, d->row_2);
        if (do_meet(c, spring, length)) {
            part_points(c, spring, twist, d);
            if (spring->stiffness*spring->length > 0) { /* its force has no direction and so no value */
                length = HUGE_VAL;
            }
        }
        const double longer = length - spring->length;
        load(wrench, d->body_1, d->row_1, -spring->stiffness*longer);
        load(wrench, d->body_2, d->row_2, -spring->stiffness*longer);
        potential += spring->stiffness*longer*longer/2;
    }
#endif
#if MAY_HAVE(JOINT_FORCES)
    for (int32_t j = 0; j < JOINT_FORCES; ++j) {
        const joint_force_row *force = JOINT_FORCE + j;
        damper *d = dampers + SPRINGS + j;
        d->body_1 = force->body_1;
        d->body_2 = force->body_2;
        d->damping = force->damping;
        double value = find_freedom(
            force->freedom, c->pose[d->body_1], force->frame_1, c->pose[d->body_2], force->frame_2, d->row_1,
            d->row_2);
        value = force->turns ? near_to(angle[j], value) : value;
        angle[j] = value;
        const double beyond = value - force->rest;
        const double size = law[force->law] - force->stiffness*beyond;
        load(wrench, d->body_1, d->row_1, size);
        load(wrench, d->body_2, d->row_2, size);
        potential += force->stiffness*beyond*beyond/2;
    }
#endif
#if MAY_HAVE(PUSHES)
    for (int32_t p = 0; p < PUSHES; ++p) {
        const push_row *push = PUSH + p;
        const double *value = law + push->law;
        double found[6] = {0, 0, 0, 0, 0, 0};
        if (!active[p] || push->body == GROUND) {
            continue;
        }
        switch (push->kind) {
        case PUSH_WORLD:
            (void)solve_push(c->pose[push->body], push->at, value, found);
            break;
        case PUSH_BODY:
            (void)solve_push_in_body(c->pose[push->body], push->at, value, found);
            break;
        case TWIST_BODY:
            (void)solve_twist_in_body(c->pose[push->body], value, found);
            break;
        default:
            for (int32_t i = 0; i < 3; ++i) {
                found[3 + i] = value[i];
            }
            break;
        }
        load(wrench, push->body, found, 1);
    }
#endif
    return potential;
}

#endif /* SYMGEN_DYNAMICS_FORCES_H */
