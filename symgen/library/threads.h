/* A batch that several threads solve: see threads.c. */
#ifndef SYMGEN_THREADS_H
#define SYMGEN_THREADS_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Rows that a thread takes at once are a multiple of this: what begins a line of memory does so in every part. */
enum { ROWS_OF_PARTS = 64 };

typedef int32_t entry_function(int32_t rows, void *const *table);

/* Solve rows in several threads, of which this one is the first; call it with Python's lock, which it lets go meanwhile.
 *
 *     first, steps    pointers to the first row, and how many bytes each of them moves on for a row: one at least
 *     least           rows that are worth a thread
 *     in_lanes        whether the entry solves rows side by side
 *
 * Returns a status that is not OK, if there is one; -1, with an error set, where memory is short. */
int32_t solve_in_threads(
    entry_function *entry, void *const *first, const Py_ssize_t *steps, size_t pointers, Py_ssize_t rows, int threads,
    Py_ssize_t least, bool in_lanes);

#endif
