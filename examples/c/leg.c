/* Jansen's leg on a small computer: one call a tick gives where its toe is and how fast it moves.
 * No heap, no files, no library but libm; everything the solver needs is on the stack. */
#include <stdio.h>

#include "leg.h"

#define TICKS 20

int main(void)
{
    const int32_t branch[4] = {0, 1, 0, 1}; /* as `symgen generate` says for the drawing */
    double poses[21], twists[21], accelerations[21], q[10], qd[10], qdd[10]; /* bodies and joints: see leg.h */
    double points[4], speeds[4], pushes[4];                                  /* crank.pin, foot.toe */

    puts("t,x,y,vx,vy");
    for (int tick = 0; tick <= TICKS; ++tick) {
        const double t = (double)tick/TICKS;
        int32_t group;
        const symgen_status status = symgen_leg_motion(
            t, branch, poses, twists, accelerations, q, qd, qdd, points, speeds, pushes, &group);
        if (status != SYMGEN_OK) { /* nothing was written: hold the last good values, tell why */
            fprintf(stderr, "t = %g s: group %d: status %d\n", t, (int)group, (int)status);
            return 1;
        }
        printf("%.3f,%.6f,%.6f,%.6f,%.6f\n", t, points[2], points[3], speeds[2], speeds[3]);
    }
    return 0;
}
