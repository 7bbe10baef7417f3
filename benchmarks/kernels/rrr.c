/* Planar R.R.R dyad, written by hand with care: the yardstick.
 *
 * in:  a 0..1, b 2..3, r_a 4, r_b 5, v_a 6..7, v_b 8..9, a_a 10..11, a_b 12..13, side 14 (+1 or -1)
 * out: p 0..1, v_p 2..3, omega_1 4, omega_2 5, a_p 6..7, alpha_1 8, alpha_2 9 [, theta_1 10, theta_2 11]
 *
 * One square root and two divisions; the velocity and the acceleration share one factorisation, and its
 * determinant u x w is d^2 h, so it costs one product. Returns 0, or the reason why nothing was written.
 */
#include <math.h>

enum { OK, NO_ASSEMBLY, SINGULAR, DEGENERATE };

#ifdef WITH_ANGLES
#define NAME hand_rrr
#else
#define NAME hand_rrr_na
#endif

int NAME(const double *in, double *out)
{
    const double dx = in[2] - in[0];
    const double dy = in[3] - in[1];
    const double d2 = dx*dx + dy*dy;
    if (!(d2 > 0.0)) {
        return DEGENERATE;
    }
    const double i_d2 = 1.0/d2;
    const double ra2 = in[4]*in[4];

    /* p = a + s d + h Jd */
    const double s = 0.5*(d2 + ra2 - in[5]*in[5])*i_d2;
    const double h2 = ra2*i_d2 - s*s;
    if (!(h2 >= 0.0)) {
        return NO_ASSEMBLY;
    }
    if (!(h2 > 1e-12*s*s)) {
        return SINGULAR;
    }
    const double h = in[14]*sqrt(h2);
    const double ux = s*dx - h*dy;
    const double uy = s*dy + h*dx;
    const double wx = ux - dx;
    const double wy = uy - dy;
    const double i_det = 1.0/(h*d2);

    const double ex = in[8] - in[6];
    const double ey = in[9] - in[7];
    const double w1 = (wx*ex + wy*ey)*i_det;
    const double w2 = (ux*ex + uy*ey)*i_det;

    const double n1 = w1*w1;
    const double n2 = w2*w2;
    const double cx = n1*ux;
    const double cy = n1*uy;
    const double gx = in[12] - in[10] + cx - n2*wx;
    const double gy = in[13] - in[11] + cy - n2*wy;
    const double e1 = (wx*gx + wy*gy)*i_det;
    const double e2 = (ux*gx + uy*gy)*i_det;

    out[0] = in[0] + ux;
    out[1] = in[1] + uy;
    out[2] = in[6] - w1*uy;
    out[3] = in[7] + w1*ux;
    out[4] = w1;
    out[5] = w2;
    out[6] = in[10] - e1*uy - cx;
    out[7] = in[11] + e1*ux - cy;
    out[8] = e1;
    out[9] = e2;
#ifdef WITH_ANGLES
    out[10] = atan2(uy, ux);
    out[11] = atan2(wy, wx);
#endif
    return OK;
}
