/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
/* dynamics of mechanisms in minimal coordinates: public interface. `progress` counts millionths of the time span. */

#ifndef SYMGEN_DYNAMICS_MINIMAL_H
#define SYMGEN_DYNAMICS_MINIMAL_H

#include <stdint.h>

#include "symgen_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "dynamics_minimal_declarations.h"

#ifdef __cplusplus
}
#endif

#endif /* SYMGEN_DYNAMICS_MINIMAL_H */
