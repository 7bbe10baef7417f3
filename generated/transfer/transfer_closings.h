/*
 * Part of symgen's engine of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
/* Loops: rows of their joints, closed where both ends have been reached. */
#ifndef SYMGEN_TRANSFER_CLOSINGS_H
#define SYMGEN_TRANSFER_CLOSINGS_H

#include "transfer_motion.h"

/* Rows of the loops: residual and Jacobians; wrenches of unit multipliers on both bodies. */
static void find_loop_rows(symgen_transfer_workspace *w)
{
    int32_t next = 0;
    for (int32_t k = 0; k < 6*OPEN; ++k) {
        w->unit_wrench[k/6][k%6] = 0;
    }
    for (int32_t e = 0; e < CUT_ELEMENTS; ++e) {
        double left[6];
        double jacobian[2][36];
        constrain(&w->now, e, w->law, left, jacobian[0], jacobian[1]);
        for (int32_t k = 0; k < rows_of(ELEMENT[e].kind); ++k) {
            if (!counts(e, k)) {
                continue;
            }
            w->residual[next] = left[k];
            for (int32_t side = 0; side < 2; ++side) {
                const int32_t entry = (side ? LOOP_ROW[next].entry_2 : LOOP_ROW[next].entry_1);
                for (int32_t i = 0; i < 6; ++i) {
                    w->row[next][side][i] = jacobian[side][6*k + i];
                    if (entry >= 0) { /* a wrench is [m q] */
                        w->unit_wrench[entry][(i + 3)%6] += jacobian[side][6*k + i];
                    }
                }
            }
            ++next;
        }
    }
}

/* The terms that J a has to balance: the bias of the rows with Baumgarte stabilisation (`of_acceleration`), or their
 * rate at the twists of the bodies. */
static void find_loop_terms(symgen_transfer_workspace *w, int32_t of_acceleration, double recall)
{
    int32_t next = 0;
    for (int32_t e = 0; e < CUT_ELEMENTS; ++e) {
        double rate[6] = {0, 0, 0, 0, 0, 0};
        double bias[6];
        find_element_bias(&w->now, e, w->law, w->twist, rate, bias);
        for (int32_t k = 0; k < rows_of(ELEMENT[e].kind); ++k) {
            if (!counts(e, k)) {
                continue;
            }
            double opening = 0;
            for (int32_t side = 0; side < 2 && (!of_acceleration || recall > 0); ++side) {
                const int32_t body = (side ? ELEMENT[e].body_2 : ELEMENT[e].body_1);
                for (int32_t i = 0; body != GROUND && i < 6; ++i) {
                    opening += w->row[next][side][i]*w->twist[body][i];
                }
            }
            opening += rate[k];
            w->term[next] = opening;
            if (of_acceleration) {
                (void)solve_loop_recall(bias[k], opening, w->residual[next], recall, w->term + next);
            }
            ++next;
        }
    }
}

#if MAY_HAVE(ROWS)
/* Factorise the matrix of `count` multipliers that are closed together as F F^T, by Cholesky's method with pivoting,
 * scaled by bounds of its diagonal; `factor` holds the columns of F. Returns its rank, at most `most`: pivots below DEPENDENT do not count, nor
 * pivots that are rounding amplified by small pivots of earlier closings. */
