/* Fixture of the tests, written by hand. */
#ifndef SYMGEN_STATUS_H
#define SYMGEN_STATUS_H
typedef enum {
    SYMGEN_OK = 0,
    SYMGEN_NO_ASSEMBLY = 1,
    SYMGEN_SINGULAR = 2,
    SYMGEN_BRANCH_LOST = 3,
    SYMGEN_AMBIGUOUS = 4,
    SYMGEN_DEGENERATE = 5,
    SYMGEN_NOT_CONVERGED = 6,
    SYMGEN_BAD_INPUT = 7
} symgen_status;
#endif
