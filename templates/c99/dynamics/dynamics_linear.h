/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
#ifndef SYMGEN_DYNAMICS_LINEAR_H
#define SYMGEN_DYNAMICS_LINEAR_H

#include "dynamics_given.h"

/* Null space and least-norm solution of the rows of constraints, by Householder reflections with pivoting. The rows of
 * `rows` are the constraints; their transpose is factorised, and the reflectors overwrite the rows. */

typedef struct {
    double row[ROOM_ROWS][ROOM_UNKNOWNS]; /* beyond its diagonal a pivot row holds its reflector */
    double diagonal[ROOM_RANK];
    double factor[ROOM_RANK];             /* 2/(v.v) of each reflector */
    int32_t order[ROOM_ROWS];
    int32_t rank;                         /* below RANK in a singular position */
} row_factors;

/* What overlaps nothing else; C++ has no word for it. */
#ifdef __cplusplus
#define SYMGEN_RESTRICT
#else
#define SYMGEN_RESTRICT restrict
#endif

/* Apply the k-th reflection to x[k..]. */
static inline void reflect(const row_factors *f, int32_t k, double *SYMGEN_RESTRICT x)
{
    const double *SYMGEN_RESTRICT v = f->row[f->order[k]];
    double along = 0;
    for (int32_t i = k; i < UNKNOWNS; ++i) {
        along += v[i]*x[i];
    }
    along *= f->factor[k];
    for (int32_t i = k; i < UNKNOWNS; ++i) {
        x[i] -= along*v[i];
    }
}

/* Factorise until a pivot is below `tolerance` times the largest one, with at most RANK pivots. */
static inline void factorise_rows(row_factors *f, double tolerance)
{
    /* squared lengths of the remaining parts of the rows */
    double left[ROOM_ROWS];
    double whole[ROOM_ROWS];
    for (int32_t c = 0; c < ROWS; ++c) {
        double sum = 0;
        for (int32_t i = 0; i < UNKNOWNS; ++i) {
            sum += f->row[c][i]*f->row[c][i];
        }
        f->order[c] = c;
        left[c] = whole[c] = sum;
    }
    f->rank = 0;
    for (int32_t k = 0; k < RANK; ++k) {
        int32_t best = k;
        for (int32_t c = k + 1; c < ROWS; ++c) {
            if (left[f->order[c]] > left[f->order[best]]) {
                best = c;
            }
        }
        const int32_t pivot = f->order[best];
        f->order[best] = f->order[k];
        f->order[k] = pivot;
        double *v = f->row[pivot];
        double size = 0;
        for (int32_t i = k; i < UNKNOWNS; ++i) {
            size += v[i]*v[i];
        }
        size = sqrt(size);
        if (!(size > tolerance*(k > 0 ? fabs(f->diagonal[0]) : 0))) {
            return;
        }
        const double diagonal = v[k] > 0 ? -size : size;
        f->diagonal[k] = diagonal;
        v[k] -= diagonal;
        f->factor[k] = -1/(diagonal*v[k]);
        f->rank = k + 1;
        for (int32_t c = k + 1; c < ROWS; ++c) {
            const int32_t other = f->order[c];
            if (left[other] > 0) {
                reflect(f, k, f->row[other]);
                left[other] -= f->row[other][k]*f->row[other][k];
                if (!(left[other] > CANCELLED*whole[other])) { /* too little is left to subtract from */
                    double sum = 0;
                    for (int32_t i = k + 1; i < UNKNOWNS; ++i) {
                        sum += f->row[other][i]*f->row[other][i];
                    }
                    left[other] = whole[other] = sum;
                }
            }
        }
    }
}