static int32_t factorise_links(symgen_transfer_workspace *w, int32_t count, const int32_t *rows, int32_t most)
{
    double *left = w->work[0];
    double *scale = w->work[1];
    const double noise = PIVOT_NOISE/w->least;
    const double none = noise > DEPENDENT ? noise : DEPENDENT;
    for (int32_t i = 0; i < count; ++i) {
        const double terms = w->terms[rows[i]];
        scale[i] = terms > 0 ? 1/sqrt(terms) : 0;
        left[i] = w->link[LOOP_ROW[rows[i]].slot][LOOP_ROW[rows[i]].slot]*scale[i]*scale[i];
        w->picked[i] = i;
    }
    for (int32_t k = 0; k < most; ++k) {
        int32_t best = k;
        for (int32_t i = k + 1; i < count; ++i) {
            best = left[w->picked[i]] > left[w->picked[best]] ? i : best;
        }
        const int32_t p = w->picked[best];
        w->picked[best] = w->picked[k];
        w->picked[k] = p;
        if (!(left[p] > none)) {
            return k;
        }
        w->least = left[p] < w->least ? left[p] : w->least;
        const double pivot = sqrt(left[p]);
        double *column = w->factor[k];
        column[p] = pivot;
        for (int32_t j = k + 1; j < count; ++j) {
            const int32_t i = w->picked[j];
            double sum = w->link[LOOP_ROW[rows[i]].slot][LOOP_ROW[rows[p]].slot]*scale[i]*scale[p];
            for (int32_t m = 0; m < k; ++m) {
                sum -= w->factor[m][i]*w->factor[m][p];
            }
            column[i] = sum/pivot;
            left[i] -= column[i]*column[i];
        }
        for (int32_t j = 0; j < k; ++j) {
            column[w->picked[j]] = 0;
        }
    }
    return most;
}

static inline double product(const double *a, const double *b, int32_t count)
{
    double sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        sum += a[i]*b[i];
    }
    return sum;
}

/* Take a column's part along `direction` off it; returns how much that is. */
static inline double take_off(const double *direction, double *column, int32_t count)
{
    const double along = product(direction, column, count);
    for (int32_t i = 0; i < count; ++i) {
        column[i] -= along*direction[i];
    }
    return along;
}

/* Give a column unit length; returns the one it had. */
static inline double normalise(double *column, int32_t count)
{
    const double length = sqrt(product(column, column, count));
    for (int32_t i = 0; i < count; ++i) {
        column[i] /= length;
    }
    return length;
}

/* Make the first `rank` columns of the factor orthonormal (twice, against rounding): F = Q R, R the rows of `upper`. A
 * column that is done is taken off all later ones at once, which do not wait for each other. */
static void orthonormalise(symgen_transfer_workspace *w, int32_t count, int32_t rank, double *upper)
{
    for (int32_t k = 0; k < rank; ++k) {
        double *column = w->factor[k];
        const double length = normalise(column, count);
        for (int32_t j = 0; j < k; ++j) {
            upper[rank*j + k] += take_off(w->factor[j], column, count)*length;
        }
        upper[rank*k + k] = normalise(column, count)*length;
        for (int32_t c = k + 1; c < rank; ++c) {
            upper[rank*k + c] = take_off(column, w->factor[c], count);
        }
    }
}

static inline void take_multiple(double factor, const double *row, double *from)
{
    for (int32_t c = 0; c < COLUMNS_AT_ONCE; ++c) {
        from[c] -= factor*row[c];
    }
}

static inline void divide(double by, double *row)
{
    for (int32_t c = 0; c < COLUMNS_AT_ONCE; ++c) {
        row[c] /= by;
    }
}

/* The pseudo-inverse of the matrix of multipliers of the k-th closing: Q (R R^T)^-1 Q^T, scaled. For multipliers that
 * are not determined it gives the smallest ones. Its rank is at most that at the start: within a step loops are
 * slightly open, and dependent rows seem independent. Several of its columns are found at a time: a division need not
 * wait for that of another column. */
