/* A four-bar linkage in plain C: the crank turns, the generated R.R.R dyad gives the joint between coupler and rocker. */
#include <math.h>
#include <stdio.h>

#include "dyad_rrr.h"

int main(void)
{
    const double crank = 0.1, coupler = 0.35, rocker = 0.25; /* lengths [m] */
    const double speed = 6.283185307179586;                  /* of the crank [rad/s] */
    const double ground[2] = {0.35, 0.0}, rest[2] = {0.0, 0.0};
    const int32_t branch = 0; /* bit 0 clear: the joint lies to the left of crank pin -> ground */
    int failed = 0;

    puts("t,x,y,vx,vy,ax,ay");
    for (int k = 0; k <= 12; ++k) {
        const double t = k/12.0, c = crank*cos(speed*t), s = crank*sin(speed*t);
        const double pin[2] = {c, s}, v_pin[2] = {-speed*s, speed*c};
        const double a_pin[2] = {-speed*speed*c, -speed*speed*s};
        double p[2], v[2], a[2], omega[2], alpha[2]; /* omega, alpha: of coupler and rocker */

        const symgen_status status = symgen_dyad_rrr_kernel_all(pin, ground, coupler, rocker, v_pin, rest, a_pin, rest,
            branch, p, v, &omega[0], &omega[1], a, &alpha[0], &alpha[1]);
        if (status != SYMGEN_OK) { /* nothing was written */
            fprintf(stderr, "t = %g s: status %d\n", t, (int)status);
            failed = 1;
            continue;
        }
        printf("%.3f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", t, p[0], p[1], v[0], v[1], a[0], a[1]);
    }
    return failed;
}
