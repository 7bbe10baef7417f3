/* Fixture of the tests, written by hand: two bars between two pins, in the plane. */
#include "toy_dyad.h"
#include <math.h>

symgen_status symgen_toy_dyad_kernel_position(const double a[2], const double b[2], double l1, double l2, int32_t branch, double c[2], double *area)
{
    const double sigma = branch == 0 ? 1.0 : -1.0;
    const double dx = b[0] - a[0];
    const double dy = b[1] - a[1];
    const double d2 = dx*dx + dy*dy;
    if (!(l1 > 0.0) || !(l2 > 0.0) || branch < 0 || branch > 1) return SYMGEN_BAD_INPUT;
    if (!(d2 < 1e30)) return SYMGEN_BAD_INPUT;
    if (!(d2 > 0.0)) return SYMGEN_DEGENERATE;
    {
        const double f = 0.5*(l1*l1 - l2*l2 + d2)/d2;
        const double h2 = l1*l1/d2 - f*f;
        const double h = sigma*sqrt(h2 > 0.0 ? h2 : 0.0);
        if (!(h2 >= 0.0)) return SYMGEN_NO_ASSEMBLY;
        c[0] = a[0] + f*dx - h*dy;
        c[1] = a[1] + f*dy + h*dx;
        *area = 0.5*h*d2;
        return h2 > 1e-12 ? SYMGEN_OK : SYMGEN_SINGULAR;
    }
}

symgen_status symgen_toy_dyad_kernel_position_batch(int32_t n, const double *a, const double *b, const double *l1, const double *l2, const int32_t *branch, double *c, double *area, int32_t *status)
{
    symgen_status first = SYMGEN_OK;
    int32_t i;
    for (i = 0; i < n; ++i) {
        const symgen_status s = symgen_toy_dyad_kernel_position(&a[2*i], &b[2*i], l1[i], l2[i], branch[i], &c[2*i], &area[i]);
        status[i] = (int32_t)s;
        if (first == SYMGEN_OK) first = s;
    }
    return first;
}

static double wrap(double t)
{
    return atan2(sin(t), cos(t));
}

symgen_status symgen_toy_dyad_rrr_position(const double k1[3], const double k2[3], const double f_j1_k1[3], const double f_j1_b1[3], const double f_j2_b1[3], const double f_j2_b2[3], const double f_j3_k2[3], const double f_j3_b2[3], int32_t branch, double b1[3], double b2[3], double q_j1[1], double q_j2[1], double q_j3[1])
{
    const double a[2] = {k1[0] + cos(k1[2])*f_j1_k1[0] - sin(k1[2])*f_j1_k1[1], k1[1] + sin(k1[2])*f_j1_k1[0] + cos(k1[2])*f_j1_k1[1]};
    const double b[2] = {k2[0] + cos(k2[2])*f_j3_k2[0] - sin(k2[2])*f_j3_k2[1], k2[1] + sin(k2[2])*f_j3_k2[0] + cos(k2[2])*f_j3_k2[1]};
    const double ux = f_j2_b1[0] - f_j1_b1[0];
    const double uy = f_j2_b1[1] - f_j1_b1[1];
    const double wx = f_j2_b2[0] - f_j3_b2[0];
    const double wy = f_j2_b2[1] - f_j3_b2[1];
    double c[2];
    double area;
    const symgen_status s = symgen_toy_dyad_kernel_position(a, b, sqrt(ux*ux + uy*uy), sqrt(wx*wx + wy*wy), branch, c, &area);
    if (s != SYMGEN_OK && s != SYMGEN_SINGULAR) return s;
    b1[2] = wrap(atan2(c[1] - a[1], c[0] - a[0]) - atan2(uy, ux));
    b2[2] = wrap(atan2(c[1] - b[1], c[0] - b[0]) - atan2(wy, wx));
    b1[0] = a[0] - cos(b1[2])*f_j1_b1[0] + sin(b1[2])*f_j1_b1[1];
    b1[1] = a[1] - sin(b1[2])*f_j1_b1[0] - cos(b1[2])*f_j1_b1[1];
    b2[0] = b[0] - cos(b2[2])*f_j3_b2[0] + sin(b2[2])*f_j3_b2[1];
    b2[1] = b[1] - sin(b2[2])*f_j3_b2[0] - cos(b2[2])*f_j3_b2[1];
    q_j1[0] = wrap(b1[2] + f_j1_b1[2] - k1[2] - f_j1_k1[2]);
    q_j2[0] = wrap(b2[2] + f_j2_b2[2] - b1[2] - f_j2_b1[2]);
    q_j3[0] = wrap(b2[2] + f_j3_b2[2] - k2[2] - f_j3_k2[2]);
    return s;
}

symgen_status symgen_toy_dyad_rrr_position_batch(int32_t n, const double *k1, const double *k2, const double *f_j1_k1, const double *f_j1_b1, const double *f_j2_b1, const double *f_j2_b2, const double *f_j3_k2, const double *f_j3_b2, const int32_t *branch, double *b1, double *b2, double *q_j1, double *q_j2, double *q_j3, int32_t *status)
{
    symgen_status first = SYMGEN_OK;
    int32_t i;
    for (i = 0; i < n; ++i) {
        const symgen_status s = symgen_toy_dyad_rrr_position(&k1[3*i], &k2[3*i], &f_j1_k1[3*i], &f_j1_b1[3*i], &f_j2_b1[3*i], &f_j2_b2[3*i], &f_j3_k2[3*i], &f_j3_b2[3*i], branch[i], &b1[3*i], &b2[3*i], &q_j1[i], &q_j2[i], &q_j3[i]);
        status[i] = (int32_t)s;
        if (first == SYMGEN_OK) first = s;
    }
    return first;
}
