/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
/* dynamics of mechanisms: public interface.
 *
 * The engine integrates any mechanism: central differences of the Newton-Euler equations in quaternions, projected on
 * the directions that the constraints leave free, solved by Newton's method in every step. Unknowns are the coordinates
 * of a spanning tree (loops are closed by rows of constraints, open trees eliminated body by body), or the poses of all
 * bodies.
 */

#ifndef SYMGEN_DYNAMICS_H
#define SYMGEN_DYNAMICS_H

#include <stdint.h>

#include "symgen_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "dynamics_declarations.h"

#ifdef __cplusplus
}
#endif

#endif /* SYMGEN_DYNAMICS_H */
