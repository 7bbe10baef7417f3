/*
 * Part of symgen's engine of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
/* Dynamics of mechanisms by the Riccati form of the transfer matrices: public interface.
 *
 * symgen_transfer_run integrates the mechanism of problem.h. Nothing is allocated. Where the mechanism is constant, as in
 * exports, nothing is static: runs with their own workspaces and arrays may proceed at the same time. Where its tables are
 * data, a loaded copy makes one run at a time. */

#ifndef SYMGEN_TRANSFER_H
#define SYMGEN_TRANSFER_H

#include <stdint.h>

#include "symgen_status.h"
#include "transfer_sizes.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "transfer_declarations.h"

#ifdef __cplusplus
}
#endif

#endif /* SYMGEN_TRANSFER_H */
