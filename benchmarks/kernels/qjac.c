/* Euler's equations in quaternion coordinates: residual and 3 x 12 Jacobian, written by hand. No input is checked.
 *
 * x: q[4] q'[4] q''[4] inertia (xx yy zz xy xz yz) moment[3];  y: residual[3], then by q, q' and q'', row-major. */
static void g_of(const double p[4], double g[3][4])
{
    const double a = 2.0*p[0], b = 2.0*p[1], c = 2.0*p[2], d = 2.0*p[3];
    g[0][0] = -b, g[0][1] = a, g[0][2] = d, g[0][3] = -c;
    g[1][0] = -c, g[1][1] = -d, g[1][2] = a, g[1][3] = b;
    g[2][0] = -d, g[2][1] = c, g[2][2] = -b, g[2][3] = a;
}

int hand_qjac(const double *x, double *y)
{
    const double j[3][3] = {{x[12], x[15], x[16]}, {x[15], x[13], x[17]}, {x[16], x[17], x[14]}};
    double g[3][4], gs[3][4], gt[3][4], w[3], e[3], h[3], k[3][3];
    g_of(x, g);
    g_of(x + 4, gs);
    g_of(x + 8, gt);
    for (int r = 0; r < 3; ++r) {
        w[r] = g[r][0]*x[4] + g[r][1]*x[5] + g[r][2]*x[6] + g[r][3]*x[7];
        e[r] = g[r][0]*x[8] + g[r][1]*x[9] + g[r][2]*x[10] + g[r][3]*x[11];
    }
    for (int r = 0; r < 3; ++r) {
        h[r] = j[r][0]*w[0] + j[r][1]*w[1] + j[r][2]*w[2];
    }
    for (int c = 0; c < 3; ++c) { /* w~ J - (J w)~ */
        k[0][c] = w[1]*j[2][c] - w[2]*j[1][c];
        k[1][c] = w[2]*j[0][c] - w[0]*j[2][c];
        k[2][c] = w[0]*j[1][c] - w[1]*j[0][c];
    }
    k[0][1] += h[2], k[0][2] -= h[1];
    k[1][0] -= h[2], k[1][2] += h[0];
    k[2][0] += h[1], k[2][1] -= h[0];
    const double gyration[3] = {w[1]*h[2] - w[2]*h[1], w[2]*h[0] - w[0]*h[2], w[0]*h[1] - w[1]*h[0]};
    for (int r = 0; r < 3; ++r) {
        y[r] = j[r][0]*e[0] + j[r][1]*e[1] + j[r][2]*e[2] + gyration[r] - x[18 + r];
        for (int c = 0; c < 4; ++c) {
            y[3 + 4*r + c] = -(j[r][0]*gt[0][c] + j[r][1]*gt[1][c] + j[r][2]*gt[2][c]
                + k[r][0]*gs[0][c] + k[r][1]*gs[1][c] + k[r][2]*gs[2][c]);
            y[15 + 4*r + c] = k[r][0]*g[0][c] + k[r][1]*g[1][c] + k[r][2]*g[2][c];
            y[27 + 4*r + c] = j[r][0]*g[0][c] + j[r][1]*g[1][c] + j[r][2]*g[2][c];
        }
    }
    return 0;
}
