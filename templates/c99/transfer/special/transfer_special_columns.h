/*
 * Part of symgen's special engines of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
/* Columns of the loops at the bodies of a tree. The including file defines `tree`, `layout`, `find_lever`,
 * `join_column` and `close_column`. */
#ifndef SYMGEN_TRANSFER_SPECIAL_COLUMNS_H
#define SYMGEN_TRANSFER_SPECIAL_COLUMNS_H

/* Sum the columns of the loops at a body: from the bodies that it carries, and from ends on itself. */
static void gather_columns(
    const tree *system, int64_t i, const double *attitude, const double *omega, const layout *work)
{
    for (int32_t s = system->loops.first[i]; s < system->loops.first[i + 1]; ++s) {
        const symgen_transfer_special_strand *strand = system->loops.strand + s;
        loop_data *here = work->loops.loop + strand->loop;
        for (int32_t k = 0; k < ROWS*ROWS; ++k) {
            here->column[k] = 0;
        }
        for (int32_t k = 0; k < ROWS*TURNS; ++k) {
            here->turn[k] = 0;
        }
        for (int32_t end = 0; end < 2; ++end) {
            double column[ROWS*ROWS];
            double lever[ROWS];
            double turn[ROWS*TURNS];
            double rest[ROWS];
            if (strand->source[end] == -1) {
                continue;
            }
            for (int32_t k = 0; k < ROWS*ROWS; ++k) {
                column[k] = k%(ROWS + 1) ? 0 : end ? 1 : -1;
            }
            if (strand->source[end] >= 0) {
                copy(work->loops.strand[strand->source[end]].column, ROWS*ROWS, column);
                copy(work->body[strand->input[end]].lever, ROWS, lever);
            } else {
                find_lever(attitude, system->loops.loop[strand->loop].point[end], system->body[i].output, lever);
            }
            join_column(column, lever, omega, turn, rest);
            add(column, ROWS*ROWS, here->column);
            add(turn, ROWS*TURNS, here->turn);
            add(rest, ROWS, here->rest);
        }
    }
}

/* Close the loops that a body closes; returns the strand of a redundant loop, else -1. */
static int32_t close_loops(const tree *system, int64_t i, const layout *work, double mobility,
    double *a, double *b, double *c, double *e_q, double *e_m)
{
    const int32_t end = system->loops.first[i + 1];
    for (int32_t s = system->loops.first[i]; s < end && system->loops.strand[s].closes; ++s) {
        if (!close_loop(&system->loops, &work->loops, s, end, mobility, a, b, c, e_q, e_m)) {
            return s;
        }
    }
    return -1;
}

/* Pass the columns of open loops on through the joint of a body. */
static void pass_on(const tree *system, int64_t i, const layout *work, const double *c, const double *e_m)
{
    const int32_t end = system->loops.first[i + 1];
    for (int32_t s = system->loops.first[i]; s < end; ++s) {
        loop_data *here = work->loops.loop + system->loops.strand[s].loop;
        strand_data *kept = work->loops.strand + s;
        if (!system->loops.strand[s].closes) {
            double compliance[LOWER];
            double rest[ROWS];
            close_column(here->compliance, here->turn, c, here->rest, e_m, compliance, rest, kept->gain);
            copy(compliance, LOWER, here->compliance);
            copy(rest, ROWS, here->rest);
            (void)solve_column_out(here->column, here->turn, work->body[i].turn, kept->column);
        }
    }
    for (int32_t s = system->loops.first[i]; s < end; ++s) {
        for (int32_t t = s + 1; t < end; ++t) {
            if (!system->loops.strand[s].closes) {
                cross_columns(&system->loops, &work->loops, s, t);
            }
        }
    }
}

#endif /* SYMGEN_TRANSFER_SPECIAL_COLUMNS_H */