static void find_inverse(
    symgen_transfer_workspace *w, int32_t k, int32_t count, const int32_t *rows, double *inverse)
{
    const int32_t rank = factorise_links(w, count, rows, w->rank[k] < 0 ? count : w->rank[k]);
    const double *scale = w->work[1];
    double *upper = w->upper;
    double (*x)[COLUMNS_AT_ONCE] = w->columns;
    orthonormalise(w, count, rank, upper);
    w->rank[k] = w->rank[k] < 0 ? rank : w->rank[k];
    for (int32_t first = 0; first < count; first += COLUMNS_AT_ONCE) {
        const int32_t found = count - first < COLUMNS_AT_ONCE ? count - first : COLUMNS_AT_ONCE;
        for (int32_t m = 0; m < rank; ++m) { /* R y = Q^T e_c from its end, then R^T x = y */
            for (int32_t c = 0; c < COLUMNS_AT_ONCE; ++c) {
                x[m][c] = c < found ? w->factor[m][first + c] : 0;
            }
        }
        for (int32_t m = rank - 1; m >= 0; --m) {
            for (int32_t j = m + 1; j < rank; ++j) {
                take_multiple(upper[rank*m + j], x[j], x[m]);
            }
            divide(upper[rank*m + m], x[m]);
        }
        for (int32_t m = 0; m < rank; ++m) {
            for (int32_t j = 0; j < m; ++j) {
                take_multiple(upper[rank*j + m], x[j], x[m]);
            }
            divide(upper[rank*m + m], x[m]);
        }
        for (int32_t i = 0; i < first + found; ++i) {
            double sum[COLUMNS_AT_ONCE] = {0};
            for (int32_t m = 0; m < rank; ++m) {
                for (int32_t c = 0; c < COLUMNS_AT_ONCE; ++c) {
                    sum[c] += w->factor[m][i]*x[m][c];
                }
            }
            for (int32_t c = i < first ? 0 : i - first; c < found; ++c) {
                inverse[count*i + first + c] = inverse[count*(first + c) + i] = sum[c]*scale[i]*scale[first + c];
            }
        }
    }
}

/* Close loops whose two ends have been reached: lambda = K a - N lambda_open - k, with the multipliers that stay open.
 * K is `by_acceleration`, N `influence`, k `offset`. */
static void close_loops(symgen_transfer_workspace *w, int32_t k)
{
    const closing_row *closing = CLOSING + k;
    const int32_t *rows = CLOSING_ROW + closing->first;
    const int32_t *entries = CLOSING_ENTRY + closing->first;
    const int32_t body = closing->body;
    const int32_t count = closing->count;
    const int32_t open = closing->open;
    double *inverse = w->inverse + closing->inverse;
    double *influence = w->influence + closing->influence;
    find_inverse(w, k, count, rows, inverse);
    for (int32_t i = 0; i < count; ++i) {
        set_to(w->by_acceleration[rows[i]], NOTHING);
    }
    if (body == GROUND) {
        return;
    }
    const int32_t first = LOOPS_AT[body].end_open - open; /* of those that stay open */
    for (int32_t i = 0; i < count; ++i) {
        double *by_acceleration = w->by_acceleration[rows[i]];
        for (int32_t m = 0; m < count; ++m) {
            (void)solve_loop_hold(by_acceleration, inverse[count*i + m], w->unit_wrench[entries[m]], by_acceleration);
        }
        for (int32_t o = 0; o < open; ++o) {
            double sum = 0;
            for (int32_t m = 0; m < count; ++m) {
                sum += inverse[count*i + m]*w->link[LOOP_ROW[rows[m]].slot][LOOP_ROW[OPEN_ROW[first + o].row].slot];
            }
            influence[open*i + o] = sum;
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        const double *unit_wrench = w->unit_wrench[entries[i]];
        (void)solve_loop_stiffen(w->inertia[body], unit_wrench, w->by_acceleration[rows[i]], w->inertia[body]);
        for (int32_t o = 0; o < open; ++o) {
            double *linked = w->link[LOOP_ROW[OPEN_ROW[first + o].row].slot];
            double *left = w->unit_wrench[first + o];
            (void)solve_loop_column_close(left, unit_wrench, influence[open*i + o], left);
            for (int32_t q = 0; q <= o; ++q) {
                const int32_t slot = LOOP_ROW[OPEN_ROW[first + q].row].slot;
                (void)solve_loop_row_close(
                    linked[slot], influence[open*i + q], linked[LOOP_ROW[rows[i]].slot], linked + slot);
                w->link[slot][LOOP_ROW[OPEN_ROW[first + o].row].slot] = linked[slot];
            }
        }
    }
}
#else
static void close_loops(symgen_transfer_workspace *w, int32_t k)
{
    (void)w;
    (void)k;
}
#endif

#endif /* SYMGEN_TRANSFER_CLOSINGS_H */
