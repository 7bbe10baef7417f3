/*
 * Part of symgen's special engines of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
/* Explicit integration of a tree of bodies in one call: public interface of every special engine. */

#ifndef SYMGEN_TRANSFER_SPECIAL_H
#define SYMGEN_TRANSFER_SPECIAL_H

#include <stdint.h>

#include "symgen_status.h"

#include "transfer_special_declarations.h"

#endif /* SYMGEN_TRANSFER_SPECIAL_H */
