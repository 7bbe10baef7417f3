/* Slides of the six legs of examples/stewart_inverse, their rates and accelerations, written by hand with care for this
 * one platform: the yardstick on controllers. Its joints lie in the plane of the platform. Nothing is checked.
 *
 * in:  x, y, z, yaw, pitch, roll, each with its rate and acceleration
 * out: six slides from how they are drawn, six rates, six accelerations
 */
static const real legs[6][5] = { /* joint on the frame, joint on the platform, length as it is drawn */
    { (real)0.372, (real)0.335, (real)0.073, (real)0.291, (real)0.6718161951010112 },
    { (real)-0.372, (real)0.335, (real)-0.073, (real)0.291, (real)0.6718161951010112 },
    { (real)-0.476, (real)0.155, (real)-0.288, (real)-0.083, (real)0.6723005280378709 },
    { (real)-0.104, (real)-0.489, (real)-0.216, (real)-0.208, (real)0.6719412176671409 },
    { (real)0.104, (real)-0.489, (real)0.216, (real)-0.208, (real)0.6719412176671409 },
    { (real)0.476, (real)0.155, (real)0.288, (real)-0.083, (real)0.6723005280378709 },
};

int hand_step(const real *in, real *out)
{
    const real cz = cos(in[9]), sz = sin(in[9]), cy = cos(in[12]), sy = sin(in[12]);
    const real cx = cos(in[15]), sx = sin(in[15]);
    const real ex[3] = { cz*cy, sz*cy, -sy };
    const real ey[3] = { cz*sy*sx - sz*cx, sz*sy*sx + cz*cx, cy*sx };

    /* angular velocity: about z, about y behind yaw, about x behind pitch; then the angular acceleration */
    const real yaw = in[10], pitch = in[13], roll = in[16];
    const real px = -pitch*sz, py = pitch*cz;
    const real rx = roll*ex[0], ry = roll*ex[1], rz = roll*ex[2];
    const real wx = px + rx, wy = py + ry, wz = yaw + rz;
    const real ax = in[17]*ex[0] - in[14]*sz - yaw*py + py*rz - yaw*ry;
    const real ay = in[17]*ex[1] + in[14]*cz + yaw*px + yaw*rx - px*rz;
    const real az = in[17]*ex[2] + in[11] + px*ry - py*rx;

    /* rates and accelerations of both axes */
    const real dx[3] = { wy*ex[2] - wz*ex[1], wz*ex[0] - wx*ex[2], wx*ex[1] - wy*ex[0] };
    const real dy[3] = { wy*ey[2] - wz*ey[1], wz*ey[0] - wx*ey[2], wx*ey[1] - wy*ey[0] };
    const real ddx[3] = {
        wy*dx[2] - wz*dx[1] + ay*ex[2] - az*ex[1], wz*dx[0] - wx*dx[2] + az*ex[0] - ax*ex[2],
        wx*dx[1] - wy*dx[0] + ax*ex[1] - ay*ex[0]
    };
    const real ddy[3] = {
        wy*dy[2] - wz*dy[1] + ay*ey[2] - az*ey[1], wz*dy[0] - wx*dy[2] + az*ey[0] - ax*ey[2],
        wx*dy[1] - wy*dy[0] + ax*ey[1] - ay*ey[0]
    };

    for (int k = 0; k < 6; ++k) {
        const real *leg = legs[k];
        const real x = in[0] - leg[0] + ex[0]*leg[2] + ey[0]*leg[3];
        const real y = in[3] - leg[1] + ex[1]*leg[2] + ey[1]*leg[3];
        const real z = in[6] + ex[2]*leg[2] + ey[2]*leg[3];
        const real vx = in[1] + dx[0]*leg[2] + dy[0]*leg[3];
        const real vy = in[4] + dx[1]*leg[2] + dy[1]*leg[3];
        const real vz = in[7] + dx[2]*leg[2] + dy[2]*leg[3];
        const real bx = in[2] + ddx[0]*leg[2] + ddy[0]*leg[3];
        const real by = in[5] + ddx[1]*leg[2] + ddy[1]*leg[3];
        const real bz = in[8] + ddx[2]*leg[2] + ddy[2]*leg[3];
        const real length = sqrt(x*x + y*y + z*z);
        const real inverse = 1/length;
        const real rate = (x*vx + y*vy + z*vz)*inverse;
        out[k] = length - leg[4];
        out[6 + k] = rate;
        out[12 + k] = (vx*vx + vy*vy + vz*vz + x*bx + y*by + z*bz - rate*rate)*inverse;
    }
    return 0;
}
