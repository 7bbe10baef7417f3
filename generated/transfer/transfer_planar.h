/*
 * Part of symgen's special engines of transfer matrices; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew
 */
/* planar trees of bodies on pins: public interface.
 *
 * Bodies with absolute angles, each carried by one pin: by the ground or by another body. A pin passes on
 * a force and no moment, q = S a + e, so the Riccati recursion works with 2 x 2 matrices; three entries of
 * the symmetric S are stored. One evaluation takes time in proportion to the number of bodies.
 */
#ifndef SYMGEN_TRANSFER_PLANAR_H
#define SYMGEN_TRANSFER_PLANAR_H

#include "symgen_status.h"
#include "transfer_special.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "transfer_planar_declarations.h"

#ifdef __cplusplus
}
#endif

#endif /* SYMGEN_TRANSFER_PLANAR_H */
