/* Six U-P-S legs of a Stewart platform, inverse problem, written by hand with care: the yardstick.
 *
 * in:  r 0..2, q 3..6 (scalar first, unit), v 7..9, omega 10..12, a 13..15, alpha 16..18,
 *      base points 19..36, platform points 37..54 (body frame)
 * out: for each leg its length, rate, acceleration, unit vector (3), angular velocity (3, no spin about the leg)
 */
#include <math.h>

int hand_ups6(const double *in, double *out)
{
    const double *r = in, *q = in + 3, *v = in + 7, *w = in + 10, *a = in + 13, *e = in + 16;
    const double x2 = 2.0*q[1], y2 = 2.0*q[2], z2 = 2.0*q[3];
    const double xx = x2*q[1], yy = y2*q[2], zz = z2*q[3];
    const double xy = x2*q[2], xz = x2*q[3], yz = y2*q[3];
    const double sx = x2*q[0], sy = y2*q[0], sz = z2*q[0];
    const double r00 = 1.0 - (yy + zz), r01 = xy - sz, r02 = xz + sy;
    const double r10 = xy + sz, r11 = 1.0 - (xx + zz), r12 = yz - sx;
    const double r20 = xz - sy, r21 = yz + sx, r22 = 1.0 - (xx + yy);

    /* acceleration of a platform point relative to the centre: (alpha~ + omega~ omega~) b */
    const double wxx = w[0]*w[0], wyy = w[1]*w[1], wzz = w[2]*w[2];
    const double wxy = w[0]*w[1], wxz = w[0]*w[2], wyz = w[1]*w[2];
    const double m00 = wyy + wzz, m01 = wxy - e[2], m02 = wxz + e[1];
    const double m10 = wxy + e[2], m11 = wxx + wzz, m12 = wyz - e[0];
    const double m20 = wxz - e[1], m21 = wyz + e[0], m22 = wxx + wyy;

#pragma GCC unroll 6 /* also makes the operation count one of all legs */
    for (int i = 0; i < 6; ++i) {
        const double *base = in + 19 + 3*i, *b = in + 37 + 3*i;
        double *o = out + 9*i;
        const double bx = r00*b[0] + r01*b[1] + r02*b[2];
        const double by = r10*b[0] + r11*b[1] + r12*b[2];
        const double bz = r20*b[0] + r21*b[1] + r22*b[2];
        const double lx = r[0] + bx - base[0];
        const double ly = r[1] + by - base[1];
        const double lz = r[2] + bz - base[2];
        const double l2 = lx*lx + ly*ly + lz*lz;
        if (!(l2 > 0.0)) {
            return 1;
        }
        const double l = sqrt(l2);
        const double i_l = 1.0/l;
        const double ux = lx*i_l, uy = ly*i_l, uz = lz*i_l;
        const double px = v[0] + w[1]*bz - w[2]*by;
        const double py = v[1] + w[2]*bx - w[0]*bz;
        const double pz = v[2] + w[0]*by - w[1]*bx;
        const double rate = px*ux + py*uy + pz*uz;
        const double tx = (uy*pz - uz*py)*i_l;
        const double ty = (uz*px - ux*pz)*i_l;
        const double tz = (ux*py - uy*px)*i_l;
        const double ax = a[0] - m00*bx + m01*by + m02*bz;
        const double ay = a[1] + m10*bx - m11*by + m12*bz;
        const double az = a[2] + m20*bx + m21*by - m22*bz;
        o[0] = l;
        o[1] = rate;
        o[2] = ax*ux + ay*uy + az*uz + l*(tx*tx + ty*ty + tz*tz);
        o[3] = ux;
        o[4] = uy;
        o[5] = uz;
        o[6] = tx;
        o[7] = ty;
        o[8] = tz;
    }
    return 0;
}
