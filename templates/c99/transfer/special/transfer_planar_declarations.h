/* The engine's types and functions, for C and for cffi; include transfer_planar.h. */
typedef struct {          /* a body and the pin that carries it */
    double mass;          /* kg */
    double inertia;       /* kg m^2, about the centre of mass */
    double output[2];     /* m, from its centre of mass to the pin that carries it, body axes */
    double input[2];      /* m, the same pin on the carrying body, from that body's centre of mass, its axes; on the
                             ground: its position, world */
    int32_t parent;       /* number of the body that carries it; -1: the ground */
    int32_t inputs;       /* number of bodies it carries */
} symgen_transfer_planar_body;

typedef struct {
    const symgen_transfer_planar_body *body; /* in postorder: a body comes after all bodies that it carries */
    const double *wrench; /* 3 per body: force at the centre of mass, world, and torque, N, N m; null: none */
    double gravity[2];    /* m/s^2, world */
    int32_t bodies;
    symgen_transfer_special_loops loops; /* closed by pins */
} symgen_transfer_planar_system;

/* A state has 2 numbers per body: its angle in the world [rad], and its rate [rad/s]. Samples have 3 numbers per body:
 * position of the centre of mass and angle for poses, their rates for twists and accelerations. */

/* Bytes of workspace; `width` slopes of the scheme, `chosen` not 0 for automatic steps; both 0 for accelerations. */
int64_t symgen_transfer_planar_workspace_size(
    const symgen_transfer_planar_system *system, int32_t width, int32_t chosen);

/* Whether a system is valid for the other functions: SYMGEN_BAD_INPUT for another order, wrong numbers of carried
 * bodies, values that are not finite, a negative mass, or inconsistent tables of loops; `failed` is the body concerned,
 * if any. */
symgen_status symgen_transfer_planar_check(
    const symgen_transfer_planar_system *system, void *workspace, int32_t *failed);

/* Rates of a state: angular velocities and angular accelerations. SYMGEN_SINGULAR: the body `failed` has no inertia
 * about its joint; or, if `failed` is below -1, the loop -2 - `failed` is redundant. SYMGEN_BAD_INPUT: the state is not
 * finite. In both cases `rate` is not usable. */
symgen_status symgen_transfer_planar_accelerations(
    const symgen_transfer_planar_system *system, const double *state, double *rate, void *workspace,
    int32_t *failed);

/* Write one row of samples from a state and its rates. */
void symgen_transfer_planar_sample(
    const symgen_transfer_planar_system *system, const double *state, const double *rate, double *poses,
    double *twists, double *accelerations);

/* Calculate a whole trajectory. */
symgen_status symgen_transfer_planar_run(
    const symgen_transfer_planar_system *system, const symgen_transfer_special_scheme *scheme,
    const symgen_transfer_special_settings *settings, symgen_transfer_special_run *run,
    const symgen_transfer_special_samples *out, void *workspace, volatile int64_t *progress);
