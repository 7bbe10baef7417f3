/* A batch that several threads solve: see threads.c. */
#ifndef SYMGEN_THREADS_H
#define SYMGEN_THREADS_H

#include "solver.h"

/* Rows that a thread takes at once are a multiple of this: in lanes, what begins a line of memory does so in every part;
 * elsewhere no two threads write to one line of a column. */
static inline Py_ssize_t rows_of_parts(const solver *by)
{
    return by->entry != by->by_row ? 64 : 8;
}

/* Solve rows in several threads, of which this one is the first; call it with Python's lock, which it lets go meanwhile.
 * Where they take long, it looks now and then whether a signal has come, such as Ctrl-C: rows are then left as they are.
 *
 *     first, steps    pointers to the first row, and how many bytes each of them moves on for a row: one at least
 *     threads         one or more
 *     least           rows that are worth a thread
 *     most            rows between two looks
 *
 * Returns a status that is not OK, if there is one; -1, with an error set, where memory is short or a signal has come. */
int32_t solve_in_threads(
    const solver *by, void *const *first, const Py_ssize_t *steps, size_t pointers, Py_ssize_t rows, int threads,
    Py_ssize_t least, Py_ssize_t most);

#endif
