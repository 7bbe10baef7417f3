/*
 * Part of symgen's dynamics engine; plain C, the same for every mechanism.
 * This file belongs to whoever generated it; its text is free of conditions (MIT-0).
 * Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected
 */
/* Numbers of the engine. The engine in NumPy reads them here (symgen/simulate/constants.py): a name, one number or
 * several, in a line. Lengths are in units of the mechanism's size, angles in rad. */
#ifndef SYMGEN_DYNAMICS_CONSTANTS_H
#define SYMGEN_DYNAMICS_CONSTANTS_H

#define TWO_PI 6.283185307179586
#define UNBOUNDED 1e+6 /* no coordinate, correction or distance of a motion is as large */

/* What a caller may ask for. */
#define NEARLY_UNIT 1e-6 /* how far the square of a given quaternion may be from 1 */
#define FARTHEST 1e9     /* no given coordinate is as far away */
#define LOOSEST 1e-3     /* looser corrections of Newton's method are no solutions */

/* Rows of constraints and the step that they leave free. */
#define SINGULAR_PIVOT 1e-6        /* a pivot below this part of the largest is lost in a singular position */
#define CANCELLED 1e-8             /* part of a squared length below which what is left is computed anew */
#define ROUNDED (16*DBL_EPSILON)   /* part of the largest coordinate that is its rounding */
#define STAYS_OPEN 1e-8            /* rows further open than this stay open */

/* Minimal coordinates. */
#define INDEFINITE 1e-13 /* part of a diagonal that is left of the mass matrix where nothing moves */
#define LATELY 1e-3      /* part of the time span for which a group that could not be solved is the cause */
#define JUMP 0.5         /* part of a velocity that changes at once where a branch was lost, beside ... */
#define LEAST_JUMP 1e-6  /* ... this change */

/* Regions without another branch. Distances are of bodies, as parts of the mechanism's size, and angles. */
#define UNSEEN 1e-12       /* branches nearer than this are as far apart */
#define CAUTION 1.5        /* branches come closer by this factor more than is seen at the centre */
#define SHORT_WAY 0.1      /* size of a region beside a branch whose position cannot be determined */
#define AGREES 0.25        /* a region leads to its corners within this part of the way to another branch */
#define MOST_HALVINGS 8    /* of a region until it does */
#define MOST_PLACINGS 64   /* bisections to find where a branch changes its number, down to ... */
#define PLACED 1e-7        /* ... this distance */
#define WELL_INSIDE 0.9    /* part of a step towards a position that is taken, so that it ends well inside */
#define MOST_REGIONS 100   /* from one position to the next */

/* Meetings of branches. */
#define CLOSE 0.06                                /* a meeting is looked for if branches are closer */
#define BLURRED 0.04                              /* distance of branches at which rates lose their digits */
#define WIDEST 0.1                                /* half of a range of blurred numbers at most */
#define FARTHEST_MEETING 0.5                      /* further away a meeting is not looked for */
#define SAME_MEETING 0.05                         /* meetings nearer to each other are the same */
#define MET 1e-6                                  /* distance of branches that have met */
#define NEWTON_PART 0.9                           /* part of a Newton step taken: rates fail at the meeting itself */
#define PARTING 0.7                               /* a distance that falls by less does not lead to a meeting */
#define SAMPLE_NOISE 1e-10                        /* of a sample's position, which differences enlarge */
#define CLEAR 0.01                                /* the smooth branch misses by less of what the next one does */
#define SPACINGS 0.03, 0.01, 0.003, 0.001, 0.0001 /* of samples that judge which branch is smooth */
#define LIMIT_SAMPLES 12                          /* samples that a motion near a meeting is interpolated from */
#define LIMIT_GOOD 1e-10                          /* an error that is good enough */
#define LIMIT_POOR 1e-6                           /* an error that is too large */

#endif /* SYMGEN_DYNAMICS_CONSTANTS_H */
