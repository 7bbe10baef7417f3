/* The engine's types and functions, for C and for cffi; include transfer_ball.h. */
typedef struct {          /* a body and the ball joint that carries it */
    double mass;          /* kg */
    double inertia[6];    /* kg m^2, about the centre of mass, body axes: xx yy zz xy xz yz, entries of the matrix */
    double output[3];     /* m, from its centre of mass to the joint that carries it, body axes */
    double input[3];      /* m, the same joint on the carrying body, from that body's centre of mass, its axes; on
                             the ground: its position, world */
    int32_t parent;       /* number of the body that carries it; -1: the ground */
    int32_t inputs;       /* number of bodies it carries */
} symgen_transfer_ball_body;

typedef struct {
    const symgen_transfer_ball_body *body; /* in postorder: a body comes after all bodies that it carries */
    const double *wrench; /* 6 per body: force and torque at the centre of mass, world, N, N m; null: none */
    double gravity[3];    /* m/s^2, world */
    int32_t bodies;
    symgen_transfer_special_loops loops; /* closed by ball joints */
} symgen_transfer_ball_system;

/* A state has 7 numbers per body: unit quaternion of its orientation (scalar first, body to world), angular velocity
 * (world, rad/s). Samples have 7 numbers per body for poses (centre of mass, quaternion), 6 for twists (velocity of the
 * centre of mass, angular velocity) and 6 for accelerations. */

/* Bytes of workspace; `width` slopes of the scheme, `chosen` not 0 for automatic steps; both 0 for accelerations. */
int64_t symgen_transfer_ball_workspace_size(
    const symgen_transfer_ball_system *system, int32_t width, int32_t chosen);

/* Whether a system is valid for the other functions: SYMGEN_BAD_INPUT for another order, wrong numbers of carried
 * bodies, values that are not finite, a negative mass, or inconsistent tables of loops; `failed` is the body concerned,
 * if any. */
symgen_status symgen_transfer_ball_check(
    const symgen_transfer_ball_system *system, void *workspace, int32_t *failed);

/* Rates of a state: rates of the quaternions, and angular accelerations. SYMGEN_SINGULAR: the body `failed` has no
 * inertia about its joint; or, if `failed` is below -1, the loop -2 - `failed` is redundant. SYMGEN_BAD_INPUT: the
 * state is not finite. In both cases `rate` is not usable. */
symgen_status symgen_transfer_ball_accelerations(
    const symgen_transfer_ball_system *system, const double *state, double *rate, void *workspace,
    int32_t *failed);

/* Write one row of samples from a state and its rates. */
void symgen_transfer_ball_sample(
    const symgen_transfer_ball_system *system, const double *state, const double *rate, double *poses,
    double *twists, double *accelerations);

/* Calculate a whole trajectory. */
symgen_status symgen_transfer_ball_run(
    const symgen_transfer_ball_system *system, const symgen_transfer_special_scheme *scheme,
    const symgen_transfer_special_settings *settings, symgen_transfer_special_run *run,
    const symgen_transfer_special_samples *out, void *workspace, volatile int64_t *progress);
