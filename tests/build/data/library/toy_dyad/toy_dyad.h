/* Fixture of the tests, written by hand: two bars between two pins, in the plane. */
#ifndef SYMGEN_TOY_DYAD_H
#define SYMGEN_TOY_DYAD_H
#include <stdint.h>
#include "symgen_status.h"
#ifdef __cplusplus
extern "C" {
#endif
symgen_status symgen_toy_dyad_kernel_position(const double a[2], const double b[2], double l1, double l2, int32_t branch, double c[2], double *area);
symgen_status symgen_toy_dyad_kernel_position_batch(int32_t n, const double *a, const double *b, const double *l1, const double *l2, const int32_t *branch, double *c, double *area, int32_t *status);
symgen_status symgen_toy_dyad_rrr_position(const double k1[3], const double k2[3], const double f_j1_k1[3], const double f_j1_b1[3], const double f_j2_b1[3], const double f_j2_b2[3], const double f_j3_k2[3], const double f_j3_b2[3], int32_t branch, double b1[3], double b2[3], double q_j1[1], double q_j2[1], double q_j3[1]);
symgen_status symgen_toy_dyad_rrr_position_batch(int32_t n, const double *k1, const double *k2, const double *f_j1_k1, const double *f_j1_b1, const double *f_j2_b1, const double *f_j2_b2, const double *f_j3_k2, const double *f_j3_b2, const int32_t *branch, double *b1, double *b2, double *q_j1, double *q_j2, double *q_j3, int32_t *status);
#ifdef __cplusplus
}
#endif
#endif
