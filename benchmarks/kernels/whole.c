/* Whole mechanisms in closed form, written by hand for one geometry: place of one point, nothing else. `bare` checks
 * reach alone; `same` promises what generated code does: status, folds, NaN, nothing written unless there is a result. */
#include <float.h>
#include <math.h>
#include <stdint.h>

/* Four-bar: ground 4, crank 1, coupler (3, 2.5) from B to C, rocker 2.5; the point lies at (2, 2.5) from B. */
int bare_four_bar(const double u[1], const int32_t branch[2], double p[2], int32_t *group)
{
    const double c = cos(u[0]), s = sin(u[0]);
    const double dx = 4.0 - c, d2 = dx*dx + s*s;
    const double foot = 0.5*(d2 + 9.0), h2 = 15.25*d2 - foot*foot;
    if (!(h2 >= 0.0)) {
        return 1;
    }
    const double h = branch[1] ? -sqrt(h2) : sqrt(h2), i = 1.0/d2, f = foot*i, g = h*i;
    const double ux = dx*f + s*g, uy = dx*g - s*f;
    const double cc = (3.0*ux + 2.5*uy)*(1.0/15.25), ss = (3.0*uy - 2.5*ux)*(1.0/15.25);
    p[0] = c + 2.0*cc - 2.5*ss;
    p[1] = s + 2.0*ss + 2.5*cc;
    (void)group;
    return 0;
}

int same_four_bar(const double u[1], const int32_t branch[2], double p[2], int32_t *group)
{
    int status = 0;
    if (branch[1] < 0 || branch[1] > 1) {
        return 7;
    }
    const double c = cos(u[0]), s = sin(u[0]);
    const double dx = 4.0 - c, d2 = dx*dx + s*s;
    const double foot = 0.5*(d2 + 9.0), h2 = 15.25*d2 - foot*foot;
    *group = 2;
    if (!(d2 > 1e-28)) {
        return isfinite(u[0]) ? 5 : 7;
    }
    if (!(h2 >= -1e-12)) {
        return isfinite(u[0]) ? 1 : 7;
    }
    if (h2 <= 9e-11) {
        status = 2;
    }
    const double root = sqrt(h2 > 0.0 ? h2 : 0.0);
    const double h = branch[1] ? -root : root, i = 1.0/d2, f = foot*i, g = h*i;
    const double ux = dx*f + s*g, uy = dx*g - s*f;
    const double cc = (3.0*ux + 2.5*uy)*(1.0/15.25), ss = (3.0*uy - 2.5*ux)*(1.0/15.25);
    const double x = c + 2.0*cc - 2.5*ss, y = s + 2.0*ss + 2.5*cc;
    *group = 0;
    if (!(fabs(x + y) <= DBL_MAX)) {
        return 7;
    }
    p[0] = x;
    p[1] = y;
    return status;
}

/* Slider-crank: crank 1, rod 3, slide along x through the crank's centre; place of the block from where it is drawn. */
int bare_slider_crank(const double u[1], const int32_t branch[2], double p[2], int32_t *group)
{
    const double c = cos(u[0]), s = sin(u[0]), h2 = 9.0 - s*s;
    if (!(h2 >= 0.0)) {
        return 1;
    }
    p[0] = c + (branch[1] ? -sqrt(h2) : sqrt(h2)) - 4.0;
    p[1] = 0.0;
    (void)group;
    return 0;
}

int same_slider_crank(const double u[1], const int32_t branch[2], double p[2], int32_t *group)
{
    int status = 0;
    if (branch[1] < 0 || branch[1] > 1) {
        return 7;
    }
    const double c = cos(u[0]), s = sin(u[0]), h2 = 9.0 - s*s;
    *group = 2;
    if (!(h2 >= -1e-14)) {
        return isfinite(u[0]) ? 1 : 7;
    }
    if (h2 < 9e-12) {
        status = 2;
    }
    const double root = sqrt(h2 > 0.0 ? h2 : 0.0);
    const double x = c + (branch[1] ? -root : root) - 4.0;
    *group = 0;
    if (!(fabs(x) <= DBL_MAX)) {
        return 7;
    }
    p[0] = x;
    p[1] = 0.0;
    return status;
}
