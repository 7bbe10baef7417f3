/* Fixture of the tests, written by hand: two bars between two pins, in the plane. */
#include "toy_dyad_f32.h"
#include <math.h>

symgen_status symgenf_toy_dyad_kernel_position(const float a[2], const float b[2], float l1, float l2, int32_t branch, float c[2], float *area)
{
    const float sigma = branch == 0 ? 1.0F : -1.0F;
    const float dx = b[0] - a[0];
    const float dy = b[1] - a[1];
    const float d2 = dx*dx + dy*dy;
    if (!(l1 > 0.0F) || !(l2 > 0.0F) || branch < 0 || branch > 1) return SYMGEN_BAD_INPUT;
    if (!(d2 < 1e30F)) return SYMGEN_BAD_INPUT;
    if (!(d2 > 0.0F)) return SYMGEN_DEGENERATE;
    {
        const float f = 0.5F*(l1*l1 - l2*l2 + d2)/d2;
        const float h2 = l1*l1/d2 - f*f;
        const float h = sigma*sqrtf(h2 > 0.0F ? h2 : 0.0F);
        if (!(h2 >= 0.0F)) return SYMGEN_NO_ASSEMBLY;
        c[0] = a[0] + f*dx - h*dy;
        c[1] = a[1] + f*dy + h*dx;
        *area = 0.5F*h*d2;
        return h2 > 1e-6F ? SYMGEN_OK : SYMGEN_SINGULAR;
    }
}

symgen_status symgenf_toy_dyad_kernel_position_batch(int32_t n, const float *a, const float *b, const float *l1, const float *l2, const int32_t *branch, float *c, float *area, int32_t *status)
{
    symgen_status first = SYMGEN_OK;
    int32_t i;
    for (i = 0; i < n; ++i) {
        const symgen_status s = symgenf_toy_dyad_kernel_position(&a[2*i], &b[2*i], l1[i], l2[i], branch[i], &c[2*i], &area[i]);
        status[i] = (int32_t)s;
        if (first == SYMGEN_OK) first = s;
    }
    return first;
}

static float wrapf(float t)
{
    return atan2f(sinf(t), cosf(t));
}

symgen_status symgenf_toy_dyad_rrr_position(const float k1[3], const float k2[3], const float f_j1_k1[3], const float f_j1_b1[3], const float f_j2_b1[3], const float f_j2_b2[3], const float f_j3_k2[3], const float f_j3_b2[3], int32_t branch, float b1[3], float b2[3], float q_j1[1], float q_j2[1], float q_j3[1])
{
    const float a[2] = {k1[0] + cosf(k1[2])*f_j1_k1[0] - sinf(k1[2])*f_j1_k1[1], k1[1] + sinf(k1[2])*f_j1_k1[0] + cosf(k1[2])*f_j1_k1[1]};
    const float b[2] = {k2[0] + cosf(k2[2])*f_j3_k2[0] - sinf(k2[2])*f_j3_k2[1], k2[1] + sinf(k2[2])*f_j3_k2[0] + cosf(k2[2])*f_j3_k2[1]};
    const float ux = f_j2_b1[0] - f_j1_b1[0];
    const float uy = f_j2_b1[1] - f_j1_b1[1];
    const float wx = f_j2_b2[0] - f_j3_b2[0];
    const float wy = f_j2_b2[1] - f_j3_b2[1];
    float c[2];
    float area;
    const symgen_status s = symgenf_toy_dyad_kernel_position(a, b, sqrtf(ux*ux + uy*uy), sqrtf(wx*wx + wy*wy), branch, c, &area);
    if (s != SYMGEN_OK && s != SYMGEN_SINGULAR) return s;
    b1[2] = wrapf(atan2f(c[1] - a[1], c[0] - a[0]) - atan2f(uy, ux));
    b2[2] = wrapf(atan2f(c[1] - b[1], c[0] - b[0]) - atan2f(wy, wx));
    b1[0] = a[0] - cosf(b1[2])*f_j1_b1[0] + sinf(b1[2])*f_j1_b1[1];
    b1[1] = a[1] - sinf(b1[2])*f_j1_b1[0] - cosf(b1[2])*f_j1_b1[1];
    b2[0] = b[0] - cosf(b2[2])*f_j3_b2[0] + sinf(b2[2])*f_j3_b2[1];
    b2[1] = b[1] - sinf(b2[2])*f_j3_b2[0] - cosf(b2[2])*f_j3_b2[1];
    q_j1[0] = wrapf(b1[2] + f_j1_b1[2] - k1[2] - f_j1_k1[2]);
    q_j2[0] = wrapf(b2[2] + f_j2_b2[2] - b1[2] - f_j2_b1[2]);
    q_j3[0] = wrapf(b2[2] + f_j3_b2[2] - k2[2] - f_j3_k2[2]);
    return s;
}

symgen_status symgenf_toy_dyad_rrr_position_batch(int32_t n, const float *k1, const float *k2, const float *f_j1_k1, const float *f_j1_b1, const float *f_j2_b1, const float *f_j2_b2, const float *f_j3_k2, const float *f_j3_b2, const int32_t *branch, float *b1, float *b2, float *q_j1, float *q_j2, float *q_j3, int32_t *status)
{
    symgen_status first = SYMGEN_OK;
    int32_t i;
    for (i = 0; i < n; ++i) {
        const symgen_status s = symgenf_toy_dyad_rrr_position(&k1[3*i], &k2[3*i], &f_j1_k1[3*i], &f_j1_b1[3*i], &f_j2_b1[3*i], &f_j2_b2[3*i], &f_j3_k2[3*i], &f_j3_b2[3*i], branch[i], &b1[3*i], &b2[3*i], &q_j1[i], &q_j2[i], &q_j3[i]);
        status[i] = (int32_t)s;
        if (first == SYMGEN_OK) first = s;
    }
    return first;
}
