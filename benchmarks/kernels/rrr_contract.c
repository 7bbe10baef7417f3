/* Planar R.R.R dyad by hand with the contract of the generated one: the second yardstick.
 *
 * The same arguments, the same statuses at the same borders, NaN, infinity, lengths that are not positive and wrong
 * branches refused, nothing written unless OK. One comparison a border on the way that succeeds; why a call is refused
 * is found out afterwards, in a function of its own. The reciprocals of d^2 and of the area do not wait for each other.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>

enum { OK = 0, NO_ASSEMBLY = 1, SINGULAR = 2, DEGENERATE = 5, BAD_INPUT = 7 };

#define SMALL_LENGTH 1e-50
#define LARGE_RATE 1e50
#define FOLD (4096.0*DBL_EPSILON)
#define REACH (16.0*DBL_EPSILON)
#define TINY (4096.0*DBL_EPSILON*DBL_EPSILON)

static int finite2(const double *v)
{
    return fabs(v[0]) <= DBL_MAX && fabs(v[1]) <= DBL_MAX;
}

__attribute__((noinline, cold)) static int32_t refuse(
    const double *a, const double *b, double l_a, double l_b, const double *v_a, const double *v_b,
    const double *a_a, const double *a_b, int32_t branch)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1];
    const double d2 = dx*dx + dy*dy, la2 = l_a*l_a;
    const double foot = 0.5*(d2 + la2 - l_b*l_b);
    const double area2 = la2*d2 - foot*foot;
    if (branch < 0 || branch > 1 || !finite2(a) || !finite2(b) || !finite2(v_a) || !finite2(v_b) || !finite2(a_a)
        || !finite2(a_b) || !(l_a > SMALL_LENGTH && l_a <= DBL_MAX) || !(l_b > SMALL_LENGTH && l_b <= DBL_MAX)) {
        return BAD_INPUT;
    }
    if (area2 >= FOLD*la2*(l_b*l_b)) {
        return BAD_INPUT; /* only the rates are left */
    }
    if (!(d2 > TINY*la2)) {
        return DEGENERATE;
    }
    return area2 >= -REACH*(la2*d2) ? SINGULAR : NO_ASSEMBLY;
}

int32_t hand_rrr_contract(
    const double a[2], const double b[2], double l_a, double l_b, const double v_a[2], const double v_b[2],
    const double a_a[2], const double a_b[2], int32_t branch, double p[2], double v_p[2], double *omega_1,
    double *omega_2, double a_p[2], double *alpha_1, double *alpha_2)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1];
    const double d2 = dx*dx + dy*dy;
    const double la2 = l_a*l_a, lb2 = l_b*l_b;
    const double foot = 0.5*(d2 + la2 - lb2);
    const double area2 = la2*d2 - foot*foot;
    const double ex = v_b[0] - v_a[0], ey = v_b[1] - v_a[1];
    double gx = a_b[0] - a_a[0], gy = a_b[1] - a_a[1];
    if (!(area2 >= FOLD*la2*lb2) || !(l_a > SMALL_LENGTH) || !(l_b > SMALL_LENGTH) || (uint32_t)branch > 1u
        || !(fabs(ex) + fabs(ey) + fabs(gx) + fabs(gy) <= LARGE_RATE)) {
        return refuse(a, b, l_a, l_b, v_a, v_b, a_a, a_b, branch);
    }
    const double root = sqrt(area2);
    const double area = branch ? -root : root;
    const double i_d2 = 1.0/d2;
    const double i_area = 1.0/area;

    const double s = foot*i_d2, h = area*i_d2;
    const double ux = s*dx - h*dy, uy = s*dy + h*dx;
    const double wx = ux - dx, wy = uy - dy;

    const double w1 = (wx*ex + wy*ey)*i_area;
    const double w2 = (ux*ex + uy*ey)*i_area;
    const double n1 = w1*w1, n2 = w2*w2;
    const double cx = n1*ux, cy = n1*uy;
    gx += cx - n2*wx;
    gy += cy - n2*wy;
    const double e1 = (wx*gx + wy*gy)*i_area;
    const double e2 = (ux*gx + uy*gy)*i_area;

    /* All arguments are read before the first result is written: results may lie over arguments. */
    const double px = a[0] + ux, py = a[1] + uy;
    const double vx = v_a[0] - w1*uy, vy = v_a[1] + w1*ux;
    const double qx = a_a[0] - cx - e1*uy, qy = a_a[1] - cy + e1*ux;
    p[0] = px;
    p[1] = py;
    v_p[0] = vx;
    v_p[1] = vy;
    *omega_1 = w1;
    *omega_2 = w2;
    a_p[0] = qx;
    a_p[1] = qy;
    *alpha_1 = e1;
    *alpha_2 = e2;
    return OK;
}
