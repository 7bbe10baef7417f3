/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
/* Elements of constraints: rows of pairs and driven freedoms between two bodies. */
#ifndef SYMGEN_DYNAMICS_ELEMENTS_H
#define SYMGEN_DYNAMICS_ELEMENTS_H

#include "dynamics_given.h"
#include "dynamics_kinds.h"

/* Residual and Jacobians of one constraint element. */
static inline void constrain(
    const configuration *c, int32_t e, const double *law, double *residual,
    double *jacobian_1, double *jacobian_2)
{
    const element_row *element = ELEMENT + e;
    const double *pose_1 = c->pose[element->body_1];
    const double *pose_2 = c->pose[element->body_2];
    const double u = element->law >= 0 ? element->factor*law[element->law] : 0;
    solve_kind_constraint(
        element->kind, pose_1, element->frame_1, pose_2, element->frame_2, element->pitch, u, residual, jacobian_1,
        jacobian_2);
}

/* Tell whether a row counts: some always vanish in the plane. */
static inline int32_t counts(int32_t e, int32_t k)
{
    return (ELEMENT[e].rows & (1 << k)) != 0;
}

/* Largest residual of all joints, in metres or as the cosine of an angle that should be a right angle. */
static double find_violation(const configuration *c, const double *law)
{
    double worst = 0;
    for (int32_t e = 0; e < ELEMENTS; ++e) {
        double residual[6];
        double one[36];
        double two[36];
        constrain(c, e, law, residual, one, two);
        for (int32_t k = 0; k < rows_of(ELEMENT[e].kind); ++k) {
            const double size = ELEMENT[e].unit[k]*fabs(residual[k]);
            worst = size > worst ? size : worst;
        }
    }
    return worst;
}

/* Rate and bias of one constraint element; `rate` is written for driven freedoms only. */
static inline void find_element_bias(
    const configuration *c, int32_t e, const double *law, double (*twist)[6], double *rate, double *bias)
{
    static const double rest[6] = {0, 0, 0, 0, 0, 0};
    const element_row *element = ELEMENT + e;
    const double *pose_1 = c->pose[element->body_1];
    const double *pose_2 = c->pose[element->body_2];
    const double *twist_1 = element->body_1 != GROUND ? twist[element->body_1] : rest;
    const double *twist_2 = element->body_2 != GROUND ? twist[element->body_2] : rest;
    const double u = element->law >= 0 ? element->factor*law[element->law] : 0;
    const double ud = element->law >= 0 ? element->factor*law[RATES + element->law] : 0;
    const double udd = element->law >= 0 ? element->factor*law[SECONDS + element->law] : 0;
    solve_kind_bias(
        element->kind, pose_1, element->frame_1, twist_1, pose_2, element->frame_2, twist_2, element->pitch, u, ud, udd,
        rate, bias);
}

#endif /* SYMGEN_DYNAMICS_ELEMENTS_H */
