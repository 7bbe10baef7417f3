/* A compiled function on rows, after which no row of a result is left as it was: see solver.c. */
#ifndef SYMGEN_SOLVER_H
#define SYMGEN_SOLVER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Solve rows whose inputs, outputs and status a table points to; returns the first status that is not OK. */
typedef int32_t entry_function(int32_t rows, void *const *table);

typedef enum { DOUBLE, FLOAT, WHOLE } kind_of_number;

/* An input, an output, or the status. */
typedef struct {
    int type;            /* of NumPy */
    Py_ssize_t width;    /* numbers in a row; 0: a number by itself, without an axis of its own */
    kind_of_number kind;
    size_t size;         /* bytes of a number */
    size_t column;       /* the place of its first number in a table of columns */
    size_t place_in_row; /* bytes of the ports before it in a row of all ports */
} port;

/* Where the numbers of a function are, and who solves them. */
typedef struct {
    entry_function *entry;
    entry_function *by_row; /* takes rows one after the other, never columns */
    const port *ports;      /* inputs, outputs, and the status, which is the last */
    int inputs;
    int outputs; /* with the status */
    size_t bytes_of_row; /* of all ports */
    bool in_columns;
} solver;

/* In rows a port has one pointer in the table, in columns one for each of its numbers. */
static inline size_t pointers_of_port(const solver *by, const port *of)
{
    return by->in_columns && of->width > 1 ? (size_t)of->width : 1;
}

/* How many bytes a pointer of a port moves on for a row. */
static inline size_t step_of_port(const solver *by, const port *of)
{
    return by->in_columns || of->width <= 1 ? of->size : of->size*(size_t)of->width;
}

/* Solve rows, without Python's lock; a row that failed holds what the function writes for it, else NaN, of whole numbers 0.
 *
 * Returns a status that is not OK, if there is one; NO_MEMORY. */
enum { NO_MEMORY = -1 };
int32_t solve_rows(const solver *by, int32_t rows, void *const *table);

#endif
