/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
/* Rows of constraints of a configuration, in its coordinates. */
#ifndef SYMGEN_DYNAMICS_ROWS_H
#define SYMGEN_DYNAMICS_ROWS_H

#include "dynamics_elements.h"

/* Rows of the cut joints for the unknowns, and their residual. */
static inline void find_rows(const configuration *c, const double *law, row_factors *f, double *residual)
{
    int32_t next = 0;
    for (int32_t k = 0; k < ROWS; ++k) { /* before the elements: wide stores need time before they can be read again */
        for (int32_t i = 0; i < UNKNOWNS; ++i) {
            f->row[k][i] = 0;
        }
    }
    for (int32_t e = 0; e < CUT_ELEMENTS; ++e) {
        const element_row *element = ELEMENT + e;
        int32_t count = 0;
        double left[6];
        double jacobian[2][36];
        double wrench[2][6][6]; /* of unit multipliers, on both bodies */
        constrain(c, e, law, left, jacobian[0], jacobian[1]);
        for (int32_t k = 0; k < rows_of(element->kind); ++k) {
            if (!counts(e, k)) {
                continue;
            }
            residual[next + count] = left[k];
            for (int32_t i = 0; i < 6; ++i) {
                wrench[0][count][i] = jacobian[0][6*k + i];
                wrench[1][count][i] = jacobian[1][6*k + i];
            }
            ++count;
        }
        add_rows(c, element->body_1, element->meet, count, wrench[0], f->row + next);
        add_rows(c, element->body_2, element->meet, count, wrench[1], f->row + next);
        next += count;
    }
}

/* J_1 m_1 + J_2 m_2 of all rows of cut joints for given motions m, plus their rate, or their bias. */
static inline void find_row_rates(
    const configuration *c, const double *law, double (*twist)[6], double (*motion)[6], int32_t of_acceleration,
    double *found)
{
    int32_t next = 0;
    for (int32_t e = 0; e < CUT_ELEMENTS; ++e) {
        const element_row *element = ELEMENT + e;
        double residual[6];
        double one[36];
        double two[36];
        double rate[6] = {0, 0, 0, 0, 0, 0};
        double bias[6];
        constrain(c, e, law, residual, one, two);
        find_element_bias(c, e, law, twist, rate, bias);
        for (int32_t k = 0; k < rows_of(element->kind); ++k) {
            if (!counts(e, k)) {
                continue;
            }
            double sum = of_acceleration ? bias[k] : rate[k];
            for (int32_t i = 0; i < 6; ++i) {
                sum += element->body_1 != GROUND ? one[6*k + i]*motion[element->body_1][i] : 0;
                sum += element->body_2 != GROUND ? two[6*k + i]*motion[element->body_2][i] : 0;
            }
            found[next++] = sum;
        }
    }
}

#endif /* SYMGEN_DYNAMICS_ROWS_H */
