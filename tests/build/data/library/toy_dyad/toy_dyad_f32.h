/* Fixture of the tests, written by hand: two bars between two pins, in the plane. */
#ifndef SYMGEN_TOY_DYAD_F32_H
#define SYMGEN_TOY_DYAD_F32_H
#include <stdint.h>
#include "symgen_status.h"
#ifdef __cplusplus
extern "C" {
#endif
symgen_status symgenf_toy_dyad_kernel_position(const float a[2], const float b[2], float l1, float l2, int32_t branch, float c[2], float *area);
symgen_status symgenf_toy_dyad_kernel_position_batch(int32_t n, const float *a, const float *b, const float *l1, const float *l2, const int32_t *branch, float *c, float *area, int32_t *status);
symgen_status symgenf_toy_dyad_rrr_position(const float k1[3], const float k2[3], const float f_j1_k1[3], const float f_j1_b1[3], const float f_j2_b1[3], const float f_j2_b2[3], const float f_j3_k2[3], const float f_j3_b2[3], int32_t branch, float b1[3], float b2[3], float q_j1[1], float q_j2[1], float q_j3[1]);
symgen_status symgenf_toy_dyad_rrr_position_batch(int32_t n, const float *k1, const float *k2, const float *f_j1_k1, const float *f_j1_b1, const float *f_j2_b1, const float *f_j2_b2, const float *f_j3_k2, const float *f_j3_b2, const int32_t *branch, float *b1, float *b2, float *q_j1, float *q_j2, float *q_j3, int32_t *status);
#ifdef __cplusplus
}
#endif
#endif
