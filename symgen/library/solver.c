/* Rows that failed. A function writes nothing for most of them, and in lanes leaves anything in their columns. But memory
 * that is new to a batch must not be seen through its results. So results of a row that failed are set to NaN, and the
 * function decides on this row once more, by itself. */
#include "solver.h"

#include <math.h>
#include <string.h>

/* Rows of most functions: so many need no memory of their own. */
enum { FEW_NUMBERS = 128, FEW_PORTS = 48 };

static void forget(void *numbers, kind_of_number kind, Py_ssize_t count)
{
    for (Py_ssize_t k = 0; k < count; ++k) {
        if (kind == DOUBLE) {
            ((double *)numbers)[k] = (double)NAN;
        } else if (kind == FLOAT) {
            ((float *)numbers)[k] = NAN;
        } else {
            ((int32_t *)numbers)[k] = 0;
        }
    }
}

/* Solve one row again: `row` has room for its numbers where they do not lie together, `table` a pointer for each port. */
static void solve_again(const solver *by, int32_t number, void *const *all, char *row, void **table)
{
    for (int k = 0; k < by->inputs + by->outputs; ++k) {
        const port *of = &by->ports[k];
        const size_t first = by->in_columns ? of->column : (size_t)k;
        const size_t step = step_of_port(by, of);
        const size_t pointers = pointers_of_port(by, of);
        const bool is_together = pointers == 1;
        char *here = is_together ? (char *)all[first] + (size_t)number*step : row + of->place_in_row;
        for (size_t j = 0; j < pointers && !is_together && k < by->inputs; ++j) {
            memcpy(here + j*step, (char *)all[first + j] + (size_t)number*step, step);
        }
        if (k >= by->inputs) {
            forget(here, of->kind, of->width > 1 ? of->width : 1);
        }
        table[k] = here;
    }
    (void)by->by_row(1, table);
    for (int k = by->inputs; k < by->inputs + by->outputs; ++k) {
        const port *of = &by->ports[k];
        const size_t step = step_of_port(by, of);
        const size_t pointers = pointers_of_port(by, of);
        for (size_t j = 0; j < pointers && pointers > 1; ++j) {
            memcpy((char *)all[of->column + j] + (size_t)number*step, (char *)table[k] + j*step, step);
        }
    }
}

int32_t solve_rows(const solver *by, int32_t rows, void *const *table)
{
    int32_t worst = by->entry(rows, table);
    if (worst == 0) {
        return worst;
    }
    double few_numbers[FEW_NUMBERS];
    void *few_ports[FEW_PORTS];
    const int ports = by->inputs + by->outputs;
    char *row = by->bytes_of_row <= sizeof few_numbers ? (char *)few_numbers : PyMem_RawMalloc(by->bytes_of_row);
    void **of_row = ports <= FEW_PORTS ? few_ports : PyMem_RawMalloc((size_t)ports*sizeof *of_row);
    if (row != NULL && of_row != NULL) {
        const port *status = &by->ports[ports - 1];
        const int32_t *found = table[by->in_columns ? status->column : (size_t)ports - 1];
        for (int32_t k = 0; k < rows; ++k) {
            if (found[k] != 0) {
                solve_again(by, k, table, row, of_row);
            }
        }
    } else {
        worst = NO_MEMORY;
    }
    if (row != (char *)few_numbers) {
        PyMem_RawFree(row);
    }
    if (of_row != few_ports) {
        PyMem_RawFree(of_row);
    }
    return worst;
}