/* The shortest x with rows.x = -residual, as far as the rank goes. */
static inline void least_solution(const row_factors *f, const double *residual, double *x)
{
    for (int32_t k = 0; k < f->rank; ++k) {
        const double *row = f->row[f->order[k]];
        double sum = -residual[f->order[k]];
        for (int32_t i = 0; i < k; ++i) {
            sum -= row[i]*x[i];
        }
        x[k] = sum/f->diagonal[k];
    }
    for (int32_t i = f->rank; i < UNKNOWNS; ++i) {
        x[i] = 0;
    }
    for (int32_t k = f->rank - 1; k >= 0; --k) {
        reflect(f, k, x);
    }
}

/* FREEDOMS directions that the rows leave free. A singular position has more; then the subspace closest to the
 * directions `last` of the previous position is used. */
static inline void free_directions(
    const row_factors *f, double last[ROOM_FREEDOMS][ROOM_UNKNOWNS],
    double directions[ROOM_FREEDOMS][ROOM_UNKNOWNS])
{
    for (int32_t j = 0; j < FREEDOMS; ++j) {
        double *x = directions[j];
        if (f->rank == RANK) {
            for (int32_t i = 0; i < UNKNOWNS; ++i) {
                x[i] = 0;
            }
            x[RANK + j] = 1;
        } else {
            for (int32_t i = 0; i < UNKNOWNS; ++i) {
                x[i] = last[j][i];
            }
            for (int32_t k = 0; k < f->rank; ++k) {
                reflect(f, k, x);
            }
            for (int32_t i = 0; i < f->rank; ++i) {
                x[i] = 0;
            }
        }
        for (int32_t k = f->rank - 1; k >= 0; --k) {
            reflect(f, k, x);
        }
        if (f->rank < RANK) { /* projected directions are no longer orthonormal */
            for (int32_t other = 0; other <= j; ++other) {
                double along = 0;
                for (int32_t i = 0; i < UNKNOWNS; ++i) {
                    along += directions[other][i]*x[i];
                }
                for (int32_t i = 0; i < UNKNOWNS; ++i) {
                    x[i] = other < j ? x[i] - along*directions[other][i] : x[i]/sqrt(along);
                }
            }
        }
    }
}

/* Solve a small square system in place with row pivoting; false where it is singular. */
static int32_t solve_square(int32_t size, double *matrix, int32_t width, double *right, int32_t columns)
{
    for (int32_t k = 0; k < size; ++k) {
        int32_t best = k;
        for (int32_t i = k + 1; i < size; ++i) {
            if (fabs(matrix[i*width + k]) > fabs(matrix[best*width + k])) {
                best = i;
            }
        }
        if (!(fabs(matrix[best*width + k]) > 0)) {
            return 0;
        }
        if (best != k) {
            for (int32_t j = 0; j < size; ++j) {
                const double swap = matrix[k*width + j];
                matrix[k*width + j] = matrix[best*width + j];
                matrix[best*width + j] = swap;
            }
            for (int32_t j = 0; j < columns; ++j) {
                const double swap = right[k*columns + j];
                right[k*columns + j] = right[best*columns + j];
                right[best*columns + j] = swap;
            }
        }
        const double inverse = 1/matrix[k*width + k];
        for (int32_t i = k + 1; i < size; ++i) {
            const double ratio = matrix[i*width + k]*inverse;
            for (int32_t j = k + 1; j < size; ++j) {
                matrix[i*width + j] -= ratio*matrix[k*width + j];
            }
            for (int32_t j = 0; j < columns; ++j) {
                right[i*columns + j] -= ratio*right[k*columns + j];
            }
        }
    }
    for (int32_t k = size - 1; k >= 0; --k) {
        const double inverse = 1/matrix[k*width + k];
        for (int32_t j = 0; j < columns; ++j) {
            double sum = right[k*columns + j];
            for (int32_t i = k + 1; i < size; ++i) {
                sum -= matrix[k*width + i]*right[i*columns + j];
            }
            right[k*columns + j] = sum*inverse;
        }
    }
    return 1;
}

#endif /* SYMGEN_DYNAMICS_LINEAR_H */
